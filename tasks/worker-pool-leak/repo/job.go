package pool

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrOption reports an option whose value makes no sense.
	ErrOption = errors.New("pool: invalid option")
	// ErrJob reports a job without a carrier or without a question.
	ErrJob = errors.New("pool: invalid job")
	// ErrLimit reports a negative limit.
	ErrLimit = errors.New("pool: negative limit")
	// ErrPanic reports a job that panicked.
	ErrPanic = errors.New("pool: job panicked")
)

// A Job asks one carrier for a quote.
type Job struct {
	Carrier string
	Ask     func() (Quote, error)
}

// A Quote is a carrier's price for a shipment.
type Quote struct {
	Cents       int64
	TransitDays int
}

// A Result is the outcome of one job.
type Result struct {
	Carrier  string
	Quote    Quote         // zero if Err is not nil
	Err      error         // of the last attempt
	Attempts int           // how often the carrier was asked
	Elapsed  time.Duration // all attempts and the pauses between them
}

func (j Job) validate() error {
	if j.Carrier == "" {
		return fmt.Errorf("%w: no carrier", ErrJob)
	}
	if j.Ask == nil {
		return fmt.Errorf("%w: nothing to ask %s", ErrJob, j.Carrier)
	}
	return nil
}

// ask calls Ask and turns a panic into an error.
func (j Job) ask() (quote Quote, err error) {
	defer func() {
		if v := recover(); v != nil {
			quote, err = Quote{}, Permanent(fmt.Errorf("%w: %v", ErrPanic, v))
		}
	}()
	quote, err = j.Ask()
	if err != nil {
		return Quote{}, err
	}
	return quote, nil
}
