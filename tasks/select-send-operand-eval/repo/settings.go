package tilefeed

import (
	"fmt"
	"slices"
	"time"
)

// Limits of the optics.
const (
	MinExposure = 50 * time.Microsecond
	MaxExposure = 2 * time.Second
	MaxFocus    = 300 // micrometres above or below the reference plane
)

var filters = []string{"brightfield", "dapi", "fitc", "tritc", "cy5"}

// Settings are the settings of a camera for one shot.
type Settings struct {
	Exposure time.Duration
	Focus    int // micrometres from the reference plane
	Filter   string
}

// DefaultSettings suit a stained section in bright field.
func DefaultSettings() Settings {
	return Settings{Exposure: 4 * time.Millisecond, Filter: "brightfield"}
}

func (s Settings) check() error {
	switch {
	case s.Exposure < MinExposure || s.Exposure > MaxExposure:
		return fmt.Errorf("%w: exposure %v", ErrSettings, s.Exposure)
	case s.Focus < -MaxFocus || s.Focus > MaxFocus:
		return fmt.Errorf("%w: focus %d um", ErrSettings, s.Focus)
	case !slices.Contains(filters, s.Filter):
		return fmt.Errorf("%w: filter %q", ErrSettings, s.Filter)
	}
	return nil
}
