package relay_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/firnline/relay"
)

func TestParseRecord(t *testing.T) {
	text := "KLAUSEN 2025-01-14T06:10:00Z hs 143.5"
	rec, err := relay.ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	want := relay.Record{Station: "KLAUSEN", At: morning.Add(10 * time.Minute), Sensor: "hs", Value: 143.5}
	if rec != want || rec.String() != text {
		t.Errorf("got %v, want %v", rec, want)
	}
	for _, text := range []string{
		"",
		"KLAUSEN 2025-01-14T06:10:00Z hs",
		"KLAUSEN 06:10 hs 143.5",
		"KLAUSEN 2025-01-14T06:10:00Z hs deep",
		"KLAUSEN 2025-01-14T06:10:00Z h/s 1",
		"KLAUSEN 2025-01-14T06:10:00Z hs NaN",
		"KLAUSEN 0001-01-01T00:00:00Z hs 1",
	} {
		if _, err := relay.ParseRecord(text); !errors.Is(err, relay.ErrRecord) {
			t.Errorf("ParseRecord(%q): %v", text, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	r := newRelay(t, relay.WithLimits(relay.Limits{"hs": {Min: 0, Max: 500}}))
	open(t, r, relay.Mute, "FURKA")
	for _, tt := range []struct {
		rec  relay.Record
		want error
	}{
		{relay.Record{Station: "FURKA", At: morning, Sensor: "hs", Value: 500}, nil},
		{relay.Record{Station: "FURKA", At: morning, Sensor: "mystery", Value: 1e9}, nil},
		{relay.Record{Station: "FURKA", At: morning, Sensor: "hs", Value: 500.5}, relay.ErrLimits},
		{relay.Record{Station: "FURKA", At: morning, Sensor: "hs", Value: -1}, relay.ErrLimits},
		{relay.Record{Station: "FURKA", At: morning, Sensor: "hs", Value: math.Inf(1)}, relay.ErrRecord},
		{relay.Record{Station: "KLAUSEN", At: morning, Sensor: "hs"}, relay.ErrNotOpen},
		{relay.Record{Station: "FURKA", At: morning}, relay.ErrRecord},
	} {
		if err := r.Append(tt.rec); !errors.Is(err, tt.want) {
			t.Errorf("Append(%v): %v, want %v", tt.rec, err, tt.want)
		}
	}
}

func TestStandardLimits(t *testing.T) {
	relay.StandardLimits()["ta"] = relay.Range{}
	if got := relay.StandardLimits()["ta"]; got.Max < 30 || got.Min > -30 {
		t.Errorf("limits of ta are %+v", got)
	}
}

func TestModes(t *testing.T) {
	for _, mode := range []relay.Mode{relay.Forward, relay.Keep, relay.Mirror, relay.Mute} {
		if got, err := relay.ParseMode(mode.String()); got != mode || err != nil {
			t.Errorf("ParseMode(%q) = %v, %v", mode, got, err)
		}
	}
	for _, name := range []string{"", "Keep", "attached"} {
		if _, err := relay.ParseMode(name); !errors.Is(err, relay.ErrMode) {
			t.Errorf("ParseMode(%q): %v", name, err)
		}
	}
	if got := relay.Mode(-1).String(); got != "Mode(-1)" {
		t.Errorf("String() = %q", got)
	}
}

func TestWriteReport(t *testing.T) {
	var text strings.Builder
	err := relay.WriteReport(&text, []relay.Status{
		{Station: "FURKA", Mode: relay.Forward, Taken: 12, Sent: 12, Last: morning},
		{Station: "KLAUSEN", Mode: relay.Mute},
	})
	want := "" +
		"STATION  MODE     TAKEN  SENT  KEPT  LAST\n" +
		"FURKA    forward  12     12    0     2025-01-14 06:00:00\n" +
		"KLAUSEN  mute     0      0     0     never\n"
	if err != nil || text.String() != want {
		t.Errorf("report\n%s(%v), want\n%s", text.String(), err, want)
	}
}
