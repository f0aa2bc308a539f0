package zone

import (
	"fmt"
	"strings"
	"time"
)

// Board returns the text of the display beside the zone: a line with the name
// and the places taken, one for each vehicle inside and one for each that waits,
// with how long it has waited by now.
//
//	LIFT 2 2/3
//	 + T-07 tugger 400 kg
//	 + T-11 tugger
//	 . C-01 cleaner 1m20s
func (z *Zone) Board() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	var text strings.Builder
	fmt.Fprintf(&text, "%s %d/%d", strings.ToUpper(z.name), len(z.roster.inside), z.places)
	if z.roster.shut {
		text.WriteString(" shut")
	}
	text.WriteByte('\n')
	for _, v := range z.roster.inside {
		fmt.Fprintf(&text, " + %s %s", v.ID, v.Kind)
		if v.Load > 0 {
			fmt.Fprintf(&text, " %d kg", v.Load)
		}
		text.WriteByte('\n')
	}
	now := z.roster.clock()
	for _, a := range z.roster.waiting {
		waited := now.Sub(a.since).Round(time.Second)
		fmt.Fprintf(&text, " . %s %s %v\n", a.vehicle.ID, a.vehicle.Kind, waited)
	}
	return text.String()
}
