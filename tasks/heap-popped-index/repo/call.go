package wakeup

import (
	"fmt"
	"time"

	"example.com/alpenrose/wakeup/agenda"
	"example.com/alpenrose/wakeup/house"
)

// call is a Call with what the desk needs to make it.
type call struct {
	Call
	stay     *stay
	ticket   *agenda.Ticket[event] // of the next ring or knock, or of the last
	followed bool                  // by the next of a daily call
}

// Book books a call for the guest of a room.
func (d *Desk) Book(room house.Room, at time.Time) (ID, error) {
	return d.book(room, at, false)
}

// BookDaily books a call at that time and at the same time of every following
// day until the departure. It returns the ID of the first.
func (d *Desk) BookDaily(room house.Room, first time.Time) (ID, error) {
	return d.book(room, first, true)
}

func (d *Desk) book(room house.Room, at time.Time, daily bool) (ID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	st, err := d.stay(room)
	if err != nil {
		return 0, err
	}
	if err := d.checkTime(st, at); err != nil {
		return 0, err
	}
	return d.put(st, at, daily), nil
}

// put puts a new call on the agenda.
func (d *Desk) put(st *stay, at time.Time, daily bool) ID {
	d.lastID++
	c := &call{
		Call: Call{ID: d.lastID, Room: st.room, Guest: st.guest, At: at, Daily: daily},
		stay: st,
	}
	c.ticket = d.agenda.Add(at, c)
	d.calls[c.ID] = c
	st.calls = append(st.calls, c)
	return c.ID
}

// Cancel withdraws a call that is waiting or ringing. A daily call that has not
// rung yet has no successor then.
func (d *Desk) Cancel(id ID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, err := d.call(id)
	if err != nil {
		return err
	}
	if !c.ticket.Cancel() {
		return fmt.Errorf("%w: %d is %v", ErrOver, id, c.State)
	}
	c.State = Withdrawn
	return nil
}

// Answer notes that the guest is up, so that the call does not ring again.
func (d *Desk) Answer(id ID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, err := d.call(id)
	if err != nil {
		return err
	}
	c.ticket.Cancel()
	c.State = Answered
	d.follow(c)
	return nil
}

// Snooze puts a call down for a little later, as the policy has it, and returns
// the time.
func (d *Desk) Snooze(id ID) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.now.Add(d.policy.Snooze)
	if err := d.putOff(id, at); err != nil {
		return time.Time{}, err
	}
	return at, nil
}

// Postpone puts a call down for another time, which may be an earlier one.
func (d *Desk) Postpone(id ID, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.putOff(id, at)
}

func (d *Desk) putOff(id ID, at time.Time) error {
	c, err := d.call(id)
	if err != nil {
		return err
	}
	if err := d.checkTime(c.stay, at); err != nil {
		return err
	}
	if !c.ticket.Move(at) {
		c.ticket = d.agenda.Add(at, c)
	}
	c.At, c.State, c.Rings = at, Waiting, 0
	return nil
}

// checkTime returns an error if nobody can be called at that time.
func (d *Desk) checkTime(st *stay, at time.Time) error {
	if !at.After(d.now) {
		return fmt.Errorf("%w: %v", ErrPast, at)
	}
	if !at.Before(st.until) {
		return fmt.Errorf("%w: %v is after %v", ErrDeparture, at, st.until)
	}
	return nil
}

// call returns a call with which something can be done.
func (d *Desk) call(id ID) (*call, error) {
	c, ok := d.calls[id]
	if !ok {
		return nil, fmt.Errorf("%w: %d", ErrNoCall, id)
	}
	if c.stay.over || c.State == Withdrawn {
		return nil, fmt.Errorf("%w: %d is %v", ErrOver, id, c.State)
	}
	return c, nil
}

// happen is a ring or, after the last of them, the knock.
func (c *call) happen(d *Desk, at time.Time) Action {
	if c.Rings == d.policy.Rings {
		c.State = Missed
		return c.action(Knock, at)
	}
	c.State = Ringing
	c.Rings++
	c.ticket = d.agenda.Add(at.Add(d.policy.after(c.Rings)), c)
	d.follow(c)
	return c.action(Ring, at)
}

// follow books the call of the next day if c is daily and nobody has done so
// yet.
func (d *Desk) follow(c *call) {
	if !c.Daily || c.followed {
		return
	}
	c.followed = true
	if at := c.At.AddDate(0, 0, 1); at.Before(c.stay.until) {
		d.put(c.stay, at, true)
	}
}

func (c *call) action(k Kind, at time.Time) Action {
	return Action{At: at, Kind: k, Room: c.Room, Call: c.ID}
}
