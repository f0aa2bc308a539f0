package wakeup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"example.com/alpenrose/wakeup/agenda"
	"example.com/alpenrose/wakeup/house"
)

// Desk calls the guests of a house. Use NewDesk to make one.
type Desk struct {
	house  *house.House
	policy Policy
	log    *Log

	mu     sync.Mutex // guards what follows
	now    time.Time
	agenda *agenda.Agenda[event]
	stays  map[house.Room]*stay
	calls  map[ID]*call
	lastID ID
}

// event is something on the desk's agenda.
type event interface {
	// happen does what is due at that time.
	happen(d *Desk, at time.Time) Action
}

// Option configures a Desk.
type Option func(*Desk)

// WithPolicy replaces DefaultPolicy.
func WithPolicy(p Policy) Option {
	return func(d *Desk) { d.policy = p }
}

// WithLog has the desk keep a log of what it does.
func WithLog(l *Log) Option {
	return func(d *Desk) { d.log = l }
}

// NewDesk returns the desk of h at the given time, with all rooms vacant.
func NewDesk(h *house.House, now time.Time, opts ...Option) (*Desk, error) {
	d := &Desk{
		house:  h,
		policy: DefaultPolicy,
		now:    now,
		agenda: agenda.New[event](),
		stays:  make(map[house.Room]*stay),
		calls:  make(map[ID]*call),
	}
	for _, opt := range opts {
		opt(d)
	}
	if err := d.policy.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// Tick does all that is due at now and returns it in that order. The time does
// not go back: an earlier one than that of the last Tick does nothing.
func (d *Desk) Tick(now time.Time) []Action {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Before(d.now) {
		return nil
	}
	var actions []Action
	for {
		e, at, ok := d.agenda.Take(now)
		if !ok {
			break
		}
		actions = append(actions, e.happen(d, at))
	}
	d.now = now
	d.log.add(actions)
	return actions
}

// Next returns when there is something to do next. It returns false if there
// is nothing at all.
func (d *Desk) Next() (time.Time, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.agenda.Next()
}

// Call returns what the desk knows about a call, which may be over.
func (d *Desk) Call(id ID) (Call, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.calls[id]
	if !ok {
		return Call{}, fmt.Errorf("%w: %d", ErrNoCall, id)
	}
	return c.Call, nil
}

// Calls returns the calls of a room's present guest by ID.
func (d *Desk) Calls(room house.Room) []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	st, ok := d.stays[room]
	if !ok {
		return nil
	}
	var calls []Call
	for _, c := range st.calls {
		calls = append(calls, c.Call)
	}
	return calls
}

// Forget drops what the desk knows about calls for times before t whose guests
// have left. It returns how many there were.
func (d *Desk) Forget(t time.Time) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := len(d.calls)
	maps.DeleteFunc(d.calls, func(_ ID, c *call) bool { return c.stay.over && c.At.Before(t) })
	return known - len(d.calls)
}

// waiting returns the calls that wait for a time in [from, to), by time and ID.
func (d *Desk) waiting(from, to time.Time) []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	var calls []Call
	for _, c := range d.calls {
		if c.State == Waiting && !c.At.Before(from) && c.At.Before(to) {
			calls = append(calls, c.Call)
		}
	}
	slices.SortFunc(calls, func(a, b Call) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return calls
}
