package nightlog

import (
	"iter"
	"slices"
)

// merge returns the exposures of several logs in the order of compare. Each
// sequence must be in that order itself.
func merge(logs []iter.Seq[Exposure]) iter.Seq[Exposure] {
	return func(yield func(Exposure) bool) {
		open := make([]*cursor, 0, len(logs))
		for _, seq := range logs {
			if c := newCursor(seq); c.advance() {
				open = append(open, c)
			}
		}
		for len(open) > 0 {
			first := earliest(open)
			if !yield(open[first].head) {
				return
			}
			if !open[first].advance() {
				open = slices.Delete(open, first, first+1)
			}
		}
	}
}

// earliest returns the index of the cursor with the least head.
func earliest(open []*cursor) int {
	first := 0
	for i, c := range open {
		if compare(c.head, open[first].head) < 0 {
			first = i
		}
	}
	return first
}
