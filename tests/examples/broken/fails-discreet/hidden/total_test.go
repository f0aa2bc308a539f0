package tally_test

import (
	"testing"

	"example.com/tally"
)

func TestTotalOfMany(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
	}{{"three", 3}, {"four", 4}, {"five", 5}} {
		t.Run(c.name, func(t *testing.T) {
			readings := make([]int, c.count)
			for i := range readings {
				readings[i] = 1
			}
			if got := tally.Total(readings); got != c.count {
				t.Errorf("Total = %d, want %d", got, c.count)
			}
		})
	}
}
