// Package desk answers the questions that the clerks of a cab office have while a
// caller is on the line: who is it, what will it cost, who is coming.
//
// What the office knows is in a slow registry. The desk keeps what it has learnt
// from it for some minutes; a correction that is made at the desk itself is seen
// there at once.
package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/cabstand/recall"
)

// Errors that the functions of this package wrap.
var (
	ErrPhone    = errors.New("desk: not a telephone number")
	ErrZone     = errors.New("desk: no such zone")
	ErrDistance = errors.New("desk: unusable distance")
)

// Rider is somebody who has called before.
type Rider struct {
	Name string
	Home string // the address where the cab usually goes
}

// Tariff is the price of a ride from a zone, in cents.
type Tariff struct {
	Base      int // for getting in
	Kilometre int // for each one that is begun
}

// Driver is who is on shift with a cab.
type Driver struct {
	Name string
	Seat int // passengers that the cab takes
}

// Registry is where the office has its data.
type Registry interface {
	Rider(ctx context.Context, phone Phone) (Rider, error)
	SaveRider(ctx context.Context, phone Phone, r Rider) error
	Tariff(ctx context.Context, zone Zone) (Tariff, error)
	Driver(ctx context.Context, plate Plate) (Driver, error)
}

// How long the desk goes by what it has learnt.
const (
	riderTTL  = 10 * time.Minute
	tariffTTL = time.Hour
	driverTTL = 2 * time.Minute
)

// Desk answers questions. Use New to make one.
type Desk struct {
	registry Registry
	riders   *recall.Table[Phone, Rider]
	tariffs  *recall.Table[Zone, Tariff]
	drivers  *recall.Table[Plate, Driver]
}

// New makes a desk that keeps what it learns in a cache. A cache serves one desk.
func New(registry Registry, cache *recall.Cache) (*Desk, error) {
	riders, err := recall.NewTable(cache, "riders", riderTTL, registry.Rider)
	if err != nil {
		return nil, err
	}
	tariffs, err := recall.NewTable(cache, "tariffs", tariffTTL, registry.Tariff)
	if err != nil {
		return nil, err
	}
	drivers, err := recall.NewTable(cache, "drivers", driverTTL, registry.Driver)
	if err != nil {
		return nil, err
	}
	return &Desk{registry: registry, riders: riders, tariffs: tariffs, drivers: drivers}, nil
}

// Caller returns who calls from a number.
func (d *Desk) Caller(ctx context.Context, phone Phone) (Rider, error) {
	r, err := d.riders.Get(ctx, phone)
	if err != nil {
		return Rider{}, fmt.Errorf("desk: caller %v: %w", phone, err)
	}
	return r, nil
}

// Correct changes what is known about a caller, in the registry and at the desk.
func (d *Desk) Correct(ctx context.Context, phone Phone, r Rider) error {
	if err := d.registry.SaveRider(ctx, phone, r); err != nil {
		d.riders.Forget(phone)
		return fmt.Errorf("desk: correcting %v: %w", phone, err)
	}
	d.riders.Put(phone, r)
	return nil
}

// Quote returns the price in cents of a ride of so many metres from a zone. It
// fails with ErrZone or ErrDistance without asking the registry.
func (d *Desk) Quote(ctx context.Context, from Zone, metres int) (int, error) {
	if !from.Valid() {
		return 0, fmt.Errorf("%w: %d", ErrZone, int(from))
	}
	if metres < 0 {
		return 0, fmt.Errorf("%w: %d m", ErrDistance, metres)
	}
	tariff, err := d.tariffs.Get(ctx, from)
	if err != nil {
		return 0, fmt.Errorf("desk: tariff of zone %d (%v): %w", int(from), from, err)
	}
	return tariff.Base + (metres+999)/1000*tariff.Kilometre, nil
}

// NewTariffs has the desk ask for all tariffs again.
func (d *Desk) NewTariffs() {
	d.tariffs.Reset()
}

// Announcement returns what the clerk tells a caller about the cab that comes.
func (d *Desk) Announcement(ctx context.Context, plate Plate) (string, error) {
	driver, err := d.drivers.Get(ctx, plate)
	if err != nil {
		return "", fmt.Errorf("desk: driver of %v: %w", plate, err)
	}
	return fmt.Sprintf("%s is coming with %s, %d seats", driver.Name, plate, driver.Seat), nil
}

// ShiftChange has the desk ask again who drives a cab.
func (d *Desk) ShiftChange(plate Plate) {
	d.drivers.Forget(plate)
}
