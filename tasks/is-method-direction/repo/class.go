package remit

import "errors"

// A Class is a kind of failure. It is an error itself, for links that can tell
// the kind but have no status.
type Class struct {
	name   string
	ranges []codes
}

// codes are the statuses from first to last.
type codes struct{ first, last int }

// The classes of failures.
var (
	Offline     = &Class{name: "offline"}
	Overloaded  = &Class{name: "overloaded", ranges: []codes{{429, 429}, {503, 503}}}
	ServerFault = &Class{name: "server fault", ranges: []codes{{500, 599}}}
	Denied      = &Class{name: "denied", ranges: []codes{{401, 401}, {403, 403}}}
	Refused     = &Class{name: "refused", ranges: []codes{{400, 499}}}
)

func (c *Class) Error() string { return c.name }

// Is reports whether err is, or wraps, a status of the class.
func (c *Class) Is(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && c.covers(status.Code)
}

func (c *Class) covers(code int) bool {
	for _, r := range c.ranges {
		if r.first <= code && code <= r.last {
			return true
		}
	}
	return false
}
