package nightlog_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"example.com/observatory/nightlog"
)

func TestLoopShowsTheLogsAsTheyWere(t *testing.T) {
	for _, tc := range []struct {
		label string
		loop  func(a *nightlog.Archive) (iter.Seq[nightlog.Exposure], error)
		want  func(order []string) []string
	}{
		{
			"whole_archive",
			func(a *nightlog.Archive) (iter.Seq[nightlog.Exposure], error) { return a.All() },
			func(order []string) []string { return order },
		},
		{
			"one_log",
			func(a *nightlog.Archive) (iter.Seq[nightlog.Exposure], error) { return a.Dome("d00").All(), nil },
			func([]string) []string { return []string{"d00:p000", "d00:p001", "d00:p002", "d00:p003"} },
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			run(t, func() error {
				a, order, err := season(4, 5)
				if err != nil {
					return err
				}
				loop, err := tc.loop(a)
				if err != nil {
					return err
				}
				var seen []string
				var writers []<-chan error
				for e := range loop {
					if len(seen) == 0 {
						// The writers may finish now or have to wait for the loop.
						both := make(chan struct{}, 2)
						for d := range 2 {
							l := a.Dome(domeName(d))
							writers = append(writers, launch(func() error {
								defer func() { both <- struct{}{} }()
								return errors.Join(
									l.Add(picture("early", "Mizar", -5)),
									l.Add(picture("next", "Mizar", 7)),
									l.Retract("p002"),
								)
							}))
						}
						patience := time.After(150 * time.Millisecond)
						for finished := 0; finished < 2; finished++ {
							select {
							case <-both:
							case <-patience:
								finished = 2
							}
						}
					}
					seen = append(seen, label(e))
				}
				if want := tc.want(order); !slices.Equal(seen, want) {
					return fmt.Errorf("the loop saw %q, want %q", seen, want)
				}
				for _, done := range writers {
					if err := arrive("a writer that met a loop", done); err != nil {
						return err
					}
				}
				return reads(a, []string{
					"d00:early", "d01:early", "d00:p000", "d01:p000", "d00:next", "d01:next",
					"d00:p001", "d01:p001", "d00:p003", "d01:p003", "d01:p004",
				})
			})
		})
	}
}

func TestSequenceServesAgainAfterItWasLeft(t *testing.T) {
	run(t, func() error {
		a, order, err := season(3, 4, 2)
		if err != nil {
			return err
		}
		all, err := a.All()
		if err != nil {
			return err
		}
		before := moduleGoroutines()
		for k := 1; k <= len(order); k++ {
			if seen := byBreak(all, k); !slices.Equal(seen, order[:k]) {
				return fmt.Errorf("the loop saw %q, want %q", seen, order[:k])
			}
		}
		if err := noneSince(before); err != nil {
			return err
		}
		add := func() error { return a.Dome("d01").Add(picture("late", "Mizar", 9_000)) }
		if err := arrive("Add", launch(add)); err != nil {
			return err
		}
		want := slices.Concat(order, []string{"d01:late"})
		if seen := byBreak(all, -1); !slices.Equal(seen, want) {
			return fmt.Errorf("after Add the loop saw %q, want %q", seen, want)
		}
		return noneSince(before)
	})
}

func TestLoopsOverTwoArchivesAreApart(t *testing.T) {
	run(t, func() error {
		a, orderA, err := season(5, 3)
		if err != nil {
			return err
		}
		b, orderB, err := season(2, 2, 6)
		if err != nil {
			return err
		}
		outer, err := a.All()
		if err != nil {
			return err
		}
		inner, err := b.All()
		if err != nil {
			return err
		}
		before := moduleGoroutines()
		var seen []string
		for e := range outer {
			k, before := len(seen)+1, moduleGoroutines()
			if got := byBreak(inner, k); !slices.Equal(got, orderB[:k]) {
				return fmt.Errorf("the inner loop saw %q, want %q", got, orderB[:k])
			}
			// The inner loop is over, the outer one is not.
			if err := noneSince(before); err != nil {
				return err
			}
			add := func() error { return b.Dome("d02").Add(picture(fmt.Sprintf("z%d", k), "Mizar", 5_000+k)) }
			if err := arrive("Add to the inner archive", launch(add)); err != nil {
				return err
			}
			if seen = append(seen, label(e)); len(seen) == 6 {
				break
			}
		}
		if !slices.Equal(seen, orderA[:6]) {
			return fmt.Errorf("the outer loop saw %q, want %q", seen, orderA[:6])
		}
		if err := noneSince(before); err != nil {
			return err
		}
		if err := writes(a, orderA); err != nil {
			return err
		}
		return reads(b, slices.Concat(orderB, []string{"d02:z1", "d02:z2", "d02:z3", "d02:z4", "d02:z5", "d02:z6"}))
	})
}

func TestLoopUnderWayIsNotDisturbedByOneThatIsLeft(t *testing.T) {
	run(t, func() error {
		a, order, err := season(6, 6, 6)
		if err != nil {
			return err
		}
		all, err := a.All()
		if err != nil {
			return err
		}
		before := moduleGoroutines()
		var seen []string
		for e := range all {
			seen = append(seen, label(e))
			if len(seen) != 4 {
				continue
			}
			// Another goroutine's loop begins and is left meanwhile.
			other := launch(func() error {
				if got := byBreak(all, 7); !slices.Equal(got, order[:7]) {
					return fmt.Errorf("it saw %q, want %q", got, order[:7])
				}
				return nil
			})
			if err := arrive("a second loop", other); err != nil {
				return err
			}
		}
		if !slices.Equal(seen, order) {
			return fmt.Errorf("the loop saw %q, want %q", seen, order)
		}
		if err := noneSince(before); err != nil {
			return err
		}
		return writes(a, order)
	})
}

func TestDomesWriteWhileOthersLeafThrough(t *testing.T) {
	run(t, func() error {
		const domes, rounds = 3, 60
		a, order, err := season(4, 4, 4)
		if err != nil {
			return err
		}
		before := moduleGoroutines()
		var tasks []<-chan error
		for d := range domes {
			l := a.Dome(domeName(d))
			tasks = append(tasks, launch(func() error {
				for i := range rounds {
					if err := l.Add(picture(fmt.Sprintf("x%03d", i), "Mizar", 100_000+10*i+d)); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		for r, asked := range [][]string{nil, {"d02", "d01", "d00"}, {"d01", "d02", "d00", "d01"}} {
			tasks = append(tasks, launch(func() error {
				for i := range rounds {
					page, err := a.Page(nightlog.Query{Domes: asked, Skip: i % 8, Limit: 1 + r})
					if err != nil {
						return err
					}
					if got, want := labels(page.Exposures), order[i%8:i%8+1+r]; !slices.Equal(got, want) || !page.More {
						return fmt.Errorf("Page = %q, more %v, want %q", got, page.More, want)
					}
					got, err := a.First(func(e nightlog.Exposure) bool { return label(e) == order[11-r] }, asked...)
					if err != nil || label(got) != order[11-r] {
						return fmt.Errorf("First = %s, %v, want %s", label(got), err, order[11-r])
					}
				}
				return nil
			}))
		}
		if err := arriveAll(before, tasks); err != nil {
			return fmt.Errorf("reading and writing side by side: %w", err)
		}
		want := slices.Clone(order)
		for i := range rounds {
			for d := range domes {
				want = append(want, fmt.Sprintf("%s:x%03d", domeName(d), i))
			}
		}
		if err := reads(a, want); err != nil {
			return err
		}
		return noneSince(before)
	})
}

func TestTiesAreInTheOrderOfDomesAndThenOfIDs(t *testing.T) {
	run(t, func() error {
		a := nightlog.NewArchive()
		for _, e := range []struct {
			dome, id string
			minute   int
		}{
			{"pier", "a", 20}, {"cave", "z", 20}, {"cave", "m", 20}, {"mast", "k", 20},
			{"pier", "z", 10}, {"mast", "b", 10}, {"mast", "a", 10}, {"cave", "y", 30}, {"pier", "b", 30},
		} {
			if err := a.Dome(e.dome).Add(picture(e.id, "Vega", e.minute)); err != nil {
				return err
			}
		}
		order := []string{"mast:a", "mast:b", "pier:z", "cave:m", "cave:z", "mast:k", "pier:a", "cave:y", "pier:b"}
		if err := reads(a, order); err != nil {
			return err
		}
		var got []string
		for skip := range order {
			page, err := a.Page(nightlog.Query{Skip: skip, Limit: 1})
			if err != nil {
				return err
			}
			got = append(got, labels(page.Exposures)...)
		}
		if !slices.Equal(got, order) {
			return fmt.Errorf("pages of one show %q, want %q", got, order)
		}
		return nil
	})
}

func TestRefusalsStayAsTheyAre(t *testing.T) {
	run(t, func() error {
		a, order, err := season(2, 3)
		if err != nil {
			return err
		}
		_, unknown := a.All("d00", "nowhere")
		_, unknownPage := a.Page(nightlog.Query{Domes: []string{"nowhere"}, Limit: 1})
		_, noLimit := a.Page(nightlog.Query{})
		_, tooMany := a.Page(nightlog.Query{Limit: nightlog.MaxLimit + 1})
		duplicate := a.Dome("d00").Add(picture("p001", "Vega", 3))
		malformed := a.Dome("d00").Add(nightlog.Exposure{ID: "q"})
		absent := a.Dome("d00").Retract("p009")
		errCloud := errors.New("cloud")
		for _, tc := range []struct {
			what      string
			got, want error
		}{
			{"All of an unknown dome", unknown, nightlog.ErrUnknownDome},
			{"Page of an unknown dome", unknownPage, nightlog.ErrUnknownDome},
			{"Page without a limit", noLimit, nightlog.ErrBadQuery},
			{"Page with a huge limit", tooMany, nightlog.ErrBadQuery},
			{"Add of a duplicate", duplicate, nightlog.ErrDuplicate},
			{"Add of a malformed exposure", malformed, nightlog.ErrBadExposure},
			{"Retract of nothing", absent, nightlog.ErrUnknown},
		} {
			if tc.want == nil || !errors.Is(tc.got, tc.want) || errors.Is(errCloud, tc.want) || errors.Is(tc.got, errCloud) {
				return fmt.Errorf("%s: %v, want %v", tc.what, tc.got, tc.want)
			}
		}
		return reads(a, order)
	})
}
