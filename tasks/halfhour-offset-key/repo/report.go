package dayledger

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// A Row is what was read at a site on one day.
type Row struct {
	Site      string
	Day       string // like 2025-02-03
	Readings  int
	Meters    int // how many meters they came from
	WattHours int64
	Peak      int64     // the largest single reading
	First     time.Time // when the earliest one was read, on the site's clock
	Last      time.Time // when the latest one was read, on the site's clock
	Sealed    bool
	Cost      int64 // by the tariff, in thousandths of a cent
}

// Rows returns the rows of one site, or of all if site is empty, in the order
// of sites and days.
func (l *Ledger) Rows(site string) []Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []Row
	for key, row := range l.rows {
		if site != "" && key.site != site {
			continue
		}
		rows = append(rows, Row{
			Site:      key.site,
			Day:       key.day.Format(time.DateOnly),
			Readings:  row.readings,
			Meters:    len(row.meters),
			WattHours: row.wattHours,
			Peak:      row.peak,
			First:     row.first,
			Last:      row.last,
			Sealed:    row.sealed,
			Cost:      l.tariff.Cost(row.wattHours),
		})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Day, b.Day))
	})
	return rows
}

// WriteReport writes the rows that Rows(site) returns as a table. Rows that
// are still open have a star.
func (l *Ledger) WriteReport(w io.Writer, site string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "SITE\tDAY\tMETERS\tKWH\tCOST")
	for _, row := range l.Rows(site) {
		open := ""
		if !row.Sealed {
			open = "*"
		}
		fmt.Fprintf(tw, "%s\t%s%s\t%d\t%d.%03d\t%d.%02d\n", row.Site, row.Day, open, row.Meters,
			row.WattHours/1000, row.WattHours%1000, row.Cost/100_000, row.Cost/1000%100)
	}
	return tw.Flush()
}
