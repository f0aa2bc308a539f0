package pickup_test

import (
	"reflect"
	"testing"
	"time"

	"example.com/lastmile/pickup"
)

func TestCompareTellsWhatHappenedBetweenPolls(t *testing.T) {
	s := &shop{pages: [][]pickup.Parcel{{
		{ID: "P-1", Recipient: "M. Okafor", Rack: "B4", Note: "rings twice"},
		{ID: "P-2", Recipient: "J. Lind", Rack: "A1"},
		{ID: "P-3", Recipient: "A. Roy", Rack: "C2", Hold: &pickup.Hold{Reason: "unpaid duty"}},
	}}}
	w := watch(t, s)
	morning := poll(t, w)

	s.pages = [][]pickup.Parcel{{
		{ID: "P-3", Recipient: "A. Roy", Rack: "C2"},
		{ID: "P-4", Recipient: "T. Vega", Rack: "B1"},
		{ID: "P-1", Recipient: "M. Okafor", Rack: "D1", Labels: []string{"fragile"}},
	}}
	noon := poll(t, w)

	want := []pickup.Change{
		{Kind: pickup.Changed, Parcel: noon.Parcels[0], Fields: []string{"hold"}},
		{Kind: pickup.Arrived, Parcel: noon.Parcels[1]},
		{Kind: pickup.Changed, Parcel: noon.Parcels[2], Fields: []string{"rack", "note", "labels"}},
		{Kind: pickup.Left, Parcel: morning.Parcels[1]},
	}
	if got := pickup.Compare(morning, noon); !reflect.DeepEqual(got, want) {
		t.Errorf("changes %+v, want %+v", got, want)
	}
	if got := pickup.Compare(noon, poll(t, w)); len(got) != 0 {
		t.Errorf("changes %+v, want none", got)
	}
}

func TestCompareNamesEveryField(t *testing.T) {
	plain := pickup.Parcel{ID: "P-1"}
	for _, tc := range []struct {
		field   string
		changed pickup.Parcel
	}{
		{"recipient", pickup.Parcel{ID: "P-1", Recipient: "J. Lind"}},
		{"rack", pickup.Parcel{ID: "P-1", Rack: "A1"}},
		{"grams", pickup.Parcel{ID: "P-1", Grams: 1}},
		{"size", pickup.Parcel{ID: "P-1", Size: pickup.Size{Width: 1}}},
		{"due", pickup.Parcel{ID: "P-1", Due: 1}},
		{"adult_only", pickup.Parcel{ID: "P-1", AdultOnly: true}},
		{"note", pickup.Parcel{ID: "P-1", Note: "two boxes"}},
		{"hold", pickup.Parcel{ID: "P-1", Hold: &pickup.Hold{}}},
		{"labels", pickup.Parcel{ID: "P-1", Labels: []string{"chilled"}}},
		{"refs", pickup.Parcel{ID: "P-1", Refs: map[string]string{"order": "A-77"}}},
	} {
		before := &pickup.Snapshot{Parcels: []pickup.Parcel{plain}}
		after := &pickup.Snapshot{Parcels: []pickup.Parcel{tc.changed}}
		for _, got := range [][]pickup.Change{pickup.Compare(before, after), pickup.Compare(after, before)} {
			if len(got) != 1 || !reflect.DeepEqual(got[0].Fields, []string{tc.field}) {
				t.Errorf("%s: changes %+v", tc.field, got)
			}
		}
	}
}

func TestCompareOfEqualHolds(t *testing.T) {
	held := func(h pickup.Hold) *pickup.Snapshot {
		return &pickup.Snapshot{Parcels: []pickup.Parcel{{ID: "P-1", Hold: &h}}}
	}
	until := opening.Add(time.Hour)
	a := held(pickup.Hold{Reason: "address", Until: until})
	b := held(pickup.Hold{Reason: "address", Until: until.In(time.FixedZone("CEST", 7200))})
	if got := pickup.Compare(a, b); len(got) != 0 {
		t.Errorf("changes %+v, want none", got)
	}
	if got := pickup.Compare(a, held(pickup.Hold{Reason: "address"})); len(got) != 1 {
		t.Errorf("changes %+v, want one", got)
	}
}

func TestCompareWithNoSnapshot(t *testing.T) {
	s := &pickup.Snapshot{Parcels: []pickup.Parcel{{ID: "P-1"}}}
	if got := pickup.Compare(nil, s); len(got) != 1 || got[0].Kind != pickup.Arrived {
		t.Errorf("changes %+v, want an arrival", got)
	}
	if got := pickup.Compare(s, nil); len(got) != 1 || got[0].Kind != pickup.Left {
		t.Errorf("changes %+v, want a departure", got)
	}
}
