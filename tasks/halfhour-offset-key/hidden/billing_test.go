package dayledger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/gridline/dayledger"
)

var daily = dayledger.Tariff{
	Standing: 50_000,
	Tiers:    []dayledger.Tier{{WattHours: 1000, PerKWh: 10_000}, {WattHours: 1, PerKWh: 40_000}},
}

func TestStandingChargeIsDueOnceADay(t *testing.T) {
	for _, c := range offsets {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, dayledger.WithTariff(daily))
			deliver(t, l, dayledger.Counts{Added: 4},
				"s,a,1,2025-02-03T08:00:00"+c.written+",600",
				"s,a,2,2025-02-03T09:00:00"+c.written+",600",
				"s,b,1,2025-02-03T23:00:00"+c.written+",800",
				"s,b,2,2025-02-04T00:00:00"+c.written+",500")
			var costs []int64
			for _, row := range attempt(t, func() []dayledger.Row { return l.Rows("s") }) {
				costs = append(costs, row.Cost)
			}
			if len(costs) != 2 || costs[0] != 100_000 || costs[1] != 55_000 {
				t.Errorf("costs %d, want 100000 and 55000", costs)
			}
		})
	}
}

func TestReportHasOneLineADay(t *testing.T) {
	l := open(t, dayledger.WithTariff(daily))
	deliver(t, l, dayledger.Counts{Added: 6},
		"pune-3,a,1,2025-02-03T00:30:00+05:30,600",
		"pune-3,b,1,2025-02-03T09:00:00+05:30,1400",
		"pune-3,b,2,2025-02-03T23:30:00+05:30,500",
		"pune-3,b,3,2025-02-04T00:00:00+05:30,7",
		"leeds-1,a,1,2025-02-03T00:30:00Z,1",
		"leeds-1,a,2,2025-02-03T00:30:00+00:00,2")
	seal(t, l, instant(t, "2025-02-03T18:30:00Z"), 1)
	want := strings.Join([]string{
		"SITE     DAY          METERS  KWH    COST",
		"leeds-1  2025-02-03*  1       0.003  0.50",
		"pune-3   2025-02-03   2       2.500  1.20",
		"pune-3   2025-02-04*  1       0.007  0.50",
		"",
	}, "\n")
	got := attempt(t, func() string {
		var b strings.Builder
		if err := l.WriteReport(&b, ""); err != nil {
			return err.Error()
		}
		return b.String()
	})
	if got != want {
		t.Errorf("report\n%s\nwant\n%s", got, want)
	}
}

// TestSealTakesAnInstant gives the same instant in several zones.
func TestSealTakesAnInstant(t *testing.T) {
	for _, c := range []struct {
		name string
		zone *time.Location
	}{
		{"utc", time.UTC},
		{"local", time.Local},
		{"nameless", time.FixedZone("", 19_800)},
		{"named", time.FixedZone("IST", 19_800)},
		{"far_away", time.FixedZone("NST", -12_600)},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			deliver(t, l, dayledger.Counts{Added: 4},
				"pune-3,a,1,2025-02-03T00:00:00+05:30,1",
				"pune-3,a,2,2025-02-03T23:59:59+05:30,2",
				"pune-3,a,3,2025-02-04T00:00:00+05:30,4",
				"pune-3,a,4,2025-02-04T23:59:59+05:30,8")
			midnight := instant(t, "2025-02-03T18:30:00Z").In(c.zone)
			seal(t, l, midnight.Add(-time.Nanosecond), 0)
			seal(t, l, midnight, 1)
			wantSketches(t, l, "",
				"pune-3 2025-02-03 2/1 3 2 00:00:00+05:30 23:59:59+05:30",
				"pune-3 2025-02-04* 2/1 12 8 00:00:00+05:30 23:59:59+05:30")
		})
	}
}

func TestDaysWithoutReadingsAreNotSealed(t *testing.T) {
	l := open(t)
	deliver(t, l, dayledger.Counts{Added: 1}, "pune-3,a,1,2025-02-05T10:00:00+05:30,1")
	seal(t, l, instant(t, "2025-02-20T00:00:00Z"), 1)
	deliver(t, l, dayledger.Counts{Added: 2, Late: 1},
		"pune-3,a,2,2025-02-04T10:00:00+05:30,2",
		"pune-3,a,3,2025-02-05T11:00:00+05:30,4",
		"pune-3,a,4,2025-02-04T11:00:00+05:30,8")
	wantSketches(t, l, "",
		"pune-3 2025-02-04* 2/1 10 8 10:00:00+05:30 11:00:00+05:30",
		"pune-3 2025-02-05 1/1 1 1 10:00:00+05:30 10:00:00+05:30")
	seal(t, l, instant(t, "2025-02-20T00:00:00Z"), 1)
}

func TestDifferentReadingsOfOneMomentAllCount(t *testing.T) {
	l := open(t)
	deliver(t, l, dayledger.Counts{Added: 4, Repeated: 2},
		"pune-3,a,1,2025-02-03T10:00:00+05:30,5",
		"pune-3,a,2,2025-02-03T10:00:00+05:30,5",
		"pune-3,b,1,2025-02-03T10:00:00+05:30,5",
		"pune-3,a,1,2025-02-03T10:00:00+05:30,5",
		"pune-4,a,1,2025-02-03T10:00:00+05:30,5",
		"pune-3,b,1,2025-02-03T10:00:00+05:30,5")
	wantSketches(t, l, "",
		"pune-3 2025-02-03* 3/2 15 5 10:00:00+05:30 10:00:00+05:30",
		"pune-4 2025-02-03* 1/1 5 5 10:00:00+05:30 10:00:00+05:30")
}

func TestBadTimesAreStillRefused(t *testing.T) {
	if dayledger.ErrMalformed == nil || errors.Is(errors.New("unrelated"), dayledger.ErrMalformed) {
		t.Fatal("ErrMalformed does not tell errors apart")
	}
	for _, c := range []struct{ name, at string }{
		{"no_offset", "2025-02-03T10:00:00"},
		{"date_alone", "2025-02-03"},
		{"no_such_day", "2025-02-29T10:00:00+05:30"},
		{"no_such_hour", "2025-02-03T24:00:00+05:30"},
		{"name_of_a_zone", "2025-02-03T10:00:00 IST"},
		{"empty", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			err := attempt(t, func() error {
				_, err := l.Import(strings.NewReader("pune-3,a,1," + c.at + ",5"))
				return err
			})
			var bad *dayledger.LineError
			if !errors.Is(err, dayledger.ErrMalformed) || !errors.As(err, &bad) || bad.Line != 1 {
				t.Errorf("Import(%q) = %v, want ErrMalformed on line 1", c.at, err)
			}
			wantSketches(t, l, "")
		})
	}
}
