package wakeup

import (
	"fmt"
	"strings"
	"time"

	"example.com/alpenrose/wakeup/house"
)

// Sheet returns what the night porter gets to see: the calls that wait for a
// time in [from, to), a line for each minute with the rooms in the order of the
// porter's walk. Times are printed in the location of from. A room with more
// than one call in a minute is printed once.
func (d *Desk) Sheet(from, to time.Time) string {
	minutes := make(map[string][]house.Room)
	var order []string
	for _, c := range d.waiting(from, to) {
		minute := c.At.In(from.Location()).Format("02 Jan 15:04")
		rooms, ok := minutes[minute]
		if !ok {
			order = append(order, minute)
		}
		minutes[minute] = append(rooms, c.Room)
	}
	var text strings.Builder
	for _, minute := range order {
		fmt.Fprintf(&text, "%s ", minute)
		last := house.Room(0)
		for _, r := range d.house.Walk(minutes[minute]) {
			if r != last {
				fmt.Fprintf(&text, " %v", r)
			}
			last = r
		}
		text.WriteByte('\n')
	}
	return text.String()
}
