package relay

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Status says how a station is doing since it was opened.
type Status struct {
	Station string
	Mode    Mode
	Taken   int       // records that Append returned nil for, without repeats
	Sent    int       // records that the collector has accepted
	Kept    int       // records that went to the spool
	Last    time.Time // time of the last record that was taken; zero if there is none
}

// Report describes the stations that are open, sorted by name.
func (r *Relay) Report() []Status {
	var report []Status
	for _, s := range r.sorted() {
		report = append(report, s.status())
	}
	return report
}

// WriteReport writes a report as a table.
func WriteReport(w io.Writer, report []Status) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATION\tMODE\tTAKEN\tSENT\tKEPT\tLAST")
	for _, s := range report {
		last := "never"
		if !s.Last.IsZero() {
			last = s.Last.UTC().Format(time.DateTime)
		}
		fmt.Fprintf(table, "%s\t%v\t%d\t%d\t%d\t%s\n", s.Station, s.Mode, s.Taken, s.Sent, s.Kept, last)
	}
	return table.Flush()
}
