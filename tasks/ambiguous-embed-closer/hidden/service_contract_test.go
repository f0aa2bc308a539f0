package relay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/firnline/relay"
	"example.com/firnline/relay/spool"
	"example.com/firnline/relay/uplink"
)

// plainSink has nothing but what a Sink must have.
type plainSink struct{ got []relay.Record }

func (s *plainSink) Append(rec relay.Record) error {
	s.got = append(s.got, rec)
	return nil
}

// flushingSink can be flushed, but not closed.
type flushingSink struct {
	plainSink
	flushed int
}

func (s *flushingSink) Flush() error {
	s.flushed++
	return nil
}

// closingSink can be closed, but not flushed.
type closingSink struct {
	plainSink
	closed int
	err    error
}

func (s *closingSink) Close() error {
	s.closed++
	return s.err
}

func TestSinksOfOnesOwn(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				plain, flushing, closing := new(plainSink), new(flushingSink), new(closingSink)
				closing.err = errors.New("lid is stuck")
				names := []string{"P", "F", "C"}
				for i, sink := range []relay.Sink{plain, flushing, closing} {
					if err := h.Attach(names[i], sink); err != nil {
						return err
					}
					if _, err := h.report(names[i], 0, 3); err != nil {
						return err
					}
					if err := h.Flush(names[i]); err != nil {
						return err
					}
				}
				if flushing.flushed != 1 || closing.closed != 0 {
					return fmt.Errorf("flushed %d times, closed %d times", flushing.flushed, closing.closed)
				}
				if err := onlyThese(tt.end(h, names...), []error{closing.err}, relay.ErrNotOpen, relay.ErrShutdown); err != nil {
					return err
				}
				if err := h.Shutdown(context.Background()); err != nil {
					return err
				}
				if closing.closed != 1 {
					return fmt.Errorf("closed %d times", closing.closed)
				}
				for i, got := range [][]relay.Record{plain.got, flushing.got, closing.got} {
					if want := []relay.Record{numbered(names[i], 0), numbered(names[i], 1), numbered(names[i], 2)}; !slices.Equal(got, want) {
						return fmt.Errorf("records %v, want %v", got, want)
					}
				}
				return nil
			})
		})
	}
}

func TestOtherModesAreFinished(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				sent, err := h.begin("FORWARD", relay.Forward, 40)
				if err != nil {
					return err
				}
				kept, err := h.begin("KEEP", relay.Keep, 40)
				if err != nil {
					return err
				}
				if _, err := h.begin("MUTE", relay.Mute, 40); err != nil {
					return err
				}
				if err := tt.end(h, "FORWARD", "KEEP", "MUTE"); err != nil {
					return err
				}
				if _, err := os.Stat(filepath.Join(h.dir, "FORWARD")); err == nil {
					return errors.New("a forwarded station has a spool")
				}
				return errors.Join(h.valley.said("FORWARD", sent), h.keeps("KEEP", kept...), h.valley.said("KEEP"))
			})
		})
	}
}

func TestForwardedStationReportsARefusedGoodbye(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		h.valley.refuse["FLUELA"] = true
		texts, err := h.begin("FLUELA", relay.Forward, 3)
		if err != nil {
			return err
		}
		if err := onlyThese(h.Drop("FLUELA"), []error{uplink.ErrRefused}, relay.ErrNotOpen); err != nil {
			return err
		}
		return h.valley.said("FLUELA", texts)
	})
}

// TestAStationWithoutRecordsLeavesNothing is about mirrored ones.
func TestAStationWithoutRecordsLeavesNothing(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			within(t, func() error {
				h := newHut(t)
				if err := h.Open("FLUELA", relay.Mirror); err != nil {
					return err
				}
				if err := tt.end(h, "FLUELA"); err != nil {
					return err
				}
				return errors.Join(h.keeps("FLUELA"), h.valley.said("FLUELA"))
			})
		})
	}
}

// TestServiceOfAMirroredStation is what can be seen before its end.
func TestServiceOfAMirroredStation(t *testing.T) {
	within(t, func() error {
		h := newHut(t, relay.WithFlushEvery(10))
		texts, err := h.begin("FLUELA", relay.Mirror, 25)
		if err != nil {
			return err
		}
		part := filepath.Join(h.dir, "FLUELA", "000001.part")
		written := func(n int) error {
			data, err := os.ReadFile(part)
			if err != nil {
				return err
			}
			want := "= " + strings.Join(texts[:n], "\n= ") + "\n"
			if string(data) != want {
				return fmt.Errorf("%d bytes are written, want the %d of %d records", len(data), len(want), n)
			}
			return nil
		}
		if err := written(20); err != nil {
			return err
		}
		if err := h.Flush("FLUELA"); err != nil {
			return err
		}
		if err := written(25); err != nil {
			return err
		}
		calls, _ := h.valley.heard("FLUELA")
		if len(calls) != 1 || len(calls[0]) != 26 || calls[0][25] != "DATA 25 "+texts[24] {
			return fmt.Errorf("the collector heard %s", brief(calls))
		}
		want := relay.Status{
			Station: "FLUELA",
			Mode:    relay.Mirror,
			Taken:   25,
			Sent:    25,
			Kept:    25,
			Last:    firstMinute.Add(24 * time.Minute),
		}
		if got := h.Report(); len(got) != 1 || got[0] != want {
			return fmt.Errorf("report %+v, want %+v", got, want)
		}
		return nil
	})
}

// TestAMirroredStationDoesBoth even if one of the two fails.
func TestAMirroredStationDoesBoth(t *testing.T) {
	within(t, func() error {
		h := newHut(t, relay.WithSegmentSize(1))
		if err := h.Open("FLUELA", relay.Mirror); err != nil {
			return err
		}
		dead := errors.New("no tone")
		h.valley.dead = dead
		if err := onlyThese(h.Append(numbered("FLUELA", 0)), []error{dead}, relay.ErrNotOpen); err != nil {
			return err
		}
		if err := h.keeps("FLUELA", written(0)); err != nil {
			return err
		}
		h.valley.dead = nil
		if err := os.RemoveAll(filepath.Join(h.dir, "FLUELA")); err != nil {
			return err
		}
		if err := onlyThese(h.Append(numbered("FLUELA", 1)), []error{os.ErrNotExist}, dead); err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(h.dir, "FLUELA"), 0o755); err != nil {
			return err
		}
		// A repeat of what failed is taken, a repeat of what did not is not.
		for range 3 {
			if err := h.Append(numbered("FLUELA", 1)); err != nil {
				return err
			}
		}
		calls, _ := h.valley.heard("FLUELA")
		want := []string{"HELLO 0 FLUELA", "DATA 1 " + written(1), "DATA 2 " + written(1)}
		if len(calls) != 1 || !slices.Equal(calls[0], want) {
			return fmt.Errorf("the collector heard %q, want %q", calls, want)
		}
		if got := h.Report(); got[0].Taken != 1 || got[0].Sent != 2 || got[0].Kept != 2 {
			return fmt.Errorf("report %+v", got)
		}
		return nil
	})
}

func TestAnEndedStationTakesNothing(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		if _, err := h.begin("FLUELA", relay.Mirror, 2); err != nil {
			return err
		}
		if err := h.Open("FLUELA", relay.Keep); relay.ErrOpen == nil || !errors.Is(err, relay.ErrOpen) {
			return fmt.Errorf("Open again: %v", err)
		}
		if err := h.Drop("FLUELA"); err != nil {
			return err
		}
		for what, err := range map[string]error{
			"Append": h.Append(numbered("FLUELA", 2)),
			"Flush":  h.Flush("FLUELA"),
			"Drop":   h.Drop("FLUELA"),
			"Switch": h.Switch("FLUELA", relay.Mirror),
		} {
			if err := onlyThese(err, []error{relay.ErrNotOpen}, relay.ErrShutdown, relay.ErrOpen); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if names, err := h.CloseIdle(0); err != nil || len(names) != 0 || len(h.Report()) != 0 {
			return fmt.Errorf("CloseIdle = %v, %v", names, err)
		}
		return nil
	})
}

// TestIdleStationsOnly leaves busy ones at work.
func TestIdleStationsOnly(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		if _, err := h.begin("IDLE", relay.Mirror, 4); err != nil {
			return err
		}
		busy, err := h.begin("BUSY", relay.Mirror, 4)
		if err != nil {
			return err
		}
		h.later(time.Hour)
		more, err := h.report("BUSY", 4, 5)
		if err != nil {
			return err
		}
		names, err := h.CloseIdle(time.Hour)
		if err != nil || !slices.Equal(names, []string{"IDLE"}) {
			return fmt.Errorf("CloseIdle = %v, %v", names, err)
		}
		calls, _ := h.valley.heard("BUSY")
		if len(calls) != 1 || len(calls[0]) != 1+len(busy)+len(more) {
			return fmt.Errorf("the collector heard %q", calls)
		}
		if _, err := os.Stat(filepath.Join(h.dir, "BUSY", "000001.part")); err != nil {
			return err
		}
		return nil
	})
}

// TestPartsCloseOnTheirOwn is about the packages below.
func TestPartsCloseOnTheirOwn(t *testing.T) {
	within(t, func() error {
		h := newHut(t)
		s, err := spool.Open(filepath.Join(h.dir, "FLUELA"), spool.Options{SegmentLines: 5, FlushLines: 5})
		if err != nil {
			return err
		}
		l := uplink.New("FLUELA", h.valley.dial, time.Minute)
		for _, text := range []string{"a", "b c"} {
			if err := errors.Join(s.Add(text), l.Send(text)); err != nil {
				return err
			}
		}
		if err := errors.Join(s.Close(), l.Close(), s.Close(), l.Close()); err != nil {
			return err
		}
		return h.finished("FLUELA", []string{"a", "b c"})
	})
}

// gatedSink does not close before it is let, and notes what is done to it then.
type gatedSink struct {
	entered chan struct{}
	gate    chan struct{}

	mu    sync.Mutex
	calls []string
}

func (s *gatedSink) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

func (s *gatedSink) Append(relay.Record) error {
	s.note("append")
	return nil
}

func (s *gatedSink) Flush() error {
	s.note("flush")
	return nil
}

func (s *gatedSink) Close() error {
	s.note("close")
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-s.gate
	return nil
}

// TestNothingIsDoneToASinkAfterItsEnd although several wait to do so.
func TestNothingIsDoneToASinkAfterItsEnd(t *testing.T) {
	within(t, func() error {
		for range 15 {
			h := newHut(t)
			sink := &gatedSink{entered: make(chan struct{}, 1), gate: make(chan struct{})}
			if err := h.Attach("FLUELA", sink); err != nil {
				return err
			}
			h.later(3 * time.Hour)
			var all sync.WaitGroup
			do := func(f func() error) {
				all.Add(1)
				go func() {
					defer all.Done()
					f() // some get through, others find that it is too late
				}()
			}
			do(func() error { return h.Drop("FLUELA") })
			<-sink.entered
			do(func() error { return h.Append(numbered("FLUELA", 1)) })
			do(func() error { return h.Flush("FLUELA") })
			do(func() error { return h.Drop("FLUELA") })
			do(func() error {
				_, err := h.CloseIdle(time.Hour)
				return err
			})
			do(func() error { return h.Open("FLUELA", relay.Mute) })
			time.Sleep(time.Millisecond) // lets them queue up; the verdict does not depend on it
			do(func() error { return h.Shutdown(context.Background()) })
			close(sink.gate)
			all.Wait()
			if want := []string{"close"}; !slices.Equal(sink.calls, want) {
				return fmt.Errorf("done to the sink: %v, want %v", sink.calls, want)
			}
		}
		return nil
	})
}
