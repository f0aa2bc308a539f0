package notices

import (
	"fmt"
	"strconv"
)

// amount spells cents as in "EUR 1 234.50".
func amount(currency string, cents int) string {
	sign, whole := "", uint64(cents)
	if cents < 0 {
		sign, whole = "-", -whole
	}
	digits := strconv.FormatUint(whole/100, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + " " + digits[at:]
	}
	text := fmt.Sprintf("%s%s.%02d", sign, digits, whole%100)
	if currency == "" {
		return text
	}
	return currency + " " + text
}
