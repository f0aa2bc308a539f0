// Package report renders totals.
package report

import (
	"fmt"

	"example.com/tally"
)

// Line renders the total of the readings.
func Line(readings []int) string {
	return fmt.Sprintf("total %d", tally.Total(readings))
}
