package pool

import (
	"errors"
	"time"
)

// retryPolicy says how often a carrier is asked, and with what pauses.
type retryPolicy struct {
	attempts     int
	first, limit time.Duration
	sleep        func(time.Duration)
}

// do calls ask until it succeeds, fails for good, or the attempts are used up.
// It returns the last outcome and the number of calls.
func (r retryPolicy) do(ask func() (Quote, error)) (Quote, int, error) {
	for n := 1; ; n++ {
		quote, err := ask()
		if err == nil || n >= r.attempts || isPermanent(err) {
			return quote, n, err
		}
		if pause := r.pause(n); pause > 0 {
			r.sleep(pause)
		}
	}
}

// pause returns how long to wait after the nth attempt.
func (r retryPolicy) pause(n int) time.Duration {
	pause := r.first
	for range n - 1 {
		if pause > r.limit/2 {
			return r.limit
		}
		pause *= 2
	}
	return pause
}

// Permanent marks err as one that another attempt would not mend, such as a
// lane that the carrier does not serve. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

func isPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p)
}
