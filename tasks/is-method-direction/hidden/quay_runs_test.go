package remit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"example.com/ferryline/remit"
)

const tries = 6

func someBatch(n int) remit.Batch {
	return remit.Batch{Gate: "pier-4", Number: n, Taps: []remit.Tap{
		{Card: "tok-5", At: time.Date(2025, time.June, 1, 9, 30, 0, 0, time.UTC), Fare: 240},
	}}
}

// waits records the pauses that it is asked for and passes no time.
type waits struct {
	pauses []time.Duration
	during func() // called in every pause, if set
}

func (w *waits) wait(ctx context.Context, d time.Duration) error {
	w.pauses = append(w.pauses, d)
	if w.during != nil {
		w.during()
	}
	return ctx.Err()
}

// hurried returns a Sender with six attempts and pauses from 1 to 10 seconds
// which take no time.
func hurried(t *testing.T, link remit.Link) (*remit.Sender, *waits) {
	t.Helper()
	w := &waits{}
	s, err := remit.NewSender(link,
		remit.WithAttempts(tries), remit.WithPauses(time.Second, 10*time.Second), remit.WithWait(w.wait))
	if err != nil {
		t.Fatalf("NewSender: %v", err)
	}
	return s, w
}

func trySend(t *testing.T, s *remit.Sender, b remit.Batch) error {
	t.Helper()
	return inTime(t, func() error { return s.Send(context.Background(), b) })
}

func sendAll(t *testing.T, s *remit.Sender, ctx context.Context, batches ...remit.Batch) remit.Report {
	t.Helper()
	return inTime(t, func() remit.Report { return s.SendAll(ctx, batches) })
}

// scripted is a link whose failures a function tells, by the number of the
// batch and how often that batch has been tried before.
type scripted struct {
	fail  func(number, before int) error
	tried map[int]int
}

func (s *scripted) Deliver(_ context.Context, b remit.Batch) error {
	if s.tried == nil {
		s.tried = make(map[int]int)
	}
	before := s.tried[b.Number]
	s.tried[b.Number]++
	return s.fail(b.Number, before)
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			for _, code := range []int{429, 500, 501, 502, 503, 504, 505, 507, 511, 520, 553, 599} {
				failure := w.wrap(&remit.StatusError{Code: code})
				always := &scripted{fail: func(int, int) error { return failure }}
				s, _ := hurried(t, always)
				if err := trySend(t, s, someBatch(1)); !errors.Is(err, failure) {
					t.Errorf("%d: error %v, want the failure", code, err)
				}
				if n := always.tried[1]; n != tries {
					t.Errorf("%d: %d attempts, want %d", code, n, tries)
				}
				atFirst := &scripted{fail: func(_, before int) error {
					if before < 3 {
						return failure
					}
					return nil
				}}
				s, _ = hurried(t, atFirst)
				if err := trySend(t, s, someBatch(1)); err != nil {
					t.Errorf("%d: error %v, want none in the end", code, err)
				}
				if n := atFirst.tried[1]; n != 4 {
					t.Errorf("%d: %d attempts, want 4", code, n)
				}
			}
		})
	}
}

func TestWhatWillNotPassIsTriedOnce(t *testing.T) {
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			for _, code := range []int{0, 100, 200, 302, 399, 400, 401, 403, 404, 408, 410, 422, 425, 428, 430, 451, 499, 600, 999} {
				link := &scripted{fail: func(int, int) error { return w.wrap(&remit.StatusError{Code: code}) }}
				s, _ := hurried(t, link)
				if err := trySend(t, s, someBatch(1)); err == nil {
					t.Errorf("%d: no error", code)
				}
				if n := link.tried[1]; n != 1 {
					t.Errorf("%d: %d attempts, want 1", code, n)
				}
			}
		})
	}
}

func TestPausesGoByTheStatus(t *testing.T) {
	const s = time.Second
	status := func(code int) error { return fmt.Errorf("put: %w", &remit.StatusError{Code: code}) }
	for _, c := range []struct {
		name     string
		failures [tries]error
		want     []time.Duration
	}{
		{
			"faults", [tries]error{status(500), status(502), status(504), status(501), status(599), status(500)},
			[]time.Duration{s, 2 * s, 4 * s, 8 * s, 10 * s},
		},
		{
			"maintenance", [tries]error{status(503), status(503), status(503), status(503), status(503), status(503)},
			[]time.Duration{10 * s, 10 * s, 10 * s, 10 * s, 10 * s},
		},
		{
			"busy_now_and_then", [tries]error{status(500), status(429), remit.Offline, status(503), status(500), status(500)},
			[]time.Duration{s, 10 * s, 4 * s, 10 * s, 10 * s},
		},
		{
			"busy_at_first", [tries]error{status(429), status(500), status(500), nil},
			[]time.Duration{10 * s, 2 * s, 4 * s},
		},
		{
			"busy_on_one_route", [tries]error{errors.Join(status(500), status(429)), errors.Join(remit.Offline, status(502)), nil},
			[]time.Duration{10 * s, 2 * s},
		},
		{
			"without_statuses", [tries]error{remit.Offline, fmt.Errorf("modem: %w", remit.Overloaded), remit.ServerFault, nil},
			[]time.Duration{s, 10 * s, 4 * s},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			sender, w := hurried(t, &scripted{fail: func(_, before int) error { return c.failures[before] }})
			err := trySend(t, sender, someBatch(1))
			if last := c.failures[tries-1]; (err == nil) != (last == nil) {
				t.Errorf("error %v", err)
			}
			if !slices.Equal(w.pauses, c.want) {
				t.Errorf("pauses %v, want %v", w.pauses, c.want)
			}
		})
	}
}

func batchNumbers(batches []remit.Batch) []int {
	ns := []int{}
	for _, b := range batches {
		ns = append(ns, b.Number)
	}
	return ns
}

func TestRunSortsBatchesByTheirStatuses(t *testing.T) {
	status := func(code int) error { return &remit.StatusError{Code: code} }
	for _, c := range []struct {
		name                    string
		failures                [5]error // of batches 1 to 5, each time
		cleared, kept, setAside []int
	}{
		{
			"faults_are_kept", [5]error{status(500), nil, status(503), nil, status(429)},
			[]int{2, 4}, []int{1, 3, 5}, nil,
		},
		{
			"refused_are_set_aside", [5]error{status(404), nil, status(422), status(302), nil},
			[]int{2, 5}, nil, []int{1, 3, 4},
		},
		{
			"unauthorized_ends_the_run", [5]error{nil, status(404), status(401), nil, nil},
			[]int{1}, []int{3, 4, 5}, []int{2},
		},
		{
			"forbidden_ends_the_run", [5]error{status(403), nil, nil, status(404), nil},
			nil, []int{1, 2, 3, 4, 5}, nil,
		},
		{
			"denied_but_may_pass", [5]error{errors.Join(status(403), status(503)), nil, errors.Join(remit.Offline, status(401)), status(403), nil},
			[]int{2}, []int{1, 3, 4, 5}, nil,
		},
		{
			"refused_but_may_pass", [5]error{errors.Join(status(404), status(500)), errors.Join(status(500), status(404)), nil, errors.Join(status(404), remit.Offline), errors.Join(status(404), io.EOF)},
			[]int{3}, []int{1, 2, 4}, []int{5},
		},
		{
			"denied_on_the_second_route", [5]error{nil, errors.Join(status(404), status(403)), nil, nil, nil},
			[]int{1}, []int{2, 3, 4, 5}, nil,
		},
		{
			"without_statuses", [5]error{remit.Overloaded, remit.Refused, remit.Offline, remit.Denied, nil},
			nil, []int{1, 3, 4, 5}, []int{2},
		},
		{
			"all_is_well", [5]error{}, []int{1, 2, 3, 4, 5}, nil, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range wrappings {
				link := &scripted{fail: func(number, _ int) error {
					if err := c.failures[number-1]; err != nil {
						return w.wrap(err)
					}
					return nil
				}}
				s, _ := hurried(t, link)
				r := sendAll(t, s, context.Background(), someBatch(1), someBatch(2), someBatch(3), someBatch(4), someBatch(5))
				got := fmt.Sprint(batchNumbers(r.Cleared), batchNumbers(r.Kept), batchNumbers(r.SetAside))
				want := fmt.Sprint(c.cleared, c.kept, c.setAside)
				if got != want {
					t.Errorf("%s: cleared, kept, set aside %s, want %s", w.name, got, want)
				}
				if (r.Err == nil) != (len(c.cleared) == 5) {
					t.Errorf("%s: Err = %v", w.name, r.Err)
				}
			}
		})
	}
}

func TestMaintenanceOverHTTP(t *testing.T) {
	house := &answers{codes: []int{503, 503, 502, 200, 500, 204, 404, 429, 201, 401, 200}}
	s, w := hurried(t, linkTo(t, "ch.example", house))
	r := sendAll(t, s, context.Background(), someBatch(1), someBatch(2), someBatch(3), someBatch(4), someBatch(5), someBatch(6))
	got := fmt.Sprint(batchNumbers(r.Cleared), batchNumbers(r.Kept), batchNumbers(r.SetAside))
	if want := "[1 2 4] [5 6] [3]"; got != want {
		t.Errorf("cleared, kept, set aside %s, want %s", got, want)
	}
	if n := len(house.hosts); n != 10 {
		t.Errorf("%d requests, want 10", n)
	}
	const sec = time.Second
	if want := []time.Duration{10 * sec, 10 * sec, 4 * sec, sec, 10 * sec}; !slices.Equal(w.pauses, want) {
		t.Errorf("pauses %v, want %v", w.pauses, want)
	}
}

func TestRoutesOverHTTP(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second int
		attempts      int
		where         string
	}{
		{"fault_behind_not_found", 404, 500, tries, "kept"},
		{"fault_before_not_found", 500, 404, tries, "kept"},
		{"busy_behind_denied", 403, 503, tries, "kept"},
		{"not_found_twice", 404, 410, 1, "set aside"},
		{"second_takes_it", 503, 200, 1, "cleared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := &answers{codes: []int{c.first}}, &answers{codes: []int{c.second}}
			s, _ := hurried(t, remit.Routes{linkTo(t, "quay.example", first), linkTo(t, "sat.example", second)})
			r := sendAll(t, s, context.Background(), someBatch(1))
			for where, batches := range map[string][]remit.Batch{"kept": r.Kept, "set aside": r.SetAside, "cleared": r.Cleared} {
				if (len(batches) == 1) != (where == c.where) {
					t.Errorf("%d batches %s, want the batch %s", len(batches), where, c.where)
				}
			}
			if len(first.hosts) != c.attempts || len(second.hosts) != c.attempts {
				t.Errorf("%d and %d requests, want %d", len(first.hosts), len(second.hosts), c.attempts)
			}
		})
	}
}

func TestARunThatIsCancelledWhileItWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
	}{
		{"maintenance", &remit.StatusError{Code: 503}},
		{"fault", frameError{4, &remit.StatusError{Code: 500}}},
		{"offline", remit.Offline},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			link := &scripted{fail: func(number, _ int) error {
				if number == 2 {
					return c.err
				}
				return nil
			}}
			s, w := hurried(t, link)
			w.during = cancel
			r := sendAll(t, s, ctx, someBatch(1), someBatch(2), someBatch(3))
			got := fmt.Sprint(batchNumbers(r.Cleared), batchNumbers(r.Kept), batchNumbers(r.SetAside))
			if want := "[1] [2 3] []"; got != want {
				t.Errorf("cleared, kept, set aside %s, want %s", got, want)
			}
			if !errors.Is(r.Err, context.Canceled) || !errors.Is(r.Err, c.err) {
				t.Errorf("Err = %v, want the failure and Canceled", r.Err)
			}
			if n := link.tried[2]; n != 1 {
				t.Errorf("%d attempts, want 1", n)
			}
		})
	}
}
