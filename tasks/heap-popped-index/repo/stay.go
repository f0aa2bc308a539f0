package wakeup

import (
	"fmt"
	"time"

	"example.com/alpenrose/wakeup/agenda"
	"example.com/alpenrose/wakeup/house"
)

// stay is a guest in a room.
type stay struct {
	room      house.Room
	guest     string
	until     time.Time
	departure *agenda.Ticket[event]
	calls     []*call
	over      bool
}

// CheckIn lets a guest have a room until the time of departure.
func (d *Desk) CheckIn(room house.Room, guest string, until time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.house.Check(room); err != nil {
		return err
	}
	if st, ok := d.stays[room]; ok {
		return fmt.Errorf("%w: %v, by %s", ErrTaken, room, st.guest)
	}
	if !until.After(d.now) {
		return fmt.Errorf("%w: departure at %v", ErrPast, until)
	}
	st := &stay{room: room, guest: guest, until: until}
	st.departure = d.agenda.Add(until, st)
	d.stays[room] = st
	return nil
}

// Extend changes the time of departure, also to an earlier one. Calls after
// that time remain booked, and are withdrawn when the guest has left.
func (d *Desk) Extend(room house.Room, until time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	st, err := d.stay(room)
	if err != nil {
		return err
	}
	if !until.After(d.now) {
		return fmt.Errorf("%w: departure at %v", ErrPast, until)
	}
	st.until = until
	st.departure.Move(until)
	return nil
}

// CheckOut lets the guest of a room go before the time of departure. It returns
// how many calls were withdrawn.
func (d *Desk) CheckOut(room house.Room) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	st, err := d.stay(room)
	if err != nil {
		return 0, err
	}
	st.departure.Cancel()
	return d.leave(st), nil
}

// happen is the departure.
func (st *stay) happen(d *Desk, at time.Time) Action {
	d.leave(st)
	return Action{At: at, Kind: Depart, Room: st.room}
}

// leave ends a stay and returns how many calls were still to come.
func (d *Desk) leave(st *stay) int {
	withdrawn := 0
	for _, c := range st.calls {
		if c.ticket.Cancel() {
			c.State = Withdrawn
			withdrawn++
		}
	}
	st.over = true
	delete(d.stays, st.room)
	return withdrawn
}

// stay returns the present stay in a room.
func (d *Desk) stay(room house.Room) (*stay, error) {
	if err := d.house.Check(room); err != nil {
		return nil, err
	}
	st, ok := d.stays[room]
	if !ok {
		return nil, fmt.Errorf("%w: %v", ErrVacant, room)
	}
	return st, nil
}
