package relay

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"example.com/firnline/relay/spool"
	"example.com/firnline/relay/uplink"
)

// Sink takes the records of one station. The relay makes one call at a time.
//
// A sink may do more. If it is a Flusher, Relay.Flush is passed on to it, and if
// it is an io.Closer, it is closed at the end of the station.
type Sink interface {
	Append(Record) error
}

// Flusher is a sink that gathers records before it does something with them.
type Flusher interface {
	Flush() error
}

// Mode says what becomes of the records of a station.
type Mode int

// The modes of a station. Attached is the mode of a station with a sink of the
// caller's; Open does not accept it.
const (
	Attached Mode = iota
	Forward
	Keep
	Mirror
	Mute
)

var modeNames = [...]string{"attached", "forward", "keep", "mirror", "mute"}

// String returns the name of the mode, as ParseMode reads it.
func (m Mode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return modeNames[m]
}

// ParseMode reads the name of a mode that Open accepts. It fails with ErrMode.
func ParseMode(name string) (Mode, error) {
	for m := Forward; m <= Mute; m++ {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("%w: %q", ErrMode, name)
}

// newSink makes the sink of a station.
func (r *Relay) newSink(name string, mode Mode) (Sink, error) {
	if (mode == Forward || mode == Mirror) && r.dial == nil {
		return nil, fmt.Errorf("%w: %v without a collector", ErrMode, mode)
	}
	if (mode == Keep || mode == Mirror) && r.dir == "" {
		return nil, fmt.Errorf("%w: %v without a spool", ErrMode, mode)
	}
	switch mode {
	case Forward:
		return r.newForwarder(name), nil
	case Keep:
		return r.newKeeper(name)
	case Mirror:
		k, err := r.newKeeper(name)
		if err != nil {
			return nil, err
		}
		return &mirror{r.newForwarder(name), k}, nil
	case Mute:
		return mute{}, nil
	}
	return nil, fmt.Errorf("%w: %v", ErrMode, mode)
}

// forwarder sends records to the collector.
type forwarder struct {
	*uplink.Line

	now     func() time.Time
	rest    time.Duration
	resting time.Time // when to try again
	failure error     // why not before
}

func (r *Relay) newForwarder(name string) *forwarder {
	return &forwarder{
		Line: uplink.New(name, r.dial, r.timeout),
		now:  r.now,
		rest: r.rest,
	}
}

// Append sends a record, unless the collector is to be left alone.
func (f *forwarder) Append(rec Record) error {
	if f.now().Before(f.resting) {
		return fmt.Errorf("no attempt until %s: %w", f.resting.Format(time.TimeOnly), f.failure)
	}
	err := f.Send(rec.line())
	if err != nil && !errors.Is(err, uplink.ErrRefused) {
		f.resting, f.failure = f.now().Add(f.rest), err
	}
	return err
}

// keeper writes records to a spool.
type keeper struct {
	*spool.Spool

	newest time.Time
}

func (r *Relay) newKeeper(name string) (*keeper, error) {
	s, err := spool.Open(filepath.Join(r.dir, name), r.spool)
	if err != nil {
		return nil, err
	}
	return &keeper{Spool: s}, nil
}

// Append keeps a record. One that is older than a record before it is marked as
// late, as those who fetch the segments expect them in the order of time.
func (k *keeper) Append(rec Record) error {
	line := rec.line()
	if rec.At.Before(k.newest) {
		line += " late"
	} else {
		k.newest = rec.At
	}
	return k.Add(line)
}

// mirror keeps records and sends them, too.
type mirror struct {
	*forwarder
	*keeper
}

// Append does both, even if one of them fails.
func (m *mirror) Append(rec Record) error {
	return errors.Join(m.keeper.Append(rec), m.forwarder.Append(rec))
}

// mute takes records and does nothing with them.
type mute struct{}

// Append does nothing.
func (mute) Append(Record) error { return nil }
