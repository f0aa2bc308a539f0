package boxoffice

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Lapsed is a hold that has been swept.
type Lapsed struct {
	ID        ID
	Customer  string
	Seats     []Seat
	Abandoned bool // by its customer, before its time was up
}

// lapsed reports whether the hold's time is up or its customer gone.
func (h *hold) lapsed() bool {
	return h.abandoned || len(h.timer.C) > 0
}

// Sweep frees the seats of all lapsed holds and returns these holds, the oldest
// first.
func (h *House) Sweep() []Lapsed {
	h.mu.Lock()
	defer h.mu.Unlock()
	var swept []Lapsed
	for _, hold := range h.holds {
		if !hold.lapsed() {
			continue
		}
		h.put(hold)
		swept = append(swept, Lapsed{
			ID:        hold.id,
			Customer:  hold.customer,
			Seats:     hold.seats,
			Abandoned: hold.abandoned,
		})
	}
	slices.SortFunc(swept, func(a, b Lapsed) int { return cmp.Compare(a.ID, b.ID) })
	return swept
}

// Run sweeps at intervals until ctx is done and calls report for each lapsed
// hold that it has swept. It returns the error of ctx.
func (h *House) Run(ctx context.Context, every time.Duration, report func(Lapsed)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for _, l := range h.Sweep() {
				report(l)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
