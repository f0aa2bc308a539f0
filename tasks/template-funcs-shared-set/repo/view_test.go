package notices_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"text/template"
	"time"

	"example.com/brightwater/notices"
)

var (
	berlin = time.FixedZone("CET", 3600)
	lisbon = time.FixedZone("WET", 0)

	outage = map[string]any{"From": time.Date(2025, 1, 17, 23, 30, 0, 0, time.UTC), "Hours": 4}
	bill   = map[string]any{"Due": time.Date(2025, 2, 1, 12, 0, 0, 0, time.UTC), "Cents": 123450}
)

var house = notices.Style{Language: "en", Currency: "EUR"}

func phrases() notices.Phrases {
	return notices.Phrases{
		"en": {"outage": "No water for %d hours from", "bill": "Please pay", "by": "by", "bye": "Your caretakers"},
		"de": {"outage": "%d Stunden kein Wasser ab", "bill": "Bitte zahlen Sie", "by": "bis zum"},
		"pt": {"outage": "%d horas sem agua a partir de", "bill": "Pague", "bye": "Os seus zeladores"},
	}
}

func files() fstest.MapFS {
	return fstest.MapFS{
		"outage.tmpl": {Data: []byte(`{{tr "outage" .Hours}} {{day .From}} {{clock .From}}. {{template "foot.tmpl"}}`)},
		"bill.tmpl":   {Data: []byte(`{{tr "bill"}} {{money .Cents}} {{tr "by"}} {{day .Due}}. {{template "foot.tmpl"}}`)},
		"foot.tmpl":   {Data: []byte(`{{tr "bye"}}`)},
	}
}

func newEngine(t *testing.T, opts ...notices.Option) *notices.Engine {
	t.Helper()
	e, err := notices.NewEngine(files(), phrases(), house, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newView(t *testing.T, e *notices.Engine, s notices.Style) *notices.View {
	t.Helper()
	v, err := e.View(notices.Resident{Name: "A. Silva", Style: s})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPreviewIsInTheHouseStyle(t *testing.T) {
	e := newEngine(t)
	got, err := e.Preview("outage.tmpl", outage)
	if want := "No water for 4 hours from 2025-01-17 23:30. Your caretakers"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	got, err = e.Preview("bill.tmpl", bill)
	if want := "Please pay EUR 1 234.50 by 2025-02-01. Your caretakers"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestRenderForTheReader(t *testing.T) {
	e := newEngine(t)
	tests := []struct {
		name         string
		style        notices.Style
		outage, bill string
	}{
		{
			"english",
			notices.Style{Language: "en", Zone: lisbon, Currency: "GBP"},
			"No water for 4 hours from 2025-01-17 23:30. Your caretakers",
			"Please pay GBP 1 234.50 by 2025-02-01. Your caretakers",
		},
		{
			"german",
			notices.Style{Language: "de", Zone: berlin, Currency: "EUR"},
			"4 Stunden kein Wasser ab 2025-01-18 00:30. Your caretakers",
			"Bitte zahlen Sie EUR 1 234.50 bis zum 2025-02-01. Your caretakers",
		},
		{
			"portuguese without zone and currency",
			notices.Style{Language: "pt"},
			"4 horas sem agua a partir de 2025-01-17 23:30. Os seus zeladores",
			"Pague 1 234.50 by 2025-02-01. Os seus zeladores",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := newView(t, e, tt.style)
			if got, err := v.Render("outage.tmpl", outage); err != nil || got != tt.outage {
				t.Errorf("got %q, %v, want %q", got, err, tt.outage)
			}
			if got, err := v.Render("bill.tmpl", bill); err != nil || got != tt.bill {
				t.Errorf("got %q, %v, want %q", got, err, tt.bill)
			}
		})
	}
}

func TestViewInAnotherZone(t *testing.T) {
	v := newView(t, newEngine(t), notices.Style{Language: "de", Zone: lisbon})
	for _, tt := range []struct {
		zone *time.Location
		want string
	}{
		{berlin, "4 Stunden kein Wasser ab 2025-01-18 00:30. Your caretakers"},
		{nil, "4 Stunden kein Wasser ab 2025-01-17 23:30. Your caretakers"},
	} {
		moved, err := v.In(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := moved.Render("outage.tmpl", outage); err != nil || got != tt.want {
			t.Errorf("%v: got %q, %v, want %q", tt.zone, got, err, tt.want)
		}
	}
}

func TestMoney(t *testing.T) {
	e := newEngine(t)
	for cents, want := range map[int]string{
		0: "0.00", 5: "0.05", -5: "-0.05", 99999: "999.99", 100000: "1 000.00",
		123456789: "1 234 567.89", -100000000: "-1 000 000.00",
	} {
		got, err := e.Preview("bill.tmpl", map[string]any{"Due": time.Time{}, "Cents": cents})
		if err != nil || !strings.Contains(got, " EUR "+want+" ") {
			t.Errorf("%d cents: got %q, %v, want %s", cents, got, err, want)
		}
	}
}

func TestHelpers(t *testing.T) {
	fsys := files()
	fsys["shout.tmpl"] = &fstest.MapFile{Data: []byte(`{{upper (tr "bye")}}!`)}
	if _, err := notices.NewEngine(fsys, phrases(), house); err == nil {
		t.Error("an engine without the helper accepts the template")
	}
	upper := notices.WithHelpers(template.FuncMap{"upper": strings.ToUpper})
	e, err := notices.NewEngine(fsys, phrases(), house, upper)
	if err != nil {
		t.Fatal(err)
	}
	v := newView(t, e, notices.Style{Language: "pt"})
	if got, err := v.Render("shout.tmpl", nil); err != nil || got != "OS SEUS ZELADORES!" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	e := newEngine(t)
	v := newView(t, e, house)
	if _, err := v.Render("meter.tmpl", nil); !errors.Is(err, notices.ErrUnknownTemplate) {
		t.Errorf("unknown template: %v", err)
	}
	if _, err := e.Preview("notices", nil); !errors.Is(err, notices.ErrUnknownTemplate) {
		t.Errorf("unknown template: %v", err)
	}
	if got, err := v.Render("outage.tmpl", map[string]any{"Hours": 4}); err == nil {
		t.Errorf("missing data: rendered %q", got)
	}
	if _, err := e.View(notices.Resident{Style: notices.Style{Language: "fr"}}); !errors.Is(err, notices.ErrUnknownLanguage) {
		t.Errorf("unknown language: %v", err)
	}
	if _, err := notices.NewEngine(files(), phrases(), notices.Style{Language: "fr"}); !errors.Is(err, notices.ErrUnknownLanguage) {
		t.Errorf("unknown house language: %v", err)
	}
	if _, err := notices.NewEngine(fstest.MapFS{}, phrases(), house); err == nil {
		t.Error("an engine without templates")
	}
	fsys := files()
	fsys["foot.tmpl"] = &fstest.MapFile{Data: []byte(`{{tr "greeting"}}`)}
	e, err := notices.NewEngine(fsys, phrases(), house)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Preview("bill.tmpl", bill); !errors.Is(err, notices.ErrNoPhrase) {
		t.Errorf("missing phrase: %v", err)
	}
}

func TestViewServesSeveralGoroutines(t *testing.T) {
	v := newView(t, newEngine(t), notices.Style{Language: "de", Zone: berlin})
	want := "4 Stunden kein Wasser ab 2025-01-18 00:30. Your caretakers"
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if got, err := v.Render("outage.tmpl", outage); err != nil || got != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
		}()
	}
	wg.Wait()
}

func TestLanguages(t *testing.T) {
	if got := strings.Join(phrases().Languages(), " "); got != "de en pt" {
		t.Errorf("languages %q", got)
	}
}
