package desk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/cabstand/desk"
	"example.com/cabstand/recall"
)

// office is a registry that makes its answers of the questions.
type office struct {
	saved  map[desk.Phone]desk.Rider
	asked  int
	markup int
	err    error
}

func (o *office) Rider(_ context.Context, phone desk.Phone) (desk.Rider, error) {
	o.asked++
	if r, ok := o.saved[phone]; ok {
		return r, o.err
	}
	return desk.Rider{Name: "rider " + string(phone), Home: "home " + string(phone)}, o.err
}

func (o *office) SaveRider(_ context.Context, phone desk.Phone, r desk.Rider) error {
	o.saved[phone] = r
	return o.err
}

func (o *office) Tariff(_ context.Context, zone desk.Zone) (desk.Tariff, error) {
	o.asked++
	return desk.Tariff{Base: 1000*int(zone) + o.markup, Kilometre: int(zone)}, o.err
}

func (o *office) Driver(_ context.Context, plate desk.Plate) (desk.Driver, error) {
	o.asked++
	return desk.Driver{Name: fmt.Sprint("driver ", string(plate), o.markup), Seat: len(plate)}, o.err
}

func atDesk(t *testing.T, body func(d *desk.Desk, o *office) error) {
	t.Helper()
	cache, err := recall.New(5000)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{saved: make(map[desk.Phone]desk.Rider)}
	d, err := desk.New(o, cache)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			ended <- err
		}()
		err = body(d, o)
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a call does not return")
	}
}

// callers have numbers many of which begin and end alike.
func callers() []desk.Phone {
	var all []desk.Phone
	for _, country := range []string{"+358", "+3584", "+46", "+1"} {
		for n := range 300 {
			all = append(all, desk.Phone(fmt.Sprintf("%s%05d%02d", country, n/3, n%3)))
		}
	}
	return all
}

func TestEachCallerIsThemself(t *testing.T) {
	atDesk(t, func(d *desk.Desk, o *office) error {
		ctx := context.Background()
		for range 2 {
			for _, phone := range callers() {
				got, err := d.Caller(ctx, phone)
				if want := (desk.Rider{Name: "rider " + string(phone), Home: "home " + string(phone)}); err != nil || got != want {
					return fmt.Errorf("Caller(%s) = %+v, %v", string(phone), got, err)
				}
			}
		}
		if want := len(callers()); o.asked != want {
			return fmt.Errorf("registry was asked %d times, want %d", o.asked, want)
		}
		return nil
	})
}

func TestACorrectionIsForOneCaller(t *testing.T) {
	atDesk(t, func(d *desk.Desk, o *office) error {
		ctx := context.Background()
		corrected := func(phone desk.Phone) desk.Rider { return desk.Rider{Name: "new " + string(phone)} }
		for i, phone := range callers() {
			if _, err := d.Caller(ctx, phone); err != nil {
				return err
			}
			if i%2 == 0 {
				if err := d.Correct(ctx, phone, corrected(phone)); err != nil {
					return err
				}
			}
		}
		for i, phone := range callers() {
			want := desk.Rider{Name: "rider " + string(phone), Home: "home " + string(phone)}
			if i%2 == 0 {
				want = corrected(phone)
			}
			if got, err := d.Caller(ctx, phone); err != nil || got != want {
				return fmt.Errorf("Caller(%s) = %+v, %v, want %+v", string(phone), got, err, want)
			}
		}
		return nil
	})
}

func TestEachZoneHasItsTariff(t *testing.T) {
	atDesk(t, func(d *desk.Desk, o *office) error {
		for _, markup := range []int{0, 7} {
			o.markup = markup
			d.NewTariffs()
			for range 2 {
				for zone := desk.Zone(1); zone <= desk.LastZone; zone++ {
					got, err := d.Quote(context.Background(), zone, 2500)
					if want := 1003*int(zone) + markup; err != nil || got != want {
						return fmt.Errorf("Quote from zone %d = %d, %v, want %d", int(zone), got, err, want)
					}
				}
			}
		}
		if want := 2 * int(desk.LastZone); o.asked != want {
			return fmt.Errorf("registry was asked %d times, want %d", o.asked, want)
		}
		return nil
	})
}

func TestEachCabHasItsDriver(t *testing.T) {
	atDesk(t, func(d *desk.Desk, o *office) error {
		plates := []desk.Plate{"CAB-1", "CAB-11", "CAB 1", "cab-1", "1", ""}
		for _, markup := range []int{0, 1} {
			o.markup = markup
			for _, plate := range plates {
				want := fmt.Sprintf("driver %s%d is coming with %s, %d seats", string(plate), markup, string(plate), len(plate))
				if got, err := d.Announcement(context.Background(), plate); err != nil || got != want {
					return fmt.Errorf("Announcement(%q) = %q, %v, want %q", string(plate), got, err, want)
				}
				d.ShiftChange(plate)
			}
		}
		return nil
	})
}

// TestNumbersStayOutOfLogs looks at what is printed of numbers and zones.
func TestNumbersStayOutOfLogs(t *testing.T) {
	atDesk(t, func(d *desk.Desk, o *office) error {
		const phone = desk.Phone("+358405550199")
		for _, format := range []string{"%v", "%s"} {
			if got := fmt.Sprintf(format, phone); got != "+35........99" {
				return fmt.Errorf("a number prints as %q with %s", got, format)
			}
			if got := fmt.Sprintf(format, desk.Zone(9)); got != "Harbour" {
				return fmt.Errorf("zone 9 prints as %q with %s", got, format)
			}
		}
		o.err = errors.New("line is down")
		_, err := d.Caller(context.Background(), phone)
		if !errors.Is(err, o.err) || strings.Contains(err.Error(), "40555") {
			return fmt.Errorf("Caller: %v", err)
		}
		if err := d.Correct(context.Background(), phone, desk.Rider{}); !errors.Is(err, o.err) || strings.Contains(err.Error(), "40555") {
			return fmt.Errorf("Correct: %v", err)
		}
		return nil
	})
}

func TestErrorsOfTheDeskDiffer(t *testing.T) {
	all := []error{desk.ErrPhone, desk.ErrZone, desk.ErrDistance}
	unrelated := errors.New("unrelated")
	for i, a := range all {
		if a == nil {
			t.Fatalf("error %d is nil", i)
		}
		if errors.Is(unrelated, a) || errors.Is(a, unrelated) {
			t.Errorf("%v matches an unrelated error", a)
		}
		for j, b := range all {
			if i != j && errors.Is(a, b) {
				t.Errorf("%v matches %v", a, b)
			}
		}
	}
}
