package scope_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/townhall/counter/scope"
)

// settle runs body on a goroutine of its own and fails the test if it fails,
// panics or takes too long.
func settle(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the test body exited early")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(8 * time.Second):
		t.Error("the test body hangs")
	}
}

// cabinet has slots as fields and as elements of an array.
type cabinet[T any] struct {
	top, shelf scope.Slot[T]
	label      string
	drawers    [3]scope.Slot[T]
	bottom     scope.Slot[T]
}

// furnish returns slots that were declared in different places.
func furnish[T any]() []*scope.Slot[T] {
	var left, right scope.Slot[T]
	c := new(cabinet[T])
	return []*scope.Slot[T]{
		&left, &right, new(scope.Slot[T]), new(scope.Slot[T]), {}, {},
		&c.top, &c.shelf, &c.drawers[0], &c.drawers[1], &c.drawers[2], &c.bottom,
	}
}

// apart wants slots to keep their values apart. The ith value is value(i), and
// is tells whether a value is that.
func apart[T any](slots []*scope.Slot[T], value func(i int) T, is func(v T, i int) bool) error {
	holds := func(ctx context.Context, slot, i int) error {
		v, ok := slots[slot].Get(ctx)
		if !ok || !is(v, i) {
			return fmt.Errorf("slot %d holds %v, %v, want value %d", slot, v, ok, i)
		}
		if or := slots[slot].Or(ctx, value(1000)); !is(or, i) {
			return fmt.Errorf("slot %d: Or = %v, want value %d", slot, or, i)
		}
		return nil
	}
	for i := range slots {
		ctx := slots[i].Put(context.Background(), value(i))
		for j := range slots {
			if j == i {
				if err := holds(ctx, i, i); err != nil {
					return fmt.Errorf("with slot %d filled alone: %w", i, err)
				}
				continue
			}
			if v, ok := slots[j].Get(ctx); ok {
				return fmt.Errorf("with slot %d filled alone: slot %d holds %v", i, j, v)
			}
			if or := slots[j].Or(ctx, value(1000)); !is(or, 1000) {
				return fmt.Errorf("with slot %d filled alone: slot %d: Or = %v, want the fallback", i, j, or)
			}
		}
	}

	up, down := context.Background(), context.Background()
	for i := range slots {
		up = slots[i].Put(up, value(i))
		k := len(slots) - 1 - i
		down = slots[k].Put(down, value(k))
	}
	for k := range slots {
		again := slots[k].Put(up, value(2000+k))
		for i := range slots {
			want := i
			if i == k {
				want = 2000 + k
			}
			err := errors.Join(holds(up, i, i), holds(down, i, i), holds(again, i, want))
			if err != nil {
				return fmt.Errorf("with all slots filled: %w", err)
			}
		}
	}

	for k := range slots {
		ctx := scope.Carry(down, again(slots, value), slots[k])
		for i := range slots {
			want := i
			if i == k {
				want = 3000 + k
			}
			if err := holds(ctx, i, want); err != nil {
				return fmt.Errorf("after Carry of slot %d: %w", k, err)
			}
		}
		bare := scope.Carry(context.Background(), down, slots[k])
		for i := range slots {
			if v, ok := slots[i].Get(bare); ok != (i == k) || ok && !is(v, k) {
				return fmt.Errorf("after Carry of slot %d alone: slot %d holds %v, %v", k, i, v, ok)
			}
		}
	}
	return nil
}

// again fills all slots with other values.
func again[T any](slots []*scope.Slot[T], value func(i int) T) context.Context {
	ctx := context.Background()
	for i := range slots {
		ctx = slots[i].Put(ctx, value(3000+i))
	}
	return ctx
}

var (
	lobby   scope.Slot[string]
	archive scope.Slot[string]
	cellar  = new(scope.Slot[string])
	attic   = &scope.Slot[string]{}
	wings   [4]scope.Slot[string]
)

func TestSlotsOfOneTypeKeepTheirValuesApart(t *testing.T) {
	isText := func(v string, i int) bool { return v == strconv.Itoa(i) }
	t.Run("package_level", func(t *testing.T) {
		settle(t, func() error {
			slots := []*scope.Slot[string]{&lobby, &archive, cellar, attic, &wings[0], &wings[1], &wings[2], &wings[3]}
			return apart(slots, strconv.Itoa, isText)
		})
	})
	t.Run("two_local", func(t *testing.T) {
		settle(t, func() error {
			var here, there scope.Slot[string]
			return apart([]*scope.Slot[string]{&here, &there}, strconv.Itoa, isText)
		})
	})
	t.Run("package_level_and_local", func(t *testing.T) {
		settle(t, func() error {
			return apart(append(furnish[string](), &lobby, &archive), strconv.Itoa, isText)
		})
	})
	t.Run("fields", func(t *testing.T) {
		settle(t, func() error {
			var c struct{ a, b, c scope.Slot[string] }
			return apart([]*scope.Slot[string]{&c.a, &c.b, &c.c}, strconv.Itoa, isText)
		})
	})
	t.Run("elements", func(t *testing.T) {
		settle(t, func() error {
			row := make([]scope.Slot[string], 5)
			return apart([]*scope.Slot[string]{&row[0], &row[1], &row[2], &row[3], &row[4]}, strconv.Itoa, isText)
		})
	})
}

// badge is a type of a service.
type badge struct {
	name  string
	doors []int
}

func TestSlotsKeepApartWhateverTheirType(t *testing.T) {
	t.Run("int", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[int](), func(i int) int { return i }, func(v, i int) bool { return v == i })
		})
	})
	t.Run("bool", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[bool](), func(i int) bool { return i%2 == 0 }, func(v bool, i int) bool { return v == (i%2 == 0) })
		})
	})
	t.Run("no_content", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[struct{}](), func(int) struct{} { return struct{}{} }, func(struct{}, int) bool { return true })
		})
	})
	t.Run("empty_array", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[[0]string](), func(int) [0]string { return [0]string{} }, func([0]string, int) bool { return true })
		})
	})
	t.Run("struct", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[badge](),
				func(i int) badge { return badge{strconv.Itoa(i), []int{i}} },
				func(v badge, i int) bool { return v.name == strconv.Itoa(i) && len(v.doors) == 1 && v.doors[0] == i })
		})
	})
	t.Run("pointer", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[*badge](),
				func(i int) *badge { return &badge{name: strconv.Itoa(i)} },
				func(v *badge, i int) bool { return v != nil && v.name == strconv.Itoa(i) })
		})
	})
	t.Run("interface", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[any](), func(i int) any { return i }, func(v any, i int) bool { return v == any(i) })
		})
	})
	t.Run("slice", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[[]int](), func(i int) []int { return []int{i} }, func(v []int, i int) bool { return len(v) == 1 && v[0] == i })
		})
	})
	t.Run("func", func(t *testing.T) {
		settle(t, func() error {
			return apart(furnish[func() int](), func(i int) func() int { return func() int { return i } },
				func(v func() int, i int) bool { return v != nil && v() == i })
		})
	})
}

func TestSlotsOfDifferentTypesKeepApart(t *testing.T) {
	settle(t, func() error {
		var (
			name  scope.Slot[string]
			count scope.Slot[int]
			alias scope.Slot[any]
			fault scope.Slot[error]
			mark  scope.Slot[struct{}]
		)
		errTorn := errors.New("torn form")
		ctx := name.Put(context.Background(), "form")
		ctx = count.Put(ctx, 4)
		ctx = alias.Put(ctx, "other form")
		ctx = fault.Put(ctx, errTorn)
		if _, ok := mark.Get(ctx); ok {
			return errors.New("a slot that was never filled holds something")
		}
		ctx = mark.Put(ctx, struct{}{})
		if v, ok := name.Get(ctx); !ok || v != "form" {
			return fmt.Errorf("name = %q, %v", v, ok)
		}
		if v, ok := count.Get(ctx); !ok || v != 4 {
			return fmt.Errorf("count = %d, %v", v, ok)
		}
		if v, ok := alias.Get(ctx); !ok || v != any("other form") {
			return fmt.Errorf("alias = %v, %v", v, ok)
		}
		if v, ok := fault.Get(ctx); !ok || v != errTorn {
			return fmt.Errorf("fault = %v, %v", v, ok)
		}
		if _, ok := mark.Get(ctx); !ok {
			return errors.New("mark is empty")
		}
		return nil
	})
}

func TestAnyNumberOfSlotsKeepsApart(t *testing.T) {
	settle(t, func() error {
		slots := make([]scope.Slot[string], 70_000)
		// All are used before the first one is read.
		for i := range slots {
			slots[i].Put(context.Background(), "warm")
		}
		for _, k := range []int{0, 255, 256, 4095, 65_535, 65_536, 69_999} {
			ctx := slots[k].Put(context.Background(), "mine")
			for i := range slots {
				if v, ok := slots[i].Get(ctx); ok != (i == k) || ok && v != "mine" {
					return fmt.Errorf("slot %d was filled and slot %d holds %q, %v", k, i, v, ok)
				}
			}
		}
		ctx := context.Background()
		for i := range slots[:600] {
			ctx = slots[i].Put(ctx, strconv.Itoa(i))
		}
		for i := range slots[:600] {
			if v, ok := slots[i].Get(ctx); !ok || v != strconv.Itoa(i) {
				return fmt.Errorf("slot %d of 600 holds %q, %v", i, v, ok)
			}
		}
		return nil
	})
}

//go:noinline
func fillAndForget(ctx context.Context, n, size int) context.Context {
	for i := range n {
		row := make([]scope.Slot[string], size)
		ctx = row[i].Put(ctx, "old")
	}
	return ctx
}

func TestNewSlotIsEmptyInAnOldContext(t *testing.T) {
	settle(t, func() error {
		for _, size := range []int{16, 32, 48, 64, 96, 128, 256, 512} {
			ctx := fillAndForget(context.Background(), 16, size)
			runtime.GC()
			for range 2000 {
				if v, ok := new(scope.Slot[string]).Get(ctx); ok {
					return fmt.Errorf("a new slot holds %q", v)
				}
				row := make([]scope.Slot[string], size)
				for i := range 16 {
					if v, ok := row[i].Get(ctx); ok {
						return fmt.Errorf("slot %d of a new row holds %q", i, v)
					}
				}
			}
			runtime.KeepAlive(ctx)
		}
		return nil
	})
}

func TestNewSlotServesSeveralGoroutinesAtOnce(t *testing.T) {
	settle(t, func() error {
		const users, rounds = 4, 3000
		failures := make(chan error, users*rounds)
		for range rounds {
			slot, start := new(scope.Slot[int]), make(chan struct{})
			var wg sync.WaitGroup
			for u := range users {
				wg.Add(1)
				go func() {
					defer wg.Done()
					<-start
					ctx := slot.Put(context.Background(), u)
					runtime.Gosched()
					if v, ok := slot.Get(ctx); !ok || v != u {
						failures <- fmt.Errorf("goroutine %d finds %d, %v", u, v, ok)
					}
				}()
			}
			close(start)
			wg.Wait()
		}
		select {
		case err := <-failures:
			return err
		default:
			return nil
		}
	})
}

func TestSlotBehavesAsBefore(t *testing.T) {
	settle(t, func() error {
		var word scope.Slot[error]
		if v, ok := word.Get(context.Background()); ok || v != nil {
			return fmt.Errorf("an empty slot holds %v, %v", v, ok)
		}
		errFirst, errLast := errors.New("first"), errors.New("last")
		first := word.Put(context.Background(), errFirst)
		last := word.Put(first, errLast)
		none := word.Put(last, nil)
		child, cancel := context.WithCancel(last)
		defer cancel()
		for _, tc := range []struct {
			ctx  context.Context
			want error
		}{{first, errFirst}, {last, errLast}, {none, nil}, {child, errLast}} {
			if v, ok := word.Get(tc.ctx); !ok || v != tc.want {
				return fmt.Errorf("the slot holds %v, %v, want %v", v, ok, tc.want)
			}
			if v := word.Or(tc.ctx, errors.New("fallback")); v != tc.want {
				return fmt.Errorf("Or = %v, want %v", v, tc.want)
			}
		}
		return nil
	})
}

func TestCarryBringsNothingElse(t *testing.T) {
	settle(t, func() error {
		type foreign struct{}
		var a, b, c scope.Slot[string]
		src, cancel := context.WithTimeout(context.WithValue(context.Background(), foreign{}, 1), time.Hour)
		src = c.Put(b.Put(a.Put(src, "a"), "b"), "c")
		cancel()
		dst := scope.Carry(b.Put(context.Background(), "kept"), src, &c, &a)
		for _, tc := range []struct {
			slot *scope.Slot[string]
			want string
		}{{&a, "a"}, {&b, "kept"}, {&c, "c"}} {
			if v, ok := tc.slot.Get(dst); !ok || v != tc.want {
				return fmt.Errorf("after Carry a slot holds %q, %v, want %q", v, ok, tc.want)
			}
		}
		if _, late := dst.Deadline(); late || dst.Err() != nil || dst.Value(foreign{}) != nil {
			return errors.New("Carry brought a deadline, a cancellation or a value of another kind")
		}
		if dst = scope.Carry(dst, src); dst.Err() != nil {
			return errors.New("Carry of no slots brought the cancellation")
		}
		return nil
	})
}
