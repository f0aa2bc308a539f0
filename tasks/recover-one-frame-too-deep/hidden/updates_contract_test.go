package granary_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/longmeadow/granary"
)

const jam = "auger is jammed"

func TestPanicHalfWayLeavesTheBooks(t *testing.T) {
	for _, tc := range []struct {
		name string
		work func(d *granary.Draft) error
	}{
		{"before_anything", func(d *granary.Draft) error { panic(jam) }},
		{"after_shipping", func(d *granary.Draft) error {
			must(d.Ship("north", 18_000))
			panic(jam)
		}},
		{"after_receiving", func(d *granary.Draft) error {
			must(d.Receive("pit", "oats", 9_000))
			panic(jam)
		}},
		{"after_opening", func(d *granary.Draft) error {
			must(d.Open("east", 10_000))
			panic(jam)
		}},
		{"after_a_move", func(d *granary.Draft) error {
			must(d.Move("north", "west", 111_000))
			panic(jam)
		}},
		{"after_emptying", func(d *granary.Draft) error {
			must(d.Ship("west", 1_000), d.Receive("west", "rye", 2_000))
			panic(jam)
		}},
		{"between_two_halves", func(d *granary.Draft) error {
			must(d.Move("south", "pit", 60_000))
			if b, err := d.Bin("pit"); err != nil || b.Held == 60_000 {
				panic(jam)
			}
			return d.Move("pit", "south", 60_000)
		}},
		{"after_three_hundred_moves", func(d *granary.Draft) error {
			for i := range granary.Kilos(300) {
				must(d.Move("north", "west", 1+i))
			}
			panic(jam)
		}},
		{"far_down", func(d *granary.Draft) error {
			must(d.Ship("south", 250_000))
			var dig func(n int)
			dig = func(n int) {
				if n == 0 {
					panic(jam)
				}
				dig(n - 1)
			}
			dig(40)
			return nil
		}},
		{"when_it_was_done", func(d *granary.Draft) error {
			defer func() { panic(jam) }()
			return d.Ship("south", 7_000)
		}},
		{"when_it_had_failed", func(d *granary.Draft) error {
			defer func() { panic(jam) }()
			must(d.Ship("south", 7_000))
			return errors.New("no truck")
		}},
		{"in_place_of_another", func(d *granary.Draft) error {
			defer func() { panic(jam) }()
			must(d.Receive("west", "maize", 1))
			panic("first")
		}},
		{"again_after_recovering", func(d *granary.Draft) error {
			defer func() { panic(recover()) }()
			must(d.Receive("west", "maize", 1))
			panic(jam)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				s, err := elevator()
				if err != nil {
					return err
				}
				then := read(s)
				for range 3 {
					pe, err := isPanic(s.Update("half-way", tc.work))
					if err != nil {
						return err
					}
					if pe.Value != jam {
						return fmt.Errorf("the panic has the value %v, want %q", pe.Value, jam)
					}
					if err := unchanged(s, then); err != nil {
						return err
					}
				}
				if err := s.Update("after", func(d *granary.Draft) error { return d.Ship("north", 1_000) }); err != nil {
					return err
				}
				if got := held(s, "north"); got != 610_000 {
					return fmt.Errorf("north holds %d after 1000 of 611000 were shipped", int64(got))
				}
				if j := s.Journal(2); len(j) != 1 || j[0].No != 2 || j[0].Note != "after" || len(j[0].Changes) != 1 {
					return fmt.Errorf("journal goes on with %d entries, want one of number 2", len(j))
				}
				return nil
			})
		})
	}
}

// gauge is a value that is no error.
type gauge struct{ level int }

// overheated is an error.
type overheated struct{ degrees int }

func (o overheated) Error() string { return fmt.Sprint("dryer at ", o.degrees) }

func TestPanicsOfEveryKind(t *testing.T) {
	errBelt := errors.New("belt off")
	var table map[string][]int
	var none *granary.Bin
	for _, tc := range []struct {
		name  string
		blow  func()
		value any   // if known
		is    error // if the value is an error
	}{
		{"text", func() { panic(jam) }, jam, nil},
		{"number", func() { panic(17) }, 17, nil},
		{"struct", func() { panic(gauge{3}) }, gauge{3}, nil},
		{"error", func() { panic(errBelt) }, errBelt, errBelt},
		{"wrapped_error", func() { panic(fmt.Errorf("tower: %w", errBelt)) }, nil, errBelt},
		{"error_of_a_type", func() { panic(overheated{90}) }, overheated{90}, overheated{90}},
		{"error_of_the_module", func() { panic(granary.ErrShort) }, granary.ErrShort, granary.ErrShort},
		{"index", func() { _ = table["west"][2] }, nil, nil},
		{"nil_map", func() { table["west"] = nil }, nil, nil},
		{"nil_pointer", func() { none.Held++ }, nil, nil},
		{"nil", func() { panic(nil) }, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				s, err := elevator()
				if err != nil {
					return err
				}
				then := read(s)
				err = s.Update("kind", func(d *granary.Draft) error {
					must(d.Move("north", "west", 5_000))
					tc.blow()
					return nil
				})
				pe, bad := isPanic(err)
				if bad != nil {
					return bad
				}
				if tc.value != nil && pe.Value != tc.value {
					return fmt.Errorf("the panic has the value %v, want %v", pe.Value, tc.value)
				}
				if tc.is != nil && !errors.Is(err, tc.is) || errors.Is(err, errors.ErrUnsupported) {
					return fmt.Errorf("the error %v wraps the wrong thing", err)
				}
				return unchanged(s, then)
			})
		})
	}
}

func TestReadersSeeNothingOfThePanickingWork(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		then := read(s)
		var meanwhile error
		_, err = isPanic(s.Update("half-way", func(d *granary.Draft) error {
			must(d.Move("north", "west", 60_000), d.Ship("south", 1))
			meanwhile = errors.Join(unchanged(s, then), <-elsewhere(func() error { return unchanged(s, then) }))
			panic(jam)
		}))
		return errors.Join(err, meanwhile, unchanged(s, then))
	})
}

func TestDraftOfPanickingWorkIsOver(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		then := read(s)
		var kept *granary.Draft
		if _, err := isPanic(s.Update("half-way", func(d *granary.Draft) error {
			kept = d
			must(d.Ship("south", 500))
			panic(jam)
		})); err != nil {
			return err
		}
		if granary.ErrSettled == nil {
			return errors.New("ErrSettled is nil")
		}
		for _, err := range []error{
			kept.Ship("south", 500), kept.Receive("south", "barley", 500), kept.Open("east", 1), kept.Move("north", "west", 1),
		} {
			if !errors.Is(err, granary.ErrSettled) {
				return fmt.Errorf("the draft answers %v, want ErrSettled", err)
			}
		}
		return unchanged(s, then)
	})
}

func TestUpdatesGoOnAfterPanicsOnSeveralGoroutines(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		var results []<-chan error
		for range 6 {
			results = append(results, elsewhere(func() error {
				for i := range 30 {
					err := s.Update("truck", func(d *granary.Draft) error {
						must(d.Ship("north", 100))
						if i%3 == 1 {
							panic(jam)
						}
						must(d.Receive("west", "maize", 90))
						if i%3 == 2 {
							return errors.New("scale disagrees")
						}
						return nil
					})
					switch i % 3 {
					case 0:
						if err != nil {
							return err
						}
					case 1:
						if _, err := isPanic(err); err != nil {
							return err
						}
					case 2:
						if err == nil {
							return errors.New("a failed update has no error")
						}
					}
				}
				return nil
			}))
		}
		for _, result := range results {
			if err := <-result; err != nil {
				return err
			}
		}
		if n, w := held(s, "north"), held(s, "west"); n != 611_000-60*100 || w != 1_000+60*90 {
			return fmt.Errorf("north holds %d and west %d after 60 good updates", int64(n), int64(w))
		}
		journal := s.Journal(2)
		if len(journal) != 60 {
			return fmt.Errorf("journal has %d entries for 60 good updates", len(journal))
		}
		for i, e := range journal {
			if e.No != i+2 {
				return fmt.Errorf("entry %d has the number %d", i+2, e.No)
			}
		}
		return nil
	})
}

func TestUpdateOfAnotherStorePanics(t *testing.T) {
	tended(t, func() error {
		here, err := elevator()
		if err != nil {
			return err
		}
		there, err := elevator()
		if err != nil {
			return err
		}
		then := read(there)
		var inner error
		if err := here.Update("barge out", func(d *granary.Draft) error {
			must(d.Ship("north", 11_000))
			inner = there.Update("barge in", func(d *granary.Draft) error {
				must(d.Receive("west", "maize", 11_000))
				panic(jam)
			})
			return nil
		}); err != nil {
			return err
		}
		if _, err := isPanic(inner); err != nil {
			return err
		}
		if got := held(here, "north"); got != 600_000 {
			return fmt.Errorf("north holds %d, want 600000", int64(got))
		}
		if err := unchanged(there, then); err != nil {
			return err
		}

		then = read(here)
		if _, err := isPanic(here.Update("barge out", func(d *granary.Draft) error {
			must(d.Ship("north", 11_000))
			inner = there.Update("barge in", func(d *granary.Draft) error { return d.Receive("west", "maize", 11_000) })
			panic(jam)
		})); err != nil || inner != nil {
			return errors.Join(err, inner)
		}
		if got := held(there, "west"); got != 12_000 {
			return fmt.Errorf("west holds %d, want 12000", int64(got))
		}
		return unchanged(here, then)
	})
}

func TestWorkThatRecoversByItself(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		careful := func(end error) func(d *granary.Draft) error {
			return func(d *granary.Draft) (err error) {
				must(d.Ship("south", 500))
				defer func() {
					recover()
					err = end
				}()
				panic(jam)
			}
		}
		if err := s.Update("went on", careful(nil)); err != nil {
			return err
		}
		if got := held(s, "south"); got != 250_000 {
			return fmt.Errorf("south holds %d, want 250000", int64(got))
		}
		then, end := read(s), errors.New("gave up")
		if err := s.Update("gave up", careful(end)); !errors.Is(err, end) {
			return fmt.Errorf("got the error %v, want %v", err, end)
		}
		return unchanged(s, then)
	})
}

func TestUpdateByACallerThatPanics(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		var outer any
		var good, bad error
		func() {
			defer func() { outer = recover() }()
			defer func() {
				good = s.Update("closing", func(d *granary.Draft) error { return d.Ship("south", 500) })
				bad = s.Update("half-way", func(d *granary.Draft) error {
					must(d.Ship("south", 900))
					panic("inner")
				})
			}()
			panic("outer")
		}()
		if good != nil {
			return good
		}
		if pe, err := isPanic(bad); err != nil || pe.Value != "inner" {
			return fmt.Errorf("got the error %v, want a panic with inner", bad)
		}
		if outer != "outer" {
			return fmt.Errorf("the caller's own panic became %v", outer)
		}
		if got := held(s, "south"); got != 250_000 {
			return fmt.Errorf("south holds %d, want 250000", int64(got))
		}
		return nil
	})
}

func TestFailedWorkAndChecksLeaveTheBooks(t *testing.T) {
	errRule := errors.New("against the rules")
	for _, tc := range []struct {
		name  string
		check func()
		err   error // of the check
		work  error
		want  error // nil for a panic
	}{
		{"work_fails", nil, nil, errRule, errRule},
		{"check_refuses", nil, errRule, nil, errRule},
		{"check_panics", func() { panic(jam) }, nil, nil, nil},
		{"check_panics_with_an_error", func() { panic(errRule) }, nil, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				armed := false
				s, err := elevator(granary.WithCheck(func([]granary.Bin) error {
					if !armed {
						return nil
					}
					if tc.check != nil {
						tc.check()
					}
					return tc.err
				}))
				if err != nil {
					return err
				}
				then := read(s)
				armed = true
				err = s.Update("no", func(d *granary.Draft) error {
					must(d.Move("north", "west", 5_000))
					return tc.work
				})
				if tc.want == nil {
					if _, err := isPanic(err); err != nil {
						return err
					}
				} else if !errors.Is(err, tc.want) {
					return fmt.Errorf("got the error %v, want %v", err, tc.want)
				}
				if err := unchanged(s, then); err != nil {
					return err
				}
				armed = false
				if err := s.Update("yes", func(d *granary.Draft) error { return d.Move("north", "west", 5_000) }); err != nil {
					return err
				}
				if got := held(s, "west"); got != 6_000 {
					return fmt.Errorf("west holds %d, want 6000", int64(got))
				}
				return nil
			})
		})
	}
}

func TestBooksNeedNotBalance(t *testing.T) {
	tended(t, func() error {
		s, err := elevator()
		if err != nil {
			return err
		}
		for _, work := range []func(d *granary.Draft) error{
			func(d *granary.Draft) error { return d.Ship("north", 11_000) },
			func(d *granary.Draft) error { return d.Receive("south", "barley", 500) },
			func(d *granary.Draft) error {
				return errors.Join(d.Ship("north", 100_000), d.Receive("west", "maize", 96_500))
			},
		} {
			if err := s.Update("truck", work); err != nil {
				return err
			}
		}
		if n, b, w := held(s, "north"), held(s, "south"), held(s, "west"); n != 500_000 || b != 251_000 || w != 97_500 {
			return fmt.Errorf("bins hold %d, %d and %d", int64(n), int64(b), int64(w))
		}
		if j := s.Journal(0); len(j) != 4 {
			return fmt.Errorf("journal has %d entries, want 4", len(j))
		}
		return nil
	})
}

func TestUpdateThatComesMeanwhile(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func() error
		took granary.Kilos
	}{
		{"work_is_done", func() error { return nil }, 40_000},
		{"work_fails", func() error { return errors.New("no truck") }, 0},
		{"work_panics", func() error { panic(jam) }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tended(t, func() error {
				s, err := elevator()
				if err != nil {
					return err
				}
				var other <-chan error
				early := false
				err = s.Update("first", func(d *granary.Draft) error {
					must(d.Ship("north", 40_000))
					other = elsewhere(func() error {
						return s.Update("second", func(d *granary.Draft) error { return d.Ship("north", 7_000) })
					})
					select {
					case <-other:
						early = true
					case <-time.After(60 * time.Millisecond):
					}
					return tc.end()
				})
				if (err == nil) != (tc.took > 0) {
					return fmt.Errorf("the first update returned %v", err)
				}
				if early {
					return errors.New("the second update was over before the first")
				}
				if err := <-other; err != nil {
					return err
				}
				if got, want := held(s, "north"), 611_000-tc.took-7_000; got != want {
					return fmt.Errorf("north holds %d, want %d", int64(got), int64(want))
				}
				return nil
			})
		})
	}
}
