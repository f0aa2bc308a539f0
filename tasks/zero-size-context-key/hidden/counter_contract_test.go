package counter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"example.com/townhall/counter"
	"example.com/townhall/counter/caller"
	"example.com/townhall/counter/scope"
)

// within runs body on a goroutine of its own and fails the test if it fails,
// panics or takes too long.
func within(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the test body exited early")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(8 * time.Second):
		t.Error("the test body hangs")
	}
}

// sight is what a handler finds in its context. A field that is missing there
// is "-".
type sight struct{ office, clerk, docket string }

func look(ctx context.Context) sight {
	s := sight{"-", "-", "-"}
	if v, ok := caller.Office(ctx); ok {
		s.office = v
	}
	if v, ok := caller.ClerkOf(ctx); ok {
		s.clerk = fmt.Sprintf("%s/%d", v.Name, v.Window)
	}
	if v, ok := counter.Docket(ctx); ok {
		s.docket = v
	}
	return s
}

// visit serves one request at a new desk and returns what its handler finds,
// there and in a Background, and what the ledger says.
func visit(ledger *counter.Ledger, opts []counter.Option, headers map[string]string) (here, later sight, rec counter.Record, err error) {
	if ledger != nil {
		opts = append(opts, counter.WithLedger(ledger))
	}
	served := false
	h := counter.New([]string{"hall", "annex", "depot"}, opts...).Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		served = true
		here, later = look(r.Context()), look(counter.Background(r.Context()))
	}))
	r := httptest.NewRequest(http.MethodPost, "/stamps", nil)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !served {
		return here, later, rec, fmt.Errorf("the request was answered %d and not served", w.Code)
	}
	if ledger != nil {
		all := ledger.Records()
		if len(all) == 0 {
			return here, later, rec, errors.New("the request was not recorded")
		}
		rec = all[len(all)-1]
	}
	return here, later, rec, nil
}

func TestHandlersAndLedgerSeeWhatTheRequestBrought(t *testing.T) {
	for _, tc := range []struct {
		label    string
		numbered bool
		headers  map[string]string
		want     sight
		clerk    string
	}{
		{"office_only", false, map[string]string{"X-Office": "hall"}, sight{"hall", "-", "-"}, ""},
		{"office_and_clerk", false, map[string]string{"X-Office": "annex", "X-Clerk": "ove@3"}, sight{"annex", "ove/3", "-"}, "ove@3"},
		{"number_ignored_without_dockets", false, map[string]string{"X-Office": "annex", "X-Docket": "K-1"}, sight{"annex", "-", "-"}, ""},
		{"office_and_new_number", true, map[string]string{"X-Office": "hall"}, sight{"hall", "-", "T-000001"}, ""},
		{"office_and_own_number", true, map[string]string{"X-Office": "depot", "X-Docket": "mail-9"}, sight{"depot", "-", "mail-9"}, ""},
		{"all_three", true, map[string]string{"X-Office": "annex", "X-Clerk": "ove@3"}, sight{"annex", "ove/3", "T-000001"}, "ove@3"},
		{"all_three_own_number", true, map[string]string{"X-Office": "hall", "X-Clerk": "ida@11", "X-Docket": "annex"}, sight{"hall", "ida/11", "annex"}, "ida@11"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			within(t, func() error {
				var opts []counter.Option
				if tc.numbered {
					opts = append(opts, counter.WithDockets(counter.NewDockets("T")))
				}
				ledger := counter.NewLedger(nil)
				here, later, rec, err := visit(ledger, opts, tc.headers)
				if err != nil {
					return err
				}
				if here != tc.want {
					return fmt.Errorf("the handler finds %+v, want %+v", here, tc.want)
				}
				if later != tc.want {
					return fmt.Errorf("the background has %+v, want %+v", later, tc.want)
				}
				number := tc.want.docket
				if number == "-" {
					number = ""
				}
				if rec.Office != tc.want.office || rec.Docket != number || rec.Clerk != tc.clerk {
					return fmt.Errorf("the ledger has %+v, want %+v", rec, tc.want)
				}
				if rec.Method != http.MethodPost || rec.Path != "/stamps" || rec.Status != http.StatusOK {
					return fmt.Errorf("the ledger has %+v, want POST /stamps and 200", rec)
				}
				if got := ledger.ByOffice(tc.want.office); len(got) != 1 || got[0] != rec {
					return fmt.Errorf("ByOffice(%q) = %+v, want the one record", tc.want.office, got)
				}
				if got := ledger.ByOffice("attic"); len(got) != 0 {
					return fmt.Errorf("ByOffice of an office that sent nothing = %+v", got)
				}
				return nil
			})
		})
	}
}

func TestOfficeSetByHandIsNoDocket(t *testing.T) {
	within(t, func() error {
		ctx := caller.WithOffice(context.Background(), "hall")
		if got := look(ctx); got != (sight{"hall", "-", "-"}) {
			return fmt.Errorf("the context has %+v, want the office hall alone", got)
		}
		if got := look(counter.Background(ctx)); got != (sight{"hall", "-", "-"}) {
			return fmt.Errorf("the background has %+v, want the office hall alone", got)
		}
		return nil
	})
}

func TestHandlerMayActForAnotherOffice(t *testing.T) {
	within(t, func() error {
		var before, after, back sight
		h := counter.New([]string{"hall"}, counter.WithDockets(counter.NewDockets("T"))).Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			before = look(r.Context())
			ctx := caller.WithClerk(caller.WithOffice(r.Context(), "depot"), caller.Clerk{Name: "ove", Window: 3})
			after, back = look(ctx), look(caller.Carry(ctx, r.Context()))
		}))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Office", "hall")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if want := (sight{"hall", "-", "T-000001"}); before != want {
			return fmt.Errorf("the handler finds %+v, want %+v", before, want)
		}
		if want := (sight{"depot", "ove/3", "T-000001"}); after != want {
			return fmt.Errorf("acting for the depot it finds %+v, want %+v", after, want)
		}
		if want := (sight{"hall", "ove/3", "T-000001"}); back != want {
			return fmt.Errorf("acting for the hall again it finds %+v, want %+v", back, want)
		}
		return nil
	})
}

// The slots of a service around and behind the desk.
var (
	dialect scope.Slot[string]
	queue   scope.Slot[string]
	visitor scope.Slot[caller.Clerk]
)

func TestSlotsOfAServiceStandBesideThoseOfTheDesk(t *testing.T) {
	for _, tc := range []struct {
		label    string
		numbered bool
		clerk    string
		want     sight
	}{
		{"office_only", false, "", sight{"depot", "-", "-"}},
		{"office_and_number", true, "", sight{"depot", "-", "T-000001"}},
		{"office_number_and_clerk", true, "ida@2", sight{"depot", "ida/2", "T-000001"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			within(t, func() error {
				var opts []counter.Option
				if tc.numbered {
					opts = append(opts, counter.WithDockets(counter.NewDockets("T")))
				}
				problem := errors.New("the handler was not called")
				inner := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					problem = nil
					ctx := r.Context()
					if got, ok := queue.Get(ctx); ok {
						problem = fmt.Errorf("queue holds %q before it was filled", got)
						return
					}
					if got, ok := visitor.Get(ctx); ok {
						problem = fmt.Errorf("visitor holds %+v before it was filled", got)
						return
					}
					ctx = visitor.Put(queue.Put(ctx, "long"), caller.Clerk{Name: "nobody", Window: 99})
					if got, ok := dialect.Get(ctx); !ok || got != "low" {
						problem = fmt.Errorf("dialect = %q, %v, want low", got, ok)
					}
					if got, ok := queue.Get(ctx); !ok || got != "long" {
						problem = fmt.Errorf("queue = %q, %v, want long", got, ok)
					}
					if got := look(ctx); got != tc.want {
						problem = fmt.Errorf("the handler finds %+v, want %+v", got, tc.want)
					}
					quiet := counter.Background(ctx)
					if got := look(quiet); got != tc.want {
						problem = fmt.Errorf("the background has %+v, want %+v", got, tc.want)
					}
					if got, ok := dialect.Get(quiet); ok {
						problem = fmt.Errorf("the background has the dialect %q, want none", got)
					}
				})
				desk := counter.New([]string{"depot"}, opts...).Wrap(inner)
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				r.Header.Set("X-Office", "depot")
				if tc.clerk != "" {
					r.Header.Set("X-Clerk", tc.clerk)
				}
				desk.ServeHTTP(httptest.NewRecorder(), r.WithContext(dialect.Put(r.Context(), "low")))
				return problem
			})
		})
	}
}

func TestOfficesAreServedSideBySide(t *testing.T) {
	within(t, func() error {
		const rounds = 60
		offices := []string{"hall", "annex", "depot"}
		ledger := counter.NewLedger(nil)
		desk := counter.New(offices, counter.WithDockets(counter.NewDockets("T")), counter.WithLedger(ledger))
		failures := make(chan error, len(offices)*rounds)
		h := desk.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			want := sight{r.Header.Get("X-Office"), "-", r.Header.Get("X-Docket")}
			if got := look(r.Context()); got != want {
				failures <- fmt.Errorf("the handler finds %+v, want %+v", got, want)
			}
		}))
		var wg sync.WaitGroup
		for _, office := range offices {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					r := httptest.NewRequest(http.MethodGet, "/", nil)
					r.Header.Set("X-Office", office)
					r.Header.Set("X-Docket", fmt.Sprintf("%s-%d", office, i))
					h.ServeHTTP(httptest.NewRecorder(), r)
				}
			}()
		}
		wg.Wait()
		for _, office := range offices {
			if got := len(ledger.ByOffice(office)); got != rounds {
				return fmt.Errorf("the ledger has %d records of %s, want %d", got, office, rounds)
			}
		}
		select {
		case err := <-failures:
			return err
		default:
			return nil
		}
	})
}
