package zone_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/shuttlefloor/zone"
)

// TestNobodyWaitsWhoMayEnter does things at random and looks after each of them
// whether one waits that may enter, or one is inside that may not have entered.
func TestNobodyWaitsWhoMayEnter(t *testing.T) {
	const places = 6
	kinds := []string{"tugger", "tugger", "stacker", "cleaner", "trainee", "tutor"}
	of := func(inside []zone.Vehicle, kind string) (n int) {
		for _, v := range inside {
			if v.Kind == kind {
				n++
			}
		}
		return n
	}
	rule := func(inside []zone.Vehicle, v zone.Vehicle) bool {
		total := v.Load
		for _, other := range inside {
			total += other.Load
		}
		switch v.Kind {
		case "cleaner":
			return len(inside) == 0
		case "stacker":
			return of(inside, "stacker") < 2 && of(inside, "cleaner") == 0 && total <= 1000
		case "trainee":
			return of(inside, "tutor") > 0 && of(inside, "cleaner") == 0
		}
		return of(inside, "cleaner") == 0 && total <= 1000
	}
	mayEnter := func(inside []zone.Vehicle, v zone.Vehicle) bool {
		return len(inside) < places && rule(inside, v)
	}
	for _, c := range []struct {
		name string
		seed uint64
	}{{"seed_1", 1}, {"seed_2", 2}, {"seed_3", 3}} {
		t.Run(c.name, func(t *testing.T) {
			onFloor(t, places, []zone.Rule{rule}, func(f *floor) error {
				rnd := rand.New(rand.NewPCG(c.seed, 17))
				var last []zone.Vehicle
				for n := range 200 {
					did := "nothing"
					var err error
					inside, waiting := f.Inside(), f.Waiting()
					switch pick := rnd.IntN(10); {
					case pick < 4 && len(waiting) < 14:
						v := zone.Vehicle{ID: fmt.Sprint("v", n), Kind: kinds[rnd.IntN(len(kinds))], Load: 100 * rnd.IntN(7)}
						did = fmt.Sprint("send ", v)
						err = f.send(v)
					case pick < 5 && len(waiting) > 6:
						v := waiting[rnd.IntN(len(waiting))]
						did = fmt.Sprint("give up ", v)
						err = f.abandon(v)
					case pick < 6 && len(inside) > 0:
						i := rnd.IntN(len(inside))
						load := 100 * rnd.IntN(7)
						did = fmt.Sprintf("load %v with %d", inside[i], load)
						err = f.SetLoad(inside[i].ID, load)
						last[slices.Index(last, inside[i])].Load = load
					case len(inside) > 0:
						v := inside[rnd.IntN(len(inside))]
						did = fmt.Sprint("leave ", v)
						err = f.clear(v)
						last = slices.DeleteFunc(last, func(other zone.Vehicle) bool { return other == v })
					}
					if err != nil {
						return fmt.Errorf("%d, %s: %w", n, did, err)
					}
					err = eventually(func() error {
						inside := f.Inside()
						for _, v := range inside {
							if r := f.sent[v.ID]; !r.over() || r.err != nil {
								return fmt.Errorf("%v is inside but Enter has not returned nil", v)
							}
						}
						for _, v := range f.Waiting() {
							if mayEnter(inside, v) {
								return fmt.Errorf("%v may enter and waits; inside %v", v, inside)
							}
						}
						return nil
					})
					if err != nil {
						return fmt.Errorf("%d, %s: %w", n, did, err)
					}
					inside = f.Inside()
					if len(inside) < len(last) || !slices.Equal(inside[:len(last)], last) {
						return fmt.Errorf("%d, %s: inside %v, want %v to begin with", n, did, inside, last)
					}
					for i := len(last); i < len(inside); i++ {
						if !mayEnter(inside[:i], inside[i]) {
							return fmt.Errorf("%d, %s: %v entered while inside %v", n, did, inside[i], inside[:i])
						}
					}
					last = inside
				}
				return nil
			})
		})
	}
}

// TestNothingIsAskedInBetween counts the questions to a rule while nothing
// happens.
func TestNothingIsAskedInBetween(t *testing.T) {
	for _, c := range []struct {
		name   string
		happen func(f *floor) error
	}{
		{"after_arrivals", func(*floor) error { return nil }},
		{"after_one_has_left", func(f *floor) error { return f.Leave("tugger/0") }},
		{"after_one_has_entered", func(f *floor) error { return f.place(zone.Vehicle{ID: "a", Kind: "tutor"}) }},
		{"after_a_load", func(f *floor) error { return f.SetLoad("tugger/1", 70) }},
		{"after_one_has_given_up", func(f *floor) error { return f.abandon(zone.Vehicle{ID: "stacker/1", Kind: "stacker"}) }},
		{"after_a_closure", func(f *floor) error {
			f.Shut()
			f.Reopen()
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int64
			count := func([]zone.Vehicle, zone.Vehicle) bool {
				asked.Add(1)
				return true
			}
			onFloor(t, 8, []zone.Rule{count, zone.MaxOf("stacker", 0)}, func(f *floor) error {
				err := steps(
					func() error { return f.place(fleet("tugger", 3, 0)...) },
					func() error { return f.queue(fleet("stacker", 6, 0)...) },
					func() error { return c.happen(f) },
				)
				if err != nil {
					return err
				}
				if !settle() {
					return errors.New("no end of activity while nothing happens")
				}
				before := asked.Load()
				for range 10 {
					time.Sleep(12 * time.Millisecond)
					if n := asked.Load() - before; n > 0 {
						return fmt.Errorf("%d questions while nothing happens", n)
					}
				}
				return nil
			})
		})
	}
}

// TestGivingUpAtTheLastMoment has a vehicle give up just as a place becomes free.
func TestGivingUpAtTheLastMoment(t *testing.T) {
	onFloor(t, 1, nil, func(f *floor) error {
		for n := range 150 {
			three := fleet(fmt.Sprint("tugger-", n), 3, 0)
			if err := f.place(three[0]); err != nil {
				return err
			}
			if err := f.queue(three[1:]...); err != nil {
				return err
			}
			first, second := f.sent[three[1].ID], f.sent[three[2].ID]
			var both sync.WaitGroup
			both.Add(1)
			go func() {
				defer both.Done()
				first.giveUp()
			}()
			err := f.clear(three[0])
			both.Wait()
			if err != nil {
				return err
			}
			// It gives up or takes the place and leaves; the other takes it then, or
			// has taken it before.
			err = eventually(func() error {
				if first.over() {
					return nil
				}
				if second.over() {
					return fmt.Errorf("round %d: one that gave up waits on", n)
				}
				return fmt.Errorf("round %d: nobody takes the place", n)
			})
			if err != nil {
				return err
			}
			if first.err == nil {
				if err := f.clear(three[1]); err != nil {
					return fmt.Errorf("round %d: %w", n, err)
				}
			} else if !errors.Is(first.err, context.Canceled) {
				return fmt.Errorf("round %d: %w", n, first.err)
			}
			if err := f.enter(three[2]); err != nil {
				return fmt.Errorf("round %d: %w", n, err)
			}
			if err := f.clear(three[2]); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestAMixedCrowd has vehicles come and go while others wait in vain.
func TestAMixedCrowd(t *testing.T) {
	var most atomic.Int64
	watch := func(inside []zone.Vehicle, _ zone.Vehicle) bool {
		if n := int64(len(inside)); n > most.Load() {
			most.Store(n)
		}
		return true
	}
	rules := []zone.Rule{watch, zone.MaxOf("stacker", 0), zone.Alone("cleaner"), zone.MaxLoad(900)}
	onFloor(t, 3, rules, func(f *floor) error {
		blocked, held, passes := fleet("stacker", 4, 0), fleet("pallet", 3, 0), zone.Vehicle{ID: "p", Kind: "tugger"}
		err := steps(
			func() error { return f.place(held...) },
			func() error { return f.queue(blocked...) },
			func() error { return f.queue(passes) },
			func() error { return f.clear(held[0]) },
			func() error { return f.enter(passes) },
			func() error { return f.clear(held[1], held[2], passes) },
		)
		if err != nil {
			return err
		}
		var crowd sync.WaitGroup
		failed := make(chan error, 20)
		var going atomic.Int64
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for n := range 20 {
			v := zone.Vehicle{ID: fmt.Sprint("crowd/", n), Kind: []string{"tugger", "cleaner", "tugger"}[n%3], Load: n % 5 * 200}
			crowd.Add(1)
			going.Add(1)
			go func() {
				defer crowd.Done()
				defer going.Add(-1)
				for range 25 {
					if err := f.Enter(ctx, v); err != nil {
						failed <- err
						return
					}
					if n%4 == 0 {
						time.Sleep(20 * time.Microsecond)
					}
					if err := f.Leave(v.ID); err != nil {
						failed <- err
						return
					}
				}
			}()
		}
		err = eventually(func() error {
			if n := going.Load(); n > 0 {
				return fmt.Errorf("%d vehicles get no further; inside %v, waiting %v", n, ids(f.Inside()), ids(f.Waiting()))
			}
			return nil
		})
		cancel()
		crowd.Wait()
		select {
		case other := <-failed:
			err = errors.Join(err, other)
		default:
		}
		if err != nil {
			return err
		}
		if n := most.Load(); n > 3 {
			return fmt.Errorf("a rule was asked with %d vehicles inside, of 3 places", n)
		}
		if n := len(f.Inside()); n > 0 {
			return fmt.Errorf("%d vehicles inside at the end", n)
		}
		return f.wait(blocked...)
	})
}

// TestNobodyEntersWhileShut reopens a zone in which much has changed.
func TestNobodyEntersWhileShut(t *testing.T) {
	rules := []zone.Rule{zone.MaxOf("stacker", 0), zone.MaxLoad(500)}
	onFloor(t, 5, rules, func(f *floor) error {
		inside := []zone.Vehicle{{ID: "a", Kind: "tugger", Load: 500}, {ID: "b", Kind: "tugger"}}
		loaded, empty, blocked := fleet("loaded", 3, 100), fleet("empty", 2, 0), fleet("stacker", 25, 0)
		return steps(
			func() error { return f.place(inside...) },
			func() error { return f.queue(blocked[:20]...) },
			func() error { return f.queue(loaded...) },
			func() error { f.Shut(); return nil },
			func() error { return f.queue(blocked[20:]...) },
			func() error { return f.queue(empty...) },
			func() error { return f.SetLoad("a", 200) },
			func() error { return f.clear(inside[1]) },
			func() error { return f.abandon(loaded[0]) },
			func() error { return f.wait(slices.Concat(loaded[1:], empty, blocked)...) },
			func() error {
				if ok, err := f.TryEnter(zone.Vehicle{ID: "c", Kind: "tugger"}); ok || err != nil {
					return fmt.Errorf("TryEnter = %t, %v while the zone is shut", ok, err)
				}
				return nil
			},
			func() error { f.Reopen(); return nil },
			func() error { return f.enter(slices.Concat(loaded[1:], empty)...) },
			func() error { return f.wait(blocked...) },
		)
	})
}

// TestReopeningLetsInOneFromBehind has one wait behind others that may not enter
// even then.
func TestReopeningLetsInOneFromBehind(t *testing.T) {
	for _, n := range crowds {
		onFloor(t, 3, []zone.Rule{zone.MaxOf("stacker", 0)}, func(f *floor) error {
			blocked, tugger := fleet("stacker", n, 0), fleet("tugger", 1, 0)
			return steps(
				func() error { return f.queue(blocked...) },
				func() error { f.Shut(); return nil },
				func() error { return f.queue(tugger...) },
				func() error { f.Reopen(); return nil },
				func() error { return f.enter(tugger...) },
				func() error { return f.wait(blocked...) },
			)
		})
	}
}

// TestWaitingVehiclesAreKnown looks at the list of those that wait.
func TestWaitingVehiclesAreKnown(t *testing.T) {
	onFloor(t, 1, nil, func(f *floor) error {
		three := fleet("tugger", 3, 0)
		if err := f.place(three[0]); err != nil {
			return err
		}
		if err := f.queue(three[1:]...); err != nil {
			return err
		}
		if got := f.Waiting(); !slices.Equal(got, three[1:]) {
			return fmt.Errorf("Waiting = %v, want %v", ids(got), ids(three[1:]))
		}
		for _, v := range three {
			if err := f.Enter(context.Background(), v); !errors.Is(err, zone.ErrTwice) {
				return fmt.Errorf("Enter(%s): %v, want ErrTwice", v.ID, err)
			}
		}
		if err := f.Leave(three[1].ID); !errors.Is(err, zone.ErrNotInside) {
			return fmt.Errorf("Leave of one that waits: %v, want ErrNotInside", err)
		}
		if err := f.SetLoad(three[2].ID, 5); !errors.Is(err, zone.ErrNotInside) {
			return fmt.Errorf("SetLoad of one that waits: %v, want ErrNotInside", err)
		}
		if err := f.abandon(three[1]); err != nil {
			return err
		}
		return steps(
			func() error { return f.queue(three[1]) },
			func() error { return f.abandon(three[2]) },
			func() error { return f.clear(three[0]) },
			func() error { return f.enter(three[1]) },
			func() error {
				var got []string
				for _, e := range f.History() {
					got = append(got, fmt.Sprint(e.Vehicle.ID, " ", int(e.Move)))
				}
				var want []string
				for _, e := range []struct {
					n    int
					move zone.Move
				}{
					{0, zone.Entered}, {1, zone.Arrived}, {2, zone.Arrived}, {1, zone.GaveUp},
					{1, zone.Arrived}, {2, zone.GaveUp}, {0, zone.Left}, {1, zone.Entered},
				} {
					want = append(want, fmt.Sprint(three[e.n].ID, " ", int(e.move)))
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("History = %q, want %q", got, want)
				}
				if got, want := f.Board(), "LOBBY 1 1/1\n + tugger/1 tugger\n"; got != want {
					return fmt.Errorf("Board = %q, want %q", got, want)
				}
				return nil
			},
		)
	})
}

// TestADoneContext is that of a vehicle that has to wait.
func TestADoneContext(t *testing.T) {
	onFloor(t, 1, nil, func(f *floor) error {
		errShift := errors.New("shift is over")
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errShift)
		two := fleet("tugger", 2, 0)
		if err := f.place(two[0]); err != nil {
			return err
		}
		if err := f.Enter(ctx, two[1]); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("Enter: %v, want context.Canceled", err)
		}
		if n := len(f.Waiting()); n > 0 {
			return fmt.Errorf("%d vehicles wait", n)
		}
		return steps(
			func() error { return f.clear(two[0]) },
			func() error { return f.Enter(ctx, two[1]) },
			func() error { return f.clear(two[1]) },
		)
	})
}

func TestErrorsOfTheZoneDiffer(t *testing.T) {
	all := []error{zone.ErrConfig, zone.ErrVehicle, zone.ErrTwice, zone.ErrNotInside}
	unrelated := errors.New("unrelated")
	for i, a := range all {
		if a == nil {
			t.Fatalf("error %d is nil", i)
		}
		if errors.Is(unrelated, a) || errors.Is(a, unrelated) {
			t.Errorf("%v matches an unrelated error", a)
		}
		for j, b := range all {
			if i != j && errors.Is(a, b) {
				t.Errorf("%v matches %v", a, b)
			}
		}
	}
}
