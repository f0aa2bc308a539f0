package house_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/alpenrose/wakeup/house"
)

func TestParseRoom(t *testing.T) {
	for text, want := range map[string]house.Room{"214": 214, "007": 7, "B 12": 12, "1107": 1107} {
		if got, err := house.ParseRoom(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-3", "suite", "B", "Bel 12", "99999"} {
		if got, err := house.ParseRoom(text); !errors.Is(err, house.ErrNoRoom) {
			t.Errorf("%q: got %v, %v, want ErrNoRoom", text, got, err)
		}
	}
}

func TestRooms(t *testing.T) {
	h := house.Floors(2, 3)
	want := []house.Room{1, 2, 3, 101, 102, 103, 201, 202, 203}
	if got := h.Rooms(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if err := h.Check(203); err != nil {
		t.Error(err)
	}
	if err := h.Check(204); !errors.Is(err, house.ErrNoRoom) {
		t.Errorf("got %v, want ErrNoRoom", err)
	}
	if r := house.Room(1107); r.Floor() != 11 || r.String() != "1107" || house.Room(7).String() != "007" {
		t.Errorf("%v is on floor %d", r, r.Floor())
	}
	if got := house.New(5, 3, 5).Rooms(); !slices.Equal(got, []house.Room{3, 5}) {
		t.Errorf("got %v", got)
	}
}

func TestWalk(t *testing.T) {
	h := house.Floors(3, 4)
	rooms := []house.Room{1, 4, 102, 103, 201, 203, 304, 301}
	want := []house.Room{301, 304, 203, 201, 102, 103, 4, 1}
	if got := h.Walk(rooms); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if rooms[0] != 1 {
		t.Error("Walk has sorted its argument")
	}
}
