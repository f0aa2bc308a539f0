package boxoffice_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"example.com/stagedoor/boxoffice"
)

// scene plays f, unless it panics or hangs.
func scene(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("panic: %v", r)
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("a call does not return")
	}
}

// comes waits for something that has to be true soon after due. It gives up
// only when it has looked often since then, not merely long.
func comes(due time.Time, yes func() bool) bool {
	for looks := 0; ; time.Sleep(2 * time.Millisecond) {
		if yes() {
			return true
		}
		if late := time.Since(due); late > 0 {
			if looks++; looks > 60 && late > 150*time.Millisecond {
				return false
			}
		}
	}
}

// aWhile is long enough for every test.
const aWhile = time.Hour

var stalls = boxoffice.Row("K", 400)

func newHall() (*boxoffice.House, error) {
	return boxoffice.NewHouse(stalls, boxoffice.WithMaxSeats(5))
}

// with plays f with a house of its own and a hold of two seats.
func with(d time.Duration, f func(h *boxoffice.House, id boxoffice.ID) error) error {
	h, err := newHall()
	if err != nil {
		return err
	}
	id, err := h.Hold("ada", d, stalls[0], stalls[1])
	if err != nil {
		return fmt.Errorf("Hold: %w", err)
	}
	return f(h, id)
}

func stateOf(h *boxoffice.House, n int) boxoffice.State {
	state, err := h.State(stalls[n])
	if err != nil {
		return -1
	}
	return state
}

// refused reports whether err says that a hold has lapsed, and nothing else.
func refused(err error) bool {
	return err != nil && errors.Is(err, boxoffice.ErrLapsed) &&
		!errors.Is(err, boxoffice.ErrUnknown) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// sweepOnce sweeps and wants nothing but the hold of with, lapsed by itself.
func sweepOnce(h *boxoffice.House, id boxoffice.ID) error {
	swept := h.Sweep()
	if len(swept) != 1 {
		return fmt.Errorf("swept %v, want the one hold", swept)
	}
	l := swept[0]
	if l.ID != id || l.Customer != "ada" || !slices.Equal(l.Seats, stalls[:2]) || l.Abandoned {
		return fmt.Errorf("swept %+v, want hold %d of ada, not abandoned", l, id)
	}
	for range 3 {
		if again := h.Sweep(); len(again) != 0 {
			return fmt.Errorf("swept %v again", again)
		}
	}
	if stateOf(h, 0) != boxoffice.Free || stateOf(h, 1) != boxoffice.Free || len(h.Holds()) != 0 {
		return fmt.Errorf("seats are %v and %v when swept", stateOf(h, 0), stateOf(h, 1))
	}
	if err := h.Extend(id, aWhile); !errors.Is(err, boxoffice.ErrUnknown) {
		return fmt.Errorf("Extend of a swept hold: error %w, want ErrUnknown", err)
	}
	next, err := h.Hold("bob", aWhile, stalls[1], stalls[0])
	if err != nil || next == id {
		return fmt.Errorf("Hold of swept seats: hold %d, error %w", next, err)
	}
	return nil
}

func TestHoldLapsesWhenItsTimeIsUpAndNotEarlier(t *testing.T) {
	for _, c := range []struct {
		name string
		d    time.Duration
	}{
		{"1ns", 1},
		{"1ms", time.Millisecond},
		{"9ms", 9 * time.Millisecond},
		{"17ms", 17 * time.Millisecond},
		{"32ms", 32 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				start := time.Now()
				return with(c.d, func(h *boxoffice.House, id boxoffice.ID) error {
					due := time.Now().Add(c.d)
					if !comes(due, func() bool { return stateOf(h, 0) != boxoffice.Held }) {
						return fmt.Errorf("seat is %v, want stale", stateOf(h, 0))
					}
					if after := time.Since(start); after < c.d {
						return fmt.Errorf("lapsed after %v", after)
					}
					if state := stateOf(h, 0); state != boxoffice.Stale {
						return fmt.Errorf("seat is %v, want stale", state)
					}
					return sweepOnce(h, id)
				})
			})
		})
	}
}

// looks are ways to tell whether the hold of with has lapsed. Those of a hold
// that has lapsed change nothing.
var looks = []struct {
	name string
	see  func(h *boxoffice.House, id boxoffice.ID) bool
}{
	{"state", func(h *boxoffice.House, _ boxoffice.ID) bool { return stateOf(h, 0) == boxoffice.Stale }},
	{"tally", func(h *boxoffice.House, _ boxoffice.ID) bool {
		tally := h.Tally()
		return tally[boxoffice.Stale] == 2 && tally[boxoffice.Free] == len(stalls)-2
	}},
	{"holds", func(h *boxoffice.House, id boxoffice.ID) bool {
		infos := h.Holds()
		return len(infos) == 1 && infos[0].ID == id && infos[0].Lapsed
	}},
	{"extend", func(h *boxoffice.House, id boxoffice.ID) bool { return refused(h.Extend(id, time.Millisecond)) }},
}

func TestLapsedStaysLapsedHoweverOftenOneLooks(t *testing.T) {
	for _, c := range looks {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				return with(5*time.Millisecond, func(h *boxoffice.House, id boxoffice.ID) error {
					if !comes(time.Now().Add(5*time.Millisecond), func() bool { return c.see(h, id) }) {
						return errors.New("the hold does not lapse")
					}
					for range 20 {
						for _, l := range looks {
							if !l.see(h, id) {
								return fmt.Errorf("%s: the hold has not lapsed any more", l.name)
							}
						}
						if _, err := h.Confirm(id); !refused(err) {
							return fmt.Errorf("Confirm: error %w, want ErrLapsed", err)
						}
						if n := h.Abandon("ada"); n != 0 {
							return fmt.Errorf("Abandon = %d, want 0", n)
						}
						if _, err := h.Hold("bob", aWhile, stalls[0]); !errors.Is(err, boxoffice.ErrTaken) {
							return fmt.Errorf("Hold of a stale seat: error %w, want ErrTaken", err)
						}
					}
					return sweepOnce(h, id)
				})
			})
		})
	}
}

// TestTimeIsUpThoughNobodyHasLooked lets a hold's time pass and does one thing
// with it. Only if the hold is still running after a long time is that wrong.
func TestTimeIsUpThoughNobodyHasLooked(t *testing.T) {
	for _, c := range []struct {
		name string
		try  func(h *boxoffice.House, id boxoffice.ID) bool
	}{
		{"confirm", func(h *boxoffice.House, id boxoffice.ID) bool {
			sold, err := h.Confirm(id)
			return refused(err) && len(sold) == 0
		}},
		{"extend", func(h *boxoffice.House, id boxoffice.ID) bool { return refused(h.Extend(id, aWhile)) }},
		{"abandon", func(h *boxoffice.House, _ boxoffice.ID) bool { return h.Abandon("ada") == 0 }},
		{"holds", func(h *boxoffice.House, _ boxoffice.ID) bool { return h.Holds()[0].Lapsed }},
		{"sweep", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				var err error
				for slack := 5 * time.Millisecond; slack < 300*time.Millisecond; slack *= 7 {
					err = with(3*time.Millisecond, func(h *boxoffice.House, id boxoffice.ID) error {
						time.Sleep(3*time.Millisecond + slack)
						if c.try != nil && !c.try(h, id) {
							return fmt.Errorf("the hold runs on %v after its time", slack)
						}
						return sweepOnce(h, id)
					})
					if err == nil {
						break
					}
				}
				return err
			})
		})
	}
}

// TestExtendedHoldRunsOn makes all calls within the shortest duration that they
// ask for; should the machine be too slow for that, with longer ones.
func TestExtendedHoldRunsOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		lasts func(d time.Duration) []time.Duration // of Hold, then of Extend
	}{
		{"once", func(d time.Duration) []time.Duration { return []time.Duration{d, aWhile} }},
		{"shorter_then_longer", func(d time.Duration) []time.Duration { return []time.Duration{aWhile, d, aWhile} }},
		{"again_and_again", func(d time.Duration) []time.Duration {
			return []time.Duration{d, 2 * d, d, d, 3 * d, d, aWhile}
		}},
		{"never", func(d time.Duration) []time.Duration { return []time.Duration{aWhile} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				for d := 10 * time.Millisecond; d < 3*time.Second; d *= 4 {
					start := time.Now()
					lasts := c.lasts(d)
					tooSlow := false
					err := with(lasts[0], func(h *boxoffice.House, id boxoffice.ID) error {
						var err error
						for _, last := range lasts[1:] {
							err = errors.Join(err, h.Extend(id, last))
						}
						if tooSlow = time.Since(start) >= d; tooSlow || err != nil {
							return err
						}
						for time.Since(start) < 7*d/2 {
							if state := stateOf(h, 1); state != boxoffice.Held {
								return fmt.Errorf("seat is %v, want held", state)
							}
							time.Sleep(d / 5)
						}
						if swept := h.Sweep(); len(swept) != 0 {
							return fmt.Errorf("swept %v, want nothing", swept)
						}
						if tally := h.Tally(); tally[boxoffice.Held] != 2 || h.Holds()[0].Lapsed {
							return fmt.Errorf("tally %v, want 2 seats held", tally)
						}
						sold, err := h.Confirm(id)
						if err != nil || !slices.Equal(sold, stalls[:2]) || stateOf(h, 0) != boxoffice.Sold {
							return fmt.Errorf("Confirm = %v, %w", sold, err)
						}
						return nil
					})
					if !tooSlow {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestExtendedHoldLapsesAfterItsLastExtension(t *testing.T) {
	for _, c := range []struct {
		name                  string
		first, middle, latest time.Duration
	}{
		{"shortened", aWhile, aWhile / 2, 10 * time.Millisecond},
		{"shortened_twice", aWhile, 5 * time.Second, 20 * time.Millisecond},
		{"longer_after_short", 5 * time.Second, 5 * time.Second, 35 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				for range 5 {
					start := time.Now()
					tooSlow := false
					err := with(c.first, func(h *boxoffice.House, id boxoffice.ID) error {
						err := h.Extend(id, c.middle)
						extended := time.Now()
						err = errors.Join(err, h.Extend(id, c.latest))
						if tooSlow = time.Since(start) >= 5*time.Second; tooSlow || err != nil {
							return err
						}
						if !comes(time.Now().Add(c.latest), func() bool { return stateOf(h, 1) != boxoffice.Held }) {
							return errors.New("the hold does not lapse")
						}
						if after := time.Since(extended); after < c.latest {
							return fmt.Errorf("lapsed %v after it was extended by %v", after, c.latest)
						}
						return sweepOnce(h, id)
					})
					if !tooSlow {
						return err
					}
				}
				return nil
			})
		})
	}
}

// TestKeptAliveUntilTheLastExtension extends a hold, by as much as it had at
// first, until it has run for several times that.
func TestKeptAliveUntilTheLastExtension(t *testing.T) {
	scene(t, func() error {
		for d := 20 * time.Millisecond; d < 4*time.Second; d *= 3 {
			tooSlow := false
			latest := time.Now()
			err := with(d, func(h *boxoffice.House, id boxoffice.ID) error {
				for range 8 {
					time.Sleep(d / 4)
					now := time.Now()
					err := h.Extend(id, d)
					if tooSlow = time.Since(latest) >= d; tooSlow || err != nil {
						return err
					}
					latest = now
				}
				if !comes(time.Now().Add(d), func() bool { return stateOf(h, 0) != boxoffice.Held }) {
					return errors.New("the hold does not lapse in the end")
				}
				if after := time.Since(latest); after < d {
					return fmt.Errorf("lapsed %v after it was extended by %v", after, d)
				}
				return sweepOnce(h, id)
			})
			if !tooSlow {
				return err
			}
		}
		return nil
	})
}
