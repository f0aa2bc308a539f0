package tally_test

import (
	"testing"

	"example.com/tally"
)

func TestTotalOfTwo(t *testing.T) {
	if got := tally.Total([]int{2, 3}); got != 5 {
		t.Errorf("Total = %d, want 5", got)
	}
}

func TestTotalOfNone(t *testing.T) {
	if got := tally.Total(nil); got != 0 {
		t.Errorf("Total = %d, want 0", got)
	}
}
