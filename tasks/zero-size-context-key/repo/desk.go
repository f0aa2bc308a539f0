// Package counter is what the services behind the counters of the town hall put
// around their handlers: it finds out who is calling, numbers the requests and
// keeps a ledger of them.
//
// A handler behind a [Desk] learns the office and the clerk from package caller
// and the number of the request from [Docket]. Each of the three is what the
// request and the desk made it, whichever of the others there are. Services
// keep values of their own in slots of package scope, beside these.
//
// A Desk, its Dockets and its Ledger may be used by several goroutines at once.
package counter

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"example.com/townhall/counter/caller"
	"example.com/townhall/counter/scope"
)

// Desk admits requests and describes them to the handlers behind it.
type Desk struct {
	offices []string
	dockets *Dockets
	ledger  *Ledger
}

// Option configures a Desk.
type Option func(*Desk)

// WithDockets numbers the requests. Without it they have no numbers.
func WithDockets(d *Dockets) Option {
	return func(desk *Desk) { desk.dockets = d }
}

// WithLedger records the admitted requests.
func WithLedger(l *Ledger) Option {
	return func(desk *Desk) { desk.ledger = l }
}

// New returns a Desk that admits the requests of the given offices.
func New(offices []string, opts ...Option) *Desk {
	desk := &Desk{offices: slices.Clone(offices)}
	for _, opt := range opts {
		opt(desk)
	}
	return desk
}

// Wrap returns a handler that serves the requests of known offices with next.
// It answers 403 to other offices and 400 to a request that names no office or
// a malformed clerk. Those are neither numbered nor recorded.
func (desk *Desk) Wrap(next http.Handler) http.Handler {
	if desk.ledger != nil {
		next = desk.ledger.wrap(next)
	}
	if desk.dockets != nil {
		next = desk.dockets.wrap(next)
	}
	return desk.identify(next)
}

func (desk *Desk) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := caller.Identify(r.Context(), r.Header, desk.offices)
		if err != nil {
			status := http.StatusBadRequest
			if errors.Is(err, caller.ErrUnknownOffice) {
				status = http.StatusForbidden
			}
			http.Error(w, err.Error(), status)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Background returns a context for work that outlives the request of ctx. It
// has the office, the clerk and the docket of ctx and nothing else: no deadline,
// no cancellation and no other values.
func Background(ctx context.Context) context.Context {
	return scope.Carry(caller.Carry(context.Background(), ctx), ctx, &docket)
}
