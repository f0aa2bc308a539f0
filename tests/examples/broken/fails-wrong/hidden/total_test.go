package tally_test

import (
	"testing"

	"example.com/tally"
)

func TestTotalOfMany(t *testing.T) {
	for name, readings := range map[string][]int{"three": {1, 1, 1}, "four": {1, 1, 1, 1}, "five": {1, 1, 1, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			if got := tally.Total(readings); got != len(readings) {
				t.Errorf("Total = %d, want %d", got, len(readings))
			}
		})
	}
}
