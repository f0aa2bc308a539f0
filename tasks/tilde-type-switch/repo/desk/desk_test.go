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

var errUnknown = errors.New("not in the registry")

// registry is one in memory that counts the questions.
type registry struct {
	riders  map[desk.Phone]desk.Rider
	tariffs map[desk.Zone]desk.Tariff
	drivers map[desk.Plate]desk.Driver
	asked   int
	broken  bool
}

func look[K comparable, V any](r *registry, m map[K]V, key K) (V, error) {
	r.asked++
	v, ok := m[key]
	if !ok {
		return v, errUnknown
	}
	return v, nil
}

func (r *registry) Rider(_ context.Context, phone desk.Phone) (desk.Rider, error) {
	return look(r, r.riders, phone)
}

func (r *registry) Tariff(_ context.Context, zone desk.Zone) (desk.Tariff, error) {
	return look(r, r.tariffs, zone)
}

func (r *registry) Driver(_ context.Context, plate desk.Plate) (desk.Driver, error) {
	return look(r, r.drivers, plate)
}

func (r *registry) SaveRider(_ context.Context, phone desk.Phone, rider desk.Rider) error {
	if r.broken {
		return errUnknown
	}
	r.riders[phone] = rider
	return nil
}

func newDesk(t *testing.T) (*desk.Desk, *registry) {
	t.Helper()
	r := &registry{
		riders: map[desk.Phone]desk.Rider{
			"+358405550123": {Name: "Aino Salo", Home: "Kaarikatu 4"},
			"+358505550188": {Name: "Otto Brandt", Home: "Laiturikuja 11"},
			"+46735550142":  {Name: "Maja Ek", Home: "Hotel Ankar"},
		},
		tariffs: map[desk.Zone]desk.Tariff{
			3:  {Base: 520, Kilometre: 110},
			9:  {Base: 560, Kilometre: 115},
			33: {Base: 1500, Kilometre: 130},
		},
		drivers: map[desk.Plate]desk.Driver{
			"CAB-104": {Name: "Liisa", Seat: 4},
			"CAB-140": {Name: "Amir", Seat: 8},
		},
	}
	cache, err := recall.New(50)
	if err != nil {
		t.Fatal(err)
	}
	d, err := desk.New(r, cache)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.New(r, cache); !errors.Is(err, recall.ErrTable) {
		t.Errorf("second desk with the cache: %v, want ErrTable", err)
	}
	return d, r
}

func TestCaller(t *testing.T) {
	d, r := newDesk(t)
	for range 2 {
		for phone, want := range r.riders {
			if got, err := d.Caller(t.Context(), phone); err != nil || got != want {
				t.Errorf("Caller(%v) = %+v, %v, want %+v", phone, got, err, want)
			}
		}
	}
	if r.asked != len(r.riders) {
		t.Errorf("registry was asked %d times", r.asked)
	}
	_, err := d.Caller(t.Context(), "+358405559999")
	if !errors.Is(err, errUnknown) || strings.Contains(err.Error(), "5559") {
		t.Errorf("Caller: %v, want %v without the number", err, errUnknown)
	}
}

func TestCorrect(t *testing.T) {
	d, r := newDesk(t)
	const phone = desk.Phone("+358405550123")
	moved := desk.Rider{Name: "Aino Salo", Home: "Mastotie 2"}
	if _, err := d.Caller(t.Context(), phone); err != nil {
		t.Fatal(err)
	}
	if err := d.Correct(t.Context(), phone, moved); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Caller(t.Context(), phone); err != nil || got != moved || r.asked != 1 {
		t.Errorf("Caller = %+v, %v after %d questions", got, err, r.asked)
	}
	r.broken = true
	if err := d.Correct(t.Context(), phone, desk.Rider{}); !errors.Is(err, errUnknown) {
		t.Errorf("Correct: %v", err)
	}
	if got, err := d.Caller(t.Context(), phone); err != nil || got != moved || r.asked != 2 {
		t.Errorf("Caller = %+v, %v after %d questions", got, err, r.asked)
	}
}

func TestQuote(t *testing.T) {
	d, r := newDesk(t)
	for _, c := range []struct {
		from   desk.Zone
		metres int
		want   int
	}{
		{3, 0, 520}, {3, 1, 630}, {3, 1000, 630}, {3, 5200, 520 + 6*110},
		{9, 2000, 790}, {33, 10_000, 2800},
	} {
		if got, err := d.Quote(t.Context(), c.from, c.metres); err != nil || got != c.want {
			t.Errorf("Quote(%v, %d) = %d, %v, want %d", c.from, c.metres, got, err, c.want)
		}
	}
	if r.asked != 3 {
		t.Errorf("registry was asked %d times, want 3", r.asked)
	}
	r.tariffs[3] = desk.Tariff{Base: 600}
	d.NewTariffs()
	if got, err := d.Quote(t.Context(), 3, 4000); err != nil || got != 600 {
		t.Errorf("Quote = %d, %v with the new tariff", got, err)
	}

	for _, c := range []struct {
		from   desk.Zone
		metres int
		want   error
	}{{0, 1, desk.ErrZone}, {desk.LastZone + 1, 1, desk.ErrZone}, {3, -1, desk.ErrDistance}, {50, 1, errUnknown}} {
		if _, err := d.Quote(t.Context(), c.from, c.metres); !errors.Is(err, c.want) {
			t.Errorf("Quote(%d, %d): %v, want %v", int(c.from), c.metres, err, c.want)
		}
	}
}

func TestAnnouncement(t *testing.T) {
	d, r := newDesk(t)
	for plate, want := range map[desk.Plate]string{
		"CAB-104": "Liisa is coming with CAB-104, 4 seats",
		"CAB-140": "Amir is coming with CAB-140, 8 seats",
	} {
		if got, err := d.Announcement(t.Context(), plate); err != nil || got != want {
			t.Errorf("Announcement = %q, %v, want %q", got, err, want)
		}
	}
	r.drivers["CAB-104"] = desk.Driver{Name: "Sami", Seat: 4}
	d.ShiftChange("CAB-104")
	if got, err := d.Announcement(t.Context(), "CAB-104"); err != nil || !strings.HasPrefix(got, "Sami ") {
		t.Errorf("Announcement = %q, %v after the change of shift", got, err)
	}
	if _, err := d.Announcement(t.Context(), "CAB-1"); !errors.Is(err, errUnknown) {
		t.Errorf("Announcement: %v, want %v", err, errUnknown)
	}
}

func TestParsePhone(t *testing.T) {
	for text, want := range map[string]desk.Phone{
		"+358405550123":       "+358405550123",
		"00358 (40) 555-0123": "+358405550123",
		"+46 73 555 01 42":    "+46735550142",
	} {
		if got, err := desk.ParsePhone(text); err != nil || got != want {
			t.Errorf("ParsePhone(%q) = %s, %v, want %s", text, string(got), err, string(want))
		}
	}
	for _, text := range []string{"", "0405550123", "+35840", "+3584055501239999", "+35840x550123", "++358405550123"} {
		if _, err := desk.ParsePhone(text); !errors.Is(err, desk.ErrPhone) {
			t.Errorf("ParsePhone(%q): %v, want ErrPhone", text, err)
		}
	}
}

func TestNames(t *testing.T) {
	got := fmt.Sprint(desk.Phone("+358405550123"), " ", desk.Phone("+12"))
	if want := "+35........23 ..."; got != want {
		t.Errorf("phones print as %q, want %q", got, want)
	}
	for zone, want := range map[desk.Zone]string{
		0: "nowhere", 1: "Old Town", 7: "Old Town", 8: "Harbour", 30: "Northfield", 31: "Airport", 60: "Outer Ring", 61: "nowhere",
	} {
		if got := zone.String(); got != want {
			t.Errorf("zone %d is %q, want %q", int(zone), got, want)
		}
	}
}

func TestWhatIsLearntIsNotForEver(t *testing.T) {
	now := time.Date(2025, 5, 5, 22, 0, 0, 0, time.UTC)
	cache, err := recall.New(5, recall.WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	r := &registry{drivers: map[desk.Plate]desk.Driver{"CAB-7": {Name: "Liisa"}}}
	d, err := desk.New(r, cache)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if _, err := d.Announcement(t.Context(), "CAB-7"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	if r.asked != 2 {
		t.Errorf("registry was asked %d times, want 2", r.asked)
	}
}
