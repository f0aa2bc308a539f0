package retention

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteReport prints plans for the operators, one line for each snapshot.
func WriteReport(w io.Writer, plans ...Plan) error {
	var buf bytes.Buffer
	tw := tabwriter.NewWriter(&buf, 0, 0, 2, ' ', 0)
	for _, plan := range plans {
		fmt.Fprintf(tw, "%s: keep %d, drop %d\n", plan.Volume, len(plan.Keep), len(plan.Drop))
		for _, k := range plan.Keep {
			fmt.Fprintf(tw, "  keep\t%s\t%s\t%s\n", stamp(k.Taken), k.ID, strings.Join(k.Tiers, ","))
		}
		for _, s := range plan.Drop {
			fmt.Fprintf(tw, "  drop\t%s\t%s\t\n", stamp(s.Taken), s.ID)
		}
	}
	tw.Flush()
	_, err := buf.WriteTo(w)
	return err
}

func stamp(at time.Time) string {
	return at.UTC().Format("2006-01-02 15:04Z")
}
