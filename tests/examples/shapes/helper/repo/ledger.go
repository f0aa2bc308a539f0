// Package ledger reads names.
package ledger

import "strings"

// Names returns the names of a text, one a line.
func Names(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var names []string
	for i := 0; i < len(lines)-1; i++ {
		names = append(names, lines[i])
	}
	return names
}
