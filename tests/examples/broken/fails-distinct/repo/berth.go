// Package berth assigns ships to the berths of a quay.
package berth

import "errors"

var (
	// ErrFull says that no berth is free.
	ErrFull = errors.New("berth: the quay is full")
	// ErrUnknown says that no such ship is moored.
	ErrUnknown = errors.New("berth: no such ship")
)

// Quay has a number of berths, counted from 0. Use NewQuay to make one.
type Quay struct {
	ships []string
}

// NewQuay returns an empty quay.
func NewQuay(berths int) *Quay {
	return &Quay{ships: make([]string, berths)}
}

// Moor gives a ship the first free berth and returns its number.
func (q *Quay) Moor(ship string) (int, error) {
	for i, other := range q.ships {
		if other == "" {
			q.ships[i] = ship
			return i, nil
		}
	}
	return 0, ErrFull
}

// Leave frees the berth of a ship.
func (q *Quay) Leave(ship string) error {
	for i, other := range q.ships {
		if other == ship {
			q.ships[i] = ""
			return nil
		}
	}
	return ErrUnknown
}

// Free returns how many berths are free.
func (q *Quay) Free() int {
	free := 0
	for _, ship := range q.ships {
		if ship == "" {
			free++
		}
	}
	return free
}

// Moored returns the ships that are moored, in the order of their berths.
func (q *Quay) Moored() []string {
	moored := q.ships[:0]
	for _, ship := range q.ships {
		if ship != "" {
			moored = append(moored, ship)
		}
	}
	return moored
}
