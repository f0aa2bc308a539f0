package tally_test

import (
	"runtime"
	"testing"
)

func TestDependsOnTheProcessors(t *testing.T) {
	if n := runtime.GOMAXPROCS(0); n == 4 {
		t.Errorf("GOMAXPROCS = %d", n)
	}
}
