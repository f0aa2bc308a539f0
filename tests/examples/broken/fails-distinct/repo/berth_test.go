package berth_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/berth"
)

func TestShipsGetBerthsInOrder(t *testing.T) {
	q := berth.NewQuay(2)
	for want, ship := range []string{"Alba", "Brisa"} {
		if got, err := q.Moor(ship); got != want || err != nil {
			t.Errorf("Moor(%q) = %d, %v", ship, got, err)
		}
	}
	if _, err := q.Moor("Cora"); !errors.Is(err, berth.ErrFull) {
		t.Errorf("Moor = %v, want ErrFull", err)
	}
	if got := q.Moored(); !slices.Equal(got, []string{"Alba", "Brisa"}) {
		t.Errorf("Moored = %q", got)
	}
}

func TestShipsThatLeaveMakeRoom(t *testing.T) {
	q := berth.NewQuay(1)
	if _, err := q.Moor("Alba"); err != nil {
		t.Fatal(err)
	}
	if err := q.Leave("Brisa"); !errors.Is(err, berth.ErrUnknown) {
		t.Errorf("Leave = %v, want ErrUnknown", err)
	}
	if err := q.Leave("Alba"); err != nil || q.Free() != 1 {
		t.Errorf("Leave = %v, then %d free", err, q.Free())
	}
}
