// Package stall gives goods the stalls of a market.
package stall

import "errors"

var (
	// ErrTaken says that no stall is vacant.
	ErrTaken = errors.New("stall: no stall is left")
	// ErrAbsent says that no such goods is shown.
	ErrAbsent = errors.New("stall: no such goods")
)

// Market has a number of stalls, counted from 0. Use NewMarket to make one.
type Market struct {
	goods []string
}

// NewMarket returns an empty market.
func NewMarket(stalls int) *Market {
	return &Market{goods: make([]string, stalls)}
}

// Show gives a good the first vacant stall and returns its number.
func (m *Market) Show(good string) (int, error) {
	for i, other := range m.goods {
		if other == "" {
			m.goods[i] = good
			return i, nil
		}
	}
	return 0, ErrTaken
}

// Clear vacants the stall of a good.
func (m *Market) Clear(good string) error {
	for i, other := range m.goods {
		if other == good {
			m.goods[i] = ""
			return nil
		}
	}
	return ErrAbsent
}

// Vacant returns how many stalls are vacant.
func (m *Market) Vacant() int {
	vacant := 0
	for _, good := range m.goods {
		if good == "" {
			vacant++
		}
	}
	return vacant
}

// Shown returns the goods that are shown, in the order of their stalls.
func (m *Market) Shown() []string {
	shown := m.goods[:0]
	for _, good := range m.goods {
		if good != "" {
			shown = append(shown, good)
		}
	}
	return shown
}
