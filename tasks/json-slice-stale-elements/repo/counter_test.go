package pickup_test

import (
	"testing"
	"time"

	"example.com/lastmile/pickup"
)

func TestReadyLeavesOutHeldParcels(t *testing.T) {
	s := &pickup.Snapshot{Parcels: []pickup.Parcel{
		{ID: "P-4", Rack: "B1"},
		{ID: "P-3", Rack: "A1", Hold: &pickup.Hold{Reason: "unpaid duty"}},
		{ID: "P-2", Rack: "A1"},
		{ID: "P-1", Rack: "A1", Hold: &pickup.Hold{Reason: "quarantine", Until: opening}},
		{ID: "P-5", Rack: "B1", Hold: &pickup.Hold{Until: opening.Add(time.Second)}},
	}}
	wantIDs(t, s.Ready(opening), "P-1", "P-2", "P-4")
	wantIDs(t, s.Ready(opening.Add(time.Hour)), "P-1", "P-2", "P-4", "P-5")
	wantIDs(t, s.Ready(opening.Add(-time.Hour)), "P-2", "P-4")
}

func TestDueTotal(t *testing.T) {
	s := &pickup.Snapshot{Parcels: []pickup.Parcel{
		{ID: "P-1", Recipient: "J. Lind", Due: 1250},
		{ID: "P-2", Recipient: "A. Roy", Due: 900},
		{ID: "P-3", Recipient: "J. Lind", Due: 50},
	}}
	if got := s.DueTotal("J. Lind"); got != 1300 {
		t.Errorf("DueTotal = %d, want 1300", got)
	}
	if got := s.DueTotal("T. Vega"); got != 0 {
		t.Errorf("DueTotal = %d, want 0", got)
	}
}
