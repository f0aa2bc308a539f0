package granary

import (
	"fmt"
	"math"
)

// Draft is the books while an update works on them. Its methods either do all
// that they say or return an error and leave the draft alone. It is meant for
// the one goroutine that does the work, and of no use after that has returned.
type Draft struct {
	note    string
	bins    map[string]Bin
	settled bool
}

// Bin returns what the draft says about a bin.
func (d *Draft) Bin(name string) (Bin, error) {
	if d.settled {
		return Bin{}, ErrSettled
	}
	b, ok := d.bins[name]
	if !ok {
		return Bin{}, fmt.Errorf("%w: %s", ErrNoBin, name)
	}
	return b, nil
}

// Open adds an empty bin.
func (d *Draft) Open(name string, capacity Kilos) error {
	if d.settled {
		return ErrSettled
	}
	if capacity <= 0 {
		return fmt.Errorf("%w: capacity of %s", ErrWeight, capacity)
	}
	if _, ok := d.bins[name]; ok {
		return fmt.Errorf("%w: %s", ErrBinExists, name)
	}
	d.bins[name] = Bin{Name: name, Capacity: capacity}
	return nil
}

// Receive puts grain from outside into a bin. The bin may be overfull for as
// long as the work goes on.
func (d *Draft) Receive(bin, grain string, w Kilos) error {
	b, err := d.Bin(bin)
	if err != nil {
		return err
	}
	if w <= 0 || w > math.MaxInt64-b.Held {
		return fmt.Errorf("%w: %s", ErrWeight, w)
	}
	if grain == "" {
		return ErrNoGrain
	}
	if b.Held > 0 && b.Grain != grain {
		return fmt.Errorf("%w: %s in %s, not %s", ErrMixed, b.Grain, bin, grain)
	}
	b.Grain = grain
	b.Held += w
	d.bins[bin] = b
	return nil
}

// Ship takes grain out of a bin.
func (d *Draft) Ship(bin string, w Kilos) error {
	b, err := d.Bin(bin)
	if err != nil {
		return err
	}
	if w <= 0 {
		return fmt.Errorf("%w: %s", ErrWeight, w)
	}
	if w > b.Held {
		return fmt.Errorf("%w: %s in %s, want %s", ErrShort, b.Held, bin, w)
	}
	b.Held -= w
	if b.Held == 0 {
		b.Grain = ""
	}
	d.bins[bin] = b
	return nil
}

// Move takes grain from one bin to another.
func (d *Draft) Move(from, to string, w Kilos) error {
	b, err := d.Bin(from)
	if err != nil {
		return err
	}
	if err := d.Ship(from, w); err != nil {
		return err
	}
	if err := d.Receive(to, b.Grain, w); err != nil {
		d.bins[from] = b
		return err
	}
	return nil
}
