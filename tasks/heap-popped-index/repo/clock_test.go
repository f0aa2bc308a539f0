package wakeup_test

import (
	"errors"
	"testing"
	"time"

	"example.com/alpenrose/wakeup"
)

func TestParseClock(t *testing.T) {
	for text, want := range map[string]time.Time{
		"6:30":     morning(6, 30),
		"06.30":    morning(6, 30),
		"6h30":     morning(6, 30),
		"6":        morning(6, 0),
		" 6:30 am": morning(6, 30),
		"12:05am":  morning(0, 5),
		"12pm":     morning(12, 0),
		"11pm":     evening.Add(3 * time.Hour),
		"20:00":    evening.AddDate(0, 0, 1),
		"20:01":    evening.Add(time.Minute),
	} {
		if got, err := wakeup.ParseClock(text, evening); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "24:00", "6:60", "6:5", "13pm", "0am", "dawn", "6:30:00"} {
		if got, err := wakeup.ParseClock(text, evening); !errors.Is(err, wakeup.ErrClock) {
			t.Errorf("%q: got %v, %v, want ErrClock", text, got, err)
		}
	}
}
