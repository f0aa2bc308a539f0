package pickup

import (
	"maps"
	"slices"
	"time"
)

// A Parcel waits on a rack of the shop.
type Parcel struct {
	ID        string `json:"id"`
	Recipient string `json:"recipient"`
	Rack      string `json:"rack"`
	Grams     int    `json:"grams"`
	// Size is zero for parcels that were not measured.
	Size Size `json:"size"`
	// Due is what the recipient pays on collection, in cents.
	Due int64 `json:"due"`
	// AdultOnly asks the clerk to check the recipient's age.
	AdultOnly bool `json:"adult_only"`
	// Note is for the clerk, often about the recipient.
	Note string `json:"note"`
	// Hold is nil if the parcel may be handed out.
	Hold   *Hold    `json:"hold"`
	Labels []string `json:"labels"`
	// Refs holds the numbers that the sender gave the parcel, by kind.
	Refs map[string]string `json:"refs"`
}

// Size is in millimetres.
type Size struct {
	Length int `json:"length"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Hold keeps a parcel from being handed out.
type Hold struct {
	Reason string `json:"reason"`
	// Until is zero for a hold that somebody has to lift.
	Until time.Time `json:"until"`
	// By is the till or the clerk that asked for the hold.
	By string `json:"by"`
}

// equal reports whether h and other, which may be nil, say the same.
func (h *Hold) equal(other *Hold) bool {
	if h == nil || other == nil {
		return h == other
	}
	return h.Reason == other.Reason && h.Until.Equal(other.Until) && h.By == other.By
}

// differences returns the JSON names of the fields in which p and other, two
// states of one parcel, differ. They come in the order of the struct.
func (p *Parcel) differences(other *Parcel) []string {
	var names []string
	for _, field := range []struct {
		name string
		same bool
	}{
		{"recipient", p.Recipient == other.Recipient},
		{"rack", p.Rack == other.Rack},
		{"grams", p.Grams == other.Grams},
		{"size", p.Size == other.Size},
		{"due", p.Due == other.Due},
		{"adult_only", p.AdultOnly == other.AdultOnly},
		{"note", p.Note == other.Note},
		{"hold", p.Hold.equal(other.Hold)},
		{"labels", slices.Equal(p.Labels, other.Labels)},
		{"refs", maps.Equal(p.Refs, other.Refs)},
	} {
		if !field.same {
			names = append(names, field.name)
		}
	}
	return names
}
