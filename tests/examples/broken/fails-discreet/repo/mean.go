package tally

// Mean returns the mean of the readings, and 0 of none.
func Mean(readings []int) int {
	if len(readings) == 0 {
		return 0
	}
	return Total(readings) / len(readings)
}
