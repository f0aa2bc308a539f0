package pickup

// page is one response of the shelf service.
type page struct {
	Parcels []Parcel `json:"parcels"`
	Next    string   `json:"next"` // cursor of the page that follows
}

// reset empties p for the next response. The storage stays: a large shop has
// thousands of parcels and is polled every few seconds.
func (p *page) reset() {
	p.Parcels = p.Parcels[:0]
	p.Next = ""
}
