package boxoffice

import (
	"fmt"
	"strconv"
	"strings"
)

// A Seat is written as its row and number, like C12 or AA3.
type Seat struct {
	Row    string // capital letters
	Number int    // from 1, at the left
}

func (s Seat) String() string {
	return s.Row + strconv.Itoa(s.Number)
}

func (s Seat) validate() error {
	if s.Row == "" || strings.Trim(s.Row, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || s.Number < 1 {
		return fmt.Errorf("%w: row %q, number %d", ErrSeat, s.Row, s.Number)
	}
	return nil
}

// ParseSeat reads what Seat.String writes.
func ParseSeat(text string) (Seat, error) {
	digits := strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return Seat{}, fmt.Errorf("%w: %q", ErrSeat, text)
	}
	seat := Seat{Row: text[:len(text)-len(digits)], Number: number}
	if err := seat.validate(); err != nil || seat.String() != text {
		return Seat{}, fmt.Errorf("%w: %q", ErrSeat, text)
	}
	return seat, nil
}

// Row returns the seats of a row, numbered from 1 to n.
func Row(row string, n int) []Seat {
	seats := make([]Seat, 0, n)
	for number := range n {
		seats = append(seats, Seat{Row: row, Number: number + 1})
	}
	return seats
}
