package remit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/ferryline/remit"
)

var errTariff = errors.New("fare is not in the tariff")

func batch(n int) remit.Batch {
	return remit.Batch{Gate: "north", Number: n, Taps: []remit.Tap{
		{Card: "tok-81", At: time.Date(2025, time.May, 2, 6, 40, 11, 0, time.UTC), Fare: 320},
		{Card: "tok-17", At: time.Date(2025, time.May, 2, 6, 40, 15, 0, time.UTC), Fare: 160},
	}}
}

// modem fails with errs in turn, and with the last one for ever. A nil error
// takes the batch.
type modem struct {
	errs []error
	sent []string
}

func (m *modem) Deliver(_ context.Context, b remit.Batch) error {
	m.sent = append(m.sent, b.ID())
	return m.errs[min(len(m.sent), len(m.errs))-1]
}

type clock struct{ pauses []time.Duration }

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.pauses = append(c.pauses, d)
	return ctx.Err()
}

func newSender(t *testing.T, link remit.Link, c *clock, opts ...remit.Option) *remit.Sender {
	t.Helper()
	opts = append([]remit.Option{
		remit.WithAttempts(5),
		remit.WithPauses(time.Second, 6*time.Second),
		remit.WithWait(c.wait),
	}, opts...)
	s, err := remit.NewSender(link, opts...)
	if err != nil {
		t.Fatalf("NewSender: %v", err)
	}
	return s
}

func TestNewSenderRejectsBadOptions(t *testing.T) {
	for name, opt := range map[string]remit.Option{
		"no attempts":    remit.WithAttempts(0),
		"negative pause": remit.WithPauses(-1, time.Second),
		"falling pauses": remit.WithPauses(time.Minute, time.Second),
	} {
		if _, err := remit.NewSender(&modem{}, opt); !errors.Is(err, remit.ErrOption) {
			t.Errorf("%s: error %v, want ErrOption", name, err)
		}
	}
	if _, err := remit.NewSender(nil); !errors.Is(err, remit.ErrOption) {
		t.Errorf("no link: error %v, want ErrOption", err)
	}
}

func TestSendPausesLongerEachTime(t *testing.T) {
	m := &modem{errs: []error{remit.Offline}}
	c := &clock{}
	err := newSender(t, m, c).Send(context.Background(), batch(1))
	if !errors.Is(err, remit.Offline) {
		t.Errorf("error %v, want Offline", err)
	}
	if len(m.sent) != 5 {
		t.Errorf("%d attempts, want 5", len(m.sent))
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 6 * time.Second}
	if !slices.Equal(c.pauses, want) {
		t.Errorf("pauses %v, want %v", c.pauses, want)
	}
}

func TestSendGivesABusyClearingHouseTime(t *testing.T) {
	m := &modem{errs: []error{fmt.Errorf("frame 7: %w", remit.Overloaded), remit.ServerFault, nil}}
	c := &clock{}
	if err := newSender(t, m, c).Send(context.Background(), batch(1)); err != nil {
		t.Errorf("Send: %v", err)
	}
	if want := []time.Duration{6 * time.Second, 2 * time.Second}; !slices.Equal(c.pauses, want) {
		t.Errorf("pauses %v, want %v", c.pauses, want)
	}
}

func TestSendDoesNotRepeatFinalFailures(t *testing.T) {
	for _, failure := range []error{
		errTariff,
		fmt.Errorf("frame 7: %w", remit.Denied),
		&remit.StatusError{Code: 404},
		&remit.StatusError{Code: 422, Detail: "unknown gate"},
	} {
		m := &modem{errs: []error{failure, nil}}
		err := newSender(t, m, &clock{}).Send(context.Background(), batch(1))
		if !errors.Is(err, failure) {
			t.Errorf("error %v, want %v", err, failure)
		}
		if len(m.sent) != 1 {
			t.Errorf("%v: %d attempts, want 1", failure, len(m.sent))
		}
	}
}

func TestSendStopsWaitingWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	s, err := remit.NewSender(&modem{errs: []error{remit.Offline}}, remit.WithPauses(time.Hour, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(ctx, batch(1))
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, remit.Offline) {
		t.Errorf("error %v, want Offline and DeadlineExceeded", err)
	}
}

func numbers(batches []remit.Batch) []int {
	var ns []int
	for _, b := range batches {
		ns = append(ns, b.Number)
	}
	return ns
}

func wantReport(t *testing.T, r remit.Report, cleared, kept, setAside []int) {
	t.Helper()
	if got := numbers(r.Cleared); !slices.Equal(got, cleared) {
		t.Errorf("cleared %v, want %v", got, cleared)
	}
	if got := numbers(r.Kept); !slices.Equal(got, kept) {
		t.Errorf("kept %v, want %v", got, kept)
	}
	if got := numbers(r.SetAside); !slices.Equal(got, setAside) {
		t.Errorf("set aside %v, want %v", got, setAside)
	}
}

func TestSendAllSortsBatches(t *testing.T) {
	m := &modem{errs: []error{nil, errTariff, remit.Offline, remit.Offline, nil}}
	s := newSender(t, m, &clock{}, remit.WithAttempts(2))
	r := s.SendAll(context.Background(), []remit.Batch{batch(1), batch(2), batch(3), {Gate: "north", Number: 4}, batch(5)})
	wantReport(t, r, []int{1, 5}, []int{3}, []int{2, 4})
	for _, want := range []error{errTariff, remit.Offline, remit.ErrBatch} {
		if !errors.Is(r.Err, want) {
			t.Errorf("Err = %v, want %v in it", r.Err, want)
		}
	}
}

func TestSendAllEndsWhenTheGateIsDenied(t *testing.T) {
	m := &modem{errs: []error{nil, remit.Denied, nil}}
	r := newSender(t, m, &clock{}).SendAll(context.Background(), []remit.Batch{batch(1), batch(2), batch(3)})
	wantReport(t, r, []int{1}, []int{2, 3}, nil)
	if !errors.Is(r.Err, remit.Denied) || len(m.sent) != 2 {
		t.Errorf("Err = %v after %v, want Denied after two batches", r.Err, m.sent)
	}
}

func TestSendAllKeepsTheRestWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := newSender(t, &modem{errs: []error{nil}}, &clock{}).SendAll(ctx, []remit.Batch{batch(1), batch(2)})
	wantReport(t, r, nil, []int{1, 2}, nil)
	if !errors.Is(r.Err, context.Canceled) {
		t.Errorf("Err = %v, want Canceled", r.Err)
	}
}

func TestValidate(t *testing.T) {
	at := time.Date(2025, time.May, 2, 6, 0, 0, 0, time.UTC)
	for name, b := range map[string]remit.Batch{
		"no gate":       {Number: 1, Taps: []remit.Tap{{Card: "a", At: at}}},
		"gate is path":  {Gate: "a/b", Number: 1, Taps: []remit.Tap{{Card: "a", At: at}}},
		"no number":     {Gate: "north", Taps: []remit.Tap{{Card: "a", At: at}}},
		"no taps":       {Gate: "north", Number: 1},
		"no card":       {Gate: "north", Number: 1, Taps: []remit.Tap{{At: at}}},
		"no time":       {Gate: "north", Number: 1, Taps: []remit.Tap{{Card: "a"}}},
		"line in token": {Gate: "north", Number: 1, Taps: []remit.Tap{{Card: "a\n", At: at}}},
	} {
		if err := b.Validate(); !errors.Is(err, remit.ErrBatch) {
			t.Errorf("%s: error %v, want ErrBatch", name, err)
		}
	}
	if err := batch(1).Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
}
