package pool_test

import (
	"errors"
	"testing"
	"time"

	"example.com/ratedesk/pool"
)

func newPool(t *testing.T, opts ...pool.Option) *pool.Pool {
	t.Helper()
	p, err := pool.New(opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return p
}

func submit(t *testing.T, p *pool.Pool, jobs ...pool.Job) {
	t.Helper()
	for _, job := range jobs {
		if err := p.Submit(job); err != nil {
			t.Fatalf("Submit(%s): %v", job.Carrier, err)
		}
	}
}

func quoting(carrier string, cents int64) pool.Job {
	return pool.Job{Carrier: carrier, Ask: func() (pool.Quote, error) {
		return pool.Quote{Cents: cents, TransitDays: 3}, nil
	}}
}

func failing(carrier string, err error) pool.Job {
	return pool.Job{Carrier: carrier, Ask: func() (pool.Quote, error) {
		return pool.Quote{}, err
	}}
}

func TestNewRejectsBadOptions(t *testing.T) {
	for name, opt := range map[string]pool.Option{
		"no workers":       pool.WithWorkers(0),
		"negative workers": pool.WithWorkers(-2),
		"no attempts":      pool.WithAttempts(0),
		"negative backoff": pool.WithBackoff(-time.Second, time.Second),
		"falling backoff":  pool.WithBackoff(time.Minute, time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := pool.New(opt); !errors.Is(err, pool.ErrOption) {
				t.Errorf("New: error %v, want ErrOption", err)
			}
		})
	}
}

func TestSubmitRejectsIncompleteJobs(t *testing.T) {
	p := newPool(t)
	noCarrier := quoting("", 100)
	noQuestion := pool.Job{Carrier: "northline"}
	for _, job := range []pool.Job{noCarrier, noQuestion} {
		if err := p.Submit(job); !errors.Is(err, pool.ErrJob) {
			t.Errorf("Submit(%q): error %v, want ErrJob", job.Carrier, err)
		}
	}
	if n := p.Pending(); n != 0 {
		t.Errorf("Pending = %d after rejected jobs, want 0", n)
	}
}

func TestPendingCountsQueuedJobs(t *testing.T) {
	p := newPool(t)
	submit(t, p, quoting("northline", 900), quoting("baltic", 700))
	if n := p.Pending(); n != 2 {
		t.Errorf("Pending = %d, want 2", n)
	}
	if _, err := p.Collect(0); err != nil {
		t.Fatal(err)
	}
	if n := p.Pending(); n != 0 {
		t.Errorf("Pending = %d after Collect, want 0", n)
	}
}
