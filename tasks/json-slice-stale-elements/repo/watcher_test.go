package pickup_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"testing"
	"time"

	"example.com/lastmile/pickup"
)

var opening = time.Date(2025, time.May, 6, 9, 0, 0, 0, time.UTC)

// shop is a shelf service. A test fills the shelves and may change them
// between polls.
type shop struct {
	pages [][]pickup.Parcel
	asked []string // cursors, in order
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cursor := r.URL.Query().Get("cursor")
	s.asked = append(s.asked, cursor)
	n, _ := strconv.Atoi(cursor)
	if n >= len(s.pages) {
		http.NotFound(w, r)
		return
	}
	body := map[string]any{"parcels": s.pages[n]}
	if n+1 < len(s.pages) {
		body["next"] = strconv.Itoa(n + 1)
	}
	json.NewEncoder(w).Encode(body)
}

func watch(t *testing.T, h http.Handler, opts ...pickup.Option) *pickup.Watcher {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	opts = append([]pickup.Option{
		pickup.WithHTTPClient(srv.Client()),
		pickup.WithClock(func() time.Time { return opening }),
	}, opts...)
	w, err := pickup.NewWatcher(srv.URL+"/shelf", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func poll(t *testing.T, w *pickup.Watcher) *pickup.Snapshot {
	t.Helper()
	s, err := w.Poll(context.Background())
	if err != nil {
		t.Fatalf("Poll: %v", err)
	}
	return s
}

func ids(parcels []pickup.Parcel) []string {
	var out []string
	for _, p := range parcels {
		out = append(out, p.ID)
	}
	return out
}

func wantIDs(t *testing.T, parcels []pickup.Parcel, want ...string) {
	t.Helper()
	if got := ids(parcels); !reflect.DeepEqual(got, want) {
		t.Errorf("parcels %q, want %q", got, want)
	}
}

func TestPollReadsTheDocumentedFormat(t *testing.T) {
	w := watch(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"shop": 17, "parcels": [
			{"id": "P-1041", "recipient": "M. Okafor", "rack": "B4", "grams": 820},
			{"id": "P-1042", "recipient": "J. Lind", "rack": "A1", "note": "two boxes", "due": 1250,
			 "size": {"length": 300, "width": 200, "height": 90}, "adult_only": true,
			 "hold": {"reason": "unpaid duty", "until": "2025-05-09T12:00:00Z"},
			 "labels": ["fragile"], "refs": {"order": "A-77"}, "colour": "brown"}
		]}`)
	}))
	got := poll(t, w)
	want := &pickup.Snapshot{Taken: opening, Parcels: []pickup.Parcel{
		{ID: "P-1041", Recipient: "M. Okafor", Rack: "B4", Grams: 820},
		{
			ID: "P-1042", Recipient: "J. Lind", Rack: "A1", Note: "two boxes", Due: 1250,
			Size: pickup.Size{Length: 300, Width: 200, Height: 90}, AdultOnly: true,
			Hold:   &pickup.Hold{Reason: "unpaid duty", Until: time.Date(2025, time.May, 9, 12, 0, 0, 0, time.UTC)},
			Labels: []string{"fragile"}, Refs: map[string]string{"order": "A-77"},
		},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("snapshot %+v, want %+v", got, want)
	}
}

func TestPollFollowsTheCursors(t *testing.T) {
	s := &shop{pages: [][]pickup.Parcel{
		{{ID: "P-1", Rack: "A1"}, {ID: "P-2", Rack: "A2"}},
		{{ID: "P-3", Rack: "B1"}, {ID: "P-4", Rack: "B2"}},
		{{ID: "P-5", Rack: "C1"}},
	}}
	w := watch(t, s)
	for range 2 {
		s.asked = nil
		snapshot := poll(t, w)
		wantIDs(t, snapshot.Parcels, "P-1", "P-2", "P-3", "P-4", "P-5")
		if rack := snapshot.Parcels[4].Rack; rack != "C1" {
			t.Errorf("P-5 is on rack %q, want C1", rack)
		}
		if want := []string{"", "1", "2"}; !reflect.DeepEqual(s.asked, want) {
			t.Errorf("asked for pages %q, want %q", s.asked, want)
		}
	}
}

func TestPollSeesShrinkingAndGrowingShelves(t *testing.T) {
	s := &shop{}
	w := watch(t, s)
	for _, n := range []int{3, 1, 0, 4, 2} {
		var shelf []pickup.Parcel
		var want []string
		for i := range n {
			shelf = append(shelf, pickup.Parcel{ID: fmt.Sprintf("P-%d-%d", n, i), Grams: 100 * i})
			want = append(want, shelf[i].ID)
		}
		s.pages = [][]pickup.Parcel{shelf}
		wantIDs(t, poll(t, w).Parcels, want...)
	}
}

func TestParcelThatMovesWhilePolling(t *testing.T) {
	w := watch(t, &shop{pages: [][]pickup.Parcel{
		{{ID: "P-1", Rack: "A1"}, {ID: "P-2", Rack: "A2"}},
		{{ID: "P-1", Rack: "C9"}, {ID: "P-3", Rack: "B1"}},
	}})
	got := poll(t, w).Parcels
	wantIDs(t, got, "P-1", "P-2", "P-3")
	if got[0].Rack != "C9" {
		t.Errorf("P-1 is on rack %q, want C9", got[0].Rack)
	}
}

func TestPollReportsWhatWentWrong(t *testing.T) {
	s := &shop{pages: [][]pickup.Parcel{{{ID: "P-1"}}, {{Rack: "A1"}}}}
	w := watch(t, s)
	if _, err := w.Poll(context.Background()); !errors.Is(err, pickup.ErrNoID) {
		t.Errorf("Poll: error %v, want ErrNoID", err)
	}

	s.pages = nil
	var status *pickup.StatusError
	if _, err := w.Poll(context.Background()); !errors.As(err, &status) || status.Code != http.StatusNotFound {
		t.Errorf("Poll: error %v, want status 404", err)
	} else if want := `pickup: page "": 404 Not Found`; err.Error() != want {
		t.Errorf("Poll: error %q, want %q", err, want)
	}

	s.pages = [][]pickup.Parcel{{{ID: "P-1"}}}
	wantIDs(t, poll(t, w).Parcels, "P-1")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Poll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Poll: error %v, want context.Canceled", err)
	}
}

func TestPollRejectsWhatIsNotJSON(t *testing.T) {
	w := watch(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<html>Maintenance</html>")
	}))
	if s, err := w.Poll(context.Background()); err == nil {
		t.Errorf("Poll = %+v, want an error", s)
	}
}

func TestPollGivesUpAfterTheLastPageAllowed(t *testing.T) {
	pages := [][]pickup.Parcel{{{ID: "P-1"}}, {{ID: "P-2"}}, {{ID: "P-3"}}}
	if _, err := watch(t, &shop{pages: pages}, pickup.WithMaxPages(2)).Poll(context.Background()); !errors.Is(err, pickup.ErrTooManyPages) {
		t.Errorf("Poll: error %v, want ErrTooManyPages", err)
	}
	wantIDs(t, poll(t, watch(t, &shop{pages: pages}, pickup.WithMaxPages(3))).Parcels, "P-1", "P-2", "P-3")
}

func TestPollKeepsTheQueryOfTheBaseURL(t *testing.T) {
	var queries []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.RawQuery)
		if r.URL.Query().Get("cursor") == "" {
			io.WriteString(w, `{"next": "a b"}`)
			return
		}
		io.WriteString(w, `{}`)
	}))
	defer srv.Close()
	w, err := pickup.NewWatcher(srv.URL + "?token=s3")
	if err != nil {
		t.Fatal(err)
	}
	poll(t, w)
	if want := []string{"token=s3", "cursor=a+b&token=s3"}; !reflect.DeepEqual(queries, want) {
		t.Errorf("queries %q, want %q", queries, want)
	}
}

func TestNewWatcherRejectsBadArguments(t *testing.T) {
	for _, base := range []string{"", "shop-17/shelf", "ftp://shop-17.example"} {
		if _, err := pickup.NewWatcher(base); !errors.Is(err, pickup.ErrOption) {
			t.Errorf("NewWatcher(%q): error %v, want ErrOption", base, err)
		}
	}
	if _, err := pickup.NewWatcher("http://[::1"); err == nil {
		t.Error("NewWatcher accepts a malformed URL")
	}
	for name, opt := range map[string]pickup.Option{
		"no client": pickup.WithHTTPClient(nil),
		"no pages":  pickup.WithMaxPages(0),
	} {
		if _, err := pickup.NewWatcher("http://shop-17.example", opt); !errors.Is(err, pickup.ErrOption) {
			t.Errorf("%s: error %v, want ErrOption", name, err)
		}
	}
}
