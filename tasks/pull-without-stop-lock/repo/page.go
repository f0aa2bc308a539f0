package nightlog

import (
	"fmt"
	"time"
)

// MaxLimit is the largest Limit of a Query.
const MaxLimit = 500

// Query says what a Page shows.
type Query struct {
	Domes  []string  // none means all
	Target string    // empty means any
	Since  time.Time // leaves out what began before
	Skip   int       // how many exposures to pass over, those of earlier pages
	Limit  int       // how many to show, from 1 to MaxLimit
}

// Page is a part of what a Query asks for.
type Page struct {
	Exposures []Exposure
	More      bool // whether others follow
}

// Page shows a part of the archive. It fails with ErrBadQuery if Skip or Limit
// is out of range and with ErrUnknownDome if a dome has no log.
func (a *Archive) Page(q Query) (Page, error) {
	if q.Skip < 0 || q.Limit < 1 || q.Limit > MaxLimit {
		return Page{}, fmt.Errorf("%w: skip %d, limit %d", ErrBadQuery, q.Skip, q.Limit)
	}
	all, err := a.All(q.Domes...)
	if err != nil {
		return Page{}, err
	}

	var page Page
	skip := q.Skip
	for e := range all {
		switch {
		case !q.wants(e):
			continue
		case skip > 0:
			skip--
			continue
		case len(page.Exposures) == q.Limit:
			page.More = true
			return page, nil
		}
		page.Exposures = append(page.Exposures, e)
	}
	return page, nil
}

func (q Query) wants(e Exposure) bool {
	return (q.Target == "" || e.Target == q.Target) && !e.Start.Before(q.Since)
}
