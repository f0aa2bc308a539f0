package tilefeed_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/histolab/tilefeed"
)

var (
	// stuck is set by the first step that hangs: the verdict is clear then, and
	// the tests after it need not be as patient.
	stuck atomic.Bool

	plain = tilefeed.Settings{Exposure: 3 * time.Millisecond, Focus: 2, Filter: "fitc"}
)

func patience() time.Duration {
	if stuck.Load() {
		return time.Second
	}
	return 6 * time.Second
}

// rig is a feeder under test.
type rig struct {
	*tilefeed.Feeder
}

// onRig runs body on a feeder of its own and fails the test if it returns an
// error, panics or hangs.
func onRig(t *testing.T, body func(r rig) error) {
	t.Helper()
	f, err := tilefeed.New(plain)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	defer inTime(func() error { return f.Close() })
	if err := inTime(func() error { return body(rig{f}) }); err != nil {
		t.Fatal(err)
	}
}

func inTime(body func() error) error {
	limit := patience()
	done := make(chan error, 1)
	go func() {
		err := fmt.Errorf("the goroutine ended early")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(limit + limit/2):
		stuck.Store(true)
		return fmt.Errorf("still busy after %v", limit+limit/2)
	}
}

func (r rig) load(id string, rows, cols int) error {
	if err := r.Load(tilefeed.Slide{ID: id, Rows: rows, Cols: cols}); err != nil {
		return fmt.Errorf("Load(%s): %w", id, err)
	}
	return nil
}

// receive returns the next shot.
func (r rig) receive() (tilefeed.Shot, error) {
	limit := patience()
	select {
	case s, open := <-r.Shots():
		if !open {
			return s, fmt.Errorf("the channel of shots is closed")
		}
		return s, nil
	case <-time.After(limit):
		stuck.Store(true)
		return tilefeed.Shot{}, fmt.Errorf("no shot within %v", limit)
	}
}

// takes wants the next shots to be these.
func (r rig) takes(want ...tilefeed.Shot) error {
	for _, w := range want {
		got, err := r.receive()
		if err != nil {
			return fmt.Errorf("shot %d of %s: %w", w.Number, w.Slide, err)
		}
		if got != w {
			return fmt.Errorf("received %+v, want %+v", got, w)
		}
	}
	return nil
}

// silent wants no shot for a while.
func (r rig) silent() error {
	select {
	case s, open := <-r.Shots():
		return fmt.Errorf("received %+v (channel open: %t), want nothing", s, open)
	case <-time.After(10 * time.Millisecond):
		return nil
	}
}

// stands wants this progress.
func (r rig) stands(slide string, handed, left int) error {
	p, err := r.Progress()
	if err != nil {
		return fmt.Errorf("Progress: %w", err)
	}
	if p.Slide != slide || p.Handed != handed || p.Left != left || p.Paused {
		return fmt.Errorf("Progress = %+v, want %d handed out and %d left of %q", p, handed, left, slide)
	}
	return nil
}

// serpentine returns the shots over a slide without a mask.
func serpentine(id string, rows, cols int, settings tilefeed.Settings) []tilefeed.Shot {
	var shots []tilefeed.Shot
	for row := 0; row < rows; row++ {
		for i := 0; i < cols; i++ {
			col := i
			if row%2 == 1 {
				col = cols - 1 - i
			}
			shots = append(shots, tilefeed.Shot{
				Number:   len(shots) + 1,
				Slide:    id,
				Tile:     tilefeed.Tile{Row: row, Col: col},
				Pass:     1,
				Settings: settings,
			})
		}
	}
	return shots
}

// inOrder runs the steps up to the first error.
func inOrder(steps ...func() error) error {
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// feederStacks returns the stacks of goroutines that run code of the module or
// were started by it, by the goroutine's number.
func feederStacks() map[string]string {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	found := make(map[string]string)
	for _, stack := range strings.Split(string(buf), "\n\n") {
		for _, line := range strings.Split(stack, "\n") {
			line = strings.TrimPrefix(line, "created by ")
			if strings.HasPrefix(line, "example.com/histolab/tilefeed.") {
				found[strings.Fields(stack)[1]] = stack
				break
			}
		}
	}
	return found
}
