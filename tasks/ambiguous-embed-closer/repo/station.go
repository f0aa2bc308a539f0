package relay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// station is a station that is being served.
type station struct {
	name string
	mode Mode

	mu     sync.Mutex // held while the sink is in use
	sink   Sink
	taken  int
	last   Record
	active time.Time
	ended  bool
}

// append hands a record to the sink, unless it is a repeat.
func (s *station) append(rec Record, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return fmt.Errorf("%w: %s", ErrNotOpen, s.name)
	}
	s.active = now
	if rec.equal(s.last) {
		return nil
	}
	if err := s.sink.Append(rec); err != nil {
		return fmt.Errorf("relay: %s: %w", s.name, err)
	}
	s.taken++
	s.last = rec
	return nil
}

// flush flushes a sink that can be flushed.
func (s *station) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return fmt.Errorf("%w: %s", ErrNotOpen, s.name)
	}
	f, ok := s.sink.(Flusher)
	if !ok {
		return nil
	}
	if err := f.Flush(); err != nil {
		return fmt.Errorf("relay: flush %s: %w", s.name, err)
	}
	return nil
}

// status describes the station.
func (s *station) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		Station: s.name,
		Mode:    s.mode,
		Taken:   s.taken,
		Last:    s.last.At,
	}
	if c, ok := s.sink.(interface{ Sent() int }); ok {
		status.Sent = c.Sent()
	}
	if c, ok := s.sink.(interface{ Kept() int }); ok {
		status.Kept = c.Kept()
	}
	return status
}

// end ends the station if the condition holds, and reports whether it did.
func (s *station) end(condition func(*station) bool) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || !condition(s) {
		return false, nil
	}
	s.ended = true
	if c, ok := s.sink.(io.Closer); ok {
		if err := c.Close(); err != nil {
			return true, fmt.Errorf("relay: end %s: %w", s.name, err)
		}
	}
	return true, nil
}

// always is a condition for end.
func always(*station) bool { return true }

// end ends a station if the condition holds and forgets it then. The name stays
// taken until everything is finished.
func (r *Relay) end(s *station, condition func(*station) bool) (bool, error) {
	ended, err := s.end(condition)
	if ended {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.stations, s.name)
	}
	return ended, err
}

// lookup finds an open station.
func (r *Relay) lookup(name string) (*station, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		return nil, ErrShutdown
	}
	s := r.stations[name]
	if s == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotOpen, name)
	}
	return s, nil
}

// sorted returns all stations by name.
func (r *Relay) sorted() []*station {
	r.mu.Lock()
	defer r.mu.Unlock()
	byName := func(a, b *station) int { return strings.Compare(a.name, b.name) }
	return slices.SortedFunc(maps.Values(r.stations), byName)
}

// isName accepts what can be the name of a directory and a word of the protocol.
func isName(name string) bool {
	isOther := func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}
	return name != "" && !strings.ContainsFunc(name, isOther)
}
