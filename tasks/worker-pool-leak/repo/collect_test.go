package pool_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/ratedesk/pool"
)

// byCarrier runs all queued jobs and returns their results by carrier.
func byCarrier(t *testing.T, p *pool.Pool) map[string]pool.Result {
	t.Helper()
	results, err := p.Collect(0)
	if err != nil {
		t.Fatalf("Collect: %v", err)
	}
	m := make(map[string]pool.Result)
	for _, r := range results {
		if _, twice := m[r.Carrier]; twice {
			t.Errorf("%s answered twice", r.Carrier)
		}
		m[r.Carrier] = r
	}
	return m
}

func TestCollectReturnsEveryQuote(t *testing.T) {
	for _, workers := range []int{1, 3, 50} {
		p := newPool(t, pool.WithWorkers(workers))
		want := make(map[string]int64)
		for i := range 40 {
			carrier := fmt.Sprintf("carrier-%02d", i)
			want[carrier] = int64(1000 + i)
			submit(t, p, quoting(carrier, want[carrier]))
		}
		got := byCarrier(t, p)
		if len(got) != len(want) {
			t.Errorf("%d workers: %d results, want %d", workers, len(got), len(want))
		}
		for carrier, cents := range want {
			if r := got[carrier]; r.Err != nil || r.Quote.Cents != cents {
				t.Errorf("%d workers: %s: %d, %v; want %d", workers, carrier, r.Quote.Cents, r.Err, cents)
			}
		}
	}
}

func TestCollectOfAnEmptyQueue(t *testing.T) {
	results, err := newPool(t).Collect(0)
	if err != nil || len(results) != 0 {
		t.Errorf("Collect = %v, %v; want no results", results, err)
	}
}

func TestCollectRejectsANegativeLimit(t *testing.T) {
	p := newPool(t)
	submit(t, p, quoting("northline", 900))
	if _, err := p.Collect(-1); !errors.Is(err, pool.ErrLimit) {
		t.Errorf("Collect(-1): error %v, want ErrLimit", err)
	}
	if n := p.Pending(); n != 1 {
		t.Errorf("Pending = %d, want 1", n)
	}
}

func TestOneWorkerKeepsTheOrderOfSubmission(t *testing.T) {
	p := newPool(t, pool.WithWorkers(1))
	want := []string{"northline", "baltic", "iberia", "adria"}
	for _, carrier := range want {
		submit(t, p, quoting(carrier, 500))
	}
	results, err := p.Collect(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Carrier)
	}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestWorkersAreBounded(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	p := newPool(t, pool.WithWorkers(3))
	for i := range 30 {
		submit(t, p, pool.Job{Carrier: fmt.Sprint(i), Ask: func() (pool.Quote, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			defer func() {
				mu.Lock()
				running--
				mu.Unlock()
			}()
			return pool.Quote{}, nil
		}})
	}
	byCarrier(t, p)
	if most > 3 {
		t.Errorf("%d jobs at once, want at most 3", most)
	}
}

func TestFailuresAndPanicsAreResults(t *testing.T) {
	errEmbargo := errors.New("embargo")
	p := newPool(t, pool.WithWorkers(2), pool.WithAttempts(3))
	submit(t, p,
		quoting("northline", 900),
		failing("baltic", pool.Permanent(errEmbargo)),
		pool.Job{Carrier: "iberia", Ask: func() (pool.Quote, error) { panic("no rate table") }},
	)
	got := byCarrier(t, p)
	if r := got["northline"]; r.Err != nil || r.Quote.Cents != 900 {
		t.Errorf("northline: %+v", r)
	}
	if r := got["baltic"]; !errors.Is(r.Err, errEmbargo) || r.Attempts != 1 {
		t.Errorf("baltic: %+v, want embargo after one attempt", r)
	}
	if r := got["iberia"]; !errors.Is(r.Err, pool.ErrPanic) || !strings.Contains(r.Err.Error(), "no rate table") {
		t.Errorf("iberia: %+v, want ErrPanic with the panic's text", r)
	}
}

func TestElapsedIsMeasuredWithTheClock(t *testing.T) {
	now := time.Date(2024, time.March, 4, 9, 0, 0, 0, time.UTC)
	p := newPool(t, pool.WithWorkers(1), pool.WithClock(func() time.Time { return now }))
	submit(t, p, pool.Job{Carrier: "adria", Ask: func() (pool.Quote, error) {
		now = now.Add(1500 * time.Millisecond)
		return pool.Quote{Cents: 800}, nil
	}})
	if r := byCarrier(t, p)["adria"]; r.Elapsed != 1500*time.Millisecond {
		t.Errorf("Elapsed = %v, want 1.5s", r.Elapsed)
	}
}
