package report_test

import (
	"testing"

	"example.com/tally/report"
)

func TestLine(t *testing.T) {
	if got := report.Line([]int{1, 2}); got != "total 3" {
		t.Errorf("Line = %q", got)
	}
}
