package pickup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/lastmile/pickup"
)

// listing is a shelf service without a network. Its bodies are served in
// order, the cursor of the nth being "n"; a test replaces them between polls.
type listing struct {
	bodies []string
}

func (l *listing) RoundTrip(r *http.Request) (*http.Response, error) {
	n := 0
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		if _, err := fmt.Sscanf(cursor, "%d", &n); err != nil {
			return nil, err
		}
	}
	code, body := http.StatusOK, "gone"
	if n < len(l.bodies) {
		body = l.bodies[n]
	} else {
		code = http.StatusGone
	}
	return &http.Response{
		StatusCode: code,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(body)),
		Request:    r,
	}, nil
}

// pages makes bodies of lists of parcels, each but the last with a cursor.
func pages(lists ...string) []string {
	var bodies []string
	for i, list := range lists {
		next := ""
		if i+1 < len(lists) {
			next = fmt.Sprintf(`, "next": "%d"`, i+1)
		}
		bodies = append(bodies, fmt.Sprintf(`{"parcels": [%s]%s}`, list, next))
	}
	return bodies
}

// attempt returns what f returns, unless it panics or hangs.
func attempt[T any](t *testing.T, f func() T) T {
	t.Helper()
	type outcome struct {
		value    T
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value = f()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			t.Fatalf("panic: %v", o.panicked)
		}
		return o.value
	case <-time.After(10 * time.Second):
		t.Fatal("the call does not return")
		panic("unreachable")
	}
}

func watcherOf(t *testing.T, l *listing, opts ...pickup.Option) *pickup.Watcher {
	t.Helper()
	opts = append(opts, pickup.WithHTTPClient(&http.Client{Transport: l}))
	w, err := pickup.NewWatcher("http://shop-17.example/shelf?token=s3", opts...)
	if err != nil {
		t.Fatalf("NewWatcher: %v", err)
	}
	return w
}

func tryPoll(t *testing.T, w *pickup.Watcher) (*pickup.Snapshot, error) {
	t.Helper()
	var err error
	s := attempt(t, func() (s *pickup.Snapshot) {
		s, err = w.Poll(context.Background())
		return s
	})
	return s, err
}

// take polls once the service lists the given pages.
func take(t *testing.T, w *pickup.Watcher, l *listing, lists ...string) *pickup.Snapshot {
	t.Helper()
	l.bodies = pages(lists...)
	s, err := tryPoll(t, w)
	if err != nil {
		t.Fatalf("Poll: %v", err)
	}
	if s == nil {
		t.Fatal("Poll returns neither a snapshot nor an error")
	}
	return s
}

// describe writes p in a form of its own. Empty and nil lists are alike.
func describe(p pickup.Parcel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s recipient=%q rack=%q grams=%d size=%d/%d/%d due=%d adult=%t note=%q",
		p.ID, p.Recipient, p.Rack, p.Grams, p.Size.Length, p.Size.Width, p.Size.Height, p.Due, p.AdultOnly, p.Note)
	if p.Hold != nil {
		fmt.Fprintf(&b, " hold=%q,%d,%q", p.Hold.Reason, p.Hold.Until.Unix(), p.Hold.By)
	}
	fmt.Fprintf(&b, " labels=%q", p.Labels)
	var kinds []string
	for kind, number := range p.Refs {
		kinds = append(kinds, kind+":"+number)
	}
	slices.Sort(kinds)
	fmt.Fprintf(&b, " refs=%q", kinds)
	return b.String()
}

func wantParcels(t *testing.T, s *pickup.Snapshot, want ...pickup.Parcel) {
	t.Helper()
	if len(s.Parcels) != len(want) {
		t.Errorf("%d parcels, want %d", len(s.Parcels), len(want))
		return
	}
	for i := range want {
		if got, want := describe(s.Parcels[i]), describe(want[i]); got != want {
			t.Errorf("parcel %d\n got %s\nwant %s", i, got, want)
			return
		}
	}
}

// full is the JSON of a parcel that has everything.
func full(id string) string {
	return fmt.Sprintf(`{"id": %q, "recipient": "M. Okafor", "rack": "B4", "grams": 820,
		"size": {"length": 300, "width": 200, "height": 90}, "due": 1250, "adult_only": true,
		"note": "rings twice", "hold": {"reason": "unpaid duty", "until": "2025-05-09T12:00:00Z", "by": "till 2"},
		"labels": ["fragile", "chilled", "this side up"], "refs": {"order": "A-77", "invoice": "9001"}}`, id)
}

// fullParcel is what full says.
func fullParcel(id string) pickup.Parcel {
	return pickup.Parcel{
		ID: id, Recipient: "M. Okafor", Rack: "B4", Grams: 820,
		Size: pickup.Size{Length: 300, Width: 200, Height: 90}, Due: 1250, AdultOnly: true,
		Note:   "rings twice",
		Hold:   &pickup.Hold{Reason: "unpaid duty", Until: time.Date(2025, time.May, 9, 12, 0, 0, 0, time.UTC), By: "till 2"},
		Labels: []string{"fragile", "chilled", "this side up"},
		Refs:   map[string]string{"order": "A-77", "invoice": "9001"},
	}
}

// sparse lists ways to leave things out of a parcel named P-2.
var sparse = []struct {
	name, json string
	want       pickup.Parcel
}{
	{"everything", `{"id": "P-2"}`, pickup.Parcel{ID: "P-2"}},
	{
		"everything_as_null",
		`{"id": "P-2", "recipient": null, "rack": null, "grams": null, "size": null, "due": null,
			"adult_only": null, "note": null, "hold": null, "labels": null, "refs": null}`,
		pickup.Parcel{ID: "P-2"},
	},
	{"all_but_recipient", `{"id": "P-2", "recipient": "J. Lind"}`, pickup.Parcel{ID: "P-2", Recipient: "J. Lind"}},
	{"all_but_rack", `{"id": "P-2", "rack": "A1"}`, pickup.Parcel{ID: "P-2", Rack: "A1"}},
	{"all_but_grams", `{"id": "P-2", "grams": 15}`, pickup.Parcel{ID: "P-2", Grams: 15}},
	{"all_but_note", `{"id": "P-2", "note": "shy"}`, pickup.Parcel{ID: "P-2", Note: "shy"}},
	{"all_but_due", `{"id": "P-2", "due": 3}`, pickup.Parcel{ID: "P-2", Due: 3}},
	{"all_but_age_check", `{"id": "P-2", "adult_only": true}`, pickup.Parcel{ID: "P-2", AdultOnly: true}},
	{
		"two_sides_of_the_size", `{"id": "P-2", "size": {"width": 44}}`,
		pickup.Parcel{ID: "P-2", Size: pickup.Size{Width: 44}},
	},
	{
		"end_and_author_of_the_hold", `{"id": "P-2", "hold": {"reason": "address"}}`,
		pickup.Parcel{ID: "P-2", Hold: &pickup.Hold{Reason: "address"}},
	},
	{
		"reason_of_the_hold", `{"id": "P-2", "hold": {"until": "2025-06-01T08:00:00Z", "reason": null}}`,
		pickup.Parcel{ID: "P-2", Hold: &pickup.Hold{Until: time.Date(2025, time.June, 1, 8, 0, 0, 0, time.UTC)}},
	},
	{
		"some_labels", `{"id": "P-2", "labels": ["heavy"]}`,
		pickup.Parcel{ID: "P-2", Labels: []string{"heavy"}},
	},
	{
		"some_references", `{"id": "P-2", "refs": {"customs": "C-3"}}`,
		pickup.Parcel{ID: "P-2", Refs: map[string]string{"customs": "C-3"}},
	},
	{
		"note_and_hold",
		`{"id": "P-2", "recipient": "J. Lind", "rack": "A1", "grams": 15, "size": {"length": 1, "width": 2, "height": 3},
			"due": 4, "adult_only": false, "labels": ["heavy"], "refs": {"order": "B-1"}}`,
		pickup.Parcel{
			ID: "P-2", Recipient: "J. Lind", Rack: "A1", Grams: 15, Size: pickup.Size{Length: 1, Width: 2, Height: 3},
			Due: 4, Labels: []string{"heavy"}, Refs: map[string]string{"order": "B-1"},
		},
	},
}

func TestWhatThePreviousPollListedDoesNotFillGaps(t *testing.T) {
	for _, c := range sparse {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			w := watcherOf(t, l)
			wantParcels(t, take(t, w, l, full("P-1")), fullParcel("P-1"))
			wantParcels(t, take(t, w, l, c.json), c.want)
			wantParcels(t, take(t, w, l, full("P-2")), fullParcel("P-2"))
		})
	}
}

func TestWhatThePreviousPageListedDoesNotFillGaps(t *testing.T) {
	for _, c := range sparse {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			w := watcherOf(t, l)
			wantParcels(t, take(t, w, l, full("P-1"), c.json, full("P-3")), fullParcel("P-1"), c.want, fullParcel("P-3"))
		})
	}
}

// TestGapsOfTheFirstListing has nothing before that could fill them.
func TestGapsOfTheFirstListing(t *testing.T) {
	for _, c := range sparse {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			wantParcels(t, take(t, watcherOf(t, l), l, c.json), c.want)
		})
	}
}

func TestParcelKeepsToItselfWhenAnotherLeaves(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	take(t, w, l, full("P-1")+`, {"id": "P-2", "recipient": "J. Lind"}, `+full("P-3"))
	got := take(t, w, l, `{"id": "P-2", "recipient": "J. Lind"}, `+full("P-3")+`, {"id": "P-4", "note": "new"}`)
	wantParcels(t, got, pickup.Parcel{ID: "P-2", Recipient: "J. Lind"}, fullParcel("P-3"), pickup.Parcel{ID: "P-4", Note: "new"})
}

func TestSameParcelLosesWhatTheServiceDrops(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	take(t, w, l, full("P-1"))
	wantParcels(t, take(t, w, l, `{"id": "P-1", "rack": "B4"}`), pickup.Parcel{ID: "P-1", Rack: "B4"})
}

// TestShelvesOfAnySize lists full parcels and then bare ones, more or fewer.
func TestShelvesOfAnySize(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int // full and bare in turn
	}{
		{"one", []int{1, 1}},
		{"several", []int{7, 7}},
		{"more_than_before", []int{5, 64, 5, 130}},
		{"fewer_than_before", []int{300, 9, 300, 1}},
		{"few_between_many", []int{90, 2, 1, 90}},
		{"none_between_many", []int{41, 0, 0, 41}},
		{"thousands", []int{6000, 6001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{}
			w := watcherOf(t, l)
			for poll, size := range c.sizes {
				var list []string
				var want []pickup.Parcel
				for i := range size {
					id := fmt.Sprintf("P-%d-%d", poll, i)
					if poll%2 == 0 {
						list, want = append(list, full(id)), append(want, fullParcel(id))
					} else {
						list, want = append(list, fmt.Sprintf(`{"id": %q}`, id)), append(want, pickup.Parcel{ID: id})
					}
				}
				wantParcels(t, take(t, w, l, strings.Join(list, ",\n")), want...)
			}
		})
	}
}

func TestManyPagesDoNotMixUp(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	for range 2 {
		var lists []string
		var want []pickup.Parcel
		for n := range 60 {
			var list []string
			for i := range 1 + (n*7)%5 {
				id := fmt.Sprintf("P-%d-%d", n, i)
				switch (n + i) % 3 {
				case 0:
					list, want = append(list, full(id)), append(want, fullParcel(id))
				case 1:
					list = append(list, fmt.Sprintf(`{"id": %q, "labels": ["l%d"], "refs": {"k%d": "v"}}`, id, n, n))
					want = append(want, pickup.Parcel{
						ID: id, Labels: []string{fmt.Sprintf("l%d", n)}, Refs: map[string]string{fmt.Sprintf("k%d", n): "v"},
					})
				default:
					list = append(list, fmt.Sprintf(`{"id": %q, "hold": {"by": "till %d"}}`, id, n))
					want = append(want, pickup.Parcel{ID: id, Hold: &pickup.Hold{By: fmt.Sprintf("till %d", n)}})
				}
			}
			lists = append(lists, strings.Join(list, ","))
		}
		wantParcels(t, take(t, w, l, lists...), want...)
	}
}

// TestFailedPollLeavesNothingBehind lets a poll fail after full parcels have
// arrived, and then lists bare ones.
func TestFailedPollLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		name   string
		bodies []string
	}{
		{"wrong_type_beside_parcels", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `, {"id": "P-3", "grams": "heavy"}]}`}},
		{"wrong_type_of_cursor", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `], "next": 7}`}},
		{"status", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `], "next": "5"}`}},
		{"cut_off", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2")}},
		{"cut_off_after_a_page", []string{
			`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `], "next": "1"}`, `{"parcels": [{"id": "P-3"`,
		}},
		{"no_id", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `, {"rack": "A1"}]}`}},
		{"too_many_pages", []string{`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `], "next": "0"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{bodies: c.bodies}
			w := watcherOf(t, l, pickup.WithMaxPages(9))
			for range 2 {
				if s, err := tryPoll(t, w); err == nil || s != nil {
					t.Errorf("Poll = %v, %v; want only an error", s, err)
				}
			}
			wantParcels(t, take(t, w, l, `{"id": "P-8"}, {"id": "P-9", "note": "shy"}`),
				pickup.Parcel{ID: "P-8"}, pickup.Parcel{ID: "P-9", Note: "shy"})
		})
	}
}

func TestMissingIDIsReportedWhateverWasListedBefore(t *testing.T) {
	unrelated := errors.New("unrelated")
	if pickup.ErrNoID == nil || errors.Is(unrelated, pickup.ErrNoID) {
		t.Fatal("ErrNoID does not tell errors apart")
	}
	for _, c := range []struct {
		name  string
		lists []string
	}{
		{"at_once", []string{`{"rack": "A1"}`}},
		{"after_a_page", []string{full("P-1") + "," + full("P-2"), `{"id": "P-3"}, {"rack": "A1"}`}},
		{"as_null_after_a_page", []string{full("P-1"), `{"id": null, "rack": "A1"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{bodies: pages(c.lists...)}
			if s, err := tryPoll(t, watcherOf(t, l)); !errors.Is(err, pickup.ErrNoID) || s != nil {
				t.Errorf("Poll = %v, %v; want ErrNoID", s, err)
			}
		})
	}
	t.Run("after_a_poll", func(t *testing.T) {
		l := &listing{}
		w := watcherOf(t, l)
		take(t, w, l, full("P-1"))
		l.bodies = pages(`{"rack": "A1"}`)
		if s, err := tryPoll(t, w); !errors.Is(err, pickup.ErrNoID) || s != nil {
			t.Errorf("Poll = %v, %v; want ErrNoID", s, err)
		}
	})
}

func TestPageWithoutParcelsAddsNone(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"nothing", `{"next": "2"}`},
		{"null", `{"parcels": null, "next": "2"}`},
		{"empty", `{"parcels": [], "next": "2"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &listing{bodies: []string{
				`{"parcels": [` + full("P-1") + `, ` + full("P-2") + `], "next": "1"}`, c.body, `{"parcels": [{"id": "P-3"}]}`,
			}}
			w := watcherOf(t, l)
			s, err := tryPoll(t, w)
			if err != nil {
				t.Fatalf("Poll: %v", err)
			}
			wantParcels(t, s, fullParcel("P-1"), fullParcel("P-2"), pickup.Parcel{ID: "P-3"})
			l.bodies = []string{`{}`}
			if s, err = tryPoll(t, w); err != nil {
				t.Fatalf("Poll: %v", err)
			}
			wantParcels(t, s)
		})
	}
}

func TestLaterListingReplacesTheEarlierOneWhole(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	for range 2 {
		got := take(t, w, l,
			full("P-1")+`, {"id": "P-2"}, `+full("P-3"),
			full("P-4")+`, {"id": "P-3", "rack": "C1"}`,
			`{"id": "P-1", "rack": "C2"}, {"id": "P-5"}`)
		wantParcels(t, got, pickup.Parcel{ID: "P-1", Rack: "C2"}, pickup.Parcel{ID: "P-2"},
			pickup.Parcel{ID: "P-3", Rack: "C1"}, fullParcel("P-4"), pickup.Parcel{ID: "P-5"})
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	l := &listing{}
	w := watcherOf(t, l)
	for range 2 {
		l.bodies = []string{`{"shop": 17, "parcels": [{"id": "P-1", "colour": "brown", "hold": {"code": 5}, "size": {"girth": 8}}]}`}
		s, err := tryPoll(t, w)
		if err != nil {
			t.Fatalf("Poll: %v", err)
		}
		wantParcels(t, s, pickup.Parcel{ID: "P-1", Hold: &pickup.Hold{}})
	}
}
