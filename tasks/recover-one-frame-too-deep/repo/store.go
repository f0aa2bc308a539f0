// Package granary keeps the books of a grain elevator: what lies in which bin,
// and the journal of how it got there.
//
// # Updates
//
// The books change only through [Store.Update], which hands a [Draft] to a
// function that does the work. What the function does with the draft counts as
// a whole or not at all. It is entered in the books once the function has
// returned nil, provided that no bin is overfull and that the checks of the
// plant agree. In every other case the bins and the journal stay as they were,
// and Update says why: it returns the error of the function or of the check.
// Should one of them panic, the panic ends in Update, which returns it as a
// [*PanicError], no matter how far the work had come.
//
// Entries of the journal are numbered from 1 without gaps. An update that
// changes nothing makes no entry.
//
// # Orders
//
// A [Desk] carries out orders one after the other. An order that fails, by an
// error or by a panic, has an outcome that says so, and the next one starts from
// the books as they were before it.
//
// A Store may be used by several goroutines. Updates take turns. Reading does
// not wait for them: it shows the books before or after an update and nothing in
// between. The work of an update may read the store, but it must not call Update
// of the same store.
package granary

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

var (
	// ErrNoBin is wrapped by the errors about bins that are not there.
	ErrNoBin = errors.New("granary: no such bin")
	// ErrBinExists is wrapped by the errors about bins that are opened twice.
	ErrBinExists = errors.New("granary: bin exists")
	// ErrShort is wrapped by the errors about taking more than a bin holds.
	ErrShort = errors.New("granary: not enough in the bin")
	// ErrMixed is wrapped by the errors about a second grain in a bin.
	ErrMixed = errors.New("granary: bin holds another grain")
	// ErrNoGrain is returned for grain without a name.
	ErrNoGrain = errors.New("granary: grain without a name")
	// ErrOverfull is wrapped by the errors about exceeded capacities.
	ErrOverfull = errors.New("granary: bin is overfull")
	// ErrWeight is wrapped by the errors about weights that make no sense.
	ErrWeight = errors.New("granary: bad weight")
	// ErrSettled is returned by a Draft whose update is over.
	ErrSettled = errors.New("granary: draft is settled")
)

// Bin is what the books say about a bin.
type Bin struct {
	Name     string
	Capacity Kilos
	Grain    string // empty if the bin is
	Held     Kilos
}

// Check is a rule of the plant. It is called with the bins, sorted by name, as
// they would be after an update, and refuses the update by returning an error.
type Check func(bins []Bin) error

// Store holds the books. Use NewStore to make one.
type Store struct {
	checks []Check
	clock  func() time.Time

	writing sync.Mutex // held during an update

	mu      sync.RWMutex // guards what follows
	bins    map[string]Bin
	journal []Entry
}

// Option configures a Store.
type Option func(*Store)

// WithCheck adds a check.
func WithCheck(c Check) Option {
	return func(s *Store) { s.checks = append(s.checks, c) }
}

// WithClock sets where the times of journal entries come from. The default is
// time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.clock = now }
}

// NewStore returns a Store without bins.
func NewStore(opts ...Option) *Store {
	s := &Store{clock: time.Now, bins: make(map[string]Bin)}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Update has work change the books. The note goes into the journal.
func (s *Store) Update(note string, work func(*Draft) error) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	d := s.draft(note)
	defer s.settle(d, &err)
	return work(d)
}

// draft returns a draft that starts from the books as they are.
func (s *Store) draft(note string) *Draft {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &Draft{note: note, bins: maps.Clone(s.bins)}
}

// Bins returns all bins, sorted by name.
func (s *Store) Bins() []Bin {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return sorted(s.bins)
}

// Totals returns what there is of each grain.
func (s *Store) Totals() map[string]Kilos {
	totals := make(map[string]Kilos)
	for _, b := range s.Bins() {
		if b.Held > 0 {
			totals[b.Grain] += b.Held
		}
	}
	return totals
}

func sorted(bins map[string]Bin) []Bin {
	return slices.SortedFunc(maps.Values(bins), func(a, b Bin) int { return cmp.Compare(a.Name, b.Name) })
}
