package boxoffice_test

import (
	"errors"
	"testing"

	"example.com/stagedoor/boxoffice"
)

func TestParseSeat(t *testing.T) {
	for text, want := range map[string]boxoffice.Seat{
		"A1":   {Row: "A", Number: 1},
		"C12":  {Row: "C", Number: 12},
		"AA30": {Row: "AA", Number: 30},
	} {
		got, err := boxoffice.ParseSeat(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseSeat(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "A", "12", "A0", "A01", "A-1", "a1", "A1B", "Ä1"} {
		if seat, err := boxoffice.ParseSeat(text); !errors.Is(err, boxoffice.ErrSeat) {
			t.Errorf("ParseSeat(%q) = %v, %v; want ErrSeat", text, seat, err)
		}
	}
}

func TestStateNames(t *testing.T) {
	for state, want := range map[boxoffice.State]string{
		boxoffice.Free: "free", boxoffice.Held: "held", boxoffice.Stale: "stale", boxoffice.Sold: "sold", 7: "State(7)",
	} {
		if got := state.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestStateOfAnotherHouse(t *testing.T) {
	if _, err := studio(t).State(boxoffice.Seat{Row: "Z", Number: 1}); !errors.Is(err, boxoffice.ErrSeat) {
		t.Errorf("error %v, want ErrSeat", err)
	}
}
