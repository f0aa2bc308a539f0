// Package dayledger adds up the readings of electricity meters, a row for each
// site and day, and prices the rows.
//
// # Readings
//
// Gateways deliver readings as lines of text:
//
//	site,meter,sequence,time,watt-hours
//	aarhus-2,m17,90411,2025-02-03T07:15:00+01:00,412
//
// The time is in the format of RFC 3339, on the clock of the site. As the
// metering rules want it, that clock shows the site's standard time all year:
// the offset of a site does not change. Z is the offset +00:00, and some sites
// use both spellings, one gateway this and another that. Empty lines and lines
// that begin with # are skipped.
//
// A gateway that got no receipt delivers again, possibly in another file and
// much later. Site, meter and sequence number identify a reading; when it comes
// again it is skipped.
//
// # Rows
//
// A site has one [Row] for each day with readings: for each calendar date that
// its clock showed. The row covers everything read on that date, from 00:00
// until before the next 00:00 on the site's clock, in whatever order, file or
// call the readings came. Sites do not influence each other; where it is
// Tuesday in one it may be Monday in the next.
//
// # Sealing
//
// [Ledger.Seal] seals the rows of the days that are over, before they are
// billed. A sealed row does not change any more: readings for it are late, they
// are counted as such and dropped. Days of which nothing has been read have no
// row and are not sealed, because readings from an outage are delivered days
// afterwards.
package dayledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

var (
	// ErrMalformed reports a line that is no reading.
	ErrMalformed = errors.New("dayledger: malformed line")
	// ErrUnknownSite reports a reading of a site that the ledger is not for.
	ErrUnknownSite = errors.New("dayledger: unknown site")
	// ErrTariff reports a tariff that cannot be right.
	ErrTariff = errors.New("dayledger: invalid tariff")
)

// A Ledger holds the rows of any number of sites. Several goroutines may use
// it at once.
type Ledger struct {
	sites  map[string]bool // nil if all are welcome
	tariff Tariff

	mu   sync.Mutex // protects what follows
	rows map[rowKey]*tally
	seen map[readingID]struct{}
}

// An Option configures a Ledger.
type Option func(*Ledger) error

// ForSites makes the ledger refuse readings of other sites.
func ForSites(sites ...string) Option {
	return func(l *Ledger) error {
		l.sites = make(map[string]bool)
		for _, site := range sites {
			l.sites[site] = true
		}
		return nil
	}
}

// WithTariff sets the prices. Without it everything is free.
func WithTariff(t Tariff) Option {
	return func(l *Ledger) error {
		if err := t.validate(); err != nil {
			return err
		}
		l.tariff = t
		return nil
	}
}

// New returns an empty ledger.
func New(opts ...Option) (*Ledger, error) {
	l := &Ledger{
		rows: make(map[rowKey]*tally),
		seen: make(map[readingID]struct{}),
	}
	for _, opt := range opts {
		if err := opt(l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Counts says what became of the readings of one import.
type Counts struct {
	Added    int // counted in a row
	Repeated int // skipped because they were there already
	Late     int // dropped because their row was sealed
}

// A LineError says which line of an import was at fault, counted from 1.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Import reads lines until the end of r. It stops at the first line that is
// malformed or of an unknown site and returns a *LineError; the readings before
// that line stay counted.
func (l *Ledger) Import(r io.Reader) (Counts, error) {
	var counts Counts
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if skippable(lines.Text()) {
			continue
		}
		rd, err := parseReading(lines.Text())
		if err == nil && l.sites != nil && !l.sites[rd.id.site] {
			err = fmt.Errorf("%w: %q", ErrUnknownSite, rd.id.site)
		}
		if err != nil {
			return counts, &LineError{Line: n, Err: err}
		}
		l.add(rd, &counts)
	}
	if err := lines.Err(); err != nil {
		return counts, fmt.Errorf("dayledger: %w", err)
	}
	return counts, nil
}

func (l *Ledger) add(rd reading, counts *Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, again := l.seen[rd.id]; again {
		counts.Repeated++
		return
	}
	key := rd.row()
	row := l.rows[key]
	if row == nil {
		row = newTally()
		l.rows[key] = row
	}
	if row.sealed {
		counts.Late++
		return
	}
	row.add(rd)
	l.seen[rd.id] = struct{}{}
	counts.Added++
}

// Seal seals every row whose day was over at its site at the instant now, and
// returns how many it has sealed that were not sealed before.
func (l *Ledger) Seal(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sealed := 0
	for key, row := range l.rows {
		if !row.sealed && !now.Before(key.day.AddDate(0, 0, 1)) {
			row.sealed = true
			sealed++
		}
	}
	return sealed
}
