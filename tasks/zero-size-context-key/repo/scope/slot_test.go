package scope_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"example.com/townhall/counter/scope"
)

var (
	shift scope.Slot[string]
	tries scope.Slot[int]
)

func TestSlotHoldsWhatWasPut(t *testing.T) {
	if name, ok := shift.Get(context.Background()); ok {
		t.Errorf("an empty context holds %q", name)
	}
	day := shift.Put(context.Background(), "day")
	night := shift.Put(day, "night")
	if name, ok := shift.Get(night); !ok || name != "night" {
		t.Errorf("Get = %q, %v, want the later value", name, ok)
	}
	if name, ok := shift.Get(day); !ok || name != "day" {
		t.Errorf("Get = %q, %v, want day: a later Put must not change the context", name, ok)
	}
}

func TestSlotHoldsZeroValues(t *testing.T) {
	ctx := tries.Put(context.Background(), 0)
	if n, ok := tries.Get(ctx); !ok || n != 0 {
		t.Errorf("Get = %d, %v, want 0, true", n, ok)
	}
	var body scope.Slot[io.Reader]
	if r, ok := body.Get(body.Put(ctx, nil)); !ok || r != nil {
		t.Errorf("Get = %v, %v, want nil, true", r, ok)
	}
}

func TestSlotsAreIndependent(t *testing.T) {
	ctx := shift.Put(context.Background(), "late")
	if n, ok := tries.Get(ctx); ok {
		t.Errorf("tries = %d before anything was put there", n)
	}
	ctx = tries.Put(ctx, 3)
	if name, ok := shift.Get(ctx); !ok || name != "late" {
		t.Errorf("shift = %q, %v, want late", name, ok)
	}
	if n, ok := tries.Get(ctx); !ok || n != 3 {
		t.Errorf("tries = %d, %v, want 3", n, ok)
	}
}

func TestOrFallsBackOnlyIfEmpty(t *testing.T) {
	if got := tries.Or(context.Background(), 7); got != 7 {
		t.Errorf("Or = %d, want the fallback", got)
	}
	if got := tries.Or(tries.Put(context.Background(), 0), 7); got != 0 {
		t.Errorf("Or = %d, want the 0 that was put", got)
	}
}

func TestCarryTakesTheGivenSlots(t *testing.T) {
	src, cancel := context.WithCancel(context.Background())
	src = tries.Put(shift.Put(src, "early"), 2)
	cancel()

	dst := scope.Carry(tries.Put(context.Background(), 9), src, &shift)
	if name, _ := shift.Get(dst); name != "early" {
		t.Errorf("shift = %q, want early", name)
	}
	if n, _ := tries.Get(dst); n != 9 {
		t.Errorf("tries = %d, want that of the destination", n)
	}
	if err := dst.Err(); err != nil {
		t.Errorf("the cancellation was carried: %v", err)
	}
}

func TestCarryLeavesTheDestinationIfTheSourceIsEmpty(t *testing.T) {
	dst := scope.Carry(shift.Put(context.Background(), "day"), context.Background(), &shift, &tries)
	if name, _ := shift.Get(dst); name != "day" {
		t.Errorf("shift = %q, want day", name)
	}
	if n, ok := tries.Get(dst); ok {
		t.Errorf("tries = %d, want none", n)
	}
}

func TestSlotServesSeveralGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ctx := context.Background()
			for n := range 100 {
				ctx = tries.Put(ctx, 100*i+n)
				if got, _ := tries.Get(ctx); got != 100*i+n {
					t.Errorf("Get = %d, want %d", got, 100*i+n)
				}
			}
		}()
	}
	wg.Wait()
}
