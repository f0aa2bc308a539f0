package zone_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/shuttlefloor/zone"
)

func TestRules(t *testing.T) {
	tugger := func(load int) zone.Vehicle { return zone.Vehicle{ID: "T", Kind: "tugger", Load: load} }
	stacker := func(load int) zone.Vehicle { return zone.Vehicle{ID: "S", Kind: "stacker", Load: load} }
	cleaner := zone.Vehicle{ID: "C", Kind: "cleaner"}
	for _, c := range []struct {
		name   string
		rule   zone.Rule
		inside []zone.Vehicle
		v      zone.Vehicle
		want   bool
	}{
		{"max of none", zone.MaxOf("stacker", 0), nil, stacker(0), false},
		{"max of two", zone.MaxOf("stacker", 2), []zone.Vehicle{stacker(0)}, stacker(1), true},
		{"max of another kind", zone.MaxOf("stacker", 0), nil, tugger(0), true},
		{"load fits", zone.MaxLoad(900), []zone.Vehicle{stacker(500)}, tugger(400), true},
		{"load is too much", zone.MaxLoad(900), []zone.Vehicle{stacker(500)}, tugger(401), false},
		{"no load", zone.MaxLoad(900), []zone.Vehicle{stacker(1500)}, cleaner, true},
		{"alone, empty", zone.Alone("cleaner"), nil, cleaner, true},
		{"alone, not empty", zone.Alone("cleaner"), []zone.Vehicle{tugger(0)}, cleaner, false},
		{"beside one that is alone", zone.Alone("cleaner"), []zone.Vehicle{cleaner}, tugger(0), false},
		{"two that need not be alone", zone.Alone("cleaner"), []zone.Vehicle{stacker(0)}, tugger(0), true},
		{"apart", zone.Apart("tugger", "stacker"), []zone.Vehicle{stacker(0)}, tugger(0), false},
		{"apart, the other way round", zone.Apart("tugger", "stacker"), []zone.Vehicle{tugger(0)}, stacker(0), false},
		{"apart, a third", zone.Apart("tugger", "stacker"), []zone.Vehicle{tugger(0)}, cleaner, true},
		{"no escort", zone.Escorted("cleaner", "tugger"), []zone.Vehicle{stacker(0)}, cleaner, false},
		{"escort", zone.Escorted("cleaner", "tugger"), []zone.Vehicle{tugger(0)}, cleaner, true},
		{"needs no escort", zone.Escorted("cleaner", "tugger"), nil, stacker(0), true},
	} {
		if got := c.rule(c.inside, c.v); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

func TestRulesOfAZone(t *testing.T) {
	z := newZone(t, 3, zone.Alone("cleaner"), zone.Escorted("trainee", "tutor"), zone.MaxOf("tutor", 1))
	cleaner, trainee := vehicle("cleaner", 1), vehicle("trainee", 1)
	enter(t, z, vehicle("tugger", 1))
	refuse(t, z, cleaner)
	refuse(t, z, trainee)
	enter(t, z, vehicle("tutor", 1))
	enter(t, z, trainee)
	leave(t, z, vehicle("tugger", 1))
	leave(t, z, vehicle("tutor", 1))
	refuse(t, z, cleaner)
	leave(t, z, trainee)
	enter(t, z, cleaner)
	refuse(t, z, vehicle("tutor", 2))
}

func TestBoardAndHistory(t *testing.T) {
	now := time.Date(2025, 3, 3, 6, 0, 0, 0, time.UTC)
	z, err := zone.New(zone.Config{Name: "Lift 2", Places: 2, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	a := zone.Vehicle{ID: "T-07", Kind: "tugger", Load: 400}
	enter(t, z, a)
	enter(t, z, vehicle("tugger", 11))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := start(t, ctx, z, vehicle("cleaner", 1))
	now = now.Add(80 * time.Second)
	z.Shut()
	want := "LIFT 2 2/2 shut\n + T-07 tugger 400 kg\n + tugger-11 tugger\n . cleaner-01 cleaner 1m20s\n"
	if got := z.Board(); got != want {
		t.Errorf("Board = %q, want %q", got, want)
	}

	cancel()
	wantResult(t, done, context.Canceled)
	if err := z.SetLoad("T-07", 0); err != nil {
		t.Fatal(err)
	}
	leave(t, z, vehicle("tugger", 11))
	var moves []string
	for _, e := range z.History() {
		moves = append(moves, e.Vehicle.ID+" "+e.Move.String())
	}
	if want := []string{
		"T-07 entered", "tugger-11 entered", "cleaner-01 arrived", "cleaner-01 gave up", "T-07 loaded", "tugger-11 left",
	}; !slices.Equal(moves, want) {
		t.Errorf("History = %q, want %q", moves, want)
	}
	if last := z.History()[5]; !last.At.Equal(now) {
		t.Errorf("last event at %v, want %v", last.At, now)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	z := newZone(t, 1)
	for n := range 100 {
		enter(t, z, vehicle("tugger", n))
		leave(t, z, vehicle("tugger", n))
	}
	h := z.History()
	if len(h) != 64 || h[63].Vehicle != vehicle("tugger", 99) || h[63].Move != zone.Left {
		t.Errorf("%d events, the last is %+v", len(h), h[len(h)-1])
	}
	if got := zone.Move(0).String(); got != "Move(0)" {
		t.Errorf("String = %q", got)
	}
}
