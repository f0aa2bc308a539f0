package pool_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/ratedesk/pool"
)

const modulePath = "example.com/ratedesk/pool"

// patience bounds every wait for something that has to happen.
const patience = 5 * time.Second

func mustPool(t *testing.T, opts ...pool.Option) *pool.Pool {
	t.Helper()
	p, err := pool.New(opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return p
}

func enqueue(t *testing.T, p *pool.Pool, carrier string, ask func() (pool.Quote, error)) {
	t.Helper()
	if err := p.Submit(pool.Job{Carrier: carrier, Ask: ask}); err != nil {
		t.Fatalf("Submit(%s): %v", carrier, err)
	}
}

// enqueueQuotes queues n jobs that answer at once. The ith is from carrier i
// and quotes i cents.
func enqueueQuotes(t *testing.T, p *pool.Pool, n int) {
	t.Helper()
	for i := range n {
		enqueue(t, p, fmt.Sprint(i), func() (pool.Quote, error) {
			return pool.Quote{Cents: int64(i)}, nil
		})
	}
}

type outcome struct {
	results  []pool.Result
	err      error
	panicked any
}

// startCollect calls Collect in a goroutine of its own and calls returned, if
// any, as soon as it has returned.
func startCollect(p *pool.Pool, limit int, returned func()) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			if returned != nil {
				returned()
			}
			done <- o
		}()
		o.results, o.err = p.Collect(limit)
	}()
	return done
}

func await(t *testing.T, done <-chan outcome) []pool.Result {
	t.Helper()
	select {
	case o := <-done:
		if o.panicked != nil {
			t.Fatalf("Collect panicked: %v", o.panicked)
		}
		if o.err != nil {
			t.Fatalf("Collect: %v", o.err)
		}
		return o.results
	case <-time.After(patience):
		t.Fatal("Collect does not return")
		return nil
	}
}

func collect(t *testing.T, p *pool.Pool, limit int) []pool.Result {
	t.Helper()
	return await(t, startCollect(p, limit, nil))
}

// poolGoroutines returns the stacks of all goroutines that run code of the
// module or were started by it, by the goroutine's number. One that a timer
// started says nothing of who set the timer, and a dump leaves out the middle
// of a deep stack: no test here has such a goroutine, so it is the module's.
func poolGoroutines() map[string]string {
	buf := make([]byte, 1<<16)
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
				strings.HasPrefix(line, "time.goFunc") || strings.Contains(line, "frames elided") {
				found[strings.Fields(stack)[1]] = stack
				break
			}
		}
	}
	return found
}

// newGoroutines returns the stacks of those that are not in before, and whether
// one of them still has something to do.
func newGoroutines(before map[string]string) (stacks []string, busy bool) {
	for number, stack := range poolGoroutines() {
		if _, old := before[number]; old {
			continue
		}
		stacks = append(stacks, stack)
		header, _, _ := strings.Cut(stack, "\n")
		busy = busy || strings.Contains(header, "[run")
	}
	return stacks, busy
}

// wantNoneLeft fails the test if goroutines of the module live on that were not
// there before. Those on their way out get the time to end; those that wait for
// something get little.
func wantNoneLeft(t *testing.T, before map[string]string) {
	t.Helper()
	start := time.Now()
	for polls := 0; ; polls++ {
		stacks, busy := newGoroutines(before)
		if len(stacks) == 0 {
			return
		}
		waited := time.Since(start)
		if waited > patience || !busy && polls > 20 && waited > 150*time.Millisecond {
			t.Errorf("%d goroutines outlive Collect; one of them:\n%s", len(stacks), stacks[0])
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestNoGoroutineOutlivesCollect(t *testing.T) {
	for _, c := range []struct {
		name                 string
		workers, jobs, limit int
	}{
		{"first_of_two_with_one_worker", 1, 2, 1},
		{"first_of_many_with_one_worker", 1, 211, 1},
		{"all_but_one", 3, 30, 29},
		{"limit_below_the_workers", 64, 600, 3},
		{"limit_above_the_workers", 4, 500, 37},
		{"as_many_workers_as_jobs", 90, 90, 2},
		{"long_queue", 16, 20011, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := poolGoroutines()
			p := mustPool(t, pool.WithWorkers(c.workers))
			enqueueQuotes(t, p, c.jobs)
			if got := len(collect(t, p, c.limit)); got != c.limit {
				t.Errorf("%d results, want %d", got, c.limit)
			}
			wantNoneLeft(t, before)
		})
	}
}

func TestNoGoroutineOutlivesACallWhoseJobsFail(t *testing.T) {
	before := poolGoroutines()
	errClosed := errors.New("depot closed")
	p := mustPool(t, pool.WithWorkers(3), pool.WithAttempts(2))
	for i := range 400 {
		enqueue(t, p, fmt.Sprint(i), func() (pool.Quote, error) {
			if i%2 == 0 {
				panic("no rate table")
			}
			return pool.Quote{}, errClosed
		})
	}
	if got := len(collect(t, p, 11)); got != 11 {
		t.Errorf("%d results, want 11", got)
	}
	wantNoneLeft(t, before)
}

func TestNoGoroutinesPileUpOverManyCalls(t *testing.T) {
	before := poolGoroutines()
	p := mustPool(t, pool.WithWorkers(5))
	for range 60 {
		enqueueQuotes(t, p, 23)
		if got := len(collect(t, p, 2)); got != 2 {
			t.Fatalf("%d results, want 2", got)
		}
	}
	wantNoneLeft(t, before)
}

// TestNoGoroutineIsLeftWhenEverythingIsCollected is about calls that are not
// stopped early.
func TestNoGoroutineIsLeftWhenEverythingIsCollected(t *testing.T) {
	for _, c := range []struct {
		name        string
		jobs, limit int
	}{
		{"no_jobs", 0, 0},
		{"no_jobs_with_a_limit", 0, 6},
		{"no_limit", 80, 0},
		{"limit_equals_jobs", 80, 80},
		{"limit_above_jobs", 80, 93},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := poolGoroutines()
			p := mustPool(t, pool.WithWorkers(7))
			enqueueQuotes(t, p, c.jobs)
			if got := len(collect(t, p, c.limit)); got != c.jobs {
				t.Errorf("%d results, want %d", got, c.jobs)
			}
			wantNoneLeft(t, before)
		})
	}
}

// TestNoJobRunsOnceCollectHasReturned holds every job but the first until
// Collect has returned, which a Collect that waits for them never does, or for
// a while.
func TestNoJobRunsOnceCollectHasReturned(t *testing.T) {
	for _, c := range []struct {
		name          string
		workers, jobs int
	}{
		{"one_worker", 1, 3},
		{"several_workers", 4, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := poolGoroutines()
			returned := make(chan struct{})
			secondRuns := make(chan struct{})
			var running, late atomic.Int32
			var heldLongEnough atomic.Bool

			hasReturned := func() bool {
				select {
				case <-returned:
					return true
				default:
					return false
				}
			}
			hold := func() {
				for range 60 {
					if hasReturned() || heldLongEnough.Load() {
						return
					}
					time.Sleep(time.Millisecond)
				}
				heldLongEnough.Store(true)
			}

			p := mustPool(t, pool.WithWorkers(c.workers))
			for i := range c.jobs {
				enqueue(t, p, fmt.Sprint(i), func() (pool.Quote, error) {
					running.Add(1)
					defer running.Add(-1)
					switch {
					case i > 0:
						if i == 1 {
							close(secondRuns)
						}
						hold()
					case c.workers > 1:
						select {
						case <-secondRuns:
						case <-time.After(patience):
						}
					}
					if hasReturned() {
						late.Add(1)
					}
					return pool.Quote{}, nil
				})
			}
			results := await(t, startCollect(p, 1, func() { close(returned) }))
			if n := running.Load(); n != 0 {
				t.Errorf("%d jobs are running when Collect returns", n)
			}
			if len(results) != 1 {
				t.Errorf("%d results, want 1", len(results))
			}
			wantNoneLeft(t, before)
			if n := late.Load(); n != 0 {
				t.Errorf("%d jobs ran on after Collect had returned", n)
			}
		})
	}
}

// TestCollectWaitsForAJobHoweverLongItRuns holds a job for longer than anybody
// would wait who does not wait for its end.
func TestCollectWaitsForAJobHoweverLongItRuns(t *testing.T) {
	const long = 1500 * time.Millisecond
	returned := make(chan struct{})
	started, ended := make(chan struct{}), make(chan struct{})
	var early atomic.Bool

	p := mustPool(t, pool.WithWorkers(2))
	enqueue(t, p, "quick", func() (pool.Quote, error) {
		select {
		case <-started:
		case <-time.After(patience):
		}
		return pool.Quote{}, nil
	})
	enqueue(t, p, "long", func() (pool.Quote, error) {
		close(started)
		select {
		case <-returned:
		case <-time.After(long):
		}
		close(ended)
		return pool.Quote{}, nil
	})
	results := await(t, startCollect(p, 1, func() {
		select {
		case <-ended:
		default:
			early.Store(true)
		}
		close(returned)
	}))
	if len(results) != 1 {
		t.Errorf("%d results, want 1", len(results))
	}
	if early.Load() {
		t.Error("Collect returned while a job was running")
	}
}
