package granary_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/longmeadow/granary"
)

// load ships 1 t from north.
func load(d *granary.Draft) error { return d.Ship("north", 1_000) }

// spill ships as much and then panics.
func spill(d *granary.Draft) error {
	must(d.Ship("north", 1_000))
	panic(jam)
}

func TestOrdersThatPanicHalfWay(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int // orders
		bad  func(i int) bool
	}{
		{"only_one", 1, func(int) bool { return true }},
		{"first_of_two", 2, func(i int) bool { return i == 0 }},
		{"last_of_two", 2, func(i int) bool { return i == 1 }},
		{"every_other", 41, func(i int) bool { return i%2 == 0 }},
		{"all_but_one", 200, func(i int) bool { return i != 77 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				s, err := elevator()
				if err != nil {
					return err
				}
				var orders []granary.Order
				good := 0
				for i := range tc.n {
					o := granary.Order{Title: fmt.Sprint("truck ", i), Work: spill}
					if i%3 == 1 {
						o.Ready = func() error { return nil }
					}
					if !tc.bad(i) {
						o.Work = load
						good++
					}
					orders = append(orders, o)
				}
				outcomes := granary.NewDesk(s).Run(orders...)
				if len(outcomes) != tc.n {
					return fmt.Errorf("%d outcomes of %d orders", len(outcomes), tc.n)
				}
				for i, o := range outcomes {
					if o.Title != orders[i].Title {
						return fmt.Errorf("outcome %d is that of %q", i, o.Title)
					}
					if !tc.bad(i) {
						if o.Err != nil {
							return fmt.Errorf("%s: %w", o.Title, o.Err)
						}
						continue
					}
					if pe, err := isPanic(o.Err); err != nil || pe.Value != jam {
						return fmt.Errorf("%s: got the error %v, want a panic", o.Title, o.Err)
					}
				}
				if got, want := held(s, "north"), 611_000-1_000*granary.Kilos(good); got != want {
					return fmt.Errorf("north holds %d after %d of %d orders, want %d", int64(got), good, tc.n, int64(want))
				}
				journal := s.Journal(2)
				if len(journal) != good {
					return fmt.Errorf("journal has %d entries for %d orders", len(journal), good)
				}
				for i, e := range journal {
					if e.No != i+2 {
						return fmt.Errorf("entry %d has the number %d", i+2, e.No)
					}
				}
				_, err = isPanic(granary.Failed(outcomes))
				return err
			})
		})
	}
}

func TestOrderAfterAPanicStartsFromTheBooks(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		var seen granary.Bin
		outcomes := granary.NewDesk(s).Run(
			granary.Order{Title: "dryer", Work: func(d *granary.Draft) error {
				must(d.Move("south", "pit", 70_000), d.Open("east", 5), d.Ship("pit", 10))
				panic(jam)
			}},
			granary.Order{Title: "look", Work: func(d *granary.Draft) (err error) {
				if _, err := d.Bin("east"); granary.ErrNoBin == nil || !errors.Is(err, granary.ErrNoBin) {
					return fmt.Errorf("east is there: %v", err)
				}
				seen, err = d.Bin("pit")
				return err
			}},
			granary.Order{Title: "oats", Work: func(d *granary.Draft) error { return d.Receive("pit", "oats", 70_000) }},
		)
		if _, err := isPanic(outcomes[0].Err); err != nil {
			return err
		}
		for _, o := range outcomes[1:] {
			if o.Err != nil {
				return o.Err
			}
		}
		if seen != silos[1] {
			return fmt.Errorf("pit was %v", plain([]granary.Bin{seen}))
		}
		return nil
	})
}

func TestOrdersThatFailOtherwise(t *testing.T) {
	errRoad := errors.New("road is closed")
	for _, tc := range []struct {
		name  string
		order granary.Order
		want  error
		panic bool
	}{
		{"not_ready", granary.Order{Ready: func() error { return errRoad }, Work: load}, errRoad, false},
		{"ready_panics", granary.Order{Ready: func() error { panic(errRoad) }, Work: load}, errRoad, true},
		{"work_fails", granary.Order{Work: func(d *granary.Draft) error { return errors.Join(load(d), errRoad) }}, errRoad, false},
		{"no_work", granary.Order{}, granary.ErrNoWork, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				s, err := elevator()
				if err != nil {
					return err
				}
				then := read(s)
				outcomes := granary.NewDesk(s).Run(tc.order)
				var pe *granary.PanicError
				if err := outcomes[0].Err; tc.want == nil || !errors.Is(err, tc.want) || errors.As(err, &pe) != tc.panic {
					return fmt.Errorf("got the error %v, want %v", err, tc.want)
				}
				if err := unchanged(s, then); err != nil {
					return err
				}
				outcomes = granary.NewDesk(s).Run(granary.Order{Title: "load", Work: load})
				if outcomes[0].Err != nil || held(s, "north") != 610_000 {
					return fmt.Errorf("north holds %d after 1000 were shipped: %v", int64(held(s, "north")), outcomes[0].Err)
				}
				return nil
			})
		})
	}
}
