package granary_test

import (
	"errors"
	"math"
	"testing"

	"example.com/longmeadow/granary"
)

func TestKilosString(t *testing.T) {
	for k, want := range map[granary.Kilos]string{
		0:             "0.000 t",
		7:             "0.007 t",
		-1_250:        "-1.250 t",
		12_400:        "12.400 t",
		math.MinInt64: "-9223372036854775.808 t",
	} {
		if got := k.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestParseKilos(t *testing.T) {
	for text, want := range map[string]granary.Kilos{
		"12.4 t":   12_400,
		" 800 kg ": 800,
		"0.0015 t": 2,
		"-3 t":     -3_000,
	} {
		if got, err := granary.ParseKilos(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "12", "12 lb", "x t", "1e300 t", "NaN kg"} {
		if got, err := granary.ParseKilos(text); !errors.Is(err, granary.ErrWeight) {
			t.Errorf("%q: got %d, %v, want ErrWeight", text, got, err)
		}
	}
}
