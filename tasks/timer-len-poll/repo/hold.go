package boxoffice

import (
	"slices"
	"time"
)

// An ID names a hold. A House never gives it to another one.
type ID int64

// hold is the claim of a customer to some seats.
type hold struct {
	id        ID
	customer  string
	seats     []Seat
	abandoned bool
	timer     *time.Timer
}

// newHold starts a hold that runs for d.
func newHold(id ID, customer string, seats []Seat, d time.Duration) *hold {
	return &hold{
		id:       id,
		customer: customer,
		seats:    slices.Clone(seats),
		timer:    time.NewTimer(d),
	}
}

// extend lets a hold that has not lapsed run for d from now on.
func (h *hold) extend(d time.Duration) {
	h.timer.Reset(d)
}

// end gives up what the hold needs while it runs.
func (h *hold) end() {
	h.timer.Stop()
}
