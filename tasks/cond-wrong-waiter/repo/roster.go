package zone

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// keep is how many events the history goes back.
const keep = 64

// Move is a kind of event.
type Move int

// The kinds of events.
const (
	Arrived Move = iota + 1 // and has to wait
	Entered
	Loaded // picked something up or set it down
	Left
	GaveUp
)

// String returns the word that logs use.
func (m Move) String() string {
	switch m {
	case Arrived:
		return "arrived"
	case Entered:
		return "entered"
	case Loaded:
		return "loaded"
	case Left:
		return "left"
	case GaveUp:
		return "gave up"
	}
	return fmt.Sprintf("Move(%d)", int(m))
}

// Event is something that a vehicle did at a zone.
type Event struct {
	At      time.Time
	Move    Move
	Vehicle Vehicle
}

// arrival is a vehicle that waits.
type arrival struct {
	vehicle Vehicle
	since   time.Time
}

// roster knows who is in a zone, who waits for it and what happened there.
type roster struct {
	turn  *sync.Cond // those who wait do so here
	clock func() time.Time

	shut    bool
	inside  []Vehicle
	waiting []arrival
	events  []Event
}

func (r *roster) record(m Move, v Vehicle) {
	if len(r.events) == keep {
		r.events = slices.Delete(r.events, 0, 1)
	}
	r.events = append(r.events, Event{At: r.clock(), Move: m, Vehicle: v})
}

// find returns the position of a vehicle inside, or -1.
func (r *roster) find(id string) int {
	return slices.IndexFunc(r.inside, func(v Vehicle) bool { return v.ID == id })
}

// knows reports whether a vehicle is inside or waits.
func (r *roster) knows(id string) bool {
	return r.find(id) >= 0 ||
		slices.ContainsFunc(r.waiting, func(a arrival) bool { return a.vehicle.ID == id })
}

// await adds a vehicle to those that wait.
func (r *roster) await(v Vehicle) {
	r.waiting = append(r.waiting, arrival{vehicle: v, since: r.clock()})
	r.record(Arrived, v)
}

// forget takes a vehicle off those that wait, if it is one of them.
func (r *roster) forget(id string) {
	r.waiting = slices.DeleteFunc(r.waiting, func(a arrival) bool { return a.vehicle.ID == id })
}

// giveUp takes a vehicle that waits no longer off the roster.
func (r *roster) giveUp(v Vehicle) {
	r.forget(v.ID)
	r.record(GaveUp, v)
}

// enter gives a vehicle a place, whether it had to wait for it or not.
func (r *roster) enter(v Vehicle) {
	r.forget(v.ID)
	r.inside = append(r.inside, v)
	r.record(Entered, v)
	r.turn.Signal()
}

// leave takes the place of a vehicle back. It reports whether it had one.
func (r *roster) leave(id string) bool {
	i := r.find(id)
	if i < 0 {
		return false
	}
	v := r.inside[i]
	r.inside = slices.Delete(r.inside, i, i+1)
	r.record(Left, v)
	r.turn.Signal()
	return true
}

// reload changes the load of a vehicle inside. It reports whether there is one.
func (r *roster) reload(id string, load int) bool {
	i := r.find(id)
	if i < 0 {
		return false
	}
	r.inside[i].Load = load
	r.record(Loaded, r.inside[i])
	r.turn.Signal()
	return true
}
