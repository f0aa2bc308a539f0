// Package zone decides which driverless vehicles may be in a zone of the shop
// floor: a crossing, an aisle, the lobby of a lift.
//
// A zone has a number of places, of which each vehicle takes one, and rules that
// say which vehicles go together. A vehicle may enter if a place is free, no rule
// is against it and the zone is not shut. Enter waits until it may.
//
// Vehicles do not queue. One that may enter is let in, however many others came
// before it and must go on waiting. Whether it may is decided anew whenever
// something happens at the zone: a vehicle enters or leaves, the load of one
// inside changes, one that waits gives up, or the zone is reopened. If several
// may enter but not all of them together, it is left open which ones do.
//
// Rules are asked about a vehicle when it arrives, and about those that wait when
// something has happened. In between no rule is asked, and those that wait take
// no computing time.
//
// All methods may be called from any goroutine.
package zone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Errors that the functions of this package wrap.
var (
	ErrConfig    = errors.New("zone: unusable configuration")
	ErrVehicle   = errors.New("zone: unusable vehicle")
	ErrTwice     = errors.New("zone: vehicle is inside or waits already")
	ErrNotInside = errors.New("zone: vehicle is not inside")
)

// Vehicle is a driverless vehicle. Its ID is unique on the floor.
type Vehicle struct {
	ID   string
	Kind string // for example "tugger"
	Load int    // kilograms
}

func (v Vehicle) check() error {
	if v.ID == "" || v.Kind == "" || v.Load < 0 {
		return fmt.Errorf("%w: %+v", ErrVehicle, v)
	}
	return nil
}

// Config describes a zone.
type Config struct {
	Name   string
	Places int
	Rules  []Rule

	// Clock is used for History and Board. The default is time.Now.
	Clock func() time.Time
}

// Zone is one zone of the floor. Use New to make one.
type Zone struct {
	name   string
	places int
	rules  []Rule

	mu     sync.Mutex
	roster roster // guarded by mu
}

// New makes an empty zone that is not shut. It fails with ErrConfig if there is
// no place in it or a rule is nil.
func New(c Config) (*Zone, error) {
	if c.Places < 1 {
		return nil, fmt.Errorf("%w: %d places", ErrConfig, c.Places)
	}
	for i, rule := range c.Rules {
		if rule == nil {
			return nil, fmt.Errorf("%w: rule %d is nil", ErrConfig, i)
		}
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	z := &Zone{name: c.Name, places: c.Places, rules: slices.Clone(c.Rules)}
	z.roster = roster{turn: sync.NewCond(&z.mu), clock: c.Clock}
	return z, nil
}

// mayEnter reports whether a vehicle may enter now.
func (z *Zone) mayEnter(v Vehicle) bool {
	if z.roster.shut || len(z.roster.inside) >= z.places {
		return false
	}
	for _, allows := range z.rules {
		if !allows(z.roster.inside, v) {
			return false
		}
	}
	return true
}

// Enter lets a vehicle in, and waits until it may enter. If ctx is done while it
// waits, the vehicle gives up and Enter fails with the error of ctx; one that may
// enter at once does so whatever ctx is. Enter fails with ErrVehicle or ErrTwice
// without waiting. A vehicle whose Enter has failed is neither inside nor waiting.
func (z *Zone) Enter(ctx context.Context, v Vehicle) error {
	if err := v.check(); err != nil {
		return err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.roster.knows(v.ID) {
		return fmt.Errorf("%w: %s", ErrTwice, v.ID)
	}
	if z.mayEnter(v) {
		z.roster.enter(v)
		return nil
	}

	z.roster.await(v)
	stop := context.AfterFunc(ctx, z.reconsider)
	defer stop()
	for !z.mayEnter(v) {
		if err := ctx.Err(); err != nil {
			z.roster.giveUp(v)
			return fmt.Errorf("zone: %s gave up at %s: %w", v.ID, z.name, err)
		}
		z.roster.turn.Wait()
	}
	z.roster.enter(v)
	return nil
}

// reconsider has all that wait look again.
func (z *Zone) reconsider() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.roster.turn.Broadcast()
}

// TryEnter lets a vehicle in if it may enter at once, and reports whether it
// did. It does not wait. It fails as Enter does.
func (z *Zone) TryEnter(v Vehicle) (bool, error) {
	if err := v.check(); err != nil {
		return false, err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.roster.knows(v.ID) {
		return false, fmt.Errorf("%w: %s", ErrTwice, v.ID)
	}
	if !z.mayEnter(v) {
		return false, nil
	}
	z.roster.enter(v)
	return true, nil
}

// Leave takes note that a vehicle has left the zone. It fails with ErrNotInside.
func (z *Zone) Leave(id string) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.roster.leave(id) {
		return fmt.Errorf("%w: %s", ErrNotInside, id)
	}
	return nil
}

// SetLoad takes note that a vehicle inside has picked something up or set it
// down. No rule is asked about that. It fails with ErrNotInside, or with
// ErrVehicle if the load is negative.
func (z *Zone) SetLoad(id string, load int) error {
	if load < 0 {
		return fmt.Errorf("%w: load of %s is %d", ErrVehicle, id, load)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.roster.reload(id, load) {
		return fmt.Errorf("%w: %s", ErrNotInside, id)
	}
	return nil
}

// Shut lets nobody in until Reopen is called. Those inside stay there and may
// leave, and those that wait go on waiting. Shutting twice is not an error.
func (z *Zone) Shut() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.roster.shut = true
}

// Reopen ends what Shut began.
func (z *Zone) Reopen() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.roster.shut = false
	z.roster.turn.Broadcast()
}

// Inside returns the vehicles in the zone in the order in which they entered.
func (z *Zone) Inside() []Vehicle {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.roster.inside)
}

// Waiting returns the vehicles that wait in the order in which they arrived.
func (z *Zone) Waiting() []Vehicle {
	z.mu.Lock()
	defer z.mu.Unlock()
	var vehicles []Vehicle
	for _, a := range z.roster.waiting {
		vehicles = append(vehicles, a.vehicle)
	}
	return vehicles
}

// History returns the last events, up to 64 of them, in the order in which they
// happened.
func (z *Zone) History() []Event {
	z.mu.Lock()
	defer z.mu.Unlock()
	return slices.Clone(z.roster.events)
}
