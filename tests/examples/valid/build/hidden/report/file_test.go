package report_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/tally/report"
)

func TestReportOfFile(t *testing.T) {
	data, err := os.ReadFile("testdata/readings.txt")
	if err != nil {
		t.Fatal(err)
	}
	var readings []int
	for _, field := range strings.Fields(string(data)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		readings = append(readings, n)
	}
	if got := report.Line(readings); got != "total 100" {
		t.Errorf("Line = %q", got)
	}
}
