// Package courier brings the recordings of seismic stations to a depot.
//
// Send gives a recording to a Depot and returns a Receipt, which says how much
// of the recording the depot has read and what the SHA-256 sum of that part is.
// A depot may be anybody's, and reads in whatever way suits it; every byte that
// it reads, each read once and from the beginning, counts for the receipt. If it
// stops before the end, the receipt ends there too. Receipts come with errors as
// well, and then tell how far the last attempt got.
//
// While a depot reads, the progress function is told how far it is: after every
// chunk at the latest, and at the end. A context that is done stops the depot
// just as soon: it gets at most the chunk that is under way, and then the
// context's error in place of more.
//
// An attempt that fails with an error that wraps ErrTemporary is repeated from
// the beginning of the recording, with a receipt and a progress of its own.
//
// A Courier may be used by several goroutines at once if its depot and its
// progress function may.
package courier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Errors that the functions and methods of this package wrap.
var (
	ErrTemporary = errors.New("courier: depot is not available for now")
	ErrName      = errors.New("courier: malformed recording name")
	ErrOption    = errors.New("courier: option out of range")
	ErrManifest  = errors.New("courier: malformed manifest")
	ErrMismatch  = errors.New("courier: recording differs from the manifest")
)

// Depot stores recordings.
type Depot interface {
	// Put stores what it reads from r under name, in place of what it has
	// there. The name is one that CheckName accepts.
	Put(name string, r io.Reader) error
}

// Receipt says what a depot has read of a recording.
type Receipt struct {
	Name     string
	Bytes    int64
	SHA256   string // in hexadecimal, of these bytes
	Attempts int
}

// Progress says how far a depot is.
type Progress struct {
	Name        string
	Read, Total int64 // in bytes
}

// Courier brings recordings to one depot. Use New to make one.
type Courier struct {
	depot    Depot
	attempts int
	delay    time.Duration
	chunk    int
	progress func(Progress)
}

// Option configures a Courier.
type Option func(*Courier)

// WithAttempts sets how often a recording is sent at most, and how long to wait
// in between. The default is three times and one second.
func WithAttempts(n int, delay time.Duration) Option {
	return func(c *Courier) { c.attempts, c.delay = n, delay }
}

// WithChunk sets the size of a chunk in bytes. The default is 64 KiB.
func WithChunk(size int) Option {
	return func(c *Courier) { c.chunk = size }
}

// WithProgress sets the progress function. It is called on the goroutine on
// which the depot reads.
func WithProgress(report func(Progress)) Option {
	return func(c *Courier) { c.progress = report }
}

// New returns a courier to depot. It fails with ErrOption if an option is out of
// range.
func New(depot Depot, opts ...Option) (*Courier, error) {
	c := &Courier{
		depot:    depot,
		attempts: 3,
		delay:    time.Second,
		chunk:    64 << 10,
		progress: func(Progress) {},
	}
	for _, opt := range opts {
		opt(c)
	}
	switch {
	case c.attempts < 1 || c.delay < 0:
		return nil, fmt.Errorf("%w: %d attempts, %v apart", ErrOption, c.attempts, c.delay)
	case c.chunk < 1:
		return nil, fmt.Errorf("%w: chunks of %d bytes", ErrOption, c.chunk)
	}
	return c, nil
}

// Send brings a recording to the depot. It fails with ErrName, with the depot's
// error or with that of the context.
func (c *Courier) Send(ctx context.Context, name string, recording []byte) (Receipt, error) {
	receipt := Receipt{Name: name}
	if err := CheckName(name); err != nil {
		return receipt, err
	}
	m := newMeter(ctx, recording, c.chunk, func(read, total int64) {
		c.progress(Progress{Name: name, Read: read, Total: total})
	})
	for {
		if err := ctx.Err(); err != nil {
			return receipt, fmt.Errorf("courier: send %s: %w", name, err)
		}
		m.rewind()
		err := c.depot.Put(name, m)
		receipt.Attempts++
		receipt.Bytes, receipt.SHA256 = m.tally()
		switch {
		case err == nil:
			return receipt, nil
		case !errors.Is(err, ErrTemporary) || receipt.Attempts == c.attempts:
			return receipt, fmt.Errorf("courier: send %s: %w", name, err)
		}
		select {
		case <-time.After(c.delay):
		case <-ctx.Done():
		}
	}
}

// CheckName accepts names such as "KO.BALB.2025-03-14.mseed": words of letters,
// digits, hyphens and underscores, joined by dots. It fails with ErrName for
// others.
func CheckName(name string) error {
	for word := range strings.SplitSeq(name, ".") {
		if word == "" || strings.ContainsFunc(word, isOdd) {
			return fmt.Errorf("%w: %q", ErrName, name)
		}
	}
	return nil
}

func isOdd(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return false
	}
	return true
}
