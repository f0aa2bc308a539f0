package pool_test

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/ratedesk/pool"
)

func TestLimitIsTheNumberOfResults(t *testing.T) {
	const jobs = 57
	for _, c := range []struct {
		name        string
		limit, want int
	}{
		{"none", 0, jobs},
		{"one", 1, 1},
		{"some", 13, 13},
		{"all_but_one", jobs - 1, jobs - 1},
		{"all", jobs, jobs},
		{"more_than_there_are", 3 * jobs, jobs},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustPool(t, pool.WithWorkers(6))
			enqueueQuotes(t, p, jobs)
			results := collect(t, p, c.limit)
			if len(results) != c.want {
				t.Errorf("%d results, want %d", len(results), c.want)
			}
			seen := make(map[string]bool)
			for _, r := range results {
				if seen[r.Carrier] {
					t.Errorf("carrier %s twice", r.Carrier)
				}
				seen[r.Carrier] = true
				if n, err := strconv.ParseInt(r.Carrier, 10, 64); err != nil || r.Quote.Cents != n || r.Err != nil || r.Attempts != 1 {
					t.Errorf("result %+v is not the carrier's", r)
				}
			}
		})
	}
}

func TestOneWorkerReturnsTheFirstSubmitted(t *testing.T) {
	for _, limit := range []int{0, 1, 19, 150} {
		t.Run(fmt.Sprintf("limit_%d", limit), func(t *testing.T) {
			p := mustPool(t, pool.WithWorkers(1))
			enqueueQuotes(t, p, 150)
			results := collect(t, p, limit)
			if want := cmp.Or(limit, 150); len(results) != want {
				t.Errorf("%d results, want %d", len(results), want)
			}
			for i, r := range results {
				if r.Carrier != fmt.Sprint(i) {
					t.Fatalf("result %d is from carrier %s", i, r.Carrier)
				}
			}
		})
	}
}

func TestASlowCarrierDoesNotHoldBackTheOthers(t *testing.T) {
	const limit = 10
	p := mustPool(t, pool.WithWorkers(2))
	enough := make(chan struct{})
	var gaveUp atomic.Bool
	enqueue(t, p, "slow", func() (pool.Quote, error) {
		select {
		case <-enough:
		case <-time.After(patience / 2):
			gaveUp.Store(true)
		}
		return pool.Quote{}, nil
	})
	var quick atomic.Int32
	for i := range 40 {
		enqueue(t, p, fmt.Sprint(i), func() (pool.Quote, error) {
			if quick.Add(1) == limit {
				close(enough)
			}
			return pool.Quote{}, nil
		})
	}
	results := collect(t, p, limit)
	if len(results) != limit {
		t.Fatalf("%d results, want %d", len(results), limit)
	}
	if gaveUp.Load() {
		t.Error("the other carriers are not asked while the slow one is awaited")
	}
	for i, r := range results[:limit/2] {
		if r.Carrier == "slow" {
			t.Errorf("the slow carrier's result is number %d", i)
		}
	}
}

func TestAllWorkersAreUsedAndNoMore(t *testing.T) {
	for _, c := range []struct {
		name           string
		workers, limit int
	}{
		{"no_limit", 5, 0},
		{"limit_one", 5, 1},
		{"limit_above_the_workers", 3, 8},
		{"many_workers", 70, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustPool(t, pool.WithWorkers(c.workers))
			var running, most atomic.Int32
			var gaveUp atomic.Bool
			full := make(chan struct{})
			for i := range 3*c.workers + 1 {
				enqueue(t, p, fmt.Sprint(i), func() (pool.Quote, error) {
					n := running.Add(1)
					defer running.Add(-1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					if i == c.workers-1 {
						close(full)
					}
					select {
					case <-full:
					case <-time.After(patience / 2):
						gaveUp.Store(true)
					}
					// One job too many gets the time to start.
					for n := 0; n < 15 && i < c.workers && most.Load() <= int32(c.workers); n++ {
						time.Sleep(time.Millisecond)
					}
					return pool.Quote{}, nil
				})
			}
			collect(t, p, c.limit)
			if gaveUp.Load() {
				t.Errorf("the first %d jobs do not run at once", c.workers)
			}
			if n := most.Load(); n > int32(c.workers) {
				t.Errorf("%d jobs at once, want at most %d", n, c.workers)
			}
		})
	}
}

func TestAnEarlyStopLeavesNothingForTheNextCall(t *testing.T) {
	p := mustPool(t, pool.WithWorkers(3))
	enqueueQuotes(t, p, 90)
	if got := len(collect(t, p, 4)); got != 4 {
		t.Errorf("%d results, want 4", got)
	}
	if n := p.Pending(); n != 0 {
		t.Errorf("Pending = %d after an early stop, want 0", n)
	}
	if again := collect(t, p, 0); len(again) != 0 {
		t.Errorf("the next call returns %d results of the call before", len(again))
	}
	for i := range 25 {
		enqueue(t, p, fmt.Sprintf("new-%d", i), func() (pool.Quote, error) { return pool.Quote{Cents: 7}, nil })
	}
	results := collect(t, p, 0)
	if len(results) != 25 {
		t.Errorf("%d results after an early stop, want 25", len(results))
	}
	for _, r := range results {
		if !strings.HasPrefix(r.Carrier, "new-") {
			t.Errorf("result of carrier %s belongs to an earlier call", r.Carrier)
		}
	}
}

func TestAJobSubmittedByARunningJobWaitsForTheNextCall(t *testing.T) {
	for _, limit := range []int{0, 1} {
		t.Run(fmt.Sprintf("limit_%d", limit), func(t *testing.T) {
			p := mustPool(t, pool.WithWorkers(2))
			enqueue(t, p, "broker", func() (pool.Quote, error) {
				p.Pending()
				return pool.Quote{}, p.Submit(pool.Job{Carrier: "subcontractor", Ask: func() (pool.Quote, error) {
					return pool.Quote{Cents: 350}, nil
				}})
			})
			results := collect(t, p, limit)
			if len(results) != 1 || results[0].Carrier != "broker" || results[0].Err != nil {
				t.Errorf("results %v, want the broker's alone", results)
			}
			if n := p.Pending(); n != 1 {
				t.Errorf("Pending = %d, want 1", n)
			}
			results = collect(t, p, limit)
			if len(results) != 1 || results[0].Carrier != "subcontractor" || results[0].Quote.Cents != 350 {
				t.Errorf("results %v, want the subcontractor's alone", results)
			}
		})
	}
}

func TestConcurrentCallsNeverShareAJob(t *testing.T) {
	p := mustPool(t, pool.WithWorkers(3))
	enqueueQuotes(t, p, 60)
	var calls []<-chan outcome
	for range 4 {
		calls = append(calls, startCollect(p, 9, nil))
	}
	total := 0
	for _, call := range calls {
		total += len(await(t, call))
	}
	if total != 9 {
		t.Errorf("%d results in all, want 9 from the one call that took the queue", total)
	}
}

func TestFailedJobsCountTowardsTheLimit(t *testing.T) {
	errLane := errors.New("lane not served")
	p := mustPool(t, pool.WithWorkers(1), pool.WithAttempts(3))
	enqueue(t, p, "refuses", func() (pool.Quote, error) { return pool.Quote{Cents: 5}, errLane })
	enqueue(t, p, "panics", func() (pool.Quote, error) { panic("rate table") })
	enqueue(t, p, "quotes", func() (pool.Quote, error) { return pool.Quote{Cents: 9}, nil })
	results := collect(t, p, 2)
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	if r := results[0]; r.Carrier != "refuses" || !errors.Is(r.Err, errLane) || r.Attempts != 3 || r.Quote.Cents != 0 {
		t.Errorf("first result %+v", r)
	}
	if r := results[1]; r.Carrier != "panics" || !errors.Is(r.Err, pool.ErrPanic) || r.Attempts != 1 {
		t.Errorf("second result %+v", r)
	}
}

func TestANegativeLimitRunsNothing(t *testing.T) {
	var asked atomic.Bool
	p := mustPool(t)
	enqueue(t, p, "northline", func() (pool.Quote, error) {
		asked.Store(true)
		return pool.Quote{}, nil
	})
	before := poolGoroutines()
	for _, limit := range []int{-1, -1000} {
		if results, err := p.Collect(limit); !errors.Is(err, pool.ErrLimit) || len(results) != 0 {
			t.Errorf("Collect(%d) = %v, %v; want ErrLimit", limit, results, err)
		}
	}
	wantNoneLeft(t, before)
	if asked.Load() || p.Pending() != 1 {
		t.Errorf("asked: %t, pending: %d; want the job to stay queued", asked.Load(), p.Pending())
	}
}

func TestSentinelErrorsAreDistinct(t *testing.T) {
	sentinels := []error{pool.ErrOption, pool.ErrJob, pool.ErrLimit, pool.ErrPanic}
	for i, a := range sentinels {
		if a == nil {
			t.Fatalf("sentinel %d is nil", i)
		}
		if errors.Is(errors.New("unrelated"), a) || errors.Is(a, errors.New("unrelated")) {
			t.Errorf("%v matches an unrelated error", a)
		}
		for j, b := range sentinels {
			if i != j && errors.Is(a, b) {
				t.Errorf("%v matches %v", a, b)
			}
		}
	}
}
