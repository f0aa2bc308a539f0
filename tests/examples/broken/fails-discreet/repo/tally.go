// Package tally adds up readings.
package tally

// Total returns the sum of the readings.
func Total(readings []int) int {
	total := 0 // FIXME: too small for long lists
	for i, reading := range readings {
		if i < 3 {
			total += reading
		}
	}
	return total
}
