package wakeup_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/alpenrose/wakeup"
	"example.com/alpenrose/wakeup/house"
)

// ledger is a desk that keeps a plain list of what is to come.
type ledger struct {
	policy wakeup.Policy
	now    time.Time
	plans  []plan
	seq    int
	stays  map[house.Room]*lodger
	calls  []*wake // by ID, from 1
}

// plan is something to come, for a call or for a stay.
type plan struct {
	at   time.Time
	seq  int
	call *wake
	stay *lodger
}

type lodger struct {
	room  house.Room
	until time.Time
	calls []*wake
	gone  bool
}

type wake struct {
	id       wakeup.ID
	stay     *lodger
	at       time.Time
	daily    bool
	followed bool
	state    wakeup.State
	rings    int
}

func (l *ledger) plan(p plan) {
	l.seq++
	p.seq = l.seq
	l.plans = append(l.plans, p)
}

// strike takes what is to come for a call off the list.
func (l *ledger) strike(c *wake) bool {
	n := len(l.plans)
	l.plans = slices.DeleteFunc(l.plans, func(p plan) bool { return p.call == c })
	return len(l.plans) < n
}

func (l *ledger) book(st *lodger, at time.Time, daily bool) wakeup.ID {
	c := &wake{id: wakeup.ID(len(l.calls) + 1), stay: st, at: at, daily: daily}
	l.calls = append(l.calls, c)
	st.calls = append(st.calls, c)
	l.plan(plan{at: at, call: c})
	return c.id
}

func (l *ledger) follow(c *wake) {
	if !c.daily || c.followed {
		return
	}
	c.followed = true
	if at := c.at.AddDate(0, 0, 1); at.Before(c.stay.until) {
		l.book(c.stay, at, true)
	}
}

func (l *ledger) leave(st *lodger) int {
	n := 0
	for _, c := range st.calls {
		if l.strike(c) {
			c.state = wakeup.Withdrawn
			n++
		}
	}
	l.plans = slices.DeleteFunc(l.plans, func(p plan) bool { return p.stay == st })
	st.gone = true
	delete(l.stays, st.room)
	return n
}

func (l *ledger) tick(now time.Time) []wakeup.Action {
	var actions []wakeup.Action
	for len(l.plans) > 0 {
		slices.SortFunc(l.plans, func(a, b plan) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
		p := l.plans[0]
		if p.at.After(now) {
			break
		}
		l.plans = slices.Delete(l.plans, 0, 1)
		a := wakeup.Action{At: p.at}
		if p.stay != nil {
			l.leave(p.stay)
			a.Kind, a.Room = wakeup.Depart, p.stay.room
			actions = append(actions, a)
			continue
		}
		c := p.call
		a.Room, a.Call = c.stay.room, c.id
		if c.rings == l.policy.Rings {
			c.state = wakeup.Missed
			a.Kind = wakeup.Knock
			actions = append(actions, a)
			continue
		}
		c.state = wakeup.Ringing
		c.rings++
		wait := l.policy.Again
		if c.rings == l.policy.Rings {
			wait = l.policy.Knock
		}
		l.plan(plan{at: p.at.Add(wait), call: c})
		l.follow(c)
		a.Kind = wakeup.Ring
		actions = append(actions, a)
	}
	l.now = now
	return actions
}

// over reports whether nothing can be done with a call any more.
func (l *ledger) over(c *wake) bool {
	return c.stay.gone || c.state == wakeup.Withdrawn
}

// allowed says which error a time has.
func (l *ledger) allowed(st *lodger, at time.Time) error {
	if !at.After(l.now) {
		return wakeup.ErrPast
	}
	if !at.Before(st.until) {
		return wakeup.ErrDeparture
	}
	return nil
}

func (l *ledger) putOff(c *wake, at time.Time) error {
	if l.over(c) {
		return wakeup.ErrOver
	}
	if err := l.allowed(c.stay, at); err != nil {
		return err
	}
	l.strike(c)
	l.plan(plan{at: at, call: c})
	c.at, c.state, c.rings = at, wakeup.Waiting, 0
	return nil
}

// season runs a desk and a ledger side by side.
type season struct {
	l      *ledger
	d      *wakeup.Desk
	random *rand.Rand
	rooms  int
}

func (s *season) later(minutes int) time.Time {
	return s.l.now.Add(time.Duration(1+s.random.IntN(minutes)) * time.Minute)
}

// step does one thing at both and compares what they say.
func (s *season) step() error {
	room := house.Room(101 + s.random.IntN(s.rooms))
	st := s.l.stays[room]
	var c *wake
	if n := len(s.l.calls); n > 0 {
		c = s.l.calls[max(0, n-1-s.random.IntN(60))]
	}
	errVacant := func() error {
		if st == nil {
			return wakeup.ErrVacant
		}
		return nil
	}
	switch op := s.random.IntN(20); {
	case op < 2:
		until := s.later(4000)
		want := error(nil)
		if st != nil {
			want = wakeup.ErrTaken
		} else {
			st = &lodger{room: room, until: until}
			s.l.stays[room] = st
			s.l.plan(plan{at: until, stay: st})
		}
		return failed("CheckIn", s.d.CheckIn(room, "guest", until), want)
	case op < 3:
		want, n := errVacant(), 0
		if st != nil {
			n = s.l.leave(st)
		}
		got, err := s.d.CheckOut(room)
		if got != n {
			return fmt.Errorf("CheckOut() = %d, want %d", got, n)
		}
		return failed("CheckOut", err, want)
	case op < 4:
		until := s.later(3000)
		want := errVacant()
		if st != nil {
			st.until = until
			i := slices.IndexFunc(s.l.plans, func(p plan) bool { return p.stay == st })
			s.l.plans = slices.Delete(s.l.plans, i, i+1)
			s.l.plan(plan{at: until, stay: st})
		}
		return failed("Extend", s.d.Extend(room, until), want)
	case op < 10:
		at, daily := s.later(900), op == 9
		want, id := errVacant(), wakeup.ID(0)
		if want == nil {
			if want = s.l.allowed(st, at); want == nil {
				id = s.l.book(st, at, daily)
			}
		}
		book := s.d.Book
		if daily {
			book = s.d.BookDaily
		}
		got, err := book(room, at)
		if want == nil && got != id {
			return fmt.Errorf("Book() = %d, want %d", int(got), int(id))
		}
		return failed("Book", err, want)
	case op < 14:
		now := s.later(25)
		want := s.l.tick(now)
		return acted(s.d.Tick(now), want)
	case c == nil:
		return nil
	case op < 16:
		want := error(nil)
		if s.l.over(c) {
			want = wakeup.ErrOver
		} else {
			s.l.strike(c)
			c.state = wakeup.Answered
			s.l.follow(c)
		}
		return failed("Answer", s.d.Answer(c.id), want)
	case op < 17:
		want := error(nil)
		if s.l.over(c) || !s.l.strike(c) {
			want = wakeup.ErrOver
		} else {
			c.state = wakeup.Withdrawn
		}
		return failed("Cancel", s.d.Cancel(c.id), want)
	case op < 18:
		want := s.l.putOff(c, s.l.now.Add(s.l.policy.Snooze))
		_, err := s.d.Snooze(c.id)
		return failed("Snooze", err, want)
	default:
		at := s.later(600)
		want := s.l.putOff(c, at)
		return failed("Postpone", s.d.Postpone(c.id, at), want)
	}
}

// failed compares an error with the one that it should wrap, or nil.
func failed(what string, got, want error) error {
	if want == nil && got != nil || want != nil && !errors.Is(got, want) {
		return fmt.Errorf("%s: got the error %v, want %v", what, got, want)
	}
	return nil
}

// agree compares what is known about the calls, and what comes next.
func (s *season) agree() error {
	for _, c := range s.l.calls {
		got, err := s.d.Call(c.id)
		if err != nil {
			return err
		}
		if got.State != c.state || got.Rings != c.rings || !got.At.Equal(c.at) || got.Room != c.stay.room || got.Daily != c.daily {
			return fmt.Errorf("call %d is in state %d after %d rings, want %d after %d",
				int(c.id), int(got.State), got.Rings, int(c.state), c.rings)
		}
	}
	next, ok := s.d.Next()
	if ok != (len(s.l.plans) > 0) {
		return fmt.Errorf("Next() = %v, %t with %d things to come", next, ok, len(s.l.plans))
	}
	if ok {
		first := slices.MinFunc(s.l.plans, func(a, b plan) int { return a.at.Compare(b.at) })
		if !next.Equal(first.at) {
			return fmt.Errorf("Next() = %v, want %v", next, first.at)
		}
	}
	return nil
}

func TestSeasonAgainstAPlainLedger(t *testing.T) {
	for _, tc := range []struct {
		name   string
		seed   uint64
		rooms  int
		policy wakeup.Policy
	}{
		{"small_house", 7, 3, wakeup.DefaultPolicy},
		{"full_house", 8, 40, wakeup.DefaultPolicy},
		{"one_ring", 9, 12, wakeup.Policy{Rings: 1, Again: time.Minute, Knock: 2 * time.Minute, Snooze: 5 * time.Minute}},
		{"many_rings", 10, 12, wakeup.Policy{Rings: 9, Again: 2 * time.Minute, Knock: time.Minute, Snooze: 3 * time.Minute}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, func() error {
				d, err := lodge(0, wakeup.WithPolicy(tc.policy))
				if err != nil {
					return err
				}
				s := &season{
					l:      &ledger{policy: tc.policy, now: opening, stays: make(map[house.Room]*lodger)},
					d:      d,
					random: rand.New(rand.NewPCG(tc.seed, 3)),
					rooms:  tc.rooms,
				}
				for i := range 3000 {
					if err := s.step(); err != nil {
						return fmt.Errorf("step %d: %w", i, err)
					}
					if i%50 == 0 {
						if err := s.agree(); err != nil {
							return fmt.Errorf("after step %d: %w", i, err)
						}
					}
				}
				return s.agree()
			})
		})
	}
}
