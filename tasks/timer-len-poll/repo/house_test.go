package boxoffice_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"example.com/stagedoor/boxoffice"
)

const quarter = 15 * time.Minute

// studio returns a house with the seats A1 to A6 and B1 to B4.
func studio(t *testing.T, opts ...boxoffice.Option) *boxoffice.House {
	t.Helper()
	h, err := boxoffice.NewHouse(append(boxoffice.Row("A", 6), boxoffice.Row("B", 4)...), opts...)
	if err != nil {
		t.Fatalf("NewHouse: %v", err)
	}
	return h
}

func seats(t *testing.T, names ...string) []boxoffice.Seat {
	t.Helper()
	var list []boxoffice.Seat
	for _, name := range names {
		seat, err := boxoffice.ParseSeat(name)
		if err != nil {
			t.Fatalf("ParseSeat: %v", err)
		}
		list = append(list, seat)
	}
	return list
}

func hold(t *testing.T, h *boxoffice.House, customer string, names ...string) boxoffice.ID {
	t.Helper()
	id, err := h.Hold(customer, quarter, seats(t, names...)...)
	if err != nil {
		t.Fatalf("Hold(%s): %v", customer, err)
	}
	return id
}

func wantTally(t *testing.T, h *boxoffice.House, want map[boxoffice.State]int) {
	t.Helper()
	if got := h.Tally(); !maps.Equal(got, want) {
		t.Errorf("tally %v, want %v", got, want)
	}
}

func wantState(t *testing.T, h *boxoffice.House, name string, want boxoffice.State) {
	t.Helper()
	got, err := h.State(seats(t, name)[0])
	if err != nil || got != want {
		t.Errorf("%s is %v (error %v), want %v", name, got, err, want)
	}
}

func TestNewHouseRejects(t *testing.T) {
	for name, opt := range map[string]boxoffice.Option{
		"no seats in a hold": boxoffice.WithMaxSeats(0),
		"no time":            boxoffice.WithLongest(0),
	} {
		if _, err := boxoffice.NewHouse(nil, opt); !errors.Is(err, boxoffice.ErrOption) {
			t.Errorf("%s: error %v, want ErrOption", name, err)
		}
	}
	if _, err := boxoffice.NewHouse([]boxoffice.Seat{{Row: "a", Number: 1}}); !errors.Is(err, boxoffice.ErrSeat) {
		t.Errorf("error %v, want ErrSeat", err)
	}
}

func TestHoldThenConfirm(t *testing.T) {
	h := studio(t)
	id := hold(t, h, "ines", "A2", "A3")
	wantTally(t, h, map[boxoffice.State]int{boxoffice.Free: 8, boxoffice.Held: 2})
	sold, err := h.Confirm(id)
	if err != nil || !slices.Equal(sold, seats(t, "A2", "A3")) {
		t.Errorf("Confirm = %v, %v; want A2 and A3", sold, err)
	}
	wantState(t, h, "A2", boxoffice.Sold)
	wantState(t, h, "A4", boxoffice.Free)
	if _, err := h.Confirm(id); !errors.Is(err, boxoffice.ErrUnknown) {
		t.Errorf("second Confirm: error %v, want ErrUnknown", err)
	}
	if _, err := h.Hold("tom", quarter, seats(t, "A3")...); !errors.Is(err, boxoffice.ErrTaken) {
		t.Errorf("Hold of a sold seat: error %v, want ErrTaken", err)
	}
}

func TestHoldTakesAllOrNothing(t *testing.T) {
	h := studio(t)
	hold(t, h, "ines", "A2")
	for _, names := range [][]string{{"A1", "A2"}, {"B1", "B2", "B1"}} {
		if _, err := h.Hold("tom", quarter, seats(t, names...)...); !errors.Is(err, boxoffice.ErrTaken) {
			t.Errorf("Hold(%v): error %v, want ErrTaken", names, err)
		}
	}
	if _, err := h.Hold("tom", quarter, seats(t, "A1", "C1")...); !errors.Is(err, boxoffice.ErrSeat) {
		t.Errorf("Hold: error %v, want ErrSeat", err)
	}
	wantTally(t, h, map[boxoffice.State]int{boxoffice.Free: 9, boxoffice.Held: 1})
}

func TestHoldRejectsBadRequests(t *testing.T) {
	h := studio(t, boxoffice.WithMaxSeats(2), boxoffice.WithLongest(quarter))
	for name, err := range map[string]error{
		"nobody":    second(h.Hold("", quarter, seats(t, "A1")...)),
		"no seats":  second(h.Hold("ines", quarter)),
		"too many":  second(h.Hold("ines", quarter, boxoffice.Row("A", 3)...)),
		"no time":   second(h.Hold("ines", 0, seats(t, "A1")...)),
		"too long":  second(h.Hold("ines", quarter+1, seats(t, "A1")...)),
		"extension": h.Extend(hold(t, h, "tom", "B1"), quarter+1),
	} {
		if !errors.Is(err, boxoffice.ErrRequest) {
			t.Errorf("%s: error %v, want ErrRequest", name, err)
		}
	}
}

func second(_ boxoffice.ID, err error) error { return err }

func TestReleaseFreesTheSeats(t *testing.T) {
	h := studio(t)
	id := hold(t, h, "ines", "A1", "A2")
	if err := h.Release(id); err != nil {
		t.Errorf("Release: %v", err)
	}
	if err := h.Release(id); !errors.Is(err, boxoffice.ErrUnknown) {
		t.Errorf("second Release: error %v, want ErrUnknown", err)
	}
	if next := hold(t, h, "tom", "A1", "A2"); next == id {
		t.Errorf("hold %d has been given twice", id)
	}
}

func TestExtendARunningHold(t *testing.T) {
	h := studio(t)
	id := hold(t, h, "ines", "A1")
	for range 3 {
		if err := h.Extend(id, quarter); err != nil {
			t.Errorf("Extend: %v", err)
		}
	}
	if swept := h.Sweep(); len(swept) != 0 {
		t.Errorf("swept %v, want nothing", swept)
	}
	wantState(t, h, "A1", boxoffice.Held)
	if err := h.Extend(id+1, quarter); !errors.Is(err, boxoffice.ErrUnknown) {
		t.Errorf("Extend: error %v, want ErrUnknown", err)
	}
}

func TestHoldsListsTheOldestFirst(t *testing.T) {
	h := studio(t)
	first := hold(t, h, "ines", "B1")
	hold(t, h, "tom", "A1", "A2")
	hold(t, h, "ines", "A3")
	h.Abandon("tom")
	if err := h.Release(first); err != nil {
		t.Fatal(err)
	}
	infos := h.Holds()
	if len(infos) != 2 {
		t.Fatalf("holds %v, want two", infos)
	}
	tom, ines := infos[0], infos[1]
	if tom.Customer != "tom" || !tom.Lapsed || !slices.Equal(tom.Seats, seats(t, "A1", "A2")) {
		t.Errorf("first hold %+v, want tom's, lapsed", tom)
	}
	if ines.Customer != "ines" || ines.Lapsed || !slices.Equal(ines.Seats, seats(t, "A3")) {
		t.Errorf("second hold %+v, want A3 for ines", ines)
	}
}
