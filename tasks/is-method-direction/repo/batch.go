package remit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrBatch reports a batch that the clearing house could not read.
var ErrBatch = errors.New("remit: malformed batch")

// A Tap is a card held against a gate.
type Tap struct {
	Card string // token of the card, never its number
	At   time.Time
	Fare int64 // in cents; negative for a refund
}

// A Batch is what a gate recorded between two sailings.
type Batch struct {
	Gate   string
	Number int // counts up from 1, for each gate
	Taps   []Tap
}

// ID identifies the batch at the clearing house, which drops repetitions.
func (b Batch) ID() string {
	return b.Gate + "-" + strconv.Itoa(b.Number)
}

// Total returns the sum of the fares.
func (b Batch) Total() int64 {
	var total int64
	for _, tap := range b.Taps {
		total += tap.Fare
	}
	return total
}

// Validate returns an error that wraps ErrBatch if b lacks something.
func (b Batch) Validate() error {
	switch {
	case b.Gate == "" || strings.ContainsAny(b.Gate, "/?# "):
		return fmt.Errorf("%w: gate %q", ErrBatch, b.Gate)
	case b.Number < 1:
		return fmt.Errorf("%w: number %d of gate %s", ErrBatch, b.Number, b.Gate)
	case len(b.Taps) == 0:
		return fmt.Errorf("%w: %s has no taps", ErrBatch, b.ID())
	}
	for i, tap := range b.Taps {
		if tap.Card == "" || tap.At.IsZero() || strings.ContainsAny(tap.Card, ";\n") {
			return fmt.Errorf("%w: tap %d of %s", ErrBatch, i, b.ID())
		}
	}
	return nil
}

// encode writes a line for each tap and one with the number of taps and their
// total, by which the clearing house sees that nothing is missing.
func (b Batch) encode() []byte {
	var buf bytes.Buffer
	for _, tap := range b.Taps {
		fmt.Fprintf(&buf, "%s;%s;%d\n", tap.Card, tap.At.UTC().Format(time.RFC3339), tap.Fare)
	}
	fmt.Fprintf(&buf, "=%d;%d\n", len(b.Taps), b.Total())
	return buf.Bytes()
}
