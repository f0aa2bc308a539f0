package wakeup_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/alpenrose/wakeup"
	"example.com/alpenrose/wakeup/house"
)

// evening is when the desks of these tests open.
var evening = time.Date(2025, 2, 8, 20, 0, 0, 0, time.UTC)

// morning returns a time on the next day.
func morning(hour, minute int) time.Time {
	return time.Date(2025, 2, 9, hour, minute, 0, 0, time.UTC)
}

// newDesk returns a desk with a guest each in 101, 102 and 201, who leave at
// noon in three days.
func newDesk(t *testing.T, opts ...wakeup.Option) *wakeup.Desk {
	t.Helper()
	d, err := wakeup.NewDesk(house.Floors(2, 4), evening, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for room, guest := range map[house.Room]string{101: "Ferrari", 102: "Okafor", 201: "Lind"} {
		if err := d.CheckIn(room, guest, morning(12, 0).AddDate(0, 0, 2)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func book(t *testing.T, d *wakeup.Desk, room house.Room, at time.Time) wakeup.ID {
	t.Helper()
	id, err := d.Book(room, at)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func wantState(t *testing.T, d *wakeup.Desk, id wakeup.ID, want wakeup.State) {
	t.Helper()
	c, err := d.Call(id)
	if err != nil {
		t.Fatal(err)
	}
	if c.State != want {
		t.Errorf("call %d of %s is %v, want %v", id, c.Guest, c.State, want)
	}
}

func wantActions(t *testing.T, got []wakeup.Action, want ...wakeup.Action) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCallsRingInOrder(t *testing.T) {
	d := newDesk(t)
	a := book(t, d, 101, morning(7, 0))
	b := book(t, d, 102, morning(6, 30))
	c := book(t, d, 201, morning(7, 0))
	if next, ok := d.Next(); !ok || !next.Equal(morning(6, 30)) {
		t.Errorf("next at %v, %t", next, ok)
	}
	wantActions(t, d.Tick(morning(6, 29)))
	wantActions(t, d.Tick(morning(6, 30)), wakeup.Action{At: morning(6, 30), Kind: wakeup.Ring, Room: 102, Call: b})
	wantState(t, d, b, wakeup.Ringing)
	if err := d.Answer(b); err != nil {
		t.Error(err)
	}
	wantState(t, d, b, wakeup.Answered)
	wantActions(t, d.Tick(morning(7, 2)),
		wakeup.Action{At: morning(7, 0), Kind: wakeup.Ring, Room: 101, Call: a},
		wakeup.Action{At: morning(7, 0), Kind: wakeup.Ring, Room: 201, Call: c},
	)
	wantActions(t, d.Tick(morning(6, 50)))
}

func TestCallRingsAgain(t *testing.T) {
	d := newDesk(t)
	id := book(t, d, 201, morning(6, 0))
	action := func(kind wakeup.Kind, minute int) wakeup.Action {
		return wakeup.Action{At: morning(6, minute), Kind: kind, Room: 201, Call: id}
	}
	wantActions(t, d.Tick(morning(6, 8)), action(wakeup.Ring, 0), action(wakeup.Ring, 4), action(wakeup.Ring, 8))
	if c, _ := d.Call(id); c.State != wakeup.Ringing || c.Rings != 3 {
		t.Errorf("call %v", c)
	}
	wantActions(t, d.Tick(morning(7, 0)), action(wakeup.Knock, 13))
	wantState(t, d, id, wakeup.Missed)
	wantActions(t, d.Tick(morning(9, 0)))
	if err := d.Cancel(id); !errors.Is(err, wakeup.ErrOver) {
		t.Errorf("got %v, want ErrOver", err)
	}
	if err := d.Answer(id); err != nil {
		t.Error(err)
	}
	wantState(t, d, id, wakeup.Answered)
}

func TestSnooze(t *testing.T) {
	for _, tc := range []struct {
		name  string
		until time.Time // of ticks before
		up    bool
	}{
		{"ringing", morning(6, 1), false},
		{"picked up", morning(6, 1), true},
		{"missed", morning(6, 20), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDesk(t)
			id := book(t, d, 101, morning(6, 0))
			d.Tick(tc.until)
			if tc.up {
				if err := d.Answer(id); err != nil {
					t.Fatal(err)
				}
			}
			at, err := d.Snooze(id)
			if want := tc.until.Add(9 * time.Minute); err != nil || !at.Equal(want) {
				t.Fatalf("snoozes until %v, %v, want %v", at, err, want)
			}
			wantState(t, d, id, wakeup.Waiting)
			wantActions(t, d.Tick(at.Add(time.Minute)), wakeup.Action{At: at, Kind: wakeup.Ring, Room: 101, Call: id})
		})
	}
}

func TestPostpone(t *testing.T) {
	d := newDesk(t)
	a := book(t, d, 101, morning(6, 0))
	b := book(t, d, 102, morning(6, 30))
	if err := d.Postpone(a, morning(7, 0)); err != nil {
		t.Error(err)
	}
	if err := d.Postpone(b, morning(5, 45)); err != nil {
		t.Error(err)
	}
	wantActions(t, d.Tick(morning(5, 46)), wakeup.Action{At: morning(5, 45), Kind: wakeup.Ring, Room: 102, Call: b})
	if err := d.Answer(b); err != nil {
		t.Error(err)
	}
	wantActions(t, d.Tick(morning(7, 0)), wakeup.Action{At: morning(7, 0), Kind: wakeup.Ring, Room: 101, Call: a})
	if err := d.Postpone(a, morning(7, 0)); !errors.Is(err, wakeup.ErrPast) {
		t.Errorf("got %v, want ErrPast", err)
	}
	if err := d.Postpone(a, morning(12, 0).AddDate(0, 0, 2)); !errors.Is(err, wakeup.ErrDeparture) {
		t.Errorf("got %v, want ErrDeparture", err)
	}
}

func TestCancelCall(t *testing.T) {
	d := newDesk(t)
	a := book(t, d, 101, morning(6, 0))
	b := book(t, d, 102, morning(6, 0))
	if err := d.Cancel(a); err != nil {
		t.Error(err)
	}
	wantState(t, d, a, wakeup.Withdrawn)
	for _, err := range []error{d.Cancel(a), d.Answer(a), d.Postpone(a, morning(8, 0))} {
		if !errors.Is(err, wakeup.ErrOver) {
			t.Errorf("got %v, want ErrOver", err)
		}
	}
	wantActions(t, d.Tick(morning(6, 0)), wakeup.Action{At: morning(6, 0), Kind: wakeup.Ring, Room: 102, Call: b})
	if err := d.Cancel(b); err != nil {
		t.Error(err)
	}
	wantActions(t, d.Tick(morning(7, 0)))
}

func TestDailyCall(t *testing.T) {
	d := newDesk(t)
	first, err := d.BookDaily(201, morning(7, 15))
	if err != nil {
		t.Fatal(err)
	}
	for day := range 3 {
		at := morning(7, 15).AddDate(0, 0, day)
		id := first + wakeup.ID(day)
		wantActions(t, d.Tick(at), wakeup.Action{At: at, Kind: wakeup.Ring, Room: 201, Call: id})
		if err := d.Answer(id); err != nil {
			t.Error(err)
		}
		if calls := d.Calls(201); len(calls) != min(day+2, 3) {
			t.Errorf("%d calls on day %d", len(calls), day)
		}
	}
}

func TestDailyCallOfAnEarlyRiser(t *testing.T) {
	d := newDesk(t)
	first, err := d.BookDaily(101, morning(7, 15))
	if err != nil {
		t.Fatal(err)
	}
	d.Tick(morning(6, 0))
	if err := d.Answer(first); err != nil {
		t.Error(err)
	}
	next := morning(7, 15).AddDate(0, 0, 1)
	wantActions(t, d.Tick(next), wakeup.Action{At: next, Kind: wakeup.Ring, Room: 101, Call: first + 1})
	if err := d.Cancel(first + 1); err != nil {
		t.Error(err)
	}
}

func TestBookingErrors(t *testing.T) {
	d := newDesk(t)
	for _, tc := range []struct {
		name string
		room house.Room
		at   time.Time
		want error
	}{
		{"no room", 999, morning(6, 0), house.ErrNoRoom},
		{"vacant", 103, morning(6, 0), wakeup.ErrVacant},
		{"past", 101, evening, wakeup.ErrPast},
		{"departure", 101, morning(12, 0).AddDate(0, 0, 2), wakeup.ErrDeparture},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := d.Book(tc.room, tc.at); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if err := d.Cancel(77); !errors.Is(err, wakeup.ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
	if _, err := d.Snooze(77); !errors.Is(err, wakeup.ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
	if err := d.Answer(77); !errors.Is(err, wakeup.ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
	if _, err := d.Call(77); !errors.Is(err, wakeup.ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
}
