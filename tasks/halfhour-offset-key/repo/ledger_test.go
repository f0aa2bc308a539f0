package dayledger_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"example.com/gridline/dayledger"
)

func newLedger(t *testing.T, opts ...dayledger.Option) *dayledger.Ledger {
	t.Helper()
	l, err := dayledger.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func imports(t *testing.T, l *dayledger.Ledger, lines ...string) dayledger.Counts {
	t.Helper()
	counts, err := l.Import(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatalf("Import: %v", err)
	}
	return counts
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// brief writes rows as "site day readings/meters watt-hours".
func brief(rows []dayledger.Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s %s %d/%d %d", r.Site, r.Day, r.Readings, r.Meters, r.WattHours))
	}
	return out
}

func wantRows(t *testing.T, l *dayledger.Ledger, site string, want ...string) {
	t.Helper()
	if got := brief(l.Rows(site)); !reflect.DeepEqual(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

func TestReadingsOfADayAddUp(t *testing.T) {
	l := newLedger(t)
	counts := imports(t, l,
		"# gateway 4",
		"aarhus-2,m17,90411,2025-02-03T07:15:00+01:00,412",
		"aarhus-2,m17,90412,2025-02-03T07:30:00+01:00,388",
		"",
		"  aarhus-2, m18, 55, 2025-02-03T07:15:00+01:00, 1200",
		"aarhus-2,m17,90500,2025-02-04T05:30:00+01:00,10",
	)
	if want := (dayledger.Counts{Added: 4}); counts != want {
		t.Errorf("counts %+v, want %+v", counts, want)
	}
	rows := l.Rows("aarhus-2")
	if len(rows) != 2 {
		t.Fatalf("rows %+v, want 2", rows)
	}
	got := rows[0]
	if !got.First.Equal(at(t, "2025-02-03T06:15:00Z")) || !got.Last.Equal(at(t, "2025-02-03T06:30:00Z")) {
		t.Errorf("read from %v to %v", got.First, got.Last)
	}
	got.First, got.Last = time.Time{}, time.Time{}
	want := dayledger.Row{Site: "aarhus-2", Day: "2025-02-03", Readings: 3, Meters: 2, WattHours: 2000, Peak: 1200}
	if got != want {
		t.Errorf("row %+v, want %+v", got, want)
	}
}

func TestDayIsThatOfTheSite(t *testing.T) {
	l := newLedger(t)
	imports(t, l,
		"aarhus-2,m1,1,2025-02-03T00:00:00+01:00,1",
		"aarhus-2,m1,2,2025-02-03T23:59:59+01:00,2",
		"aarhus-2,m1,3,2025-02-04T00:00:00+01:00,4",
		"leeds-1,m1,1,2025-02-03T23:45:00Z,8",
		"leeds-1,m1,2,2025-02-04T00:00:00Z,16",
		"boulder-5,m1,1,2025-02-03T17:30:00-07:00,32",
		"boulder-5,m1,2,2025-02-03T23:45:00-07:00,64",
		"osaka-3,m1,1,2025-02-04T08:30:00+09:00,128",
		"osaka-3,m1,2,2025-02-04T09:30:00+09:00,256",
	)
	wantRows(t, l, "",
		"aarhus-2 2025-02-03 2/1 3", "aarhus-2 2025-02-04 1/1 4",
		"boulder-5 2025-02-03 2/1 96",
		"leeds-1 2025-02-03 1/1 8", "leeds-1 2025-02-04 1/1 16",
		"osaka-3 2025-02-04 2/1 384")
	wantRows(t, l, "leeds-1", "leeds-1 2025-02-03 1/1 8", "leeds-1 2025-02-04 1/1 16")
	wantRows(t, l, "hull-1")
}

func TestRepeatedReadingsAreSkipped(t *testing.T) {
	l := newLedger(t)
	lines := []string{
		"leeds-1,m1,7,2025-02-03T10:00:00Z,5",
		"leeds-1,m2,7,2025-02-03T10:00:00Z,5",
		"hull-1,m1,7,2025-02-03T10:00:00Z,5",
	}
	imports(t, l, lines...)
	counts := imports(t, l, append(lines, "leeds-1,m1,8,2025-02-03T10:15:00Z,6")...)
	if want := (dayledger.Counts{Added: 1, Repeated: 3}); counts != want {
		t.Errorf("counts %+v, want %+v", counts, want)
	}
	wantRows(t, l, "", "hull-1 2025-02-03 1/1 5", "leeds-1 2025-02-03 3/2 16")
}

func TestSealedRowsDoNotChange(t *testing.T) {
	l := newLedger(t)
	imports(t, l,
		"aarhus-2,m1,1,2025-02-03T12:00:00+01:00,100",
		"boulder-5,m1,1,2025-02-03T12:00:00-07:00,100",
		"aarhus-2,m1,2,2025-02-04T12:00:00+01:00,100",
	)
	for _, step := range []struct {
		now  string
		want int
	}{
		{"2025-02-03T22:59:59Z", 0},
		{"2025-02-03T23:00:00Z", 1}, // midnight in Aarhus
		{"2025-02-04T06:59:59Z", 0},
		{"2025-02-04T07:00:00Z", 1}, // midnight in Boulder
	} {
		if got := l.Seal(at(t, step.now)); got != step.want {
			t.Errorf("Seal(%s) = %d, want %d", step.now, got, step.want)
		}
	}
	counts := imports(t, l,
		"aarhus-2,m1,3,2025-02-03T12:15:00+01:00,7",
		"aarhus-2,m1,4,2025-02-04T12:15:00+01:00,7",
		"boulder-5,m1,3,2025-02-03T23:45:00-07:00,7",
		"boulder-5,m1,4,2025-02-02T23:45:00-07:00,7",
	)
	if want := (dayledger.Counts{Added: 2, Late: 2}); counts != want {
		t.Errorf("counts %+v, want %+v", counts, want)
	}
	wantRows(t, l, "",
		"aarhus-2 2025-02-03 1/1 100", "aarhus-2 2025-02-04 2/1 107",
		"boulder-5 2025-02-02 1/1 7", "boulder-5 2025-02-03 1/1 100")
	var sealed []bool
	for _, row := range l.Rows("") {
		sealed = append(sealed, row.Sealed)
	}
	if want := []bool{true, false, false, true}; !reflect.DeepEqual(sealed, want) {
		t.Errorf("sealed %v, want %v", sealed, want)
	}
}

func TestImportStopsAtTheFirstBadLine(t *testing.T) {
	for name, line := range map[string]string{
		"too few fields":  "leeds-1,m1,2,2025-02-03T10:00:00Z",
		"no site":         ",m1,2,2025-02-03T10:00:00Z,5",
		"no meter":        "leeds-1,,2,2025-02-03T10:00:00Z,5",
		"bad sequence":    "leeds-1,m1,-2,2025-02-03T10:00:00Z,5",
		"no offset":       "leeds-1,m1,2,2025-02-03T10:00:00,5",
		"no such day":     "leeds-1,m1,2,2025-02-30T10:00:00Z,5",
		"negative energy": "leeds-1,m1,2,2025-02-03T10:00:00Z,-5",
		"too much energy": "leeds-1,m1,2,2025-02-03T10:00:00Z,10000001",
	} {
		l := newLedger(t)
		counts, err := l.Import(strings.NewReader("leeds-1,m1,1,2025-02-03T10:00:00Z,5\n\n" + line + "\nleeds-1,m1,3,2025-02-03T10:00:00Z,5\n"))
		var bad *dayledger.LineError
		if !errors.Is(err, dayledger.ErrMalformed) || !errors.As(err, &bad) || bad.Line != 3 {
			t.Errorf("%s: error %v, want ErrMalformed on line 3", name, err)
		} else if !strings.HasPrefix(err.Error(), "line 3: dayledger: malformed line: ") {
			t.Errorf("%s: error %q", name, err)
		}
		if want := (dayledger.Counts{Added: 1}); counts != want {
			t.Errorf("%s: counts %+v, want %+v", name, counts, want)
		}
		wantRows(t, l, "", "leeds-1 2025-02-03 1/1 5")
	}
}

func TestLedgerForSomeSites(t *testing.T) {
	l := newLedger(t, dayledger.ForSites("leeds-1", "hull-1"))
	imports(t, l, "hull-1,m1,1,2025-02-03T10:00:00Z,5")
	_, err := l.Import(strings.NewReader("aarhus-2,m1,1,2025-02-03T10:00:00+01:00,5"))
	if !errors.Is(err, dayledger.ErrUnknownSite) {
		t.Errorf("Import: error %v, want ErrUnknownSite", err)
	}
	wantRows(t, l, "", "hull-1 2025-02-03 1/1 5")
}

func TestImportReportsReadErrors(t *testing.T) {
	if _, err := newLedger(t).Import(iotest.ErrReader(errors.New("line dropped"))); err == nil {
		t.Error("Import hides the error of the reader")
	}
}

func TestGatewaysDeliverAtOnce(t *testing.T) {
	l := newLedger(t)
	var gateways sync.WaitGroup
	for g := range 6 {
		gateways.Add(1)
		go func() {
			defer gateways.Done()
			for i := range 40 {
				line := fmt.Sprintf("aarhus-2,m%d,%d,2025-02-03T%02d:00:00+01:00,3", g, i, i%24)
				if _, err := l.Import(strings.NewReader(line)); err != nil {
					t.Error(err)
				}
				l.Rows("aarhus-2")
			}
		}()
	}
	gateways.Wait()
	wantRows(t, l, "", "aarhus-2 2025-02-03 240/6 720")
}
