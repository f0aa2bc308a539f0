package wakeup_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/alpenrose/wakeup"
	"example.com/alpenrose/wakeup/house"
)

func TestCheckOutWithdrawsTheCalls(t *testing.T) {
	d := newDesk(t)
	a := book(t, d, 101, morning(6, 0))
	b := book(t, d, 101, morning(6, 30))
	c := book(t, d, 102, morning(6, 15))
	d.Tick(morning(6, 1))
	if n, err := d.CheckOut(101); n != 2 || err != nil {
		t.Errorf("CheckOut() = %d, %v, want 2", n, err)
	}
	wantState(t, d, a, wakeup.Withdrawn)
	wantState(t, d, b, wakeup.Withdrawn)
	wantActions(t, d.Tick(morning(6, 16)), wakeup.Action{At: morning(6, 15), Kind: wakeup.Ring, Room: 102, Call: c})
	if calls := d.Calls(101); calls != nil {
		t.Errorf("a vacant room has calls: %v", calls)
	}
	if err := d.Postpone(b, morning(8, 0)); !errors.Is(err, wakeup.ErrOver) {
		t.Errorf("got %v, want ErrOver", err)
	}
	if _, err := d.CheckOut(101); !errors.Is(err, wakeup.ErrVacant) {
		t.Errorf("got %v, want ErrVacant", err)
	}
	if err := d.CheckIn(101, "Haas", morning(20, 0)); err != nil {
		t.Error(err)
	}
}

func TestCheckOutAfterTheCall(t *testing.T) {
	d := newDesk(t)
	id := book(t, d, 101, morning(6, 0))
	d.Tick(morning(6, 0))
	if err := d.Answer(id); err != nil {
		t.Error(err)
	}
	if n, err := d.CheckOut(101); n != 0 || err != nil {
		t.Errorf("CheckOut() = %d, %v, want 0", n, err)
	}
	wantState(t, d, id, wakeup.Answered)
	if err := d.Answer(id); !errors.Is(err, wakeup.ErrOver) {
		t.Errorf("got %v, want ErrOver", err)
	}
}

func TestDeparture(t *testing.T) {
	d := newDesk(t)
	noon := morning(12, 0)
	if err := d.Extend(102, noon); err != nil {
		t.Fatal(err)
	}
	if err := d.Extend(201, noon.AddDate(0, 0, 6)); err != nil {
		t.Fatal(err)
	}
	late := book(t, d, 201, noon.AddDate(0, 0, 5))
	call := book(t, d, 101, noon.AddDate(0, 0, 1))
	if err := d.Extend(101, morning(10, 0)); err != nil {
		t.Fatal(err)
	}
	wantActions(t, d.Tick(noon),
		wakeup.Action{At: morning(10, 0), Kind: wakeup.Depart, Room: 101},
		wakeup.Action{At: noon, Kind: wakeup.Depart, Room: 102},
	)
	wantState(t, d, call, wakeup.Withdrawn)
	wantState(t, d, late, wakeup.Waiting)
	if err := d.Extend(102, noon.AddDate(0, 0, 1)); !errors.Is(err, wakeup.ErrVacant) {
		t.Errorf("got %v, want ErrVacant", err)
	}
	if err := d.Extend(201, noon); !errors.Is(err, wakeup.ErrPast) {
		t.Errorf("got %v, want ErrPast", err)
	}
}

func TestCheckInErrors(t *testing.T) {
	d := newDesk(t)
	if err := d.CheckIn(999, "Haas", morning(12, 0)); !errors.Is(err, house.ErrNoRoom) {
		t.Errorf("got %v, want ErrNoRoom", err)
	}
	if err := d.CheckIn(101, "Haas", morning(12, 0)); !errors.Is(err, wakeup.ErrTaken) || !strings.Contains(err.Error(), "Ferrari") {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if err := d.CheckIn(103, "Haas", evening); !errors.Is(err, wakeup.ErrPast) {
		t.Errorf("got %v, want ErrPast", err)
	}
	if _, err := d.CheckOut(999); !errors.Is(err, house.ErrNoRoom) {
		t.Errorf("got %v, want ErrNoRoom", err)
	}
}

func TestForget(t *testing.T) {
	d := newDesk(t)
	a := book(t, d, 101, morning(6, 0))
	b := book(t, d, 102, morning(6, 0))
	d.Tick(morning(7, 0))
	if _, err := d.CheckOut(101); err != nil {
		t.Fatal(err)
	}
	if n := d.Forget(morning(6, 0)); n != 0 {
		t.Errorf("%d calls forgotten, want 0", n)
	}
	if n := d.Forget(morning(6, 1)); n != 1 {
		t.Errorf("%d calls forgotten, want 1", n)
	}
	if _, err := d.Call(a); !errors.Is(err, wakeup.ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
	wantState(t, d, b, wakeup.Missed)
}

func TestSheet(t *testing.T) {
	d := newDesk(t)
	for _, b := range []struct {
		room house.Room
		at   time.Time
	}{
		{102, morning(6, 30)}, {201, morning(6, 30)}, {101, morning(6, 30)}, {101, morning(6, 30)},
		{101, morning(5, 45)}, {201, morning(12, 0)},
	} {
		book(t, d, b.room, b.at)
	}
	if err := d.Cancel(book(t, d, 102, morning(7, 0))); err != nil {
		t.Fatal(err)
	}
	got := d.Sheet(evening, morning(12, 0))
	want := "09 Feb 05:45  101\n09 Feb 06:30  201 102 101\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLog(t *testing.T) {
	log := wakeup.NewLog(4)
	d := newDesk(t, wakeup.WithLog(log), wakeup.WithPolicy(wakeup.Policy{
		Rings: 5, Again: time.Minute, Knock: time.Minute, Snooze: time.Minute,
	}))
	book(t, d, 102, morning(6, 0))
	d.Tick(morning(6, 1))
	if got := log.Latest(10); len(got) != 2 || got[0].Kind != wakeup.Ring || !got[0].At.Equal(morning(6, 1)) {
		t.Errorf("log has %v", got)
	}
	d.Tick(morning(7, 0))
	if got := log.Latest(10); len(got) != 4 || got[0].Kind != wakeup.Knock {
		t.Errorf("log has %v", got)
	}
	if got := log.Latest(1); len(got) != 1 {
		t.Errorf("log has %v", got)
	}
	var none *wakeup.Log
	if got := none.Latest(3); got != nil {
		t.Errorf("no log has %v", got)
	}
}

func TestPolicyErrors(t *testing.T) {
	for _, p := range []wakeup.Policy{
		{},
		{Rings: 1, Knock: time.Minute, Snooze: time.Minute},
		{Rings: 1, Again: time.Minute, Snooze: time.Minute},
		{Rings: 1, Again: time.Minute, Knock: time.Minute, Snooze: -1},
	} {
		if _, err := wakeup.NewDesk(house.New(1), evening, wakeup.WithPolicy(p)); !errors.Is(err, wakeup.ErrPolicy) {
			t.Errorf("%v: got %v, want ErrPolicy", p, err)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		wakeup.Waiting.String():   "waiting",
		wakeup.Withdrawn.String(): "withdrawn",
		wakeup.State(9).String():  "State(9)",
		wakeup.Depart.String():    "depart",
		wakeup.Kind(-1).String():  "Kind(-1)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
