package counter

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/townhall/counter/caller"
)

// Record is the entry of one request in a Ledger.
type Record struct {
	At     time.Time // when the request was admitted
	Method string    // of the request, as is Path
	Path   string
	Status int    // of the answer
	Office string // code of the office that sent the request
	Clerk  string // as caller.Clerk writes it, empty if there was none
	Docket string // number of the request, empty if it has none
}

// Ledger keeps a Record of each request whose handler has returned. Use
// NewLedger to make one.
type Ledger struct {
	now func() time.Time

	mu      sync.Mutex
	records []Record
}

// NewLedger returns an empty Ledger that takes the time from now, or from
// time.Now if that is nil.
func NewLedger(now func() time.Time) *Ledger {
	if now == nil {
		now = time.Now
	}
	return &Ledger{now: now}
}

// Records returns all records in the order in which the handlers returned.
func (l *Ledger) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records)
}

// ByOffice returns the records of one office.
func (l *Ledger) ByOffice(code string) []Record {
	return slices.DeleteFunc(l.Records(), func(r Record) bool { return r.Office != code })
}

func (l *Ledger) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := Record{At: l.now(), Method: r.Method, Path: r.URL.Path}
		rec.Office, _ = caller.Office(r.Context())
		rec.Docket, _ = Docket(r.Context())
		if c, ok := caller.ClerkOf(r.Context()); ok {
			rec.Clerk = c.String()
		}

		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(sw, r)
		rec.Status = sw.status

		l.mu.Lock()
		defer l.mu.Unlock()
		l.records = append(l.records, rec)
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
	sent   bool
}

func (w *statusWriter) WriteHeader(status int) {
	if !w.sent && status >= http.StatusOK {
		w.status, w.sent = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.sent = true
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
