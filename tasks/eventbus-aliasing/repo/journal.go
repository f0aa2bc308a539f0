package eventbus

import "slices"

// journal remembers the latest events in a ring.
type journal struct {
	ring []Event
	size int
	next int // where the next event goes once the ring is full
}

func newJournal(size int) *journal {
	return &journal{size: max(size, 0)}
}

func (j *journal) add(ev Event) {
	if j.size == 0 {
		return
	}
	if len(j.ring) < j.size {
		j.ring = append(j.ring, ev)
		return
	}
	j.ring[j.next] = ev
	j.next = (j.next + 1) % j.size
}

// events returns a copy of the remembered events, oldest first.
func (j *journal) events() []Event {
	return slices.Concat(j.ring[j.next:], j.ring[:j.next])
}
