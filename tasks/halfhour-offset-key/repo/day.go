package dayledger

import "time"

// rowKey says which row a reading belongs to.
type rowKey struct {
	site string
	day  time.Time // 00:00 on the clock of the site
}

func (r reading) row() rowKey {
	y, m, d := r.at.Date()
	return rowKey{
		site: r.id.site,
		day:  time.Date(y, m, d, 0, 0, 0, 0, r.at.Location()),
	}
}

// tally is the content of a row.
type tally struct {
	readings    int
	wattHours   int64
	peak        int64
	meters      map[string]struct{}
	first, last time.Time
	sealed      bool
}

func newTally() *tally {
	return &tally{meters: make(map[string]struct{})}
}

func (t *tally) add(r reading) {
	if t.readings == 0 || r.at.Before(t.first) {
		t.first = r.at
	}
	if t.readings == 0 || r.at.After(t.last) {
		t.last = r.at
	}
	t.readings++
	t.wattHours += r.wattHours
	t.peak = max(t.peak, r.wattHours)
	t.meters[r.id.meter] = struct{}{}
}
