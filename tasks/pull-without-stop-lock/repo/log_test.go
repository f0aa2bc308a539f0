package nightlog_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/observatory/nightlog"
)

// dusk is when the night of the tests begins.
var dusk = time.Date(2025, 11, 3, 17, 40, 0, 0, time.UTC)

// shot makes an exposure of one minute that begins some minutes after dusk.
func shot(id, target string, minutes int) nightlog.Exposure {
	return nightlog.Exposure{
		ID:     id,
		Target: target,
		Start:  dusk.Add(time.Duration(minutes) * time.Minute),
		Length: time.Minute,
	}
}

func add(t *testing.T, l *nightlog.Log, exposures ...nightlog.Exposure) {
	t.Helper()
	for _, e := range exposures {
		if err := l.Add(e); err != nil {
			t.Fatalf("Add(%s): %v", e.ID, err)
		}
	}
}

func ids(exposures []nightlog.Exposure) []string {
	var names []string
	for _, e := range exposures {
		names = append(names, e.Dome+"/"+e.ID)
	}
	return names
}

func TestLogIsInOrder(t *testing.T) {
	l := nightlog.NewArchive().Dome("east")
	add(t, l, shot("b", "M31", 20), shot("c", "M33", 30), shot("a", "M31", 10), shot("b2", "M33", 20))
	got := slices.Collect(l.All())
	if want := []string{"east/a", "east/b", "east/b2", "east/c"}; !slices.Equal(ids(got), want) {
		t.Errorf("All = %q, want %q", ids(got), want)
	}
	if l.Len() != 4 {
		t.Errorf("Len = %d, want 4", l.Len())
	}
}

func TestLogRefuses(t *testing.T) {
	l := nightlog.NewArchive().Dome("east")
	add(t, l, shot("a", "M31", 10))
	noStart, noLength := shot("b", "M31", 0), shot("b", "M31", 0)
	noStart.Start, noLength.Length = time.Time{}, 0
	for _, tc := range []struct {
		name string
		e    nightlog.Exposure
		want error
	}{
		{"no ID", shot("", "M31", 0), nightlog.ErrBadExposure},
		{"no target", shot("b", "", 0), nightlog.ErrBadExposure},
		{"no start", noStart, nightlog.ErrBadExposure},
		{"no length", noLength, nightlog.ErrBadExposure},
		{"duplicate", shot("a", "M33", 50), nightlog.ErrDuplicate},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := l.Add(tc.e); !errors.Is(err, tc.want) {
				t.Errorf("Add: %v, want %v", err, tc.want)
			}
		})
	}
	if l.Len() != 1 {
		t.Errorf("Len = %d, want 1", l.Len())
	}
}

func TestRetract(t *testing.T) {
	l := nightlog.NewArchive().Dome("east")
	add(t, l, shot("a", "M31", 10), shot("b", "M31", 20))
	if err := l.Retract("a"); err != nil {
		t.Fatal(err)
	}
	if err := l.Retract("a"); !errors.Is(err, nightlog.ErrUnknown) {
		t.Errorf("second Retract: %v, want %v", err, nightlog.ErrUnknown)
	}
	if got := ids(slices.Collect(l.All())); !slices.Equal(got, []string{"east/b"}) {
		t.Errorf("All = %q, want east/b", got)
	}
	add(t, l, shot("a", "M33", 30))
}

func TestLogCanBeWrittenAfterALoopWasLeft(t *testing.T) {
	l := nightlog.NewArchive().Dome("east")
	add(t, l, shot("a", "M31", 10), shot("b", "M31", 20), shot("c", "M31", 30))
	for e := range l.All() {
		if e.ID == "b" {
			break
		}
	}
	add(t, l, shot("d", "M31", 40))
	if err := l.Retract("b"); err != nil {
		t.Error(err)
	}
}
