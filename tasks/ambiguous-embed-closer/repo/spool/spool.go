// Package spool keeps lines of text in the files of a directory, for programs
// that come and fetch them.
//
// The files are called segments and are numbered. A segment is written as
// 000001.part. Once it has as many lines as a segment is to hold, or the spool
// is closed, it is sealed: it gets a last line with the number of its lines and
// their checksum, and becomes 000001.seg. Whoever fetches segments takes sealed
// ones and leaves the others alone. A spool makes no file before the first line.
//
// A .part that is there when a spool is opened is from a run that was cut off.
// It is cut back to its last whole line and sealed as it is, or removed if there
// is none.
//
// # Format
//
// Each line of the spool is a line of the file, after "= ". The seal is
//
//	end 2 8d3ac1f0
//
// with the number of the lines above it and, in hexadecimal, the IEEE CRC-32 of
// all of them with their marks and newlines.
package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Errors that functions of this package return or wrap.
var (
	ErrClosed   = errors.New("spool: closed")
	ErrOption   = errors.New("spool: option out of range")
	ErrText     = errors.New("spool: text is not a single line")
	ErrUnsealed = errors.New("spool: segment has no seal")
	ErrDamaged  = errors.New("spool: segment does not match its seal")
)

// Options say how a spool writes.
type Options struct {
	// SegmentLines is how many lines a segment holds.
	SegmentLines int
	// FlushLines is how many lines are gathered in memory before they are
	// written. The cards in the field wear out by many small writes.
	FlushLines int
}

// Spool appends lines to a directory. Its methods may be called from several
// goroutines. Use Open to make one; no two may have the same directory. A spool
// that has failed to write goes on failing and is to be opened anew.
type Spool struct {
	dir  string
	opts Options

	mu     sync.Mutex
	number int      // of the last segment
	open   *segment // nil until there is a line for it
	kept   int
	closed bool
}

// Open makes a spool of the directory, which is created if it is not there.
func Open(dir string, opts Options) (*Spool, error) {
	if opts.SegmentLines < 1 || opts.FlushLines < 1 {
		return nil, fmt.Errorf("%w: %+v", ErrOption, opts)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	s := &Spool{dir: dir, opts: opts}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	for _, entry := range entries {
		number, part, ok := parseName(entry.Name())
		if !ok {
			continue
		}
		s.number = max(s.number, number)
		if part {
			if err := salvage(s.base(number)); err != nil {
				return nil, fmt.Errorf("spool: salvage: %w", err)
			}
		}
	}
	return s, nil
}

// Add appends a line to the spool.
func (s *Spool) Add(text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%w: %q", ErrText, text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.open == nil {
		segment, err := create(s.base(s.number + 1))
		if err != nil {
			return fmt.Errorf("spool: %w", err)
		}
		s.number++
		s.open = segment
	}
	if err := s.open.add(text); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	s.kept++
	if s.open.lines >= s.opts.SegmentLines {
		return s.seal()
	}
	if s.open.unwritten >= s.opts.FlushLines {
		return s.flush()
	}
	return nil
}

// Kept returns how many lines were added.
func (s *Spool) Kept() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// Flush writes the lines that are gathered in memory.
func (s *Spool) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.flush()
}

// Close writes what is gathered in memory and seals the segment. Closing again
// does nothing.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.seal()
}

func (s *Spool) flush() error {
	if s.open == nil {
		return nil
	}
	if err := s.open.flush(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

func (s *Spool) seal() error {
	if s.open == nil {
		return nil
	}
	segment := s.open
	s.open = nil
	if err := segment.seal(); err != nil {
		return fmt.Errorf("spool: seal: %w", err)
	}
	return nil
}

// base returns the path of a segment without its extension.
func (s *Spool) base(number int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%06d", number))
}
