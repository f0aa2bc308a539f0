package config

import (
	"errors"
	"fmt"
	"time"
)

// Service tells switchyard how to run and call one back end.
type Service struct {
	// Addr is where the service listens, as host:port. It is required.
	Addr string `json:"addr"`

	// Region is where the service runs. Empty means that of the Config.
	Region string `json:"region,omitempty"`

	// Enabled says whether the service runs.
	Enabled bool `json:"enabled,omitempty"`

	// Retries is how often a failed call is tried again. 0 means never.
	Retries int `json:"retries,omitempty"`

	// Backoff is the wait before the first retry. 0 means retry at once.
	Backoff Duration `json:"backoff,omitempty"`

	// Timeout bounds a single try. It must be positive.
	Timeout Duration `json:"timeout,omitempty"`

	// MaxInFlight is how many calls may be open at a time. 0 means no limit.
	MaxInFlight int `json:"max_in_flight,omitempty"`
}

// Defaults are the values of the fields that a document does not set.
type Defaults struct {
	Enabled     bool
	Retries     int
	Backoff     Duration
	Timeout     Duration
	MaxInFlight int
}

// Schedule returns how long a caller waits before each retry of a call to s:
// first the backoff, then twice as long each time, and never above a minute.
func (s Service) Schedule() []time.Duration {
	const maxWait = time.Minute
	var waits []time.Duration
	wait := min(time.Duration(s.Backoff), maxWait)
	for range s.Retries {
		waits = append(waits, wait)
		wait = min(2*wait, maxWait)
	}
	return waits
}

// problems returns what is wrong with s, each as an ErrInvalid.
func (s Service) problems(name string) error {
	var errs []error
	reject := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: service %q: %s", ErrInvalid, name, fmt.Sprintf(format, args...)))
	}
	if s.Addr == "" {
		reject("addr is missing")
	}
	if s.Retries < 0 {
		reject("retries is %d", s.Retries)
	}
	if s.Backoff < 0 {
		reject("backoff is %v", s.Backoff)
	}
	if s.Timeout <= 0 {
		reject("timeout is %v", s.Timeout)
	}
	if s.MaxInFlight < 0 {
		reject("max_in_flight is %d", s.MaxInFlight)
	}
	return errors.Join(errs...)
}
