package pickup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/lastmile/pickup"
)

func TestEarlierSnapshotsStayAsTheyWere(t *testing.T) {
	for _, c := range []struct{ name, then string }{
		{"bare_parcel", `{"id": "P-9"}`},
		{"other_hold", `{"id": "P-1", "hold": {"reason": "address", "until": "2025-06-01T08:00:00Z", "by": "till 7"}}`},
		{"hold_with_gaps", `{"id": "P-9", "hold": {"by": "till 7"}}`},
		{"other_labels", `{"id": "P-1", "labels": ["heavy", "long", "wet"]}`},
		{"fewer_labels", `{"id": "P-9", "labels": ["heavy"]}`},
		{"same_references", `{"id": "P-1", "refs": {"order": "B-1", "invoice": "1"}}`},
		{"other_references", `{"id": "P-9", "refs": {"customs": "C-3"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			w := watcherOf(t, l)
			first := take(t, w, l, full("P-1")+`, `+full("P-2"))
			second := take(t, w, l, c.then)
			third := take(t, w, l, full("P-3")+`, {"id": "P-4", "labels": ["x"], "refs": {"order": "x"}, "hold": {"by": "x"}}`)
			take(t, w, l, c.then+`, {"id": "P-5", "labels": ["y"], "refs": {"order": "y"}, "hold": {"by": "y"}}`)
			wantParcels(t, first, fullParcel("P-1"), fullParcel("P-2"))
			if len(second.Parcels) != 1 {
				t.Errorf("%d parcels, want 1", len(second.Parcels))
			}
			wantParcels(t, third, fullParcel("P-3"), pickup.Parcel{
				ID: "P-4", Labels: []string{"x"}, Refs: map[string]string{"order": "x"}, Hold: &pickup.Hold{By: "x"},
			})
		})
	}
}

func TestEarlierPagesStayAsTheyWere(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	var lists []string
	var want []pickup.Parcel
	for i := range 12 {
		lists = append(lists, fmt.Sprintf(
			`{"id": "P-%d", "labels": ["a%d", "b%d"], "refs": {"order": "%d"}, "hold": {"reason": "r%d", "by": "b%d"}}`, i, i, i, i, i, i))
		want = append(want, pickup.Parcel{
			ID:     fmt.Sprintf("P-%d", i),
			Labels: []string{fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)},
			Refs:   map[string]string{"order": fmt.Sprint(i)},
			Hold:   &pickup.Hold{Reason: fmt.Sprintf("r%d", i), By: fmt.Sprintf("b%d", i)},
		})
	}
	wantParcels(t, take(t, w, l, lists...), want...)
}

func TestCallersChangesStayInTheirSnapshot(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	for range 3 {
		s := take(t, w, l, full("P-1"), full("P-2"))
		wantParcels(t, s, fullParcel("P-1"), fullParcel("P-2"))
		for i := range s.Parcels {
			p := &s.Parcels[i]
			p.Labels[0], p.Labels[1] = "mine", "mine"
			p.Refs["mine"] = "1"
			p.Hold.Reason, p.Hold.By = "mine", "mine"
			p.Note = "mine"
		}
		bare := take(t, w, l, `{"id": "P-1", "labels": ["heavy"], "refs": {"order": "B-1"}, "hold": {}}`)
		wantParcels(t, bare, pickup.Parcel{
			ID: "P-1", Labels: []string{"heavy"}, Refs: map[string]string{"order": "B-1"}, Hold: &pickup.Hold{},
		})
		clear(bare.Parcels)
	}
}

func TestWatchersDoNotShareAnything(t *testing.T) {
	la, lb := &listing{}, &listing{}
	a, b := watcherOf(t, la), watcherOf(t, lb)
	for range 3 {
		fromA := take(t, a, la, full("P-1"), full("P-2"))
		fromB := take(t, b, lb, `{"id": "P-1"}, {"id": "P-2", "labels": ["heavy"]}`, `{"id": "P-3"}`)
		wantParcels(t, fromA, fullParcel("P-1"), fullParcel("P-2"))
		wantParcels(t, fromB, pickup.Parcel{ID: "P-1"}, pickup.Parcel{ID: "P-2", Labels: []string{"heavy"}}, pickup.Parcel{ID: "P-3"})
	}
}

// changes writes what Compare returns, one change a line.
func changes(t *testing.T, before, after *pickup.Snapshot) []string {
	t.Helper()
	var lines []string
	for _, c := range attempt(t, func() []pickup.Change { return pickup.Compare(before, after) }) {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Kind, c.Parcel.ID, strings.Join(c.Fields, " "))))
	}
	return lines
}

func TestCompareTellsWhatTheServiceDropped(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []string
	}{
		{
			"lifted_hold", `{"id": "P-1", "rack": "A1", "hold": {"reason": "unpaid duty"}}`, `{"id": "P-1", "rack": "A1"}`,
			[]string{"changed P-1 hold"},
		},
		{
			"hold_without_an_end", `{"id": "P-1", "hold": {"until": "2025-05-09T12:00:00Z"}}`, `{"id": "P-1", "hold": {}}`,
			[]string{"changed P-1 hold"},
		},
		{
			"another_hold", `{"id": "P-1", "hold": {"reason": "address"}}`, `{"id": "P-1", "hold": {"reason": "unpaid duty"}}`,
			[]string{"changed P-1 hold"},
		},
		{"dropped_note", `{"id": "P-1", "note": "shy"}`, `{"id": "P-1"}`, []string{"changed P-1 note"}},
		{"other_label", `{"id": "P-1", "labels": ["heavy"]}`, `{"id": "P-1", "labels": ["fragile"]}`, []string{"changed P-1 labels"}},
		{"other_reference", `{"id": "P-1", "refs": {"order": "1"}}`, `{"id": "P-1", "refs": {"order": "2"}}`, []string{"changed P-1 refs"}},
		{
			"everything", full("P-1"), `{"id": "P-1"}`,
			[]string{"changed P-1 recipient rack grams size due adult_only note hold labels refs"},
		},
		{
			"order_alone", full("P-1") + `, {"id": "P-2"}, {"id": "P-3", "note": "shy"}`,
			`{"id": "P-3", "note": "shy"}, {"id": "P-2"}, ` + full("P-1"), nil,
		},
		{
			"first_one_left", full("P-1") + `, {"id": "P-2"}, {"id": "P-3", "due": 5}`, `{"id": "P-2"}, {"id": "P-3", "due": 5}`,
			[]string{"left P-1"},
		},
		{
			"new_one_in_front", full("P-1") + `, {"id": "P-2"}`, `{"id": "P-7"}, ` + full("P-1") + `, {"id": "P-2"}`,
			[]string{"arrived P-7"},
		},
		{"nothing", full("P-1") + `, {"id": "P-2"}`, full("P-1") + `, {"id": "P-2"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			w := watcherOf(t, l)
			before := take(t, w, l, c.before)
			after := take(t, w, l, c.after)
			if got := changes(t, before, after); !slices.Equal(got, c.want) {
				t.Errorf("changes %q, want %q", got, c.want)
			}
		})
	}
}

func TestLiftedHoldsAndPaidParcelsAtTheCounter(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	take(t, w, l, full("P-1")+`, `+full("P-2")+`, {"id": "P-3", "recipient": "M. Okafor"}`)
	s := take(t, w, l, `{"id": "P-3", "recipient": "M. Okafor"}, {"id": "P-2", "recipient": "M. Okafor", "due": 40}, {"id": "P-1"}`)
	now := time.Date(2025, time.May, 6, 9, 0, 0, 0, time.UTC)
	var ready []string
	for _, p := range attempt(t, func() []pickup.Parcel { return s.Ready(now) }) {
		ready = append(ready, p.ID)
	}
	if want := []string{"P-1", "P-2", "P-3"}; !slices.Equal(ready, want) {
		t.Errorf("ready %q, want %q", ready, want)
	}
	if due := attempt(t, func() int64 { return s.DueTotal("M. Okafor") }); due != 40 {
		t.Errorf("DueTotal = %d, want 40", due)
	}
}
