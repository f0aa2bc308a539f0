// Package boxoffice keeps the seats of one performance while customers make up
// their minds and pay.
//
// # Holds
//
// A customer takes seats with [House.Hold]. The hold runs for its duration,
// counted from that call or, once there is one, from the latest successful
// [House.Extend], which may leave it more time than it had or less. It is over
// for the house with [House.Confirm], when the customer has paid and the seats
// are sold, or with [House.Release], when the customer puts them back.
//
// A hold lapses when its time is up, or before that when [House.Abandon] says
// that the customer is gone; never earlier. Lapsed is for good, however often
// anybody has looked at the hold in the meantime or not at all: it cannot be
// extended or confirmed any more, both fail with [ErrLapsed] and change nothing.
// Its seats stay its own, so that a payment which is under way can be sent back
// before somebody else gets them, until [House.Sweep] frees them. Sweep frees
// the seats of every hold that has lapsed by then, and of no other, and returns
// each of these holds once. Releasing a lapsed hold frees its seats as well; it
// is not swept then.
//
// [House.State], [House.Tally] and [House.Holds] tell how things are at the
// moment and change nothing.
//
// Once a hold has been confirmed, released or swept, no goroutine is left that
// the House started for it. All methods may be called from several goroutines at
// once.
package boxoffice

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	// ErrOption reports an option that cannot be right.
	ErrOption = errors.New("boxoffice: invalid option")
	// ErrSeat reports a seat that the house does not have.
	ErrSeat = errors.New("boxoffice: no such seat")
	// ErrTaken reports a seat that is held or sold.
	ErrTaken = errors.New("boxoffice: seat is taken")
	// ErrRequest reports a hold that nobody can be given.
	ErrRequest = errors.New("boxoffice: invalid hold")
	// ErrUnknown reports a hold that is over or has never been.
	ErrUnknown = errors.New("boxoffice: no such hold")
	// ErrLapsed reports a hold that has lapsed.
	ErrLapsed = errors.New("boxoffice: hold has lapsed")
)

// A House has the seats of one performance.
type House struct {
	maxSeats int
	longest  time.Duration

	mu    sync.Mutex // protects what follows
	taken map[Seat]ID
	free  map[Seat]bool
	holds map[ID]*hold
	last  ID
}

// An Option configures a House.
type Option func(*House) error

// WithMaxSeats sets how many seats one hold may have; it is 10 otherwise.
func WithMaxSeats(n int) Option {
	return func(h *House) error {
		if n < 1 {
			return fmt.Errorf("%w: %d seats", ErrOption, n)
		}
		h.maxSeats = n
		return nil
	}
}

// WithLongest sets the longest duration that can be asked for; it is an hour
// otherwise.
func WithLongest(d time.Duration) Option {
	return func(h *House) error {
		if d <= 0 {
			return fmt.Errorf("%w: longest hold %v", ErrOption, d)
		}
		h.longest = d
		return nil
	}
}

// NewHouse returns a House with these seats, all of them free.
func NewHouse(seats []Seat, opts ...Option) (*House, error) {
	h := &House{
		maxSeats: 10,
		longest:  time.Hour,
		taken:    make(map[Seat]ID),
		free:     make(map[Seat]bool),
		holds:    make(map[ID]*hold),
	}
	for _, seat := range seats {
		if err := seat.validate(); err != nil {
			return nil, err
		}
		h.free[seat] = true
	}
	for _, opt := range opts {
		if err := opt(h); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Hold takes seats for a customer, all of them or none.
func (h *House) Hold(customer string, d time.Duration, seats ...Seat) (ID, error) {
	switch {
	case customer == "":
		return 0, fmt.Errorf("%w: no customer", ErrRequest)
	case len(seats) == 0 || len(seats) > h.maxSeats:
		return 0, fmt.Errorf("%w: %d seats", ErrRequest, len(seats))
	}
	if err := h.checkDuration(d); err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, seat := range seats {
		free, exists := h.free[seat]
		switch {
		case !exists:
			return 0, fmt.Errorf("%w: %v", ErrSeat, seat)
		case !free || slices.Contains(seats[:i], seat):
			return 0, fmt.Errorf("%w: %v", ErrTaken, seat)
		}
	}
	h.last++
	h.holds[h.last] = newHold(h.last, customer, seats, d)
	for _, seat := range seats {
		h.free[seat] = false
		h.taken[seat] = h.last
	}
	return h.last, nil
}

// Extend lets a hold run for d from now on.
func (h *House) Extend(id ID, d time.Duration) error {
	if err := h.checkDuration(d); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	hold, err := h.running(id)
	if err != nil {
		return err
	}
	hold.extend(d)
	return nil
}

// Confirm sells the seats of a hold and returns them.
func (h *House) Confirm(id ID) ([]Seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hold, err := h.running(id)
	if err != nil {
		return nil, err
	}
	h.drop(hold)
	return hold.seats, nil
}

// Release ends a hold, lapsed or not, and frees its seats.
func (h *House) Release(id ID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	hold, ok := h.holds[id]
	if !ok {
		return fmt.Errorf("%w: %d", ErrUnknown, id)
	}
	h.put(hold)
	return nil
}

// Abandon makes all holds of a customer lapse. It returns how many of them had
// been running.
func (h *House) Abandon(customer string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, hold := range h.holds {
		if hold.customer == customer && !hold.lapsed() {
			hold.abandoned = true
			n++
		}
	}
	return n
}

// running returns a hold that has not lapsed.
func (h *House) running(id ID) (*hold, error) {
	hold, ok := h.holds[id]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: %d", ErrUnknown, id)
	case hold.lapsed():
		return nil, fmt.Errorf("%w: %d of %s", ErrLapsed, id, hold.customer)
	}
	return hold, nil
}

// drop forgets a hold but not that its seats are taken.
func (h *House) drop(hold *hold) {
	hold.end()
	delete(h.holds, hold.id)
}

// put drops a hold and frees its seats.
func (h *House) put(hold *hold) {
	h.drop(hold)
	for _, seat := range hold.seats {
		h.free[seat] = true
		delete(h.taken, seat)
	}
}

func (h *House) checkDuration(d time.Duration) error {
	if d <= 0 || d > h.longest {
		return fmt.Errorf("%w: for %v", ErrRequest, d)
	}
	return nil
}
