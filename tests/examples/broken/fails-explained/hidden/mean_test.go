package tally_test

import (
	"testing"

	"example.com/tally"
)

func TestMean(t *testing.T) {
	for _, readings := range [][]int{{4, 4}, {3, 5}, {8, 0}} {
		if got := tally.Mean(readings); got != 4 {
			t.Errorf("Mean(%v) = %d, want 4", readings, got)
		}
	}
}
