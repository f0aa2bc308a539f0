package relay

import (
	"fmt"
	"maps"
)

// Range is an interval of values, both ends included.
type Range struct {
	Min, Max float64
}

// Limits says which values are plausible, by sensor. A sensor that is not listed
// may have any value.
type Limits map[string]Range

var standardLimits = Limits{
	"hs":  {0, 1200},   // height of snow, cm
	"hn":  {0, 300},    // height of new snow, cm
	"ta":  {-60, 45},   // air temperature, degrees
	"tss": {-70, 5},    // temperature of the snow's surface, degrees
	"rh":  {0, 105},    // relative humidity, percent
	"vw":  {0, 100},    // wind, m/s
	"dw":  {0, 360},    // direction of the wind, degrees
	"ub":  {8, 18},     // battery, V
	"rad": {-20, 1600}, // radiation, W/m2
}

// StandardLimits returns the limits of the sensors that our stations have.
func StandardLimits() Limits {
	return maps.Clone(standardLimits)
}

// check returns an ErrLimits if the value of a record is not plausible.
func (l Limits) check(rec Record) error {
	r, ok := l[rec.Sensor]
	if ok && (rec.Value < r.Min || rec.Value > r.Max) {
		return fmt.Errorf("%w: %v is not in %v to %v", ErrLimits, rec, r.Min, r.Max)
	}
	return nil
}
