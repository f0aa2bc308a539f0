package zone_test

import (
	"fmt"
	"testing"

	"example.com/shuttlefloor/zone"
)

// crowds are the numbers of vehicles that wait in vain ahead of one that does
// not.
var crowds = []int{1, 2, 3, 6, 25}

// TestALeaverLetsInOneFromBehind has vehicles that may not enter wait ahead of
// one that may as soon as another leaves.
func TestALeaverLetsInOneFromBehind(t *testing.T) {
	tuggers := fleet("tugger", 3, 0)
	for _, c := range []struct {
		name    string
		places  int
		rules   []zone.Rule
		inside  []zone.Vehicle
		blocked zone.Vehicle
		passes  zone.Vehicle
	}{
		{
			"limit_of_a_kind", 3, []zone.Rule{zone.MaxOf("stacker", 1)},
			[]zone.Vehicle{tuggers[0], tuggers[1], {ID: "s", Kind: "stacker"}},
			zone.Vehicle{Kind: "stacker"}, zone.Vehicle{ID: "p", Kind: "tugger"},
		},
		{
			"total_load", 60, []zone.Rule{zone.MaxLoad(1000)},
			[]zone.Vehicle{{ID: "a", Kind: "tugger", Load: 50}, {ID: "b", Kind: "tugger", Load: 900}},
			zone.Vehicle{Kind: "tugger", Load: 101}, zone.Vehicle{ID: "p", Kind: "tugger", Load: 100},
		},
		{
			"alone", 2, []zone.Rule{zone.Alone("cleaner")},
			tuggers[:2],
			zone.Vehicle{Kind: "cleaner"}, zone.Vehicle{ID: "p", Kind: "stacker"},
		},
		{
			"kept_apart", 3, []zone.Rule{zone.Apart("stacker", "tugger")},
			tuggers,
			zone.Vehicle{Kind: "stacker"}, zone.Vehicle{ID: "p", Kind: "tugger"},
		},
		{
			"no_escort", 2, []zone.Rule{zone.Escorted("trainee", "tutor")},
			tuggers[:2],
			zone.Vehicle{Kind: "trainee"}, zone.Vehicle{ID: "p", Kind: "tutor"},
		},
		{
			"rule_of_ones_own", 40, []zone.Rule{func(inside []zone.Vehicle, v zone.Vehicle) bool {
				for _, other := range inside {
					if other.ID == "s" && v.Load > 0 || other.ID == "a" {
						return false
					}
				}
				return true
			}},
			[]zone.Vehicle{{ID: "s", Kind: "stacker"}, {ID: "a", Kind: "stacker"}},
			zone.Vehicle{Kind: "tugger", Load: 1}, zone.Vehicle{ID: "p", Kind: "tugger"},
		},
		{
			"several_rules", 3, []zone.Rule{zone.Alone("cleaner"), zone.MaxLoad(700), zone.MaxOf("stacker", 0)},
			[]zone.Vehicle{{ID: "a", Kind: "tugger", Load: 300}, {ID: "b", Kind: "tugger", Load: 300}},
			zone.Vehicle{Kind: "stacker"}, zone.Vehicle{ID: "p", Kind: "tugger", Load: 400},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range crowds {
				blocked := fleet(c.blocked.Kind, n, c.blocked.Load)
				for i := range blocked {
					blocked[i].ID = fmt.Sprint("waits/", i)
				}
				// The one that leaves is the first or the last that does not
				// stand in the way of the others.
				leaver := c.inside[0]
				if c.name == "rule_of_ones_own" {
					leaver = c.inside[1]
				}
				onFloor(t, c.places, c.rules, func(f *floor) error {
					return steps(
						func() error { return f.place(c.inside...) },
						func() error { return f.queue(blocked...) },
						func() error { return f.queue(c.passes) },
						func() error { return f.clear(leaver) },
						func() error { return f.enter(c.passes) },
						func() error {
							if c.passes.Kind == "tutor" {
								return nil // it escorts the others
							}
							return f.wait(blocked...)
						},
					)
				})
			}
		})
	}
}

// TestALoadSetDownLetsInOneFromBehind changes the load of a vehicle that stays.
func TestALoadSetDownLetsInOneFromBehind(t *testing.T) {
	rules := []zone.Rule{zone.MaxLoad(2000), zone.MaxOf("stacker", 0)}
	for _, n := range crowds {
		onFloor(t, 9, rules, func(f *floor) error {
			inside := zone.Vehicle{ID: "a", Kind: "tugger", Load: 1800}
			blocked := fleet("stacker", n, 0)
			small := zone.Vehicle{ID: "b", Kind: "tugger", Load: 300}
			large := zone.Vehicle{ID: "c", Kind: "tugger", Load: 1500}
			return steps(
				func() error { return f.place(inside) },
				func() error { return f.queue(large) },
				func() error { return f.queue(blocked...) },
				func() error { return f.queue(small) },
				func() error { return f.SetLoad("a", 1700) },
				func() error { return f.enter(small) },
				func() error { return f.wait(large) },
				func() error { return f.SetLoad("b", 5000) },
				func() error { return f.wait(large) },
				func() error { return f.SetLoad("a", 500) },
				func() error { return f.wait(large) },
				func() error { return f.SetLoad("b", 0) },
				func() error { return f.enter(large) },
				func() error { return f.wait(blocked...) },
			)
		})
	}
}

// TestAnEntryLetsInOthersFromBehind has an escort enter in each way there is.
func TestAnEntryLetsInOthersFromBehind(t *testing.T) {
	tutor := zone.Vehicle{ID: "tutor", Kind: "tutor"}
	tugger := zone.Vehicle{ID: "tugger", Kind: "tugger"}
	for _, c := range []struct {
		name   string
		places int
		enter  func(f *floor) error
	}{
		{"without_waiting", 9, func(f *floor) error { return f.place(tutor) }},
		{"with_enter", 9, func(f *floor) error {
			return steps(
				func() error { return f.send(tutor) },
				func() error { return f.enter(tutor) },
			)
		}},
		{"after_a_wait", 5, func(f *floor) error {
			others := fleet("pallet", 4, 0)
			return steps(
				func() error { return f.place(others...) },
				func() error { return f.queue(tutor) },
				func() error { return f.clear(tugger) },
				func() error { return f.enter(tutor) },
				func() error { return f.clear(others...) },
			)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range crowds {
				rules := []zone.Rule{zone.Escorted("trainee", "tutor"), zone.MaxOf("stacker", 0)}
				onFloor(t, c.places, rules, func(f *floor) error {
					blocked, trainees := fleet("stacker", n, 0), fleet("trainee", 3, 0)
					return steps(
						func() error { return f.place(tugger) },
						func() error { return f.queue(blocked...) },
						func() error { return f.queue(trainees...) },
						func() error { return c.enter(f) },
						func() error { return f.enter(trainees...) },
						func() error { return f.wait(blocked...) },
					)
				})
			}
		})
	}
}

// TestOneLeaverLetsInMany has one vehicle in the way of many, between which
// others wait in vain.
func TestOneLeaverLetsInMany(t *testing.T) {
	for _, c := range []struct {
		name         string
		places, free int // free of them become free
	}{
		{"all_of_them", 100, 100},
		{"as_many_as_there_are_places", 12, 12},
		{"a_single_one", 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := []zone.Rule{zone.Alone("cleaner"), zone.MaxOf("stacker", 0)}
			onFloor(t, c.places, rules, func(f *floor) error {
				cleaner := zone.Vehicle{ID: "cleaner", Kind: "cleaner"}
				blocked, tuggers := fleet("stacker", 40, 0), fleet("tugger", 20, 0)
				if err := f.place(cleaner); err != nil {
					return err
				}
				for i, v := range tuggers {
					if err := f.queue(blocked[2*i], blocked[2*i+1], v); err != nil {
						return err
					}
				}
				if err := f.clear(cleaner); err != nil {
					return err
				}
				want := min(c.free, len(tuggers))
				err := eventually(func() error {
					let := 0
					for _, v := range tuggers {
						if f.sent[v.ID].over() {
							let++
						}
					}
					if n := len(f.Inside()); n != want || let != want {
						return fmt.Errorf("%d vehicles inside, and Enter returned for %d, want %d", n, let, want)
					}
					return nil
				})
				if err != nil {
					return err
				}
				return f.wait(blocked...)
			})
		})
	}
}

// TestEveryLeaverLetsOneIn empties a full zone one by one.
func TestEveryLeaverLetsOneIn(t *testing.T) {
	for _, n := range crowds {
		onFloor(t, 4, []zone.Rule{zone.MaxOf("stacker", 1), zone.Alone("cleaner")}, func(f *floor) error {
			blocked := fleet("cleaner", n, 0)
			tuggers := fleet("tugger", 15, 0)
			if err := f.place(tuggers[:4]...); err != nil {
				return err
			}
			if err := f.queue(blocked...); err != nil {
				return err
			}
			for i := 4; i < len(tuggers); i++ {
				err := steps(
					func() error { return f.queue(tuggers[i]) },
					func() error { return f.clear(tuggers[i-4]) },
					func() error { return f.enter(tuggers[i]) },
				)
				if err != nil {
					return fmt.Errorf("vehicle %d: %w", i, err)
				}
			}
			if err := f.wait(blocked...); err != nil {
				return err
			}
			if err := f.clear(tuggers[11:]...); err != nil {
				return err
			}
			// Now the cleaners take turns.
			for range blocked {
				err := eventually(func() error {
					if len(f.Inside()) != 1 {
						return fmt.Errorf("%v inside an empty zone that %d cleaners wait for", ids(f.Inside()), len(f.Waiting()))
					}
					return nil
				})
				if err != nil {
					return err
				}
				v := f.Inside()[0]
				if err := f.enter(v); err != nil {
					return err
				}
				if err := f.clear(v); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// TestGivingUpLeavesNothingBehind has some of those ahead give up.
func TestGivingUpLeavesNothingBehind(t *testing.T) {
	for _, n := range crowds {
		onFloor(t, 2, []zone.Rule{zone.Alone("cleaner")}, func(f *floor) error {
			inside := fleet("tugger", 2, 0)
			gone, blocked := fleet("cleaner", 2*n, 0), fleet("cleaner", 3*n, 0)[2*n:]
			passes := fleet("stacker", 2, 0)
			return steps(
				func() error { return f.place(inside...) },
				func() error { return f.queue(gone...) },
				func() error { return f.queue(passes[0]) },
				func() error { return f.queue(blocked...) },
				func() error { return f.queue(passes[1]) },
				func() error { return f.abandon(gone[:n]...) },
				func() error { return f.clear(inside[0]) },
				func() error {
					return eventually(func() error {
						if f.sent[passes[0].ID].over() || f.sent[passes[1].ID].over() {
							return nil
						}
						return fmt.Errorf("nobody takes the place; waiting %v", ids(f.Waiting()))
					})
				},
				func() error { return f.abandon(gone[n:]...) },
				func() error { return f.clear(inside[1]) },
				func() error { return f.enter(passes...) },
				func() error { return f.wait(blocked...) },
				func() error { return f.send(gone[0]) },
				func() error { return f.wait(gone[0]) },
			)
		})
	}
}
