package boxoffice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/stagedoor/boxoffice"
)

func TestAbandonedHoldCannotBeUsed(t *testing.T) {
	h := studio(t)
	id := hold(t, h, "ines", "A1")
	if n := h.Abandon("ines"); n != 1 {
		t.Errorf("Abandon = %d, want 1", n)
	}
	if n := h.Abandon("ines"); n != 0 {
		t.Errorf("second Abandon = %d, want 0", n)
	}
	if _, err := h.Confirm(id); !errors.Is(err, boxoffice.ErrLapsed) {
		t.Errorf("Confirm: error %v, want ErrLapsed", err)
	}
	if err := h.Extend(id, quarter); !errors.Is(err, boxoffice.ErrLapsed) {
		t.Errorf("Extend: error %v, want ErrLapsed", err)
	}
	if _, err := h.Hold("tom", quarter, seats(t, "A1")...); !errors.Is(err, boxoffice.ErrTaken) {
		t.Errorf("Hold: error %v, want ErrTaken", err)
	}
	wantState(t, h, "A1", boxoffice.Stale)
	if err := h.Release(id); err != nil {
		t.Errorf("Release: %v", err)
	}
	wantState(t, h, "A1", boxoffice.Free)
}

func TestSweepFreesLapsedHolds(t *testing.T) {
	h := studio(t)
	a := hold(t, h, "ines", "A1", "A2")
	hold(t, h, "tom", "B1")
	b := hold(t, h, "ines", "A5")
	if swept := h.Sweep(); len(swept) != 0 {
		t.Errorf("swept %v, want nothing", swept)
	}
	h.Abandon("ines")
	wantTally(t, h, map[boxoffice.State]int{boxoffice.Free: 6, boxoffice.Held: 1, boxoffice.Stale: 3})
	swept := h.Sweep()
	if len(swept) != 2 || swept[0].ID != a || swept[1].ID != b {
		t.Fatalf("swept %v, want %d and %d", swept, a, b)
	}
	if first := swept[0]; first.Customer != "ines" || !first.Abandoned || len(first.Seats) != 2 {
		t.Errorf("swept %+v, want two seats of ines", first)
	}
	if again := h.Sweep(); len(again) != 0 {
		t.Errorf("swept %v again", again)
	}
	wantTally(t, h, map[boxoffice.State]int{boxoffice.Free: 9, boxoffice.Held: 1})
	hold(t, h, "tom", "A1", "A2")
}

func TestRunReportsWhatItSweeps(t *testing.T) {
	h := studio(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reports := make(chan boxoffice.Lapsed)
	ended := make(chan error, 1)
	go func() {
		ended <- h.Run(ctx, time.Millisecond, func(l boxoffice.Lapsed) { reports <- l })
	}()
	for _, customer := range []string{"ines", "tom"} {
		id := hold(t, h, customer, "A1")
		h.Abandon(customer)
		select {
		case l := <-reports:
			if l.ID != id || l.Customer != customer {
				t.Errorf("report %+v, want hold %d of %s", l, id, customer)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("nothing is reported")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: error %v, want Canceled", err)
	}
}
