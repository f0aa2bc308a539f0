package tilefeed_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/histolab/tilefeed"
)

// TestTheWaitingTileTakesTheNewSettings looks at nothing but settings.
func TestTheWaitingTileTakesTheNewSettings(t *testing.T) {
	onRig(t, func(r rig) error {
		if err := r.load("A", 40, 40); err != nil {
			return err
		}
		for focus := -300; focus <= 300; focus += 6 {
			want := tilefeed.Settings{Exposure: time.Millisecond, Focus: focus, Filter: "cy5"}
			if err := r.Adjust(want); err != nil {
				return err
			}
			for range 2 {
				got, err := r.receive()
				if err != nil {
					return err
				}
				if got.Settings != want {
					return fmt.Errorf("shot %d has %+v, want %+v", got.Number, got.Settings, want)
				}
			}
			off := want
			off.Exposure = time.Hour
			if err := r.Adjust(off); !errors.Is(err, tilefeed.ErrSettings) {
				return fmt.Errorf("Adjust(%+v) = %v, want ErrSettings", off, err)
			}
		}
		return nil
	})
}

// TestSettingsChangeDuringAPause changes them while a camera is waiting.
func TestSettingsChangeDuringAPause(t *testing.T) {
	onRig(t, func(r rig) error {
		night := tilefeed.Settings{Exposure: time.Second, Focus: -7, Filter: "tritc"}
		got := make(chan tilefeed.Shot, 1)
		if err := inOrder(r.Pause, func() error { return r.load("A", 2, 2) }); err != nil {
			return err
		}
		go func() { got <- <-r.Shots() }()
		if err := r.Adjust(night); err != nil {
			return err
		}
		select {
		case s := <-got:
			return fmt.Errorf("received %+v during a pause", s)
		case <-time.After(10 * time.Millisecond):
		}
		if err := r.Resume(); err != nil {
			return err
		}
		select {
		case s := <-got:
			if want := serpentine("A", 2, 2, night)[0]; s != want {
				return fmt.Errorf("received %+v, want %+v", s, want)
			}
		case <-time.After(patience()):
			return fmt.Errorf("no shot after Resume")
		}
		return r.takes(serpentine("A", 2, 2, night)[1:]...)
	})
}

// TestCommandsDoNotWaitForACamera has none.
func TestCommandsDoNotWaitForACamera(t *testing.T) {
	onRig(t, func(r rig) error {
		if err := r.load("A", 30, 30); err != nil {
			return err
		}
		for range 50 {
			err := inOrder(
				func() error { return r.Adjust(plain) },
				func() error { return r.Redo(tilefeed.Tile{}) },
				r.Pause,
				r.Resume,
				func() error {
					_, err := r.Progress()
					return err
				},
			)
			if err != nil {
				return err
			}
		}
		_, err := r.Eject()
		return err
	})
}

func TestSlidesWithoutCommandsComeWhole(t *testing.T) {
	onRig(t, func(r rig) error {
		for n := range 12 {
			id := fmt.Sprint("slide ", n)
			if err := r.load(id, n+1, 3); err != nil {
				return err
			}
			if err := r.takes(serpentine(id, n+1, 3, plain)...); err != nil {
				return err
			}
			if err := r.stands(id, 3*n+3, 0); err != nil {
				return err
			}
		}
		return r.silent()
	})
}

// TestOperatorsAndCamerasAtOnce has several of both.
func TestOperatorsAndCamerasAtOnce(t *testing.T) {
	onRig(t, func(r rig) error {
		const rows, cols = 12, 15
		type receipt struct {
			shot tilefeed.Shot
			from time.Duration // the exposure that was in force before
		}
		var exposure atomic.Int64
		exposure.Store(int64(plain.Exposure))
		receipts := make(chan receipt, 2*rows*cols)
		stop := make(chan struct{})
		var cameras, operators sync.WaitGroup
		var commands atomic.Int64
		for range 3 {
			cameras.Add(1)
			go func() {
				defer cameras.Done()
				for {
					// Let an operator in before every shot.
					for seen := commands.Load(); commands.Load() == seen; runtime.Gosched() {
						select {
						case <-stop:
							return
						default:
						}
					}
					from := time.Duration(exposure.Load())
					select {
					case s, open := <-r.Shots():
						if !open || len(receipts) == cap(receipts) {
							return
						}
						receipts <- receipt{s, from}
					case <-stop:
						return
					}
				}
			}()
		}
		failed := make(chan error, 2)
		operate := func(act func(n int) error) {
			operators.Add(1)
			go func() {
				defer operators.Done()
				for n := 1; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					if err := act(n); err != nil {
						failed <- err
						return
					}
					commands.Add(1)
					time.Sleep(50 * time.Microsecond) // for the cameras' sake
				}
			}()
		}
		if err := r.load("A", rows, cols); err != nil {
			return err
		}
		operate(func(n int) error {
			s := plain
			s.Exposure += min(time.Duration(n)*time.Microsecond, time.Second)
			if err := r.Adjust(s); err != nil {
				return err
			}
			exposure.Store(int64(s.Exposure))
			return nil
		})
		operate(func(int) error {
			err := inOrder(r.Pause, r.Resume)
			if p, perr := r.Progress(); perr != nil || p.Handed+p.Left != rows*cols {
				return fmt.Errorf("Progress = %+v, %v; want %d shots in all", p, perr, rows*cols)
			}
			return err
		})

		var failure error
		for start := time.Now(); failure == nil; time.Sleep(2 * time.Millisecond) {
			p, err := r.Progress()
			if err != nil || p.Left == 0 {
				failure = err
				break
			}
			if time.Since(start) > patience() {
				stuck.Store(true)
				failure = fmt.Errorf("still %d shots left", p.Left)
			}
			select {
			case failure = <-failed:
			default:
			}
		}
		close(stop)
		operators.Wait()
		cameras.Wait()
		close(receipts)
		if failure != nil {
			return failure
		}

		want := serpentine("A", rows, cols, plain)
		seen := make([]bool, len(want))
		for got := range receipts {
			s := got.shot
			i := s.Number - 1
			switch {
			case i < 0 || i >= len(want) || seen[i]:
				return fmt.Errorf("number %d comes twice or is none of the slide's", s.Number)
			case s.Tile != want[i].Tile || s.Slide != "A" || s.Pass != 1:
				return fmt.Errorf("shot %+v, want tile %+v", s, want[i].Tile)
			case s.Settings.Exposure < got.from:
				return fmt.Errorf("shot %d has exposure %v, which %v had replaced", s.Number, s.Settings.Exposure, got.from)
			}
			seen[i] = true
		}
		if i := slices.Index(seen, false); i >= 0 {
			return fmt.Errorf("number %d was not received", i+1)
		}
		return inOrder(r.silent, func() error { return r.stands("A", rows*cols, 0) })
	})
}

// TestCloseWithAWaitingTile wants nothing to come of it.
func TestCloseWithAWaitingTile(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands int
	}{
		{"at_once", 0},
		{"after_a_command", 1},
		{"after_many_commands", 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := feederStacks()
			f, err := tilefeed.New(plain)
			if err != nil {
				t.Fatal(err)
			}
			r := rig{f}
			err = inTime(func() error {
				if err := r.load("A", 8, 8); err != nil {
					return err
				}
				for range c.commands {
					if err := r.Resume(); err != nil {
						return err
					}
				}
				if err := r.Close(); err != nil {
					return fmt.Errorf("Close: %w", err)
				}
				if s, open := <-r.Shots(); open {
					return fmt.Errorf("received %+v after Close", s)
				}
				_, progressErr := r.Progress()
				_, ejectErr := r.Eject()
				for i, err := range []error{
					r.load("B", 1, 1), r.Redo(tilefeed.Tile{}), r.Adjust(plain),
					r.Pause(), r.Resume(), progressErr, ejectErr,
				} {
					if !errors.Is(err, tilefeed.ErrClosed) {
						return fmt.Errorf("method %d after Close: %v, want ErrClosed", i, err)
					}
				}
				return r.Close()
			})
			if err != nil {
				t.Fatal(err)
			}
			for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
				var left []string
				for number, stack := range feederStacks() {
					if _, old := before[number]; !old {
						left = append(left, stack)
					}
				}
				if len(left) == 0 {
					break
				}
				if time.Since(start) > patience()/2 {
					t.Fatalf("%d goroutines outlive Close; one of them:\n%s", len(left), left[0])
				}
			}
		})
	}
}

func TestSentinelsAreToldApart(t *testing.T) {
	sentinels := []error{
		tilefeed.ErrClosed, tilefeed.ErrBusy, tilefeed.ErrNoSlide,
		tilefeed.ErrSlide, tilefeed.ErrTile, tilefeed.ErrSettings,
	}
	unrelated := errors.New("unrelated")
	for i, a := range sentinels {
		if a == nil {
			t.Fatalf("sentinel %d is nil", i)
		}
		if errors.Is(unrelated, a) || errors.Is(a, unrelated) {
			t.Errorf("%v matches an unrelated error", a)
		}
		for j, b := range sentinels {
			if i != j && errors.Is(a, b) {
				t.Errorf("%v matches %v", a, b)
			}
		}
	}
}
