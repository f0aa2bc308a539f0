package berth_test

import (
	"slices"
	"testing"

	"example.com/berth"
)

func quayWithGap(t *testing.T) *berth.Quay {
	t.Helper()
	q := berth.NewQuay(3)
	for _, ship := range []string{"Alba", "Brisa", "Cora"} {
		if _, err := q.Moor(ship); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Leave("Alba"); err != nil {
		t.Fatal(err)
	}
	return q
}

func TestListingShowsTheShipsOnce(t *testing.T) {
	q := quayWithGap(t)
	for range 3 {
		if got := q.Moored(); !slices.Equal(got, []string{"Brisa", "Cora"}) {
			t.Errorf("Moored = %q", got)
		}
	}
}

func TestListingLeavesTheBerthsAlone(t *testing.T) {
	q := quayWithGap(t)
	q.Moored()
	if got := q.Free(); got != 1 {
		t.Errorf("Free = %d, want 1", got)
	}
	if got, err := q.Moor("Dora"); got != 0 || err != nil {
		t.Errorf("Moor = %d, %v, want 0", got, err)
	}
}
