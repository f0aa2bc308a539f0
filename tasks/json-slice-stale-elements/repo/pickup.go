// Package pickup follows the parcels that wait for collection in a pick-up
// shop.
//
// # The shelf service
//
// Every shop runs a shelf service, which lists the shop's parcels as JSON, a
// page at a time:
//
//	{
//	  "parcels": [
//	    {"id": "P-1041", "recipient": "M. Okafor", "rack": "B4", "grams": 820},
//	    {"id": "P-1042", "recipient": "J. Lind", "rack": "A1", "note": "two boxes",
//	     "hold": {"reason": "unpaid duty"}, "labels": ["fragile"]}
//	  ],
//	  "next": "c2"
//	}
//
// A cursor in "next" asks for another page; the last page has none. The
// service may leave out whatever is empty, at any depth: what a parcel's
// object does not contain, or has as null, is the zero value in the [Parcel].
// Fields that this package does not know are ignored, because shops are
// updated at different times. A parcel without an ID is an error.
//
// # Snapshots
//
// [Watcher.Poll] fetches all pages and returns them as a [Snapshot], which
// says what the service said in that poll about each parcel, and depends on
// nothing else: not on other parcels, pages or polls, failed ones included.
// Parcels stand in the order in which the service listed them. One that moves
// while the pages are fetched may be listed twice; the later listing replaces
// the earlier one, in its place.
//
// A Snapshot belongs to the caller. Later polls do not change it, and changes
// that the caller makes to it do not show up in later ones.
//
// [Compare] tells what happened between two snapshots.
package pickup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

var (
	// ErrOption reports an option whose value makes no sense.
	ErrOption = errors.New("pickup: invalid option")
	// ErrNoID reports a listed parcel without an ID.
	ErrNoID = errors.New("pickup: parcel without an ID")
	// ErrTooManyPages reports a listing that goes on beyond the limit.
	ErrTooManyPages = errors.New("pickup: too many pages")
)

const defaultMaxPages = 500

// A Watcher polls the shelf service of one shop. It is to be used by one
// goroutine at a time.
type Watcher struct {
	client   client
	page     page
	maxPages int
	now      func() time.Time
}

// A Snapshot is the content of a shop's shelves.
type Snapshot struct {
	Taken   time.Time // when its last page had arrived
	Parcels []Parcel
}

// An Option configures a Watcher.
type Option func(*Watcher) error

// WithHTTPClient replaces http.DefaultClient.
func WithHTTPClient(h *http.Client) Option {
	return func(w *Watcher) error {
		if h == nil {
			return fmt.Errorf("%w: no HTTP client", ErrOption)
		}
		w.client.http = h
		return nil
	}
}

// WithMaxPages limits the pages of one poll, 500 by default.
func WithMaxPages(n int) Option {
	return func(w *Watcher) error {
		if n < 1 {
			return fmt.Errorf("%w: at most %d pages", ErrOption, n)
		}
		w.maxPages = n
		return nil
	}
}

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option {
	return func(w *Watcher) error {
		w.now = now
		return nil
	}
}

// NewWatcher returns a watcher of the shelf service at the URL base, such as
// "http://shop-17.example/shelf".
func NewWatcher(base string, opts ...Option) (*Watcher, error) {
	w := &Watcher{
		client:   client{http: http.DefaultClient},
		maxPages: defaultMaxPages,
		now:      time.Now,
	}
	if err := w.client.setBase(base); err != nil {
		return nil, err
	}
	for _, opt := range opts {
		if err := opt(w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Poll fetches all pages of the listing. If one of them cannot be had it
// returns no snapshot, and the error says why.
func (w *Watcher) Poll(ctx context.Context) (*Snapshot, error) {
	var parcels []Parcel
	index := make(map[string]int)
	cursor := ""
	for range w.maxPages {
		w.page.reset()
		if err := w.client.get(ctx, cursor, &w.page); err != nil {
			return nil, err
		}
		for _, parcel := range w.page.Parcels {
			if parcel.ID == "" {
				return nil, fmt.Errorf("%w on page %q", ErrNoID, cursor)
			}
			if i, listed := index[parcel.ID]; listed {
				parcels[i] = parcel
				continue
			}
			index[parcel.ID] = len(parcels)
			parcels = append(parcels, parcel)
		}
		if cursor = w.page.Next; cursor == "" {
			return &Snapshot{Taken: w.now(), Parcels: parcels}, nil
		}
	}
	return nil, fmt.Errorf("%w: more than %d", ErrTooManyPages, w.maxPages)
}
