package zone_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/shuttlefloor/zone"
)

func newZone(t *testing.T, places int, rules ...zone.Rule) *zone.Zone {
	t.Helper()
	z, err := zone.New(zone.Config{Name: "Aisle 4", Places: places, Rules: rules})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return z
}

func vehicle(kind string, n int) zone.Vehicle {
	return zone.Vehicle{ID: fmt.Sprintf("%s-%02d", kind, n), Kind: kind}
}

// enter has a vehicle enter at once.
func enter(t *testing.T, z *zone.Zone, v zone.Vehicle) {
	t.Helper()
	if ok, err := z.TryEnter(v); !ok || err != nil {
		t.Fatalf("TryEnter(%v) = %t, %v", v, ok, err)
	}
}

// refuse has a vehicle find that it may not enter.
func refuse(t *testing.T, z *zone.Zone, v zone.Vehicle) {
	t.Helper()
	if ok, err := z.TryEnter(v); ok || err != nil {
		t.Fatalf("TryEnter(%v) = %t, %v, want false", v, ok, err)
	}
}

func leave(t *testing.T, z *zone.Zone, v zone.Vehicle) {
	t.Helper()
	if err := z.Leave(v.ID); err != nil {
		t.Fatalf("Leave(%s): %v", v.ID, err)
	}
}

// start calls Enter in a goroutine and returns once the vehicle waits.
func start(t *testing.T, ctx context.Context, z *zone.Zone, v zone.Vehicle) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- z.Enter(ctx, v) }()
	for range 5000 {
		if slices.Contains(z.Waiting(), v) {
			return done
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%v does not wait", v)
	return nil
}

func wantResult(t *testing.T, done <-chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Fatalf("Enter: %v, want %v", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Enter does not return")
	}
}

func TestPlaces(t *testing.T) {
	z := newZone(t, 2)
	a, b, c := vehicle("tugger", 1), vehicle("tugger", 2), vehicle("tugger", 3)
	enter(t, z, a)
	if err := z.Enter(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	refuse(t, z, c)
	leave(t, z, a)
	enter(t, z, c)
	if got, want := z.Inside(), []zone.Vehicle{b, c}; !slices.Equal(got, want) {
		t.Errorf("Inside = %v, want %v", got, want)
	}
}

func TestEnterWaitsForAPlace(t *testing.T) {
	z := newZone(t, 1)
	first, second := vehicle("tugger", 1), vehicle("tugger", 2)
	enter(t, z, first)
	done := start(t, t.Context(), z, second)
	leave(t, z, first)
	wantResult(t, done, nil)
	if got := z.Waiting(); len(got) != 0 {
		t.Errorf("Waiting = %v", got)
	}
	if got := z.Inside(); !slices.Equal(got, []zone.Vehicle{second}) {
		t.Errorf("Inside = %v", got)
	}
}

func TestEnterWaitsForARule(t *testing.T) {
	z := newZone(t, 4, zone.Alone("cleaner"), zone.MaxLoad(1000))
	tugger := zone.Vehicle{ID: "T", Kind: "tugger", Load: 600}
	enter(t, z, tugger)

	done := start(t, t.Context(), z, zone.Vehicle{ID: "S", Kind: "stacker", Load: 700})
	if err := z.SetLoad("T", 300); err != nil {
		t.Fatal(err)
	}
	wantResult(t, done, nil)

	done = start(t, t.Context(), z, vehicle("cleaner", 1))
	leave(t, z, tugger)
	if err := z.Leave("S"); err != nil {
		t.Fatal(err)
	}
	wantResult(t, done, nil)
}

func TestAsManyEnterAsLeave(t *testing.T) {
	z := newZone(t, 3)
	for n := range 3 {
		enter(t, z, vehicle("tugger", n))
	}
	var waiting []<-chan error
	for n := 10; n < 20; n++ {
		waiting = append(waiting, start(t, t.Context(), z, vehicle("tugger", n)))
	}
	for range waiting {
		leave(t, z, z.Inside()[0])
		for range 5000 {
			if len(z.Inside()) == 3 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := len(z.Inside()); n != 3 {
			t.Fatalf("%d vehicles inside, want 3", n)
		}
	}
	for _, done := range waiting {
		wantResult(t, done, nil)
	}
}

func TestCrowd(t *testing.T) {
	const places, vehicles = 4, 60
	z := newZone(t, places)
	var inside, most atomic.Int64
	var crowd sync.WaitGroup
	for n := range vehicles {
		crowd.Add(1)
		go func() {
			defer crowd.Done()
			v := vehicle("tugger", n)
			for range 20 {
				if err := z.Enter(t.Context(), v); err != nil {
					t.Error(err)
					return
				}
				if now := inside.Add(1); now > places {
					most.Store(now)
				}
				inside.Add(-1)
				if err := z.Leave(v.ID); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	crowd.Wait()
	if n := most.Load(); n > 0 {
		t.Errorf("%d vehicles inside, want at most %d", n, places)
	}
}

func TestGivingUp(t *testing.T) {
	z := newZone(t, 1)
	enter(t, z, vehicle("tugger", 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := start(t, ctx, z, vehicle("tugger", 2))
	stays := start(t, t.Context(), z, vehicle("tugger", 3))
	cancel()
	wantResult(t, gone, context.Canceled)
	if got := z.Waiting(); !slices.Equal(got, []zone.Vehicle{vehicle("tugger", 3)}) {
		t.Errorf("Waiting = %v", got)
	}
	leave(t, z, vehicle("tugger", 1))
	wantResult(t, stays, nil)
}

func TestShutAndReopen(t *testing.T) {
	z := newZone(t, 3, zone.MaxOf("stacker", 1))
	enter(t, z, vehicle("tugger", 1))
	z.Shut()
	z.Shut()
	refuse(t, z, vehicle("tugger", 2))
	tugger := start(t, t.Context(), z, vehicle("tugger", 3))
	stacker := start(t, t.Context(), z, vehicle("stacker", 1))
	leave(t, z, vehicle("tugger", 1))
	if got := z.Inside(); len(got) != 0 {
		t.Errorf("Inside = %v while the zone is shut", got)
	}
	z.Reopen()
	wantResult(t, tugger, nil)
	wantResult(t, stacker, nil)
}

func TestTwice(t *testing.T) {
	z := newZone(t, 1)
	inside, waits := vehicle("tugger", 1), vehicle("tugger", 2)
	enter(t, z, inside)
	done := start(t, t.Context(), z, waits)
	for _, v := range []zone.Vehicle{inside, waits} {
		if err := z.Enter(t.Context(), v); !errors.Is(err, zone.ErrTwice) {
			t.Errorf("Enter(%v): %v, want ErrTwice", v, err)
		}
		if _, err := z.TryEnter(v); !errors.Is(err, zone.ErrTwice) {
			t.Errorf("TryEnter(%v): %v, want ErrTwice", v, err)
		}
	}
	leave(t, z, inside)
	wantResult(t, done, nil)
}

func TestRefusals(t *testing.T) {
	z := newZone(t, 1)
	for _, v := range []zone.Vehicle{{}, {ID: "x"}, {Kind: "tugger"}, {ID: "x", Kind: "tugger", Load: -1}} {
		if err := z.Enter(t.Context(), v); !errors.Is(err, zone.ErrVehicle) {
			t.Errorf("Enter(%+v): %v, want ErrVehicle", v, err)
		}
		if _, err := z.TryEnter(v); !errors.Is(err, zone.ErrVehicle) {
			t.Errorf("TryEnter(%+v): %v, want ErrVehicle", v, err)
		}
	}
	if err := z.Leave("x"); !errors.Is(err, zone.ErrNotInside) {
		t.Errorf("Leave: %v, want ErrNotInside", err)
	}
	if err := z.SetLoad("x", 1); !errors.Is(err, zone.ErrNotInside) {
		t.Errorf("SetLoad: %v, want ErrNotInside", err)
	}
	if err := z.SetLoad("x", -1); !errors.Is(err, zone.ErrVehicle) {
		t.Errorf("SetLoad: %v, want ErrVehicle", err)
	}
	for _, c := range []zone.Config{{}, {Places: -2}, {Places: 1, Rules: []zone.Rule{nil}}} {
		if _, err := zone.New(c); !errors.Is(err, zone.ErrConfig) {
			t.Errorf("New(%+v): %v, want ErrConfig", c, err)
		}
	}
}
