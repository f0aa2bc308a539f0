package wakeup

import (
	"fmt"
	"time"
)

// Policy is how persistent the desk is.
type Policy struct {
	// Rings is how often a call rings at most.
	Rings int
	// Again is the time from one ring to the next.
	Again time.Duration
	// Knock is the time from the last ring to the knock at the door.
	Knock time.Duration
	// Snooze is for how long a guest is left alone by Snooze.
	Snooze time.Duration
}

// DefaultPolicy is that of the house: three rings, four minutes apart, a knock
// five minutes after the last, and nine minutes to snooze.
var DefaultPolicy = Policy{
	Rings:  3,
	Again:  4 * time.Minute,
	Knock:  5 * time.Minute,
	Snooze: 9 * time.Minute,
}

// check returns an error if p makes no sense.
func (p Policy) check() error {
	if p.Rings < 1 {
		return fmt.Errorf("%w: %d rings", ErrPolicy, p.Rings)
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"again", p.Again}, {"knock", p.Knock}, {"snooze", p.Snooze},
	} {
		if d.d <= 0 {
			return fmt.Errorf("%w: %s after %v", ErrPolicy, d.name, d.d)
		}
	}
	return nil
}

// after returns how long it takes from one ring to what comes next.
func (p Policy) after(rings int) time.Duration {
	if rings < p.Rings {
		return p.Again
	}
	return p.Knock
}
