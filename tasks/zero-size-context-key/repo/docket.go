package counter

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"example.com/townhall/counter/scope"
)

// DocketHeader carries the number of a request, both from a service that passes
// it on and back in the answer.
const DocketHeader = "X-Docket"

// maxDocket is the length of the longest number that is accepted from outside.
const maxDocket = 32

var docket scope.Slot[string]

// Docket returns the number of the request that ctx belongs to, and whether it
// has one.
func Docket(ctx context.Context) (string, bool) {
	return docket.Get(ctx)
}

// Dockets numbers requests. Use NewDockets to make one.
type Dockets struct {
	prefix string
	last   atomic.Uint64
}

// NewDockets returns Dockets whose numbers are prefix-000001, prefix-000002 and
// so on.
func NewDockets(prefix string) *Dockets {
	return &Dockets{prefix: prefix}
}

// wrap gives every request a number, its own if it brings a well-formed one.
func (d *Dockets) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := r.Header.Get(DocketHeader)
		if !validDocket(number) {
			number = fmt.Sprintf("%s-%06d", d.prefix, d.last.Add(1))
		}
		w.Header().Set(DocketHeader, number)
		next.ServeHTTP(w, r.WithContext(docket.Put(r.Context(), number)))
	})
}

// validDocket accepts letters, digits and hyphens.
func validDocket(number string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"
	return number != "" && len(number) <= maxDocket && strings.Trim(number, allowed) == ""
}
