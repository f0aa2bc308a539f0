// Package wakeup is the desk that calls the guests of a hotel in the morning.
//
// # Stays
//
// A guest is checked in to a room until a time of departure. At that time, or
// when the guest is checked out earlier, the calls that are still to come for
// the stay are withdrawn. Nothing that happens to one stay makes a difference to
// the calls and the departures of the others.
//
// # Calls
//
// A call that has been booked rings the room at its time. If nobody answers, it
// rings again and again as the [Policy] has it, and when that was of no use
// either, a porter knocks at the door; after that the call is missed. Answer
// says that the guest is up, at whatever stage.
//
// Snooze and Postpone put a call down for another time. They can be used while a
// call is waiting or ringing, and also once it has been answered or missed: the
// guest may want to be called again. The call then starts from the beginning.
// Calls that have been withdrawn, and those of guests who have left, are over.
//
// A daily call books the call of the next day when it rings for the first time
// or is answered before, unless that would be after the departure. The next call
// has an ID of its own.
//
// # Time
//
// The desk has no clock. [Desk.Tick] tells it the time, and does what has come
// due since: every waiting or ringing call is acted on when its time comes, once
// for each time, in the order of the times. What falls on the same time is done
// in the order in which it was put down.
//
// A Desk may be used by several goroutines at once.
package wakeup

import (
	"errors"
	"fmt"
	"time"

	"example.com/alpenrose/wakeup/house"
)

var (
	// ErrNoCall is wrapped by the errors about IDs of no call.
	ErrNoCall = errors.New("wakeup: no such call")
	// ErrOver is wrapped by the errors about calls with which nothing can be
	// done any more.
	ErrOver = errors.New("wakeup: call is over")
	// ErrPast is wrapped by the errors about times that are not in the future.
	ErrPast = errors.New("wakeup: time is past")
	// ErrDeparture is wrapped by the errors about times at which the guest will
	// have left.
	ErrDeparture = errors.New("wakeup: guest will have left")
	// ErrVacant is wrapped by the errors about rooms without a guest.
	ErrVacant = errors.New("wakeup: room is vacant")
	// ErrTaken is wrapped by the errors about rooms that have a guest already.
	ErrTaken = errors.New("wakeup: room is taken")
	// ErrPolicy is wrapped by the errors about policies that make no sense.
	ErrPolicy = errors.New("wakeup: bad policy")
)

// ID identifies a call.
type ID int

// State is how far a call has got.
type State int

// The states of a call.
const (
	Waiting   State = iota // for its time
	Ringing                // and nobody has answered
	Answered               // the guest is up
	Missed                 // the porter has knocked
	Withdrawn              // cancelled, or the guest has left
)

// String returns the name of the state.
func (s State) String() string {
	names := [...]string{"waiting", "ringing", "answered", "missed", "withdrawn"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return names[s]
}

// Call is what the desk knows about a call.
type Call struct {
	ID    ID
	Room  house.Room
	Guest string
	At    time.Time // that it was last put down for
	Daily bool      // whether the next day's call follows it
	State State
	Rings int // since it was last put down
}

// Kind is the kind of an Action.
type Kind int

// The kinds of actions.
const (
	Ring   Kind = iota // the telephone of a room
	Knock              // at the door of a room
	Depart             // the guest of a room has left
)

// String returns the name of the kind.
func (k Kind) String() string {
	names := [...]string{"ring", "knock", "depart"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Action is something that was due.
type Action struct {
	At   time.Time // when it was due
	Kind Kind
	Room house.Room
	Call ID // zero for departures
}
