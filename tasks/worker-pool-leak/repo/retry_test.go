package pool_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/ratedesk/pool"
)

var errBusy = errors.New("line busy")

func TestRetriesPauseLongerEachTime(t *testing.T) {
	var pauses []time.Duration
	p := newPool(t,
		pool.WithWorkers(1),
		pool.WithAttempts(6),
		pool.WithBackoff(time.Second, 5*time.Second),
		pool.WithSleep(func(d time.Duration) { pauses = append(pauses, d) }),
	)
	submit(t, p, failing("northline", errBusy))
	r := byCarrier(t, p)["northline"]
	if !errors.Is(r.Err, errBusy) || r.Attempts != 6 {
		t.Errorf("result %+v, want errBusy after 6 attempts", r)
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second}
	if !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

func TestRetryStopsAtTheFirstQuote(t *testing.T) {
	p := newPool(t, pool.WithAttempts(5))
	calls := 0
	submit(t, p, pool.Job{Carrier: "baltic", Ask: func() (pool.Quote, error) {
		if calls++; calls < 3 {
			return pool.Quote{Cents: 1}, errBusy
		}
		return pool.Quote{Cents: 640, TransitDays: 2}, nil
	}})
	r := byCarrier(t, p)["baltic"]
	if r.Err != nil || r.Attempts != 3 || r.Quote != (pool.Quote{Cents: 640, TransitDays: 2}) {
		t.Errorf("result %+v, want the quote of the third attempt", r)
	}
}

func TestPermanentOfNilIsNil(t *testing.T) {
	if err := pool.Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) = %v", err)
	}
}

func TestCheapestPrefersPriceThenTransit(t *testing.T) {
	results := []pool.Result{
		{Carrier: "northline", Quote: pool.Quote{Cents: 700, TransitDays: 5}},
		{Carrier: "baltic", Err: errBusy},
		{Carrier: "iberia", Quote: pool.Quote{Cents: 700, TransitDays: 2}},
		{Carrier: "adria", Quote: pool.Quote{Cents: 900, TransitDays: 1}},
	}
	if best, ok := pool.Cheapest(results); !ok || best.Carrier != "iberia" {
		t.Errorf("Cheapest = %v, %v; want iberia", best, ok)
	}
	if best, ok := pool.Cheapest(results[1:2]); ok {
		t.Errorf("Cheapest of failures = %v", best)
	}
}

func TestFailuresNamesTheCarriers(t *testing.T) {
	results := []pool.Result{
		{Carrier: "northline", Quote: pool.Quote{Cents: 700}},
		{Carrier: "baltic", Err: errBusy},
	}
	err := pool.Failures(results)
	if !errors.Is(err, errBusy) || !strings.Contains(err.Error(), "baltic") {
		t.Errorf("Failures = %v, want baltic's errBusy", err)
	}
	if err := pool.Failures(results[:1]); err != nil {
		t.Errorf("Failures without failures = %v", err)
	}
}
