package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/firnline/relay"
	"example.com/firnline/relay/uplink"
)

var endings = []struct {
	name string
	end  ending
}{
	{"drop", byDrop},
	{"switch", bySwitch},
	{"idle", byIdling},
	{"shutdown", byShutdown},
}

// TestAMirroredStationIsFinished with more or less in memory.
func TestAMirroredStationIsFinished(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				reported := make(map[string][]string)
				var names []string
				for i, n := range []int{1, 2, 31, 32, 33, 95, 150} {
					name := fmt.Sprint("M", i)
					texts, err := h.begin(name, relay.Mirror, n)
					if err != nil {
						return err
					}
					names = append(names, name)
					reported[name] = texts
				}
				if err := tt.end(h, names...); err != nil {
					return err
				}
				for _, name := range names {
					if err := h.finished(name, reported[name]); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// TestSegmentsOfAMirroredStation ends it at various places of a segment.
func TestSegmentsOfAMirroredStation(t *testing.T) {
	tests := []struct {
		name                    string
		segment, flush, records int
	}{
		{"one record each", 1, 50, 9},
		{"every record written", 400, 1, 9},
		{"last one just full", 7, 50, 21},
		{"last one just begun", 7, 50, 22},
		{"last one nearly full", 7, 3, 20},
		{"nothing in memory", 100, 4, 12},
		{"all in memory", 1000, 1000, 170},
		{"more than a buffer", 5000, 5000, 700},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t, relay.WithSegmentSize(tt.segment), relay.WithFlushEvery(tt.flush))
				texts, err := h.begin("FLUELA", relay.Mirror, tt.records)
				if err != nil {
					return err
				}
				if err := h.Drop("FLUELA"); err != nil {
					return err
				}
				return h.finished("FLUELA", texts)
			})
		})
	}
}

// TestOneFailureLeavesTheRestFinished breaks the line, the spool or both.
func TestOneFailureLeavesTheRestFinished(t *testing.T) {
	errNoise := errors.New("nothing but noise")
	tests := []struct {
		name    string
		refuse  bool
		breakUp error
		spool   bool
		end     ending
		want    []error
		final   bool
	}{
		{"goodbye refused at drop", true, nil, false, byDrop, []error{uplink.ErrRefused}, false},
		{"goodbye refused at shutdown", true, nil, false, byShutdown, []error{uplink.ErrRefused}, true},
		{"line broken at drop", false, errNoise, false, byDrop, []error{errNoise}, false},
		{"line broken at idle", false, errNoise, false, byIdling, []error{errNoise}, false},
		{"line broken at shutdown", false, errNoise, false, byShutdown, []error{errNoise}, true},
		{"spool gone at drop", false, nil, true, byDrop, []error{fs.ErrNotExist}, false},
		{"spool gone at idle", false, nil, true, byIdling, []error{fs.ErrNotExist}, false},
		{"spool gone at shutdown", false, nil, true, byShutdown, []error{fs.ErrNotExist}, true},
		{"both at drop", false, errNoise, true, byDrop, []error{errNoise, fs.ErrNotExist}, false},
		{"both at shutdown", true, nil, true, byShutdown, []error{uplink.ErrRefused, fs.ErrNotExist}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				h.valley.refuse["FLUELA"] = tt.refuse
				h.valley.breakUp["FLUELA"] = tt.breakUp
				bad, err := h.begin("FLUELA", relay.Mirror, 11)
				if err != nil {
					return err
				}
				good, err := h.begin("JULIER", relay.Mirror, 12)
				if err != nil {
					return err
				}
				if tt.spool {
					if err := os.RemoveAll(filepath.Join(h.dir, "FLUELA")); err != nil {
						return err
					}
				}
				err = tt.end(h, "FLUELA", "JULIER")
				if err := onlyThese(err, tt.want, errNoise, uplink.ErrRefused, fs.ErrNotExist, uplink.ErrClosed, context.Canceled); err != nil {
					return err
				}
				if err := h.valley.said("FLUELA", bad); err != nil {
					return err
				}
				if !tt.spool {
					if err := h.keeps("FLUELA", bad...); err != nil {
						return err
					}
				}
				if err := h.finished("JULIER", good); err != nil {
					return err
				}
				if tt.final {
					return nil
				}
				if err := h.Open("FLUELA", relay.Mirror); err != nil {
					return fmt.Errorf("Open after a failure: %w", err)
				}
				return nil
			})
		})
	}
}

// TestSwitchAfterAFailure opens the station although not all could be finished.
func TestSwitchAfterAFailure(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		h.valley.refuse["FLUELA"] = true
		texts, err := h.begin("FLUELA", relay.Mirror, 5)
		if err != nil {
			return err
		}
		if err := onlyThese(h.Switch("FLUELA", relay.Keep), []error{uplink.ErrRefused}, relay.ErrOpen, fs.ErrNotExist); err != nil {
			return err
		}
		more, err := h.report("FLUELA", 5, 9)
		if err != nil {
			return err
		}
		if err := h.Drop("FLUELA"); err != nil {
			return err
		}
		return errors.Join(h.keeps("FLUELA", slices.Concat(texts, more)...), h.valley.said("FLUELA", texts))
	})
}

// TestACollectorThatIsNeverThere leaves nothing but the spool to finish.
func TestACollectorThatIsNeverThere(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				h.valley.dead = errors.New("no tone")
				if err := h.Open("FLUELA", relay.Mirror); err != nil {
					return err
				}
				var texts []string
				for n := range 44 {
					if err := h.Append(numbered("FLUELA", n)); !errors.Is(err, h.valley.dead) {
						return fmt.Errorf("Append without a collector: %v", err)
					}
					texts = append(texts, written(n))
				}
				if err := tt.end(h, "FLUELA"); err != nil {
					return err
				}
				return h.keeps("FLUELA", texts...)
			})
		})
	}
}

// TestAStationThatIsTakenUpAgain goes through the modes.
func TestAStationThatIsTakenUpAgain(t *testing.T) {
	tests := []struct {
		name  string
		modes []relay.Mode
	}{
		{"mirror again", []relay.Mode{relay.Mirror, relay.Mirror, relay.Mirror}},
		{"keep in between", []relay.Mode{relay.Mirror, relay.Keep, relay.Mirror}},
		{"forward in between", []relay.Mode{relay.Mirror, relay.Forward, relay.Mirror}},
		{"all of them", []relay.Mode{relay.Keep, relay.Mirror, relay.Mute, relay.Mirror, relay.Forward, relay.Keep}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				var kept []string
				var calls [][]string
				for i, mode := range tt.modes {
					if i == 0 {
						if err := h.Open("FLUELA", mode); err != nil {
							return err
						}
					} else if i%2 == 1 {
						if err := h.Switch("FLUELA", mode); err != nil {
							return err
						}
					} else {
						if err := h.Drop("FLUELA"); err != nil {
							return err
						}
						if err := h.Open("FLUELA", mode); err != nil {
							return err
						}
					}
					texts, err := h.report("FLUELA", 10*i, 10*i+3+i)
					if err != nil {
						return err
					}
					if mode == relay.Keep || mode == relay.Mirror {
						kept = append(kept, texts...)
					}
					if mode == relay.Forward || mode == relay.Mirror {
						calls = append(calls, texts)
					}
				}
				if err := h.Shutdown(context.Background()); err != nil {
					return err
				}
				return errors.Join(h.keeps("FLUELA", kept...), h.valley.said("FLUELA", calls...))
			})
		})
	}
}

// TestShutdownOfAWholeHut has stations of all modes, some of which fail.
func TestShutdownOfAWholeHut(t *testing.T) {
	within(t, func() error {
		errStamp := errors.New("stamp is lost")
		h := newHut(t)
		kept := make(map[string][]string)
		sent := make(map[string][]string)
		for i := range 24 {
			name := fmt.Sprint("S", i)
			mode := []relay.Mode{relay.Mirror, relay.Forward, relay.Keep, relay.Mute}[i%4]
			texts, err := h.begin(name, mode, 3*i+1)
			if err != nil {
				return err
			}
			if mode == relay.Mirror || mode == relay.Keep {
				kept[name] = texts
			}
			if mode == relay.Mirror || mode == relay.Forward {
				sent[name] = texts
			}
		}
		if err := h.Attach("OWN", &closingSink{err: errStamp}); err != nil {
			return err
		}
		h.valley.refuse["S0"] = true
		if err := os.RemoveAll(filepath.Join(h.dir, "S4")); err != nil {
			return err
		}
		delete(kept, "S4")
		err := h.Shutdown(context.Background())
		if err := onlyThese(err, []error{errStamp, uplink.ErrRefused, fs.ErrNotExist}, context.DeadlineExceeded, relay.ErrShutdown); err != nil {
			return err
		}
		for name, texts := range kept {
			if err := h.keeps(name, texts...); err != nil {
				return err
			}
		}
		for name, texts := range sent {
			if err := h.valley.said(name, texts); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestACollectorThatKeepsUsWaiting holds up one station and the call, but neither
// the other stations nor, in the end, that one.
func TestACollectorThatKeepsUsWaiting(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		reported := make(map[string][]string)
		for i := range 6 {
			name := fmt.Sprint("S", i)
			texts, err := h.begin(name, relay.Mirror, i+1)
			if err != nil {
				return err
			}
			reported[name] = texts
		}
		held := make(chan struct{})
		h.valley.hold["S2"] = held
		ctx, cancel := context.WithCancel(context.Background())
		result := make(chan error, 1)
		go func() { result <- h.Shutdown(ctx) }()
		for name, texts := range reported {
			if name == "S2" {
				continue
			}
			if err := eventually(func() error { return h.finished(name, texts) }); err != nil {
				close(held)
				cancel()
				return err
			}
		}
		cancel()
		err := <-result
		close(held)
		if err := onlyThese(err, []error{context.Canceled}); err != nil {
			return err
		}
		return eventually(func() error { return h.finished("S2", reported["S2"]) })
	})
}

// TestAStationEndsOnce although several want to end it.
func TestAStationEndsOnce(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		reported := make(map[string][]string)
		for i := range 12 {
			name := fmt.Sprint("S", i)
			texts, err := h.begin(name, relay.Mirror, i+2)
			if err != nil {
				return err
			}
			reported[name] = texts
		}
		h.later(3 * time.Hour)
		var all sync.WaitGroup
		failures := make(chan error, 100)
		try := func(f func() error) {
			all.Add(1)
			go func() {
				defer all.Done()
				failures <- f()
			}()
		}
		for name := range reported {
			for range 3 {
				try(func() error {
					err := h.Drop(name)
					if errors.Is(err, relay.ErrNotOpen) || errors.Is(err, relay.ErrShutdown) {
						return nil
					}
					return err
				})
			}
		}
		for range 3 {
			try(func() error {
				_, err := h.CloseIdle(time.Hour)
				return err
			})
			try(func() error { return h.Shutdown(context.Background()) })
		}
		all.Wait()
		close(failures)
		for err := range failures {
			if err != nil {
				return err
			}
		}
		for name, texts := range reported {
			if err := h.finished(name, texts); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRecordsThatComeAtTheEnd are finished if they were taken.
func TestRecordsThatComeAtTheEnd(t *testing.T) {
	within(t, func() error {
		h := newHut(t, relay.WithSegmentSize(40))
		names := []string{"ALBULA", "BERNINA", "FLUELA", "JULIER"}
		for _, name := range names {
			if err := h.Open(name, relay.Mirror); err != nil {
				return err
			}
		}
		taken := make([][]string, len(names))
		odd := make(chan error, len(names))
		busy := make(chan struct{}, len(names))
		var reporters sync.WaitGroup
		for i, name := range names {
			reporters.Add(1)
			go func() {
				defer reporters.Done()
				for n := range 100_000 {
					err := h.Append(numbered(name, n))
					if errors.Is(err, relay.ErrNotOpen) || errors.Is(err, relay.ErrShutdown) {
						return
					}
					if err != nil {
						odd <- err
						return
					}
					taken[i] = append(taken[i], written(n))
					if n == 50 {
						busy <- struct{}{}
					}
				}
			}()
		}
		for range names {
			select {
			case <-busy:
			case err := <-odd:
				return err
			}
		}
		if err := h.Drop(names[0]); err != nil {
			return err
		}
		if err := h.Shutdown(context.Background()); err != nil {
			return err
		}
		reporters.Wait()
		select {
		case err := <-odd:
			return err
		default:
		}
		for i, name := range names {
			if err := h.finished(name, taken[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
