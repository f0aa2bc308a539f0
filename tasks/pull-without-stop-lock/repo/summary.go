package nightlog

import (
	"cmp"
	"slices"
	"time"
)

// Total is how long a target was exposed.
type Total struct {
	Target    string
	Exposures int
	Length    time.Duration
}

// Summary adds up the exposures of each target in the named domes, or in all,
// and returns the targets by falling length and then by name.
func (a *Archive) Summary(domes ...string) ([]Total, error) {
	all, err := a.All(domes...)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int)
	var totals []Total
	for e := range all {
		i, ok := at[e.Target]
		if !ok {
			i = len(totals)
			at[e.Target] = i
			totals = append(totals, Total{Target: e.Target})
		}
		totals[i].Exposures++
		totals[i].Length += e.Length
	}
	slices.SortFunc(totals, func(x, y Total) int {
		return cmp.Or(cmp.Compare(y.Length, x.Length), cmp.Compare(x.Target, y.Target))
	})
	return totals, nil
}
