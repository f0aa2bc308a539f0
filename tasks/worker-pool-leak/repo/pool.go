// Package pool asks freight carriers for quotes, a bounded number of them at a
// time.
//
// A rate desk queues one [Job] per carrier with [Pool.Submit] and then calls
// [Pool.Collect], which asks the carriers and returns their answers. A desk
// seldom needs all of them: Collect(3) returns the first three.
//
// # What Collect promises
//
// Collect takes all jobs that are queued at that moment and starts them in the
// order of their submission, at most as many at once as the pool has workers.
// Until the limit is reached, a worker that is free takes the next job. Results
// therefore come in the order in which they are ready, and a slow carrier does
// not hold back the others. A job that failed is a result like any other.
//
// When the limit is reached:
//
//   - Jobs that are running are left to finish. Collect waits for them and
//     discards their results.
//   - Jobs that have not been started may still be run or may be dropped;
//     callers must not depend on either. They do not return to the queue, and
//     their results are not returned by this call or by a later one.
//
// When Collect returns, none of its jobs is running, none will start later, and
// the goroutines that it started have ended. Callers depend on this: they close
// the session that the jobs share as soon as Collect has returned.
package pool

import (
	"fmt"
	"sync"
	"time"
)

const defaultWorkers = 4

// A Pool queues jobs and runs them with a bounded number of workers.
// Its methods may be called from several goroutines; each call of Collect has
// its own workers.
type Pool struct {
	workers int
	retry   retryPolicy
	now     func() time.Time

	mu    sync.Mutex // protects queue
	queue []Job
}

// An Option configures a Pool.
type Option func(*Pool) error

// New returns an empty pool with four workers that asks each carrier once,
// unless options say otherwise.
func New(opts ...Option) (*Pool, error) {
	p := &Pool{
		workers: defaultWorkers,
		retry:   retryPolicy{attempts: 1, sleep: time.Sleep},
		now:     time.Now,
	}
	for _, opt := range opts {
		if err := opt(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// WithWorkers sets how many jobs run at once.
func WithWorkers(n int) Option {
	return func(p *Pool) error {
		if n < 1 {
			return fmt.Errorf("%w: %d workers", ErrOption, n)
		}
		p.workers = n
		return nil
	}
}

// WithAttempts sets how often a carrier is asked before its job has failed.
func WithAttempts(n int) Option {
	return func(p *Pool) error {
		if n < 1 {
			return fmt.Errorf("%w: %d attempts", ErrOption, n)
		}
		p.retry.attempts = n
		return nil
	}
}

// WithBackoff sets the pause before the second attempt. It doubles with every
// further attempt up to limit.
func WithBackoff(first, limit time.Duration) Option {
	return func(p *Pool) error {
		if first < 0 || limit < first {
			return fmt.Errorf("%w: backoff from %v to %v", ErrOption, first, limit)
		}
		p.retry.first, p.retry.limit = first, limit
		return nil
	}
}

// WithSleep replaces time.Sleep for the pauses between attempts. It is called
// from several workers at once.
func WithSleep(sleep func(time.Duration)) Option {
	return func(p *Pool) error {
		p.retry.sleep = sleep
		return nil
	}
}

// WithClock replaces time.Now for measuring how long a job took. It is called
// from several workers at once.
func WithClock(now func() time.Time) Option {
	return func(p *Pool) error {
		p.now = now
		return nil
	}
}

// Submit queues a job for the next call of Collect. A running job may call it.
func (p *Pool) Submit(job Job) error {
	if err := job.validate(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, job)
	return nil
}

// Pending returns the number of queued jobs.
func (p *Pool) Pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// take empties the queue and returns what was in it.
func (p *Pool) take() []Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	jobs := p.queue
	p.queue = nil
	return jobs
}
