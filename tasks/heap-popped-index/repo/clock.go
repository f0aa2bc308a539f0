package wakeup

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrClock is wrapped by the errors about times of day that cannot be read.
var ErrClock = errors.New("wakeup: bad time of day")

// ParseClock returns the next time after now at which a clock in the location of
// now shows the given time of day. It reads what people say and write: "6:30",
// "06.30", "6h30", "6", "6:30 am" and "11pm".
func ParseClock(text string, now time.Time) (time.Time, error) {
	bad := func() (time.Time, error) {
		return time.Time{}, fmt.Errorf("%w: %q", ErrClock, text)
	}
	s := strings.ToLower(strings.TrimSpace(text))
	half := ""
	for _, suffix := range []string{"am", "pm"} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, half = strings.TrimSpace(rest), suffix
		}
	}
	hours, minutes := s, "00"
	if at := strings.IndexAny(s, ":.h"); at >= 0 {
		hours, minutes = s[:at], s[at+1:]
	}
	h, err := strconv.ParseUint(hours, 10, 8)
	if err != nil || h > 23 {
		return bad()
	}
	m, err := strconv.ParseUint(minutes, 10, 8)
	if err != nil || m > 59 || len(minutes) != 2 {
		return bad()
	}
	if half != "" {
		if h < 1 || h > 12 {
			return bad()
		}
		h %= 12
		if half == "pm" {
			h += 12
		}
	}
	year, month, day := now.Date()
	at := time.Date(year, month, day, int(h), int(m), 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(year, month, day+1, int(h), int(m), 0, 0, now.Location())
	}
	return at, nil
}
