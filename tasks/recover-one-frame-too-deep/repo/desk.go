package granary

import (
	"errors"
	"fmt"
)

// ErrNoWork is the outcome of an order that has no work.
var ErrNoWork = errors.New("granary: order without work")

// Order is something to be done at the plant and in the books.
type Order struct {
	// Title names the order in the outcome and in the journal.
	Title string
	// Ready, if there is one, is asked before the work begins, and puts the
	// order off by returning an error. It may take its time: other updates go on.
	Ready func() error
	// Work is the work of the update.
	Work func(*Draft) error
}

// Outcome is what became of an order.
type Outcome struct {
	Title string
	Err   error // nil if the order is in the books
}

// Desk carries out orders on a Store.
type Desk struct {
	store *Store
}

// NewDesk returns a Desk for the books of s.
func NewDesk(s *Store) *Desk {
	return &Desk{store: s}
}

// Run carries out orders one after the other and returns their outcomes.
func (d *Desk) Run(orders ...Order) []Outcome {
	outcomes := make([]Outcome, 0, len(orders))
	for _, o := range orders {
		outcomes = append(outcomes, Outcome{Title: o.Title, Err: d.carryOut(o)})
	}
	return outcomes
}

// carryOut carries out one order.
func (d *Desk) carryOut(o Order) (err error) {
	if o.Work == nil {
		return ErrNoWork
	}
	defer contain(&err)
	if o.Ready != nil {
		if err := o.Ready(); err != nil {
			return fmt.Errorf("granary: not ready: %w", err)
		}
	}
	return d.store.Update(o.Title, o.Work)
}

// Failed joins the errors of outcomes, with their titles. It returns nil if all
// orders are in the books.
func Failed(outcomes []Outcome) error {
	var errs []error
	for _, o := range outcomes {
		if o.Err != nil {
			errs = append(errs, fmt.Errorf("order %q: %w", o.Title, o.Err))
		}
	}
	return errors.Join(errs...)
}
