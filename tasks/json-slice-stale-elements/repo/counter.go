package pickup

import (
	"slices"
	"strings"
	"time"
)

// Ready returns the parcels of s that may be handed out at the time now, those
// on the same rack together, in the order of racks and IDs.
func (s *Snapshot) Ready(now time.Time) []Parcel {
	var ready []Parcel
	for _, parcel := range s.Parcels {
		if !parcel.Held(now) {
			ready = append(ready, parcel)
		}
	}
	slices.SortFunc(ready, func(a, b Parcel) int {
		if c := strings.Compare(a.Rack, b.Rack); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return ready
}

// Held reports whether the parcel must not be handed out at the time now.
func (p Parcel) Held(now time.Time) bool {
	return p.Hold != nil && (p.Hold.Until.IsZero() || now.Before(p.Hold.Until))
}

// DueTotal returns what the recipient pays for all of the parcels that wait
// for them, in cents.
func (s *Snapshot) DueTotal(recipient string) int64 {
	var total int64
	for _, parcel := range s.Parcels {
		if parcel.Recipient == recipient {
			total += parcel.Due
		}
	}
	return total
}
