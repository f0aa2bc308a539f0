package counter_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"example.com/townhall/counter"
	"example.com/townhall/counter/caller"
)

var offices = []string{"registry", "north-2"}

// send serves one request with the given headers, as name and value in turn.
func send(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// whoami answers with the office and the clerk.
var whoami = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	code, _ := caller.Office(r.Context())
	io.WriteString(w, code)
	if c, ok := caller.ClerkOf(r.Context()); ok {
		io.WriteString(w, " "+c.String())
	}
})

// mydocket answers with the number of the request.
var mydocket = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	number, _ := counter.Docket(r.Context())
	io.WriteString(w, number)
})

func TestDeskTellsHandlersWhoIsCalling(t *testing.T) {
	h := counter.New(offices).Wrap(whoami)
	if got := send(h, "/permits", "X-Office", "registry").Body.String(); got != "registry" {
		t.Errorf("answer %q, want registry", got)
	}
	if got := send(h, "/permits", "X-Office", "north-2", "X-Clerk", "imke@4").Body.String(); got != "north-2 imke@4" {
		t.Errorf("answer %q, want north-2 imke@4", got)
	}
}

func TestDeskTurnsStrangersAway(t *testing.T) {
	ledger := counter.NewLedger(nil)
	h := counter.New(offices, counter.WithLedger(ledger), counter.WithDockets(counter.NewDockets("D"))).Wrap(whoami)
	for _, tc := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"no office", nil, http.StatusBadRequest},
		{"unknown office", []string{"X-Office", "south-1"}, http.StatusForbidden},
		{"malformed clerk", []string{"X-Office", "registry", "X-Clerk", "imke"}, http.StatusBadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := send(h, "/permits", tc.headers...)
			if w.Code != tc.want {
				t.Errorf("status %d, want %d", w.Code, tc.want)
			}
			if got := w.Result().Header.Get("X-Docket"); got != "" {
				t.Errorf("the answer has the number %q", got)
			}
		})
	}
	if got := ledger.Records(); len(got) != 0 {
		t.Errorf("recorded %v", got)
	}
}

func TestDeskNumbersRequests(t *testing.T) {
	h := counter.New(offices, counter.WithDockets(counter.NewDockets("N"))).Wrap(mydocket)
	for _, want := range []string{"N-000001", "N-000002"} {
		w := send(h, "/permits", "X-Office", "registry")
		if got := w.Body.String(); got != want {
			t.Errorf("Docket = %q, want %q", got, want)
		}
		if got := w.Result().Header.Get("X-Docket"); got != want {
			t.Errorf("X-Docket = %q, want %q", got, want)
		}
	}
}

func TestDeskKeepsWellFormedNumbers(t *testing.T) {
	h := counter.New(offices, counter.WithDockets(counter.NewDockets("N"))).Wrap(mydocket)
	for _, tc := range []struct{ brought, want string }{
		{"mail-77", "mail-77"},
		{"mail 77", "N-000001"},
		{"a-number-that-is-far-too-long-to-file", "N-000002"},
	} {
		if got := send(h, "/", "X-Office", "registry", "X-Docket", tc.brought).Body.String(); got != tc.want {
			t.Errorf("Docket = %q for %q, want %q", got, tc.brought, tc.want)
		}
	}
}

func TestLedgerRecordsRequests(t *testing.T) {
	now := time.Date(2025, 5, 6, 8, 30, 0, 0, time.UTC)
	ledger := counter.NewLedger(func() time.Time { return now })
	h := counter.New(offices, counter.WithLedger(ledger)).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/lost" {
			http.NotFound(w, r)
		}
	}))
	send(h, "/permits", "X-Office", "registry")
	send(h, "/lost", "X-Office", "north-2", "X-Clerk", "imke@4")

	got := ledger.ByOffice("north-2")
	if len(got) != 1 || got[0].Path != "/lost" || got[0].Status != http.StatusNotFound || got[0].Clerk != "imke@4" {
		t.Errorf("ByOffice(north-2) = %+v, want the request for /lost", got)
	}
	got = ledger.ByOffice("registry")
	if len(got) != 1 || got[0].Path != "/permits" || got[0].Status != http.StatusOK || !got[0].At.Equal(now) {
		t.Errorf("ByOffice(registry) = %+v, want the request for /permits", got)
	}
}

func TestLedgerRecordsNumbers(t *testing.T) {
	ledger := counter.NewLedger(nil)
	h := counter.New(offices, counter.WithLedger(ledger), counter.WithDockets(counter.NewDockets("N"))).Wrap(whoami)
	for range 3 {
		send(h, "/permits", "X-Office", "registry")
	}
	var numbers []string
	for _, rec := range ledger.Records() {
		numbers = append(numbers, rec.Docket)
	}
	if want := []string{"N-000001", "N-000002", "N-000003"}; !slices.Equal(numbers, want) {
		t.Errorf("numbers %q, want %q", numbers, want)
	}
}

func TestBackgroundOutlivesTheRequest(t *testing.T) {
	var kept context.Context
	h := counter.New(offices).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		kept = counter.Background(ctx)
	}))
	send(h, "/permits", "X-Office", "registry", "X-Clerk", "imke@4")
	if err := kept.Err(); err != nil {
		t.Errorf("the background is over: %v", err)
	}
	if code, _ := caller.Office(kept); code != "registry" {
		t.Errorf("Office = %q, want registry", code)
	}
	if c, _ := caller.ClerkOf(kept); c.Name != "imke" {
		t.Errorf("ClerkOf = %v, want imke", c)
	}
}

func TestBackgroundKeepsTheNumber(t *testing.T) {
	var kept context.Context
	h := counter.New(offices, counter.WithDockets(counter.NewDockets("N"))).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = counter.Background(r.Context())
	}))
	send(h, "/permits", "X-Office", "registry")
	if number, _ := counter.Docket(kept); number != "N-000001" {
		t.Errorf("Docket = %q, want N-000001", number)
	}
}
