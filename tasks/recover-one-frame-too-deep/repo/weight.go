package granary

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kilos is a weight in kilograms.
type Kilos int64

// String spells a weight in tonnes, as in "12.400 t".
func (k Kilos) String() string {
	sign, n := "", uint64(k)
	if k < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%03d t", sign, n/1000, n%1000)
}

// ParseKilos reads a weight in tonnes or kilograms, as in "12.4 t" or "800 kg".
func ParseKilos(text string) (Kilos, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	scale := 1.0
	switch strings.TrimSpace(unit) {
	case "kg":
	case "t":
		scale = 1000
	default:
		return 0, fmt.Errorf("%w: %q has no unit", ErrWeight, text)
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || !(math.Abs(f) < 1e12) {
		return 0, fmt.Errorf("%w: %q", ErrWeight, text)
	}
	return Kilos(math.Round(f * scale)), nil
}
