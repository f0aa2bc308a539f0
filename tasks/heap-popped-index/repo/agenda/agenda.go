// Package agenda keeps what is to happen and when.
//
// Everything that is put on an [Agenda] has a [Ticket]. The ticket is pending
// until Take has returned its value or Cancel has taken it off. After that it is
// spent, for good: Pending, Cancel and Move report false and change nothing, no
// matter what else has been put on the agenda or has been moved since. A spent
// ticket may be kept and asked for as long as one likes.
//
// Values are taken in the order of their times, and those with the same time in
// the order in which they were put there. A ticket that is moved counts as put
// there when it was moved.
//
// An agenda and its tickets are for one goroutine at a time.
package agenda

import (
	"container/heap"
	"time"
)

// Agenda holds values until it is time for them. Use New to make one.
type Agenda[T any] struct {
	queue queue[T]
	seq   uint64
}

// New returns an empty Agenda.
func New[T any]() *Agenda[T] {
	return &Agenda[T]{}
}

// Add puts v on the agenda.
func (a *Agenda[T]) Add(at time.Time, v T) *Ticket[T] {
	t := &Ticket[T]{agenda: a, at: at, seq: a.stamp(), value: v}
	heap.Push(&a.queue, t)
	return t
}

// Take takes the first value whose time has come at now, and returns it with
// that time. It returns false if there is none.
func (a *Agenda[T]) Take(now time.Time) (v T, at time.Time, ok bool) {
	if len(a.queue) == 0 || a.queue[0].at.After(now) {
		return v, at, false
	}
	t := heap.Pop(&a.queue).(*Ticket[T])
	return t.value, t.at, true
}

// Next returns the time of the value that is to be taken next. It returns false
// if the agenda is empty.
func (a *Agenda[T]) Next() (time.Time, bool) {
	if len(a.queue) == 0 {
		return time.Time{}, false
	}
	return a.queue[0].at, true
}

// Len returns the number of pending tickets.
func (a *Agenda[T]) Len() int {
	return len(a.queue)
}

// stamp numbers what is put on the agenda.
func (a *Agenda[T]) stamp() uint64 {
	a.seq++
	return a.seq
}
