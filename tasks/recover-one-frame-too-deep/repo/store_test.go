package granary_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/longmeadow/granary"
)

var harvest = time.Date(2025, 8, 4, 6, 30, 0, 0, time.UTC)

// plant returns a store with 40 t of wheat in A, 5 t of rye in B and nothing in
// C, which take 50 t each.
func plant(t *testing.T, opts ...granary.Option) *granary.Store {
	t.Helper()
	opts = append(opts, granary.WithClock(func() time.Time { return harvest }))
	s := granary.NewStore(opts...)
	err := s.Update("stocktaking", func(d *granary.Draft) error {
		return errors.Join(
			d.Open("A", 50_000), d.Open("B", 50_000), d.Open("C", 50_000),
			d.Receive("A", "wheat", 40_000), d.Receive("B", "rye", 5_000),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var stock = []granary.Bin{
	{Name: "A", Capacity: 50_000, Grain: "wheat", Held: 40_000},
	{Name: "B", Capacity: 50_000, Grain: "rye", Held: 5_000},
	{Name: "C", Capacity: 50_000},
}

// wantAsBefore checks that nothing has happened since stocktaking.
func wantAsBefore(t *testing.T, s *granary.Store) {
	t.Helper()
	if got := s.Bins(); !slices.Equal(got, stock) {
		t.Errorf("bins %v, want %v", got, stock)
	}
	if got := s.Journal(2); len(got) != 0 {
		t.Errorf("journal goes on with %v", got)
	}
}

func TestUpdateIsEntered(t *testing.T) {
	s := plant(t)
	err := s.Update("drying", func(d *granary.Draft) error {
		if err := d.Ship("A", 12_000); err != nil {
			return err
		}
		return d.Receive("C", "wheat", 11_400)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(stock)
	want[0].Held = 28_000
	want[2].Grain, want[2].Held = "wheat", 11_400
	if got := s.Bins(); !slices.Equal(got, want) {
		t.Errorf("bins %v, want %v", got, want)
	}
	if got := s.Totals(); len(got) != 2 || got["wheat"] != 39_400 || got["rye"] != 5_000 {
		t.Errorf("totals %v", got)
	}
	entries := s.Journal(2)
	if len(entries) != 1 {
		t.Fatalf("journal goes on with %v", entries)
	}
	e := entries[0]
	if e.No != 2 || e.Note != "drying" || !e.At.Equal(harvest) {
		t.Errorf("entry %d %q at %v", e.No, e.Note, e.At)
	}
	changes := []granary.Change{{Bin: "A", Grain: "wheat", By: -12_000}, {Bin: "C", Grain: "wheat", By: 11_400}}
	if !slices.Equal(e.Changes, changes) {
		t.Errorf("changes %v, want %v", e.Changes, changes)
	}
}

func TestEmptiedBinTakesAnotherGrain(t *testing.T) {
	s := plant(t)
	err := s.Update("reload", func(d *granary.Draft) error {
		if err := d.Move("B", "C", 5_000); err != nil {
			return err
		}
		return d.Move("A", "B", 10_000)
	})
	if err != nil {
		t.Fatal(err)
	}
	bins := s.Bins()
	if b, c := bins[1], bins[2]; b.Grain != "wheat" || b.Held != 10_000 || c.Grain != "rye" || c.Held != 5_000 {
		t.Errorf("bins %v", bins)
	}
	if err := s.Update("empty B", func(d *granary.Draft) error { return d.Ship("B", 10_000) }); err != nil {
		t.Fatal(err)
	}
	last := s.Journal(3)
	if want := (granary.Change{Bin: "B", Grain: "wheat", By: -10_000}); len(last) != 1 || last[0].Changes[0] != want {
		t.Errorf("journal goes on with %v, want %v", last, want)
	}
}

func TestFailedWorkLeavesNothing(t *testing.T) {
	errBelt := errors.New("belt is torn")
	for _, tc := range []struct {
		name string
		work func(*granary.Draft) error
		want error
	}{
		{"error half-way", func(d *granary.Draft) error {
			return errors.Join(d.Ship("A", 30_000), d.Receive("B", "rye", 1), errBelt)
		}, errBelt},
		{"short", func(d *granary.Draft) error {
			return errors.Join(d.Move("A", "C", 40_000), d.Ship("A", 1))
		}, granary.ErrShort},
		{"mixed", func(d *granary.Draft) error { return d.Move("A", "B", 100) }, granary.ErrMixed},
		{"no bin", func(d *granary.Draft) error { return d.Move("A", "Z", 100) }, granary.ErrNoBin},
		{"from no bin", func(d *granary.Draft) error { return d.Move("Z", "A", 100) }, granary.ErrNoBin},
		{"bin exists", func(d *granary.Draft) error { return d.Open("B", 100) }, granary.ErrBinExists},
		{"no capacity", func(d *granary.Draft) error { return d.Open("D", 0) }, granary.ErrWeight},
		{"no weight", func(d *granary.Draft) error { return d.Receive("C", "oats", 0) }, granary.ErrWeight},
		{"no grain", func(d *granary.Draft) error { return d.Receive("C", "", 10) }, granary.ErrNoGrain},
		{"negative weight", func(d *granary.Draft) error { return d.Ship("A", -5) }, granary.ErrWeight},
		{"overfull", func(d *granary.Draft) error { return d.Receive("B", "rye", 45_001) }, granary.ErrOverfull},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := plant(t)
			if err := s.Update("no good", tc.work); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			wantAsBefore(t, s)
		})
	}
}

func TestBinMayBeOverfullMeanwhile(t *testing.T) {
	s := plant(t)
	err := s.Update("through B", func(d *granary.Draft) error {
		return errors.Join(d.Receive("B", "rye", 60_000), d.Move("B", "C", 40_000))
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRefusedMoveLeavesTheDraft(t *testing.T) {
	s := plant(t)
	err := s.Update("try", func(d *granary.Draft) error {
		if err := d.Move("A", "B", 40_000); !errors.Is(err, granary.ErrMixed) {
			t.Errorf("got %v, want ErrMixed", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantAsBefore(t, s)
}

func TestChecks(t *testing.T) {
	errReserve := errors.New("less than 4 t of rye")
	reserve := func(bins []granary.Bin) error {
		if len(bins) == 3 && bins[1].Held < 4_000 {
			return errReserve
		}
		return nil
	}
	s := plant(t, granary.WithCheck(reserve))
	if err := s.Update("bakery", func(d *granary.Draft) error { return d.Ship("B", 1_500) }); !errors.Is(err, errReserve) {
		t.Errorf("got %v, want %v", err, errReserve)
	}
	wantAsBefore(t, s)
	if err := s.Update("bakery", func(d *granary.Draft) error { return d.Ship("B", 500) }); err != nil {
		t.Error(err)
	}
}

func TestPanicOfACheck(t *testing.T) {
	broken := false
	s := plant(t, granary.WithCheck(func(bins []granary.Bin) error {
		if broken {
			bins = bins[:0]
		}
		bins[0].Held = 0
		return nil
	}))
	broken = true
	err := s.Update("truck", func(d *granary.Draft) error { return d.Receive("C", "oats", 9_000) })
	var pe *granary.PanicError
	if !errors.As(err, &pe) {
		t.Errorf("got %v, want a panic", err)
	}
	wantAsBefore(t, s)
}

func TestSettledDraft(t *testing.T) {
	s := plant(t)
	var kept *granary.Draft
	if err := s.Update("keep", func(d *granary.Draft) error {
		kept = d
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := kept.Open("D", 10); err != granary.ErrSettled {
		t.Errorf("got %v, want ErrSettled", err)
	}
	if err := kept.Ship("A", 10); err != granary.ErrSettled {
		t.Errorf("got %v, want ErrSettled", err)
	}
	wantAsBefore(t, s)
}

func TestUpdatesTakeTurns(t *testing.T) {
	s := plant(t)
	var trucks sync.WaitGroup
	for range 20 {
		trucks.Add(1)
		go func() {
			defer trucks.Done()
			err := s.Update("truck", func(d *granary.Draft) error {
				return errors.Join(d.Receive("C", "oats", 300), d.Ship("A", 100))
			})
			if err != nil {
				t.Error(err)
			}
			s.Totals()
		}()
	}
	trucks.Wait()
	if got := s.Totals(); got["oats"] != 6_000 || got["wheat"] != 38_000 {
		t.Errorf("totals %v", got)
	}
	for i, e := range s.Journal(1) {
		if e.No != i+1 {
			t.Errorf("entry %d has number %d", i, e.No)
		}
	}
}
