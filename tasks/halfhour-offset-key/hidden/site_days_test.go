package dayledger_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/gridline/dayledger"
)

// attempt returns what f returns, unless it panics or hangs.
func attempt[T any](t *testing.T, f func() T) T {
	t.Helper()
	type outcome struct {
		value    T
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value = f()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			t.Fatalf("panic: %v", o.panicked)
		}
		return o.value
	case <-time.After(10 * time.Second):
		t.Fatal("the call does not return")
		panic("unreachable")
	}
}

func open(t *testing.T, opts ...dayledger.Option) *dayledger.Ledger {
	t.Helper()
	l, err := dayledger.New(opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return l
}

// deliver imports the lines and checks what became of them.
func deliver(t *testing.T, l *dayledger.Ledger, want dayledger.Counts, lines ...string) {
	t.Helper()
	var err error
	got := attempt(t, func() (c dayledger.Counts) {
		c, err = l.Import(strings.NewReader(strings.Join(lines, "\n")))
		return c
	})
	if err != nil {
		t.Fatalf("Import: %v", err)
	}
	if got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func seal(t *testing.T, l *dayledger.Ledger, now time.Time, want int) {
	t.Helper()
	if got := attempt(t, func() int { return l.Seal(now) }); got != want {
		t.Errorf("Seal(%s) = %d, want %d", now.Format(time.RFC3339Nano), got, want)
	}
}

// instant is the moment that s names, in UTC.
func instant(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return v.UTC()
}

// sketch writes a row as "site day[*] readings/meters watt-hours peak first
// last". The star is that of an open row; the times are as on the site's clock,
// those of the row's own day without the date.
func sketch(r dayledger.Row) string {
	star := "*"
	if r.Sealed {
		star = ""
	}
	clock := func(v time.Time) string {
		return strings.TrimPrefix(v.Format("2006-01-02T15:04:05.999999999-07:00"), r.Day+"T")
	}
	return fmt.Sprintf("%s %s%s %d/%d %d %d %s %s", r.Site, r.Day, star, r.Readings, r.Meters,
		r.WattHours, r.Peak, clock(r.First), clock(r.Last))
}

func wantSketches(t *testing.T, l *dayledger.Ledger, site string, want ...string) {
	t.Helper()
	var got []string
	for _, row := range attempt(t, func() []dayledger.Row { return l.Rows(site) }) {
		got = append(got, sketch(row))
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// offsets are those of clocks of sites, by way of how they are written.
var offsets = []struct{ name, written, clock string }{
	{"mumbai", "+05:30", "+05:30"},
	{"kathmandu", "+05:45", "+05:45"},
	{"tehran", "+03:30", "+03:30"},
	{"kabul", "+04:30", "+04:30"},
	{"yangon", "+06:30", "+06:30"},
	{"eucla", "+08:45", "+08:45"},
	{"darwin", "+09:30", "+09:30"},
	{"lord_howe", "+10:30", "+10:30"},
	{"chatham", "+12:45", "+12:45"},
	{"st_johns", "-03:30", "-03:30"},
	{"marquesas", "-09:30", "-09:30"},
	{"half_an_hour_east", "+00:30", "+00:30"},
	{"twenty_minutes_east", "+00:20", "+00:20"},
	{"three_quarters_west", "-00:45", "-00:45"},
	{"one_minute_east", "+00:01", "+00:01"},
	{"bombay_before_1906", "+04:51", "+04:51"},
	{"kiritimati", "+14:00", "+14:00"},
	{"east_of_the_date_line", "+15:00", "+15:00"},
	{"baker_island", "-12:00", "-12:00"},
	{"west_of_the_date_line", "-13:00", "-13:00"},
	{"far_west", "-16:00", "-16:00"},
	{"osaka", "+09:00", "+09:00"},
	{"boulder", "-07:00", "-07:00"},
	{"aarhus", "+01:00", "+01:00"},
	{"leeds", "Z", "+00:00"},
	{"accra", "+00:00", "+00:00"},
}

func TestOneRowPerDayOnAnyClock(t *testing.T) {
	for _, c := range offsets {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			deliver(t, l, dayledger.Counts{Added: 8},
				"s,a,1,2025-02-28T23:59:59"+c.written+",1",
				"s,a,2,2025-03-01T00:00:00"+c.written+",2",
				"s,b,1,2025-03-01T05:29:59"+c.written+",4",
				"s,a,3,2025-03-01T12:00:00"+c.written+",8",
				"s,b,2,2025-03-01T18:30:00"+c.written+",64",
				"s,c,1,2025-03-01T23:59:59.999999999"+c.written+",16",
				"s,a,4,2025-03-02T00:00:00"+c.written+",32",
				"s,a,5,2025-03-02T00:00:00"+c.written+",128")
			wantSketches(t, l, "s",
				"s 2025-02-28* 1/1 1 1 23:59:59"+c.clock+" 23:59:59"+c.clock,
				"s 2025-03-01* 5/3 94 64 00:00:00"+c.clock+" 23:59:59.999999999"+c.clock,
				"s 2025-03-02* 2/1 160 128 00:00:00"+c.clock+" 00:00:00"+c.clock)
		})
	}
}

func TestRowGrowsOverManyImports(t *testing.T) {
	for _, c := range offsets {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			for i := 95; i >= 0; i-- { // latest first
				line := fmt.Sprintf("s,m%d,%d,2025-06-30T%02d:%02d:00%s,%d", i%4, i, i/4, i%4*15, c.written, i)
				deliver(t, l, dayledger.Counts{Added: 1}, line)
				if i%10 == 0 {
					deliver(t, l, dayledger.Counts{Repeated: 1}, line)
				}
			}
			wantSketches(t, l, "", "s 2025-06-30* 96/4 4560 95 00:00:00"+c.clock+" 23:45:00"+c.clock)
		})
	}
}

func TestRowIsSealedAtTheSitesMidnight(t *testing.T) {
	for _, c := range offsets {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			deliver(t, l, dayledger.Counts{Added: 4},
				"s,a,1,2024-12-31T06:00:00"+c.written+",1",
				"s,a,2,2024-12-31T19:00:00"+c.written+",2",
				"s,a,3,2025-01-01T06:00:00"+c.written+",4",
				"s,a,4,2025-01-01T19:00:00"+c.written+",8")
			midnight := instant(t, "2025-01-01T00:00:00"+c.written)
			seal(t, l, midnight.Add(-time.Nanosecond), 0)
			seal(t, l, midnight, 1)
			seal(t, l, midnight, 0)
			deliver(t, l, dayledger.Counts{Added: 3, Late: 3},
				"s,b,1,2024-12-31T00:00:00"+c.written+",100",
				"s,b,2,2025-01-01T00:00:00"+c.written+",16",
				"s,b,3,2024-12-31T12:00:00"+c.written+",100",
				"s,b,4,2024-12-31T23:59:59"+c.written+",100",
				"s,b,5,2024-12-30T23:59:59"+c.written+",32",
				"s,b,6,2025-01-01T23:59:59"+c.written+",64")
			wantSketches(t, l, "s",
				"s 2024-12-30* 1/1 32 32 23:59:59"+c.clock+" 23:59:59"+c.clock,
				"s 2024-12-31 2/1 3 2 06:00:00"+c.clock+" 19:00:00"+c.clock,
				"s 2025-01-01* 4/2 92 64 00:00:00"+c.clock+" 23:59:59"+c.clock)
			seal(t, l, midnight.AddDate(0, 0, 1).Add(-time.Nanosecond), 1)
			seal(t, l, midnight.AddDate(0, 0, 1), 1)
			seal(t, l, midnight.AddDate(1, 0, 0), 0)
		})
	}
}

func TestBothSpellingsOfZeroAreOneClock(t *testing.T) {
	for _, c := range []struct{ name, first, second string }{
		{"z_first", "Z", "+00:00"},
		{"digits_first", "+00:00", "Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			deliver(t, l, dayledger.Counts{Added: 2},
				"leeds-1,a,1,2025-02-03T10:00:00"+c.first+",1",
				"leeds-1,b,1,2025-02-03T10:15:00"+c.second+",2")
			deliver(t, l, dayledger.Counts{Added: 2},
				"leeds-1,a,2,2025-02-03T23:59:59"+c.second+",4",
				"leeds-1,b,2,2025-02-04T00:00:00"+c.first+",8")
			wantSketches(t, l, "",
				"leeds-1 2025-02-03* 3/2 7 4 10:00:00+00:00 23:59:59+00:00",
				"leeds-1 2025-02-04* 1/1 8 8 00:00:00+00:00 00:00:00+00:00")
			seal(t, l, instant(t, "2025-02-04T00:00:00Z"), 1)
			deliver(t, l, dayledger.Counts{Late: 2},
				"leeds-1,a,3,2025-02-03T11:00:00"+c.first+",1",
				"leeds-1,a,4,2025-02-03T11:00:00"+c.second+",1")
		})
	}
}

func TestSitesWithDifferentClocksStayApart(t *testing.T) {
	l := open(t)
	sites := []struct{ name, offset string }{
		{"n1", "+05:00"}, {"n2", "+05:30"}, {"n3", "+05:45"}, {"n4", "+06:00"},
		{"w1", "-03:00"}, {"w2", "-03:30"}, {"w3", "-04:00"}, {"z", "Z"},
	}
	var lines, want []string
	for i, s := range sites {
		n := i + 1
		lines = append(lines,
			fmt.Sprintf("%s,m,1,2025-08-10T23:50:00%s,%d", s.name, s.offset, n),
			fmt.Sprintf("%s,m,2,2025-08-11T00:10:00%s,%d", s.name, s.offset, 10*n),
			fmt.Sprintf("%s,m,3,2025-08-11T00:40:00%s,%d", s.name, s.offset, 20*n))
		clock := strings.Replace(s.offset, "Z", "+00:00", 1)
		want = append(want,
			fmt.Sprintf("%s 2025-08-10* 1/1 %d %d 23:50:00%s 23:50:00%s", s.name, n, n, clock, clock),
			fmt.Sprintf("%s 2025-08-11* 2/1 %d %d 00:10:00%s 00:40:00%s", s.name, 30*n, 20*n, clock, clock))
	}
	deliver(t, l, dayledger.Counts{Added: 24}, lines...)
	wantSketches(t, l, "", want...)
	wantSketches(t, l, "n2", want[2], want[3])

	// The sites' midnights, from east to west.
	for _, step := range []struct {
		now  string
		want int
	}{
		{"2025-08-10T17:59:59Z", 0},
		{"2025-08-10T18:00:00Z", 1}, // n4
		{"2025-08-10T18:14:59Z", 0},
		{"2025-08-10T18:15:00Z", 1}, // n3
		{"2025-08-10T18:30:00Z", 1}, // n2
		{"2025-08-10T18:59:59Z", 0},
		{"2025-08-11T00:00:00Z", 2}, // n1 and z
		{"2025-08-11T03:00:00Z", 1}, // w1
		{"2025-08-11T03:29:59Z", 0},
		{"2025-08-11T03:30:00Z", 1}, // w2
		{"2025-08-11T04:00:00Z", 1}, // w3
	} {
		seal(t, l, instant(t, step.now), step.want)
	}
}

func TestSitesOfOneClockStayApart(t *testing.T) {
	l := open(t)
	deliver(t, l, dayledger.Counts{Added: 4},
		"pune-1,m,1,2025-02-03T10:00:00+05:30,1",
		"pune-2,m,1,2025-02-03T10:00:00+05:30,2",
		"pune-1,m,2,2025-02-03T11:00:00+05:30,4",
		"pune-2,m,2,2025-02-03T11:00:00+05:30,8")
	wantSketches(t, l, "",
		"pune-1 2025-02-03* 2/1 5 4 10:00:00+05:30 11:00:00+05:30",
		"pune-2 2025-02-03* 2/1 10 8 10:00:00+05:30 11:00:00+05:30")
}

func TestSameDateOfOtherMonthsAndYears(t *testing.T) {
	l := open(t)
	var lines, want []string
	for i, day := range []string{
		"1999-12-31", "2000-01-01", "2000-02-29", "2000-03-01", "2023-03-01", "2024-02-29", "2024-03-01",
		"2024-12-31", "2025-01-01", "2025-02-01", "2025-03-01", "2026-01-01",
	} {
		lines = append(lines,
			fmt.Sprintf("s,m,%d,%sT00:00:00+09:30,1", 2*i, day), fmt.Sprintf("s,m,%d,%sT23:59:00+09:30,1", 2*i+1, day))
		want = append(want, "s "+day+"* 2/1 2 1 00:00:00+09:30 23:59:00+09:30")
	}
	slices.Reverse(lines)
	deliver(t, l, dayledger.Counts{Added: 24}, lines...)
	wantSketches(t, l, "", want...)
}

func TestAYearOfReadings(t *testing.T) {
	l := open(t)
	day := time.Date(2024, time.July, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	for n := range 400 {
		date := day.AddDate(0, 0, n).Format("2006-01-02")
		deliver(t, l, dayledger.Counts{Added: 3},
			fmt.Sprintf("s,m,%d,%sT00:05:00-03:30,%d", 3*n, date, n),
			fmt.Sprintf("s,m,%d,%sT12:05:00-03:30,%d", 3*n+1, date, n),
			fmt.Sprintf("s,m,%d,%sT23:55:00-03:30,%d", 3*n+2, date, n))
		want = append(want, fmt.Sprintf("s %s 3/1 %d %d 00:05:00-03:30 23:55:00-03:30", date, 3*n, n))
	}
	seal(t, l, day.AddDate(0, 0, 400).Add(210*time.Minute), 400)
	wantSketches(t, l, "s", want...)
}

func TestLedgersDoNotShareRows(t *testing.T) {
	a, b := open(t), open(t)
	for i := range 3 {
		deliver(t, a, dayledger.Counts{Added: 1}, fmt.Sprintf("s,m,%d,2025-02-03T10:00:0%d+05:45,1", i, i))
		deliver(t, b, dayledger.Counts{Added: 1}, fmt.Sprintf("s,m,%d,2025-02-03T10:00:0%d+05:45,10", i, i))
	}
	seal(t, a, instant(t, "2025-02-05T00:00:00Z"), 1)
	wantSketches(t, a, "", "s 2025-02-03 3/1 3 1 10:00:00+05:45 10:00:02+05:45")
	wantSketches(t, b, "", "s 2025-02-03* 3/1 30 10 10:00:00+05:45 10:00:02+05:45")
}

func TestManyGatewaysFillOneRow(t *testing.T) {
	l := open(t)
	const gateways, each = 8, 60
	failures := attempt(t, func() []string {
		var mu sync.Mutex
		var failures []string
		var running sync.WaitGroup
		for g := range gateways {
			running.Add(1)
			go func() {
				defer running.Done()
				for i := range each {
					line := fmt.Sprintf("s,m%d,%d,2025-02-03T%02d:%02d:00+05:%02d,1\nq,m%d,%d,2025-02-03T10:00:00+05:30,1",
						g, i, i%24, i, 45, g, i)
					counts, err := l.Import(strings.NewReader(line))
					l.Rows("s")
					if err != nil || counts != (dayledger.Counts{Added: 2}) {
						mu.Lock()
						failures = append(failures, fmt.Sprintf("%+v, %v", counts, err))
						mu.Unlock()
					}
				}
			}()
		}
		running.Wait()
		return failures
	})
	if len(failures) > 0 {
		t.Errorf("%d imports went wrong, the first one with %s", len(failures), failures[0])
	}
	wantSketches(t, l, "s", "s 2025-02-03* 480/8 480 1 00:00:00+05:45 23:47:00+05:45")
	wantSketches(t, l, "q", "q 2025-02-03* 480/8 480 1 10:00:00+05:30 10:00:00+05:30")
}
