package desk

import (
	"fmt"
	"strings"
)

// Phone is a telephone number in international form, such as "+358405550199".
type Phone string

// ParsePhone makes a Phone of what a caller's exchange or a clerk gives. Spaces,
// hyphens and brackets are left out, and 00 at the beginning is read as +. It
// fails with ErrPhone.
func ParsePhone(text string) (Phone, error) {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()", r) {
			return -1
		}
		return r
	}, text)
	if rest, ok := strings.CutPrefix(digits, "00"); ok {
		digits = "+" + rest
	}
	number, ok := strings.CutPrefix(digits, "+")
	if !ok || len(number) < 7 || len(number) > 15 || strings.Trim(number, "0123456789") != "" {
		return "", fmt.Errorf("%w: %q", ErrPhone, text)
	}
	return Phone(digits), nil
}

// String returns the number as it may stand in logs and on screens: all digits
// but the country's first two and the last two are dots.
func (p Phone) String() string {
	if len(p) < 6 {
		return strings.Repeat(".", len(p))
	}
	return string(p[:3]) + strings.Repeat(".", len(p)-5) + string(p[len(p)-2:])
}

// Plate is the number plate of a cab.
type Plate string

// Zone is the number of a tariff zone.
type Zone int

// districts are the parts of the city, each with the first of its zones.
var districts = []struct {
	first Zone
	name  string
}{
	{1, "Old Town"},
	{8, "Harbour"},
	{15, "Northfield"},
	{31, "Airport"},
	{36, "Outer Ring"},
}

// LastZone is the zone with the highest number.
const LastZone Zone = 60

// Valid reports whether there is such a zone.
func (z Zone) Valid() bool {
	return z >= 1 && z <= LastZone
}

// String returns the name of the district, by which drivers know it.
func (z Zone) String() string {
	name := "nowhere"
	for _, d := range districts {
		if z.Valid() && z >= d.first {
			name = d.name
		}
	}
	return name
}
