package granary_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/longmeadow/granary"
)

func ship(bin string, w granary.Kilos) func(*granary.Draft) error {
	return func(d *granary.Draft) error { return d.Ship(bin, w) }
}

func TestDeskCarriesOutOrders(t *testing.T) {
	s := plant(t)
	outcomes := granary.NewDesk(s).Run(
		granary.Order{Title: "mill", Work: ship("A", 15_000)},
		granary.Order{Title: "bakery", Ready: func() error { return nil }, Work: ship("B", 2_000)},
	)
	if err := granary.Failed(outcomes); err != nil {
		t.Error(err)
	}
	if got := s.Totals(); got["wheat"] != 25_000 || got["rye"] != 3_000 {
		t.Errorf("totals %v", got)
	}
	if got := s.Journal(2); len(got) != 2 || got[0].Note != "mill" || got[1].Note != "bakery" {
		t.Errorf("journal goes on with %v", got)
	}
}

func TestDeskGoesOnAfterAFailure(t *testing.T) {
	errTruck := errors.New("truck is late")
	late := func() error { return errTruck }
	for _, tc := range []struct {
		name  string
		order granary.Order
		want  error
	}{
		{"short", granary.Order{Work: ship("A", 40_001)}, granary.ErrShort},
		{"not ready", granary.Order{Ready: late, Work: ship("A", 1)}, errTruck},
		{"no work", granary.Order{}, granary.ErrNoWork},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := plant(t)
			tc.order.Title = "first"
			outcomes := granary.NewDesk(s).Run(tc.order, granary.Order{Title: "second", Work: ship("B", 1_000)})
			if len(outcomes) != 2 || !errors.Is(outcomes[0].Err, tc.want) || outcomes[1].Err != nil {
				t.Fatalf("outcomes %v", outcomes)
			}
			if err := granary.Failed(outcomes); !errors.Is(err, tc.want) || !strings.HasPrefix(err.Error(), `order "first": `) {
				t.Errorf("got %v", err)
			}
			if got := s.Totals(); got["wheat"] != 40_000 || got["rye"] != 4_000 {
				t.Errorf("totals %v", got)
			}
		})
	}
}

func TestDeskGoesOnAfterAPanic(t *testing.T) {
	var moisture map[string][]float64 // of the samples by bin
	dry := func(d *granary.Draft) error {
		loss := granary.Kilos(12_000 * moisture["A"][0])
		if err := d.Ship("A", 12_000); err != nil {
			return err
		}
		return d.Receive("C", "wheat", 12_000-loss)
	}
	errScale := errors.New("scale is offline")
	for _, tc := range []struct {
		name  string
		order granary.Order
		says  string
	}{
		{"work", granary.Order{Work: dry}, "index out of range"},
		{"ready", granary.Order{Ready: func() error { panic(errScale) }, Work: ship("A", 1)}, "scale is offline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := plant(t)
			outcomes := granary.NewDesk(s).Run(tc.order, granary.Order{Title: "second", Work: ship("B", 1_000)})
			var pe *granary.PanicError
			if !errors.As(outcomes[0].Err, &pe) || !strings.Contains(pe.Error(), tc.says) {
				t.Errorf("got %v, want a panic with %q", outcomes[0].Err, tc.says)
			}
			if tc.name == "ready" && !errors.Is(outcomes[0].Err, errScale) {
				t.Errorf("got %v, want one that wraps %v", outcomes[0].Err, errScale)
			}
			if outcomes[1].Err != nil {
				t.Error(outcomes[1].Err)
			}
			if got := s.Totals(); got["wheat"] != 40_000 || got["rye"] != 4_000 {
				t.Errorf("totals %v", got)
			}
		})
	}
}
