package tally_test

import "testing"

var counted int

func TestCountsFirst(t *testing.T) {
	counted++
}

func TestSeesTheCount(t *testing.T) {
	if counted != 1 {
		t.Errorf("counted = %d, want 1", counted)
	}
}
