package stall_test

import (
	"slices"
	"testing"

	"example.com/stall"
)

func marketWithGap(t *testing.T) *stall.Market {
	t.Helper()
	m := stall.NewMarket(3)
	for _, good := range []string{"apples", "bread", "cheese"} {
		if _, err := m.Show(good); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Clear("apples"); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestListingShowsTheGoodsOnce(t *testing.T) {
	m := marketWithGap(t)
	for range 3 {
		if got := m.Shown(); !slices.Equal(got, []string{"bread", "cheese"}) {
			t.Errorf("Shown = %q", got)
		}
	}
}

func TestListingClearsTheStallsAlone(t *testing.T) {
	m := marketWithGap(t)
	m.Shown()
	if got := m.Vacant(); got != 1 {
		t.Errorf("Vacant = %d, want 1", got)
	}
	if got, err := m.Show("dates"); got != 0 || err != nil {
		t.Errorf("Show = %d, %v, want 0", got, err)
	}
}
