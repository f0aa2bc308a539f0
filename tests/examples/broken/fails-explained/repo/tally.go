// Package tally adds up readings.
package tally

// Total returns the sum of the readings.
func Total(readings []int) int {
	total := 0
	for i, reading := range readings {
		if i < 3 {
			total += reading
		}
	}
	return total
}

func Mean(readings []int) int {
	if len(readings) == 0 {
		return 0
	}
	return Total(readings) / len(readings)
}
