package relay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Record is one value that a sensor of a station has measured.
type Record struct {
	Station string
	At      time.Time
	Sensor  string // such as "hs", the height of snow; see Limits
	Value   float64
}

// String formats a record for people.
func (rec Record) String() string {
	return rec.Station + " " + rec.line()
}

// line formats a record without its station, as it is sent and kept.
func (rec Record) line() string {
	at := rec.At.UTC().Format(time.RFC3339)
	return at + " " + rec.Sensor + " " + strconv.FormatFloat(rec.Value, 'f', -1, 64)
}

// ParseRecord reads what a station reports: its name, the time, the sensor and
// the value, such as "KLAUSEN 2025-01-14T06:10:00Z hs 143.5". It fails with
// ErrRecord.
func ParseRecord(text string) (Record, error) {
	fields := strings.Fields(text)
	if len(fields) != 4 {
		return Record{}, fmt.Errorf("%w: %q", ErrRecord, text)
	}
	at, err := time.Parse(time.RFC3339, fields[1])
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	value, err := strconv.ParseFloat(fields[3], 64)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	rec := Record{Station: fields[0], At: at, Sensor: fields[2], Value: value}
	return rec, rec.check()
}

// check returns an ErrRecord if something of the record is missing or cannot be
// written down.
func (rec Record) check() error {
	switch {
	case rec.At.IsZero():
		return fmt.Errorf("%w: no time", ErrRecord)
	case !isName(rec.Sensor):
		return fmt.Errorf("%w: sensor %q", ErrRecord, rec.Sensor)
	case math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0):
		return fmt.Errorf("%w: value %v", ErrRecord, rec.Value)
	}
	return nil
}

// equal reports whether two records are the same once they are written down.
func (rec Record) equal(other Record) bool {
	return rec.Station == other.Station && rec.line() == other.line()
}
