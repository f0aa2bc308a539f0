package zone_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/shuttlefloor/zone"
)

const (
	// patience bounds every wait for something that has to happen.
	patience = 6 * time.Second
	// lull is how long nothing at all has to go on before a wait is given up
	// earlier than that.
	lull = 120 * time.Millisecond
)

// restless is set when goroutines did not come to rest in time. Something of the
// module is busy for no reason then, and the tests after that do not look any
// more, which would take long.
var restless atomic.Bool

// atRest reports whether no goroutine but the caller has anything to do.
func atRest() bool {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	for i, stack := range strings.Split(string(buf), "\n\n") {
		header, _, _ := strings.Cut(stack, "\n")
		if i > 0 && strings.Contains(header, "[run") {
			return false
		}
	}
	return true
}

// settle waits until whatever goes on has come to an end, and reports whether it
// has.
func settle() bool {
	if restless.Load() {
		time.Sleep(time.Millisecond)
		return false
	}
	start := time.Now()
	for polls := 0; !atRest(); polls++ {
		switch {
		case polls < 40:
			runtime.Gosched()
		case polls > 1000 && time.Since(start) > 3*time.Second:
			restless.Store(true)
			return false
		default:
			time.Sleep(100 * time.Microsecond)
		}
	}
	return true
}

// eventually waits until check returns nil. It gives up when nothing has gone on
// for a while, since then nothing will, and returns what check found last.
func eventually(check func() error) error {
	start, limit := time.Now(), patience
	if restless.Load() {
		limit = time.Second
	}
	var calm time.Time
	for polls, still := 0, 0; ; polls++ {
		err := check()
		if err == nil {
			return nil
		}
		if polls > 300 && time.Since(start) > limit {
			return err
		}
		switch {
		case polls < 100:
			runtime.Gosched()
			continue
		case polls < 200:
			time.Sleep(100 * time.Microsecond)
			continue
		}
		// To look at all goroutines takes long on a busy machine.
		time.Sleep(4 * time.Millisecond)
		if restless.Load() || !atRest() {
			still = 0
			continue
		}
		if still++; still == 1 {
			calm = time.Now()
		}
		if still > 12 && time.Since(calm) > lull {
			return err
		}
	}
}

// floor is a zone under test and the vehicles that were sent to it.
type floor struct {
	*zone.Zone
	t    *testing.T
	sent map[string]*trip
}

// trip is a call of Enter.
type trip struct {
	v      zone.Vehicle
	giveUp context.CancelFunc
	done   chan struct{}
	err    error // once done is closed
}

func (r *trip) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// onFloor runs body with a zone of its own and fails the test if it returns an
// error, panics or hangs. Those that still wait afterwards give up.
func onFloor(t *testing.T, places int, rules []zone.Rule, body func(f *floor) error) {
	t.Helper()
	z, err := zone.New(zone.Config{Name: "Lobby 1", Places: places, Rules: rules})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		f := &floor{Zone: z, t: t, sent: make(map[string]*trip)}
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			for _, r := range f.sent {
				r.giveUp()
			}
			ended <- err
		}()
		err = body(f)
	}()
	start, calm := time.Now(), 0
	for polls := 0; ; polls++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
		if calm++; polls < 100 || restless.Load() || !atRest() {
			calm = 0
		}
		if polls > 100 && time.Since(start) > 3*patience || calm > 75 {
			t.Fatal("a call that must not wait does not return")
		}
	}
}

// send calls Enter in a goroutine and returns when it has returned or the
// vehicle waits.
func (f *floor) send(vehicles ...zone.Vehicle) error {
	for _, v := range vehicles {
		ctx, cancel := context.WithCancel(context.Background())
		r := &trip{v: v, giveUp: cancel, done: make(chan struct{})}
		f.sent[v.ID] = r
		go func() {
			defer close(r.done)
			r.err = errors.New("the goroutine ended early")
			defer func() {
				if p := recover(); p != nil {
					r.err = fmt.Errorf("panic: %v", p)
				}
			}()
			r.err = f.Enter(ctx, v)
		}()
		err := eventually(func() error {
			if r.over() || slices.Contains(f.Waiting(), v) {
				return nil
			}
			return fmt.Errorf("%s neither enters nor waits", v.ID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// queue sends vehicles that have to wait.
func (f *floor) queue(vehicles ...zone.Vehicle) error {
	if err := f.send(vehicles...); err != nil {
		return err
	}
	for _, v := range vehicles {
		if f.sent[v.ID].over() || !slices.Contains(f.Waiting(), v) {
			return fmt.Errorf("%s does not wait; inside %v", v.ID, ids(f.Inside()))
		}
	}
	return nil
}

// place brings vehicles in that may enter at once.
func (f *floor) place(vehicles ...zone.Vehicle) error {
	for _, v := range vehicles {
		if ok, err := f.TryEnter(v); !ok || err != nil {
			return fmt.Errorf("TryEnter(%s) = %t, %v, want true", v.ID, ok, err)
		}
	}
	return nil
}

// clear has vehicles leave.
func (f *floor) clear(vehicles ...zone.Vehicle) error {
	for _, v := range vehicles {
		if err := f.Leave(v.ID); err != nil {
			return fmt.Errorf("Leave(%s): %w", v.ID, err)
		}
	}
	return nil
}

// enter wants vehicles that were sent to come in.
func (f *floor) enter(vehicles ...zone.Vehicle) error {
	for _, v := range vehicles {
		r := f.sent[v.ID]
		err := eventually(func() error {
			if !r.over() {
				return fmt.Errorf("%s is not let in; inside %v, waiting %v", v.ID, ids(f.Inside()), ids(f.Waiting()))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if r.err != nil {
			return fmt.Errorf("Enter(%s): %w", v.ID, r.err)
		}
		if !slices.Contains(f.Inside(), v) {
			return fmt.Errorf("%s is let in but not inside %v", v.ID, ids(f.Inside()))
		}
		if slices.Contains(f.Waiting(), v) {
			return fmt.Errorf("%s is inside and waits", v.ID)
		}
	}
	return nil
}

// wait wants vehicles that were sent to be waiting still.
func (f *floor) wait(vehicles ...zone.Vehicle) error {
	settle()
	inside, waiting := f.Inside(), f.Waiting()
	for _, v := range vehicles {
		if f.sent[v.ID].over() || slices.Contains(inside, v) || !slices.Contains(waiting, v) {
			return fmt.Errorf("%s does not wait; inside %v, waiting %v", v.ID, ids(inside), ids(waiting))
		}
	}
	return nil
}

// abandon has vehicles give up.
func (f *floor) abandon(vehicles ...zone.Vehicle) error {
	for _, v := range vehicles {
		r := f.sent[v.ID]
		r.giveUp()
		err := eventually(func() error {
			if !r.over() {
				return fmt.Errorf("%s does not give up", v.ID)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !errors.Is(r.err, context.Canceled) {
			return fmt.Errorf("Enter(%s): %v, want the error of its context", v.ID, r.err)
		}
		if slices.Contains(f.Inside(), v) || slices.Contains(f.Waiting(), v) {
			return fmt.Errorf("%s gave up and is inside or waits", v.ID)
		}
	}
	return nil
}

// fleet makes n vehicles of a kind, each with the load.
func fleet(kind string, n, load int) []zone.Vehicle {
	vehicles := make([]zone.Vehicle, n)
	for i := range vehicles {
		vehicles[i] = zone.Vehicle{ID: fmt.Sprintf("%s/%d", kind, i), Kind: kind, Load: load}
	}
	return vehicles
}

func ids(vehicles []zone.Vehicle) []string {
	var all []string
	for _, v := range vehicles {
		all = append(all, v.ID)
	}
	return all
}

// steps runs the steps up to the first error.
func steps(all ...func() error) error {
	for i, step := range all {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}
