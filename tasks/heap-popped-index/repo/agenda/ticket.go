package agenda

import (
	"container/heap"
	"time"
)

// Ticket stands for a value on an Agenda.
type Ticket[T any] struct {
	agenda *Agenda[T]
	value  T
	at     time.Time
	seq    uint64
	place  int // in the queue
}

// At returns the time that the value was last put down for.
func (t *Ticket[T]) At() time.Time {
	return t.at
}

// Pending reports whether the value is still on the agenda.
func (t *Ticket[T]) Pending() bool {
	return t.place < len(t.agenda.queue)
}

// Cancel takes the value off the agenda. It reports whether it was there.
func (t *Ticket[T]) Cancel() bool {
	if !t.Pending() {
		return false
	}
	heap.Remove(&t.agenda.queue, t.place)
	return true
}

// Move puts the value down for another time, which may be an earlier one. It
// reports whether the value was there to be moved.
func (t *Ticket[T]) Move(at time.Time) bool {
	if !t.Pending() {
		return false
	}
	t.at = at
	t.seq = t.agenda.stamp()
	heap.Fix(&t.agenda.queue, t.place)
	return true
}
