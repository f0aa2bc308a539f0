// Package caller knows on whose behalf a request is served: the office that
// sent it and, if somebody sits at the window, the clerk.
package caller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"example.com/townhall/counter/scope"
)

// OfficeHeader carries the code of the office that sends a request.
const OfficeHeader = "X-Office"

// Errors that Identify wraps.
var (
	ErrNoOffice      = errors.New("caller: no office given")
	ErrUnknownOffice = errors.New("caller: unknown office")
	ErrBadClerk      = errors.New("caller: malformed clerk")
)

var office scope.Slot[string]

// WithOffice returns a copy of ctx for work on behalf of the office with this
// code.
func WithOffice(ctx context.Context, code string) context.Context {
	return office.Put(ctx, code)
}

// Office returns the code of the office on whose behalf ctx runs, and whether
// there is one.
func Office(ctx context.Context) (string, bool) {
	return office.Get(ctx)
}

// Identify returns a copy of ctx with the caller that the headers of a request
// name. The office is required and must be one of the given offices; the clerk
// is optional.
func Identify(ctx context.Context, h http.Header, offices []string) (context.Context, error) {
	code := h.Get(OfficeHeader)
	switch {
	case code == "":
		return nil, ErrNoOffice
	case !slices.Contains(offices, code):
		return nil, fmt.Errorf("%w: %q", ErrUnknownOffice, code)
	}
	ctx = WithOffice(ctx, code)

	if text := h.Get(ClerkHeader); text != "" {
		c, err := ParseClerk(text)
		if err != nil {
			return nil, err
		}
		ctx = WithClerk(ctx, c)
	}
	return ctx, nil
}

// Carry returns a copy of dst with the office and the clerk of src.
func Carry(dst, src context.Context) context.Context {
	return scope.Carry(dst, src, &office, &clerk)
}
