package dayledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxWattHours is more than any meter of ours can count between two readings.
const maxWattHours = 10_000_000

// readingID is the same whenever a reading is delivered.
type readingID struct {
	site     string
	meter    string
	sequence uint64
}

// reading is one line of an import.
type reading struct {
	id        readingID
	at        time.Time // on the clock of the site
	wattHours int64
}

// skippable reports whether line holds no reading by intent.
func skippable(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func parseReading(line string) (reading, error) {
	fields := strings.Split(line, ",")
	if len(fields) != 5 {
		return reading{}, fmt.Errorf("%w: %d fields, want 5", ErrMalformed, len(fields))
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	site, meter := fields[0], fields[1]
	if site == "" || meter == "" {
		return reading{}, fmt.Errorf("%w: no site or no meter", ErrMalformed)
	}
	sequence, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return reading{}, fmt.Errorf("%w: sequence number %q", ErrMalformed, fields[2])
	}
	at, err := time.Parse(time.RFC3339, fields[3])
	if err != nil {
		return reading{}, fmt.Errorf("%w: time %q", ErrMalformed, fields[3])
	}
	wattHours, err := strconv.ParseInt(fields[4], 10, 64)
	if err != nil || wattHours < 0 || wattHours > maxWattHours {
		return reading{}, fmt.Errorf("%w: energy %q", ErrMalformed, fields[4])
	}
	return reading{
		id:        readingID{site: site, meter: meter, sequence: sequence},
		at:        at,
		wattHours: wattHours,
	}, nil
}
