package granary_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/longmeadow/granary"
)

// silos are the bins of these tests.
var silos = []granary.Bin{
	{Name: "north", Capacity: 900_000, Grain: "maize", Held: 611_000},
	{Name: "pit", Capacity: 70_000},
	{Name: "south", Capacity: 900_000, Grain: "barley", Held: 250_500},
	{Name: "west", Capacity: 400_000, Grain: "maize", Held: 1_000},
}

// elevator returns a store with silos and a journal of one entry.
func elevator(opts ...granary.Option) (*granary.Store, error) {
	s := granary.NewStore(opts...)
	err := s.Update("opening", func(d *granary.Draft) error {
		for _, b := range silos {
			if err := d.Open(b.Name, b.Capacity); err != nil {
				return err
			}
			if b.Held == 0 {
				continue
			}
			if err := d.Receive(b.Name, b.Grain, b.Held); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

// books is all that a store tells its readers.
type books struct {
	bins    []granary.Bin
	journal []granary.Entry
}

func read(s *granary.Store) books {
	return books{s.Bins(), s.Journal(0)}
}

// unchanged compares what a store tells now with what it told then.
func unchanged(s *granary.Store, then books) error {
	now := read(s)
	if !slices.Equal(now.bins, then.bins) {
		return fmt.Errorf("bins are %+v, want %+v", plain(now.bins), plain(then.bins))
	}
	if len(now.journal) != len(then.journal) {
		return fmt.Errorf("journal has %d entries, want %d", len(now.journal), len(then.journal))
	}
	for i, e := range now.journal {
		if want := then.journal[i]; !e.At.Equal(want.At) || !sameButTime(e, want) {
			return fmt.Errorf("entry %d differs", i)
		}
	}
	return nil
}

func sameButTime(a, b granary.Entry) bool {
	a.At, b.At = time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}

// plain spells bins without the help of the module.
func plain(bins []granary.Bin) []string {
	var out []string
	for _, b := range bins {
		out = append(out, fmt.Sprintf("%s %d of %d %q", b.Name, int64(b.Held), int64(b.Capacity), b.Grain))
	}
	return out
}

// held returns what is in a bin.
func held(s *granary.Store, name string) granary.Kilos {
	for _, b := range s.Bins() {
		if b.Name == name {
			return b.Held
		}
	}
	return -1
}

// isPanic checks that err reports a panic.
func isPanic(err error) (*granary.PanicError, error) {
	var pe *granary.PanicError
	if !errors.As(err, &pe) || pe == nil {
		return nil, fmt.Errorf("got the error %v, want a *PanicError", err)
	}
	return pe, nil
}

// tended fails the test if body fails, panics or takes too long.
func tended(t *testing.T, body func() error) {
	t.Helper()
	select {
	case err := <-elsewhere(body):
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(6 * time.Second):
		t.Fatal("no end after 6s")
	}
}

// elsewhere runs body on a goroutine of its own.
func elsewhere(body func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("a panic got out: %v", v)
			}
			done <- err
		}()
		err = body()
	}()
	return done
}

// must panics unless all errs are nil; works of these tests use it for steps
// that cannot fail.
func must(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(fmt.Sprint("unexpected: ", err))
	}
}
