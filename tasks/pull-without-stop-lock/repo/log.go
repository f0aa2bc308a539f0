package nightlog

import (
	"fmt"
	"iter"
	"slices"
	"sync"
)

// Log is the log of one dome. Archive.Dome makes it.
type Log struct {
	dome string

	mu        sync.RWMutex
	exposures []Exposure // in the order of compare
}

// Add enters an exposure, which may be older than those that are there. It fails
// with ErrBadExposure if a field is missing and with ErrDuplicate if the ID is
// taken.
func (l *Log) Add(e Exposure) error {
	if err := e.check(); err != nil {
		return err
	}
	e.Dome = l.dome

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index(e.ID) >= 0 {
		return fmt.Errorf("%w: %s in %s", ErrDuplicate, e.ID, l.dome)
	}
	at, _ := slices.BinarySearchFunc(l.exposures, e, compare)
	l.exposures = slices.Insert(l.exposures, at, e)
	return nil
}

// Retract takes the exposure with this ID back.
func (l *Log) Retract(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.index(id)
	if at < 0 {
		return fmt.Errorf("%w: %s in %s", ErrUnknown, id, l.dome)
	}
	l.exposures = slices.Delete(l.exposures, at, at+1)
	return nil
}

// Len returns the number of exposures in the log.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.exposures)
}

// All returns the exposures of the log, oldest first.
func (l *Log) All() iter.Seq[Exposure] {
	return func(yield func(Exposure) bool) {
		l.mu.RLock()
		defer l.mu.RUnlock()
		for _, e := range l.exposures {
			if !yield(e) {
				return
			}
		}
	}
}

// index finds an exposure by its ID, or returns -1. The caller holds l.mu.
func (l *Log) index(id string) int {
	return slices.IndexFunc(l.exposures, func(e Exposure) bool { return e.ID == id })
}
