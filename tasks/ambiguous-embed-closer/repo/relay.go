// Package relay passes on the measurements of unattended snow stations.
//
// The stations on the mountain report by radio to a hut. The program there opens
// each station that it is to serve with a Relay, hands over every record with
// Append, and ends the station when it is taken out of service.
//
// # Modes
//
// What becomes of the records is a matter of the station's Mode. Forward sends
// them to the collector in the valley over a line of the station's own, see
// package uplink. Keep writes them to a spool of the station's own, see package
// spool; its directory has the name of the station. Mirror does both: each record
// is kept and sent, and if one of the two fails the other is done all the same.
// Mute does nothing, for the time of repairs. Attach opens a station with a Sink
// of the caller's instead.
//
// Append returns nil when the record has been sent, kept or both; a record that
// is kept may be in memory for a while before the spool writes it. Flush makes it
// do so. A station repeats a record if it has had no answer, so that a record
// that equals the last one of its station that Append returned nil for is not
// taken again.
//
// # The end of a station
//
// A station is ended by Drop, Switch, CloseIdle or Shutdown, all in the same way.
// An Append that has begun is let finish, none begins any more, and then all that
// the station has used is finished, once:
//
//   - Its spool writes what is in memory and seals the segment. No part is left.
//   - Its line, if there is a connection, says goodbye to the collector and hangs
//     up.
//   - A sink that was attached is closed if it implements io.Closer.
//
// Nothing of this is left out because something else has failed, be it of the same
// station or of another one. The error that is returned wraps everything that went
// wrong. In either case the station is gone, and may be opened again as soon as
// the call has returned.
package relay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/firnline/relay/spool"
	"example.com/firnline/relay/uplink"
)

// Errors that the methods of Relay return or wrap.
var (
	ErrShutdown = errors.New("relay: shut down")
	ErrOption   = errors.New("relay: option out of range")
	ErrStation  = errors.New("relay: unusable station name")
	ErrOpen     = errors.New("relay: station is open")
	ErrNotOpen  = errors.New("relay: station is not open")
	ErrMode     = errors.New("relay: mode is not available")
	ErrRecord   = errors.New("relay: unusable record")
	ErrLimits   = errors.New("relay: value is not plausible")
)

// Relay serves the stations of a hut. Its methods may be called from several
// goroutines. Use New to make one.
type Relay struct {
	dial    uplink.Dial
	timeout time.Duration
	rest    time.Duration
	dir     string
	spool   spool.Options
	limits  Limits
	now     func() time.Time

	mu       sync.Mutex
	stations map[string]*station
	shut     bool
}

// Option configures a Relay.
type Option func(*Relay)

// WithCollector sets how to reach the collector. Without it, Forward and Mirror
// are not available.
func WithCollector(dial uplink.Dial) Option {
	return func(r *Relay) { r.dial = dial }
}

// WithAnswerTime sets how long to wait for an answer of the collector. The
// default is ten seconds.
func WithAnswerTime(d time.Duration) Option {
	return func(r *Relay) { r.timeout = d }
}

// WithRest sets for how long a station leaves the collector alone after a record
// could not be sent, during which its records are refused at once. The default is
// not at all.
func WithRest(d time.Duration) Option {
	return func(r *Relay) { r.rest = d }
}

// WithSpool sets the directory in which stations have their spools. Without it,
// Keep and Mirror are not available.
func WithSpool(dir string) Option {
	return func(r *Relay) { r.dir = dir }
}

// WithSegmentSize sets how many records a segment holds. The default is 1440, a
// day's records of one sensor.
func WithSegmentSize(records int) Option {
	return func(r *Relay) { r.spool.SegmentLines = records }
}

// WithFlushEvery sets how many records a spool gathers in memory before it
// writes them. The default is 32.
func WithFlushEvery(records int) Option {
	return func(r *Relay) { r.spool.FlushLines = records }
}

// WithLimits sets which values are plausible. The default is StandardLimits.
func WithLimits(l Limits) Option {
	return func(r *Relay) { r.limits = l }
}

// WithClock sets what tells the time. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(r *Relay) { r.now = now }
}

// New returns a relay that serves no station yet. It fails with ErrOption if an
// option is out of range.
func New(opts ...Option) (*Relay, error) {
	r := &Relay{
		timeout:  10 * time.Second,
		spool:    spool.Options{SegmentLines: 1440, FlushLines: 32},
		limits:   StandardLimits(),
		now:      time.Now,
		stations: make(map[string]*station),
	}
	for _, opt := range opts {
		opt(r)
	}
	switch {
	case r.timeout <= 0 || r.rest < 0:
		return nil, fmt.Errorf("%w: %v for an answer, rest of %v", ErrOption, r.timeout, r.rest)
	case r.spool.SegmentLines < 1 || r.spool.FlushLines < 1:
		return nil, fmt.Errorf("%w: segments of %d, flush every %d", ErrOption, r.spool.SegmentLines, r.spool.FlushLines)
	}
	return r, nil
}

// Open begins to serve a station. It fails with ErrStation, with ErrOpen or, if
// the relay lacks what the mode needs, with ErrMode.
func (r *Relay) Open(name string, mode Mode) error {
	return r.begin(name, mode, func() (Sink, error) { return r.newSink(name, mode) })
}

// Attach begins to serve a station whose records go to the given sink. It fails
// with ErrStation or ErrOpen.
func (r *Relay) Attach(name string, sink Sink) error {
	return r.begin(name, Attached, func() (Sink, error) { return sink, nil })
}

func (r *Relay) begin(name string, mode Mode, newSink func() (Sink, error)) error {
	if !isName(name) {
		return fmt.Errorf("%w: %q", ErrStation, name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		return ErrShutdown
	}
	if r.stations[name] != nil {
		return fmt.Errorf("%w: %s", ErrOpen, name)
	}
	sink, err := newSink()
	if err != nil {
		return fmt.Errorf("relay: open %s: %w", name, err)
	}
	r.stations[name] = &station{
		name:   name,
		mode:   mode,
		sink:   sink,
		active: r.now(),
	}
	return nil
}

// Append hands over a record of an open station. It fails with ErrRecord,
// ErrLimits or ErrNotOpen, or with what went wrong with sending and keeping.
func (r *Relay) Append(rec Record) error {
	if err := rec.check(); err != nil {
		return err
	}
	if err := r.limits.check(rec); err != nil {
		return err
	}
	s, err := r.lookup(rec.Station)
	if err != nil {
		return err
	}
	return s.append(rec, r.now())
}

// Flush makes the spool of a station write what it has in memory. For a station
// without a spool it does nothing, unless its sink is a Flusher.
func (r *Relay) Flush(name string) error {
	s, err := r.lookup(name)
	if err != nil {
		return err
	}
	return s.flush()
}

// Drop ends a station. It fails with ErrNotOpen or with what could not be
// finished.
func (r *Relay) Drop(name string) error {
	s, err := r.lookup(name)
	if err != nil {
		return err
	}
	ended, err := r.end(s, always)
	if !ended {
		return fmt.Errorf("%w: %s", ErrNotOpen, name)
	}
	return err
}

// Switch ends a station and opens it again in another mode, or the same. It opens
// the station even if not everything of it could be finished; the error says so.
func (r *Relay) Switch(name string, mode Mode) error {
	err := r.Drop(name)
	if errors.Is(err, ErrNotOpen) || errors.Is(err, ErrShutdown) {
		return err
	}
	return errors.Join(err, r.Open(name, mode))
}

// CloseIdle ends the stations that have not had a record, nor been opened, for
// at least the given time. It returns their names, sorted.
func (r *Relay) CloseIdle(idle time.Duration) ([]string, error) {
	since := r.now().Add(-idle)
	var names []string
	var errs []error
	for _, s := range r.sorted() {
		ended, err := r.end(s, func(s *station) bool { return !s.active.After(since) })
		if ended {
			names = append(names, s.name)
		}
		errs = append(errs, err)
	}
	return names, errors.Join(errs...)
}

// Shutdown ends all stations at the same time. From then on, none can be opened,
// and Append, Flush, Drop and Switch fail with ErrShutdown. It returns when all
// have ended or the context is done; what is under way then still goes on, and
// the error wraps that of the context. Another call waits likewise and has no more
// to do.
func (r *Relay) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.shut = true
	r.mu.Unlock()

	stations := r.sorted()
	failures := make(chan error, len(stations))
	for _, s := range stations {
		go func() {
			_, err := r.end(s, always)
			failures <- err
		}()
	}
	var errs []error
	for range stations {
		select {
		case err := <-failures:
			errs = append(errs, err)
		case <-ctx.Done():
			return errors.Join(append(errs, fmt.Errorf("relay: shutdown: %w", ctx.Err()))...)
		}
	}
	return errors.Join(errs...)
}
