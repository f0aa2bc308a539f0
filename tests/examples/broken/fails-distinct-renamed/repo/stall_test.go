package stall_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/stall"
)

func TestGoodsGetStallsInOrder(t *testing.T) {
	m := stall.NewMarket(2)
	for want, good := range []string{"apples", "bread"} {
		if got, err := m.Show(good); got != want || err != nil {
			t.Errorf("Show(%q) = %d, %v", good, got, err)
		}
	}
	if _, err := m.Show("cheese"); !errors.Is(err, stall.ErrTaken) {
		t.Errorf("Show = %v, want ErrTaken", err)
	}
	if got := m.Shown(); !slices.Equal(got, []string{"apples", "bread"}) {
		t.Errorf("Shown = %q", got)
	}
}

func TestGoodsThatClearMakeRoom(t *testing.T) {
	m := stall.NewMarket(1)
	if _, err := m.Show("apples"); err != nil {
		t.Fatal(err)
	}
	if err := m.Clear("bread"); !errors.Is(err, stall.ErrAbsent) {
		t.Errorf("Clear = %v, want ErrAbsent", err)
	}
	if err := m.Clear("apples"); err != nil || m.Vacant() != 1 {
		t.Errorf("Clear = %v, then %d vacant", err, m.Vacant())
	}
}
