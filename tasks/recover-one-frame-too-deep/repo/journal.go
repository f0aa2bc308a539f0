package granary

import (
	"fmt"
	"slices"
	"time"
)

// Entry is an update that was entered in the books.
type Entry struct {
	No      int
	At      time.Time
	Note    string
	Changes []Change // sorted by bin
}

// Change is what an update made of one bin. A bin that was only opened has
// changed by nothing.
type Change struct {
	Bin   string
	Grain string
	By    Kilos
}

// Journal returns the entries from number since on.
func (s *Store) Journal(since int) []Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var entries []Entry
	for _, e := range s.journal {
		if e.No >= since {
			e.Changes = slices.Clone(e.Changes)
			entries = append(entries, e)
		}
	}
	return entries
}

// settle ends an update. It enters the draft in the books if the work has gone
// well, and drops it otherwise.
func (s *Store) settle(d *Draft, err *error) {
	contain(err)
	d.settled = true
	if *err == nil {
		*err = s.enter(d)
	}
}

// enter makes the draft the books.
func (s *Store) enter(d *Draft) error {
	bins := sorted(d.bins)
	for _, b := range bins {
		if b.Held > b.Capacity {
			return fmt.Errorf("%w: %s in %s, which takes %s", ErrOverfull, b.Held, b.Name, b.Capacity)
		}
	}
	for _, check := range s.checks {
		if err := inspect(check, slices.Clone(bins)); err != nil {
			return fmt.Errorf("granary: check: %w", err)
		}
	}
	at := s.clock()

	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.changes(bins)
	if len(changes) == 0 {
		return nil
	}
	s.bins = d.bins
	s.journal = append(s.journal, Entry{No: len(s.journal) + 1, At: at, Note: d.note, Changes: changes})
	return nil
}

// inspect asks a check of the plant.
func inspect(check Check, bins []Bin) (err error) {
	defer contain(&err)
	return check(bins)
}

// changes compares bins with the books. s.mu must be held.
func (s *Store) changes(bins []Bin) []Change {
	var changes []Change
	for _, b := range bins {
		old, ok := s.bins[b.Name]
		if ok && b == old {
			continue
		}
		c := Change{Bin: b.Name, Grain: b.Grain, By: b.Held - old.Held}
		if c.Grain == "" {
			c.Grain = old.Grain
		}
		changes = append(changes, c)
	}
	return changes
}
