package remit

import (
	"errors"
	"time"
)

// A verdict is what a failure means for the batch.
type verdict int

const (
	final verdict = iota // the batch will not do
	again                // the batch may do later
	halt                 // no batch will do for now
)

// policy says how often a batch is tried, and with what pauses.
type policy struct {
	attempts          int
	shortest, longest time.Duration
}

func (p policy) judge(err error) verdict {
	switch {
	case errors.Is(err, Overloaded), errors.Is(err, ServerFault), errors.Is(err, Offline):
		return again
	case errors.Is(err, Denied):
		return halt
	default:
		return final
	}
}

// pause returns how long to wait after the nth attempt, which failed with err.
func (p policy) pause(n int, err error) time.Duration {
	if errors.Is(err, Overloaded) {
		return p.longest
	}
	pause := p.shortest
	for range n - 1 {
		if pause > p.longest/2 {
			return p.longest
		}
		pause *= 2
	}
	return pause
}

// Advice returns what the quay staff should do about err, in a few words. Of
// several classes the first counts, in the order Denied, Overloaded,
// ServerFault, Offline, Refused. It is empty if err is of no class.
func Advice(err error) string {
	for _, a := range []struct {
		class *Class
		text  string
	}{
		{Denied, "renew the certificate of the gate"},
		{Overloaded, "wait, the clearing house is busy"},
		{ServerFault, "call the clearing house"},
		{Offline, "check the modem at the quay"},
		{Refused, "send the batch to accounting"},
	} {
		if errors.Is(err, a.class) {
			return a.text
		}
	}
	return ""
}
