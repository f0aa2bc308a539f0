package wakeup_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/alpenrose/wakeup"
	"example.com/alpenrose/wakeup/house"
)

// opening is when these desks open, late on a Friday.
var opening = time.Date(2025, 3, 14, 22, 0, 0, 0, time.UTC)

// clock returns a time of the following day.
func clock(hour, minute int) time.Time {
	return time.Date(2025, 3, 15, hour, minute, 0, 0, time.UTC)
}

// leaving is when everybody leaves.
var leaving = clock(11, 0).AddDate(0, 0, 3)

// lodge returns a desk with guests in rooms 101 to 100+guests.
func lodge(guests int, opts ...wakeup.Option) (*wakeup.Desk, error) {
	d, err := wakeup.NewDesk(house.Floors(1, 99), opening, opts...)
	if err != nil {
		return nil, err
	}
	for i := range guests {
		if err := d.CheckIn(house.Room(101+i), fmt.Sprint("guest ", i), leaving); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// watched fails the test if body fails, panics or does not end.
func watched(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(6 * time.Second):
		t.Fatal("no end after 6s")
	}
}

// spell says what an action is without the help of the module.
func spell(a wakeup.Action) string {
	return fmt.Sprintf("%s kind %d room %d call %d", a.At.UTC().Format("02 15:04:05"), int(a.Kind), int(a.Room), int(a.Call))
}

// acted compares actions.
func acted(got, want []wakeup.Action) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("action %d of %d is missing: %s", i, len(want), spell(want[i]))
		case i >= len(want):
			return fmt.Errorf("action %d is one too many: %s", i, spell(got[i]))
		case !got[i].At.Equal(want[i].At) || got[i].Kind != want[i].Kind || got[i].Room != want[i].Room || got[i].Call != want[i].Call:
			return fmt.Errorf("action %d is %s, want %s", i, spell(got[i]), spell(want[i]))
		}
	}
	return nil
}

// inState checks the state of a call.
func inState(d *wakeup.Desk, id wakeup.ID, want wakeup.State) error {
	c, err := d.Call(id)
	if err != nil {
		return err
	}
	if c.State != want {
		return fmt.Errorf("call %d of room %d is in state %d, want %d", id, int(c.Room), int(c.State), int(want))
	}
	return nil
}

func isOver(err error) error {
	if wakeup.ErrOver == nil || !errors.Is(err, wakeup.ErrOver) || errors.Is(err, wakeup.ErrNoCall) {
		return fmt.Errorf("got the error %v, want ErrOver", err)
	}
	return nil
}

// rings returns the rings of unanswered calls and the knocks after them, all of
// which were put down for at, in the default policy.
func rings(at time.Time, first house.Room, ids []wakeup.ID) []wakeup.Action {
	var want []wakeup.Action
	for _, step := range []struct {
		after time.Duration
		kind  wakeup.Kind
	}{
		{0, wakeup.Ring}, {4 * time.Minute, wakeup.Ring}, {8 * time.Minute, wakeup.Ring}, {13 * time.Minute, wakeup.Knock},
	} {
		for i, id := range ids {
			want = append(want, wakeup.Action{At: at.Add(step.after), Kind: step.kind, Room: first + house.Room(i), Call: id})
		}
	}
	return want
}

// endings are ways for the call of a guest to be over and done with.
var endings = []struct {
	name  string
	state wakeup.State
	end   func(d *wakeup.Desk, id wakeup.ID) error
}{
	{"answered", wakeup.Answered, func(d *wakeup.Desk, id wakeup.ID) error {
		d.Tick(clock(5, 0))
		return d.Answer(id)
	}},
	{"answered_before", wakeup.Answered, func(d *wakeup.Desk, id wakeup.ID) error {
		return d.Answer(id)
	}},
	{"answered_at_the_last_ring", wakeup.Answered, func(d *wakeup.Desk, id wakeup.ID) error {
		d.Tick(clock(5, 9))
		return d.Answer(id)
	}},
	{"missed", wakeup.Missed, func(d *wakeup.Desk, id wakeup.ID) error {
		d.Tick(clock(5, 20))
		return nil
	}},
}

// group is a desk where the call of the guest in 101 is done with and those of
// the guests in the rooms from 102 on are still to come.
type group struct {
	d    *wakeup.Desk
	done wakeup.ID
	ids  []wakeup.ID // of the others
}

// muster makes a group with n others who book after the first call is done with.
func muster(n int, end func(d *wakeup.Desk, id wakeup.ID) error) (*group, error) {
	d, err := lodge(n + 1)
	if err != nil {
		return nil, err
	}
	g := &group{d: d}
	if g.done, err = d.Book(101, clock(5, 0)); err != nil {
		return nil, err
	}
	if err := end(d, g.done); err != nil {
		return nil, err
	}
	d.Tick(clock(5, 30))
	for i := range n {
		id, err := d.Book(house.Room(102+i), clock(6, 30))
		if err != nil {
			return nil, err
		}
		g.ids = append(g.ids, id)
	}
	return g, nil
}

// unharmed checks that the others are called, and leave in the end.
func (g *group) unharmed(first bool) error {
	if err := acted(g.d.Tick(clock(7, 0)), rings(clock(6, 30), 102, g.ids)); err != nil {
		return err
	}
	var want []wakeup.Action
	if first {
		want = append(want, wakeup.Action{At: leaving, Kind: wakeup.Depart, Room: 101})
	}
	for i := range g.ids {
		want = append(want, wakeup.Action{At: leaving, Kind: wakeup.Depart, Room: house.Room(102 + i)})
	}
	return acted(g.d.Tick(leaving), want)
}

var crowds = []int{1, 2, 5, 60}

func TestCheckOutAfterACallLeavesOthersAlone(t *testing.T) {
	for _, tc := range endings {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				for _, n := range crowds {
					g, err := muster(n, tc.end)
					if err != nil {
						return err
					}
					if withdrawn, err := g.d.CheckOut(101); withdrawn != 0 || err != nil {
						return fmt.Errorf("CheckOut() = %d, %v, want 0", withdrawn, err)
					}
					if err := inState(g.d, g.done, tc.state); err != nil {
						return err
					}
					if err := g.unharmed(false); err != nil {
						return fmt.Errorf("with %d others: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

func TestDepartureAfterACallLeavesOthersAlone(t *testing.T) {
	for _, tc := range endings {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				for _, n := range crowds {
					g, err := muster(n, tc.end)
					if err != nil {
						return err
					}
					if err := g.d.Extend(101, clock(6, 0)); err != nil {
						return err
					}
					want := []wakeup.Action{{At: clock(6, 0), Kind: wakeup.Depart, Room: 101}}
					if err := acted(g.d.Tick(clock(6, 15)), want); err != nil {
						return err
					}
					if err := inState(g.d, g.done, tc.state); err != nil {
						return err
					}
					if err := g.unharmed(false); err != nil {
						return fmt.Errorf("with %d others: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

func TestAnsweringOnceMoreLeavesOthersAlone(t *testing.T) {
	for _, tc := range endings {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				for _, n := range crowds {
					g, err := muster(n, tc.end)
					if err != nil {
						return err
					}
					for range 3 {
						if err := g.d.Answer(g.done); err != nil {
							return err
						}
					}
					if err := inState(g.d, g.done, wakeup.Answered); err != nil {
						return err
					}
					if err := g.unharmed(true); err != nil {
						return fmt.Errorf("with %d others: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

func TestNothingIsLeftToCancel(t *testing.T) {
	for _, tc := range endings {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				for _, n := range crowds {
					g, err := muster(n, tc.end)
					if err != nil {
						return err
					}
					for range 2 {
						if err := isOver(g.d.Cancel(g.done)); err != nil {
							return err
						}
					}
					if err := inState(g.d, g.done, tc.state); err != nil {
						return err
					}
					if err := g.unharmed(true); err != nil {
						return fmt.Errorf("with %d others: %w", n, err)
					}
				}
				return nil
			})
		})
	}
}

func TestCallThatIsDoneCanBePutOff(t *testing.T) {
	for _, tc := range endings {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				for _, n := range crowds {
					for _, snooze := range []bool{true, false} {
						g, err := muster(n, tc.end)
						if err != nil {
							return err
						}
						at := clock(5, 39)
						if snooze {
							var got time.Time
							if got, err = g.d.Snooze(g.done); err == nil && !got.Equal(at) {
								err = fmt.Errorf("snoozes until %v, want %v", got, at)
							}
						} else {
							at = clock(6, 10)
							err = g.d.Postpone(g.done, at)
						}
						if err != nil {
							return err
						}
						if err := inState(g.d, g.done, wakeup.Waiting); err != nil {
							return err
						}
						if next, ok := g.d.Next(); !ok || !next.Equal(at) {
							return fmt.Errorf("next at %v, %t, want %v", next, ok, at)
						}
						if err := acted(g.d.Tick(clock(6, 25)), rings(at, 101, []wakeup.ID{g.done})); err != nil {
							return fmt.Errorf("with %d others: %w", n, err)
						}
						if err := g.unharmed(true); err != nil {
							return fmt.Errorf("with %d others: %w", n, err)
						}
					}
				}
				return nil
			})
		})
	}
}

func TestWithdrawnCallsOfOneStay(t *testing.T) {
	watched(t, func() error {
		d, err := lodge(3)
		if err != nil {
			return err
		}
		var mine, theirs []wakeup.ID
		for i := range 6 {
			id, err := d.Book(101, clock(5, 10*i))
			if err != nil {
				return err
			}
			mine = append(mine, id)
		}
		for _, i := range []int{4, 1} {
			if err := d.Cancel(mine[i]); err != nil {
				return err
			}
		}
		for i := range 2 {
			id, err := d.Book(house.Room(102+i), clock(8, 0))
			if err != nil {
				return err
			}
			theirs = append(theirs, id)
		}
		for _, i := range []int{4, 1} {
			if err := isOver(d.Cancel(mine[i])); err != nil {
				return err
			}
		}
		if n, err := d.CheckOut(101); n != 4 || err != nil {
			return fmt.Errorf("CheckOut() = %d, %v, want 4", n, err)
		}
		for _, id := range mine {
			if err := inState(d, id, wakeup.Withdrawn); err != nil {
				return err
			}
		}
		return acted(d.Tick(clock(9, 0)), rings(clock(8, 0), 102, theirs))
	})
}

func TestRoomIsGivenToTheNextGuest(t *testing.T) {
	watched(t, func() error {
		d, err := lodge(2)
		if err != nil {
			return err
		}
		for day := range 3 {
			at := clock(6, 0).AddDate(0, 0, day)
			id, err := d.Book(101, at)
			if err != nil {
				return err
			}
			if err := acted(d.Tick(at), []wakeup.Action{{At: at, Kind: wakeup.Ring, Room: 101, Call: id}}); err != nil {
				return err
			}
			if err := d.Answer(id); err != nil {
				return err
			}
			other, err := d.Book(102, at.Add(time.Hour))
			if err != nil {
				return err
			}
			if n, err := d.CheckOut(101); n != 0 || err != nil {
				return fmt.Errorf("CheckOut() = %d, %v, want 0", n, err)
			}
			if err := d.CheckIn(101, "the next", leaving); err != nil {
				return err
			}
			if err := acted(d.Tick(at.Add(2*time.Hour)), rings(at.Add(time.Hour), 102, []wakeup.ID{other})); err != nil {
				return fmt.Errorf("day %d: %w", day, err)
			}
		}
		return acted(d.Tick(leaving), []wakeup.Action{
			{At: leaving, Kind: wakeup.Depart, Room: 102}, {At: leaving, Kind: wakeup.Depart, Room: 101},
		})
	})
}
