package pool

import (
	"errors"
	"fmt"
)

// Cheapest returns the result with the lowest quote, and of equals the one with
// the shortest transit. It reports false if no carrier quoted.
func Cheapest(results []Result) (Result, bool) {
	var best Result
	found := false
	for _, r := range results {
		if r.Err != nil {
			continue
		}
		if !found || cheaper(r.Quote, best.Quote) {
			best, found = r, true
		}
	}
	return best, found
}

func cheaper(a, b Quote) bool {
	if a.Cents != b.Cents {
		return a.Cents < b.Cents
	}
	return a.TransitDays < b.TransitDays
}

// Failures joins the errors of all failed results, each with its carrier, or
// returns nil if there are none.
func Failures(results []Result) error {
	var errs []error
	for _, r := range results {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Carrier, r.Err))
		}
	}
	return errors.Join(errs...)
}
