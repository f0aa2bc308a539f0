package nightlog

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Errors that the methods of Log and Archive wrap.
var (
	ErrBadExposure = errors.New("nightlog: malformed exposure")
	ErrDuplicate   = errors.New("nightlog: exposure is logged already")
	ErrUnknown     = errors.New("nightlog: unknown exposure")
	ErrUnknownDome = errors.New("nightlog: unknown dome")
	ErrBadQuery    = errors.New("nightlog: malformed query")
)

// Exposure is one picture that was taken through the telescope of a dome.
type Exposure struct {
	ID     string // unique in its dome
	Dome   string // set by the Log
	Target string
	Start  time.Time
	Length time.Duration
}

func (e Exposure) check() error {
	switch {
	case e.ID == "":
		return fmt.Errorf("%w: no ID", ErrBadExposure)
	case e.Target == "":
		return fmt.Errorf("%w: %s has no target", ErrBadExposure, e.ID)
	case e.Start.IsZero():
		return fmt.Errorf("%w: %s has no start", ErrBadExposure, e.ID)
	case e.Length <= 0:
		return fmt.Errorf("%w: %s has length %v", ErrBadExposure, e.ID, e.Length)
	}
	return nil
}

// compare orders exposures by their start, then by dome and by ID.
func compare(a, b Exposure) int {
	return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Dome, b.Dome), cmp.Compare(a.ID, b.ID))
}
