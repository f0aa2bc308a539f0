package boxoffice

import (
	"cmp"
	"fmt"
	"slices"
)

// A State is how it stands with a seat.
type State int

// The states of a seat. A seat is Stale from when its hold has lapsed until it
// is freed.
const (
	Free State = iota
	Held
	Stale
	Sold
)

var stateNames = [...]string{"free", "held", "stale", "sold"}

func (s State) String() string {
	if s < Free || s > Sold {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// State returns how it stands with a seat.
func (h *House) State(seat Seat) (State, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.free[seat]; !ok {
		return 0, fmt.Errorf("%w: %v", ErrSeat, seat)
	}
	return h.state(seat), nil
}

// Tally returns the number of seats in each state that at least one is in.
func (h *House) Tally() map[State]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	tally := make(map[State]int)
	for seat := range h.free {
		tally[h.state(seat)]++
	}
	return tally
}

func (h *House) state(seat Seat) State {
	if h.free[seat] {
		return Free
	}
	hold, ok := h.holds[h.taken[seat]]
	switch {
	case !ok:
		return Sold
	case hold.lapsed():
		return Stale
	}
	return Held
}

// HoldInfo describes a hold that is not over.
type HoldInfo struct {
	ID       ID
	Customer string
	Seats    []Seat
	Lapsed   bool
}

// Holds returns all holds that are not over, lapsed ones among them, the oldest
// first.
func (h *House) Holds() []HoldInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	var infos []HoldInfo
	for _, hold := range h.holds {
		infos = append(infos, HoldInfo{
			ID:       hold.id,
			Customer: hold.customer,
			Seats:    slices.Clone(hold.seats),
			Lapsed:   hold.lapsed(),
		})
	}
	slices.SortFunc(infos, func(a, b HoldInfo) int { return cmp.Compare(a.ID, b.ID) })
	return infos
}
