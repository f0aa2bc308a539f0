package nightlog_test

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/observatory/nightlog"
)

const modulePath = "example.com/observatory/nightlog"

// grace bounds every step that could hang.
const grace = 3 * time.Second

// launch runs body on a goroutine of its own and reports its error, or its
// panic as an error.
func launch(body func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine exited early")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			done <- err
		}()
		err = body()
	}()
	return done
}

// arrive waits for the error of launch.
func arrive(what string, done <-chan error) error {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	case <-timer.C:
		return fmt.Errorf("%s: hangs", what)
	}
}

// arriveAll waits for all tasks. It gives up early if goroutines of the module
// that are not in before stand still for long, with none that could move them.
func arriveAll(before map[string]string, tasks []<-chan error) error {
	done := launch(func() error {
		var failures []error
		for _, task := range tasks {
			failures = append(failures, <-task)
		}
		return errors.Join(failures...)
	})
	deadline := time.After(grace)
	for still := 0; still < 20; {
		select {
		case err := <-done:
			return err
		case <-deadline:
			return errors.New("they do not come to an end")
		case <-time.After(10 * time.Millisecond):
		}
		count, busy, _ := since(before)
		if still++; count == 0 || busy {
			still = 0
		}
	}
	return errors.New("they stand still")
}

// run fails the test if body fails, panics or hangs.
func run(t *testing.T, body func() error) {
	t.Helper()
	select {
	case err := <-launch(body):
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * grace):
		t.Error("the test body hangs")
	}
}

// moduleGoroutines returns the stacks of all goroutines that run code of the
// module or were started by it, by the goroutine's number. The walk of a pulled
// sequence need not have a frame of the module; what the tests pull themselves,
// they stop.
func moduleGoroutines() map[string]string {
	buf := make([]byte, 1<<18)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	found := make(map[string]string)
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		for line := range strings.SplitSeq(stack, "\n") {
			line = strings.TrimPrefix(line, "created by ")
			if strings.HasPrefix(line, modulePath+".") || strings.HasPrefix(line, modulePath+"/") ||
				strings.HasPrefix(line, "iter.Pull") || strings.Contains(line, "[coroutine") {
				if header := strings.Fields(stack); len(header) > 1 {
					found[header[1]] = stack
				}
				break
			}
		}
	}
	return found
}

// since counts the goroutines of the module that are not in before. It says
// whether one of them has something to do, and returns the stack of one.
func since(before map[string]string) (count int, busy bool, example string) {
	for number, stack := range moduleGoroutines() {
		if _, old := before[number]; old {
			continue
		}
		header, _, _ := strings.Cut(stack, "\n")
		count, busy, example = count+1, busy || strings.Contains(header, "[run"), stack
	}
	return count, busy, example
}

// noneSince wants every goroutine of the module that is not in before to end.
// One that still has something to do gets the time for it; one that waits for
// something gets little.
func noneSince(before map[string]string) error {
	start := time.Now()
	for polls := 0; ; polls++ {
		count, busy, example := since(before)
		if count == 0 {
			return nil
		}
		waited := time.Since(start)
		if waited > grace || !busy && polls > 8 && waited > 50*time.Millisecond {
			return fmt.Errorf("%d goroutines are left behind; one of them:\n%s", count, example)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// first day of the season, noon.
var noon = time.Date(2024, 2, 11, 12, 0, 0, 0, time.UTC)

func picture(id, target string, minute int) nightlog.Exposure {
	return nightlog.Exposure{
		ID: id, Target: target,
		Start: noon.Add(time.Duration(minute) * time.Minute), Length: 90 * time.Second,
	}
}

func domeName(i int) string { return fmt.Sprintf("d%02d", i) }

// season fills an archive whose ith dome has lengths[i] exposures. Their starts
// interleave, and some are equal. It returns them in their order as well.
func season(lengths ...int) (*nightlog.Archive, []string, error) {
	a := nightlog.NewArchive()
	type entry struct {
		minute int
		name   string
	}
	var all []entry
	for d, n := range lengths {
		l := a.Dome(domeName(d))
		for i := range n {
			target := []string{"Vega", "Deneb", "Altair"}[(i+d)%3]
			minute := 10*i + 3*(d%4)
			id := fmt.Sprintf("p%03d", i)
			if err := l.Add(picture(id, target, minute)); err != nil {
				return nil, nil, err
			}
			all = append(all, entry{minute, domeName(d) + ":" + id})
		}
	}
	slices.SortFunc(all, func(x, y entry) int {
		if x.minute != y.minute {
			return x.minute - y.minute
		}
		return strings.Compare(x.name, y.name)
	})
	names := make([]string, 0, len(all))
	for _, e := range all {
		names = append(names, e.name)
	}
	return a, names, nil
}

func label(e nightlog.Exposure) string { return e.Dome + ":" + e.ID }

func labels(es []nightlog.Exposure) []string {
	var out []string
	for _, e := range es {
		out = append(out, label(e))
	}
	return out
}

// reads wants the archive to show exactly these exposures.
func reads(a *nightlog.Archive, want []string) error {
	return arrive("reading the archive", launch(func() error {
		all, err := a.All()
		if err != nil {
			return err
		}
		var got []string
		for e := range all {
			got = append(got, label(e))
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("it shows %q, want %q", got, want)
		}
		return nil
	}))
}

// writes adds an exposure to every dome, reads them all, and takes them back.
func writes(a *nightlog.Archive, present []string) error {
	domes := a.Domes()
	var last []string
	for _, name := range domes {
		l := a.Dome(name)
		err := arrive("Add to "+name, launch(func() error { return l.Add(picture("late", "Mizar", 1_000_000)) }))
		if err != nil {
			return err
		}
		last = append(last, name+":late")
	}
	if err := reads(a, slices.Concat(present, last)); err != nil {
		return err
	}
	for _, name := range domes {
		l := a.Dome(name)
		if err := arrive("Retract from "+name, launch(func() error { return l.Retract("late") })); err != nil {
			return err
		}
	}
	return reads(a, present)
}

// leaves wants act, given an archive with domes of these lengths, to leave
// nothing behind.
func leaves(act func(a *nightlog.Archive, order []string) error, lengths ...int) error {
	a, order, err := season(lengths...)
	if err != nil {
		return err
	}
	before := moduleGoroutines()
	if err := arrive("the call", launch(func() error { return act(a, order) })); err != nil {
		return err
	}
	if err := noneSince(before); err != nil {
		return err
	}
	if err := writes(a, order); err != nil {
		return err
	}
	return noneSince(before)
}

func TestPageLeavesNothingBehind(t *testing.T) {
	for _, tc := range []struct {
		label       string
		skip, limit int
		target      string
		domes       []string
	}{
		{"first_of_many", 0, 1, "", nil},
		{"a_few", 0, 4, "", nil},
		{"past_the_short_dome", 2, 9, "", nil},
		{"one_before_the_end", 0, 19, "", nil},
		{"all_but_nothing_more", 0, 20, "", nil},
		{"beyond_the_end", 15, 100, "", nil},
		{"one_target", 1, 2, "Vega", nil},
		{"no_such_target", 0, 2, "Sirius", nil},
		{"one_dome", 3, 2, "", []string{"d02"}},
		{"two_domes", 0, 3, "", []string{"d03", "d00"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			run(t, func() error {
				return leaves(func(a *nightlog.Archive, order []string) error {
					page, err := a.Page(nightlog.Query{Skip: tc.skip, Limit: tc.limit, Target: tc.target, Domes: tc.domes})
					if err != nil {
						return err
					}
					full, err := a.All(tc.domes...)
					if err != nil {
						return err
					}
					var want []string
					for e := range full {
						if tc.target == "" || e.Target == tc.target {
							want = append(want, label(e))
						}
					}
					want = want[min(tc.skip, len(want)):]
					more := len(want) > tc.limit
					want = want[:min(tc.limit, len(want))]
					if got := labels(page.Exposures); !slices.Equal(got, want) || page.More != more {
						return fmt.Errorf("Page = %q, more %v, want %q, %v", got, page.More, want, more)
					}
					return nil
				}, 5, 2, 8, 5)
			})
		})
	}
}

func TestFirstLeavesNothingBehind(t *testing.T) {
	for _, tc := range []struct {
		label string
		index int // of the exposure that matches, or -1
	}{
		{"the_first", 0},
		{"the_second", 1},
		{"in_the_middle", 7},
		{"the_last", 14},
		{"none", -1},
	} {
		t.Run(tc.label, func(t *testing.T) {
			run(t, func() error {
				return leaves(func(a *nightlog.Archive, order []string) error {
					got, err := a.First(func(e nightlog.Exposure) bool { return tc.index >= 0 && label(e) == order[tc.index] })
					if tc.index < 0 {
						if nightlog.ErrUnknown == nil || !errors.Is(err, nightlog.ErrUnknown) || errors.Is(errors.New("clouds"), nightlog.ErrUnknown) {
							return fmt.Errorf("First: %v, want %v", err, nightlog.ErrUnknown)
						}
						return nil
					}
					if err != nil || label(got) != order[tc.index] {
						return fmt.Errorf("First = %s, %v, want %s", label(got), err, order[tc.index])
					}
					return nil
				}, 4, 0, 10, 1)
			})
		})
	}
}

// Ways to leave a loop after k exposures. Each returns what it saw.

func byBreak(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
	for e := range all {
		seen = append(seen, label(e))
		if len(seen) == k {
			break
		}
	}
	return seen
}

func byReturn(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
	for e := range all {
		if seen = append(seen, label(e)); len(seen) == k {
			return seen
		}
	}
	return seen
}

func byContinue(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
outer:
	for range 1 {
		for e := range all {
			if seen = append(seen, label(e)); len(seen) == k {
				continue outer
			}
		}
	}
	return seen
}

func byPanic(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
	defer func() {
		if r := recover(); r != any("shutter") {
			seen = append(seen, fmt.Sprintf("recovered %v", r))
		}
	}()
	for e := range all {
		if seen = append(seen, label(e)); len(seen) == k {
			panic("shutter")
		}
	}
	return seen
}

func byStop(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
	next, stop := iter.Pull(all)
	defer stop()
	for range k {
		if e, ok := next(); ok {
			seen = append(seen, label(e))
		}
	}
	return seen
}

func byFalse(all iter.Seq[nightlog.Exposure], k int) (seen []string) {
	all(func(e nightlog.Exposure) bool {
		seen = append(seen, label(e))
		return len(seen) < k
	})
	return seen
}

func TestLoopThatIsLeftLeavesNothingBehind(t *testing.T) {
	for _, tc := range []struct {
		label string
		leave func(iter.Seq[nightlog.Exposure], int) []string
	}{
		{"break", byBreak},
		{"return", byReturn},
		{"continue_of_an_outer_loop", byContinue},
		{"panic", byPanic},
		{"stop_of_a_pull", byStop},
		{"yield_returns_false", byFalse},
	} {
		t.Run(tc.label, func(t *testing.T) {
			run(t, func() error {
				for _, lengths := range [][]int{{3}, {1, 1}, {2, 0, 6}, {4, 4, 4, 1}, {0, 0, 5}, {1, 2, 3, 4, 5, 6, 7}} {
					_, order, err := season(lengths...)
					if err != nil {
						return err
					}
					for k := 1; k <= len(order); k++ {
						err := leaves(func(a *nightlog.Archive, order []string) error {
							all, err := a.All()
							if err != nil {
								return err
							}
							if seen := tc.leave(all, k); !slices.Equal(seen, order[:k]) {
								return fmt.Errorf("the loop saw %q, want %q", seen, order[:k])
							}
							return nil
						}, lengths...)
						if err != nil {
							return fmt.Errorf("domes of %v, left after %d: %w", lengths, k, err)
						}
					}
				}
				return nil
			})
		})
	}
}

func TestOneDomeOfMany(t *testing.T) {
	run(t, func() error {
		for _, name := range []string{"d00", "d01", "d02"} {
			err := leaves(func(a *nightlog.Archive, _ []string) error {
				all, err := a.All(name, name)
				if err != nil {
					return err
				}
				if seen := byBreak(all, 2); len(seen) != 2 || !strings.HasPrefix(seen[0], name) {
					return fmt.Errorf("the loop saw %q", seen)
				}
				return nil
			}, 4, 3, 6)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

func TestManyDomes(t *testing.T) {
	run(t, func() error {
		lengths := make([]int, 60)
		for i := range lengths {
			lengths[i] = i % 5
		}
		return leaves(func(a *nightlog.Archive, order []string) error {
			page, err := a.Page(nightlog.Query{Skip: 40, Limit: 30})
			if err != nil {
				return err
			}
			if got := labels(page.Exposures); !slices.Equal(got, order[40:70]) || !page.More {
				return fmt.Errorf("Page = %q, more %v, want %q", got, page.More, order[40:70])
			}
			return nil
		}, lengths...)
	})
}

func TestLeafingThroughLeavesNothingBehind(t *testing.T) {
	run(t, func() error {
		return leaves(func(a *nightlog.Archive, order []string) error {
			for range 3 {
				for skip := range order {
					page, err := a.Page(nightlog.Query{Skip: skip, Limit: 3})
					if err != nil {
						return err
					}
					want := order[skip:min(skip+3, len(order))]
					if got := labels(page.Exposures); !slices.Equal(got, want) {
						return fmt.Errorf("Page = %q, want %q", got, want)
					}
				}
			}
			return nil
		}, 6, 9, 1, 7)
	})
}

func TestSummaryAndFullLoopLeaveNothingBehind(t *testing.T) {
	run(t, func() error {
		return leaves(func(a *nightlog.Archive, order []string) error {
			totals, err := a.Summary()
			if err != nil {
				return err
			}
			sum := 0
			for _, total := range totals {
				sum += total.Exposures
				if want := time.Duration(total.Exposures) * 90 * time.Second; total.Length != want {
					return fmt.Errorf("%s was exposed for %v, want %v", total.Target, total.Length, want)
				}
			}
			if sum != len(order) || len(totals) != 3 {
				return fmt.Errorf("Summary = %+v, want 3 targets and %d exposures", totals, len(order))
			}
			return reads(a, order)
		}, 6, 0, 9)
	})
}

func TestEmptyArchive(t *testing.T) {
	for _, tc := range []struct {
		label   string
		lengths []int
	}{
		{"no_domes", nil},
		{"empty_domes", []int{0, 0, 0}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			run(t, func() error {
				return leaves(func(a *nightlog.Archive, _ []string) error {
					page, err := a.Page(nightlog.Query{Limit: 1})
					if err != nil || len(page.Exposures) != 0 || page.More {
						return fmt.Errorf("Page = %+v, %v, want an empty one", page, err)
					}
					return reads(a, nil)
				}, tc.lengths...)
			})
		})
	}
}
