package pickup

// Kind says what happened to a parcel.
type Kind string

const (
	Arrived Kind = "arrived"
	Changed Kind = "changed"
	Left    Kind = "left"
)

// A Change is one difference between two snapshots.
type Change struct {
	Kind   Kind
	Parcel Parcel   // as it is now, or as it was last seen if it has left
	Fields []string // JSON names of what has changed, if Kind is Changed
}

// Compare returns what happened between two snapshots of a shop. Parcels are
// told apart by their IDs; where they stand in the listing does not matter.
// Those that arrived or changed come first, in the order of after, then those
// that left, in the order of before. A nil snapshot counts as an empty shop.
func Compare(before, after *Snapshot) []Change {
	was, is := before.byID(), after.byID()
	var changes []Change
	if after != nil {
		for _, parcel := range after.Parcels {
			old, known := was[parcel.ID]
			if !known {
				changes = append(changes, Change{Kind: Arrived, Parcel: parcel})
				continue
			}
			if fields := old.differences(&parcel); len(fields) > 0 {
				changes = append(changes, Change{Kind: Changed, Parcel: parcel, Fields: fields})
			}
		}
	}
	if before != nil {
		for _, parcel := range before.Parcels {
			if _, still := is[parcel.ID]; !still {
				changes = append(changes, Change{Kind: Left, Parcel: parcel})
			}
		}
	}
	return changes
}

// byID returns the parcels of s, which may be nil, by their IDs.
func (s *Snapshot) byID() map[string]*Parcel {
	if s == nil {
		return nil
	}
	m := make(map[string]*Parcel, len(s.Parcels))
	for i := range s.Parcels {
		m[s.Parcels[i].ID] = &s.Parcels[i]
	}
	return m
}
