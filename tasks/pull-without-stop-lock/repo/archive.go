// Package nightlog keeps the logs of the domes of an observatory and shows them
// as one.
//
// Every dome writes its own [Log]; the [Archive] has them all. Sequences of
// exposures, and whatever is made from them, are in the order in which the
// exposures began; those that began at the same time are in the order of their
// domes and then of their IDs.
//
// Logs and Archives may be used by several goroutines at once, and any number of
// loops may be under way at a time. A loop over a sequence shows each log as it
// was when the loop began: what is added or retracted meanwhile is not seen, and
// may have to wait for the end of the loop. The body of such a loop, and the
// match of First, must therefore neither call methods of the archive or of its
// logs nor loop over one of their sequences. A sequence may be looped over any
// number of times.
//
// A loop that is over leaves nothing behind, neither a lock nor a goroutine,
// whether it came to the end of the sequence or was left by a break, a return or
// a panic. That goes for the methods that loop on their caller's behalf, too:
// once Page, First or Summary has returned, the domes write on undisturbed.
package nightlog

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Archive is the logs of all domes. Use NewArchive to make one.
type Archive struct {
	mu   sync.Mutex
	logs map[string]*Log
}

// NewArchive returns an Archive with an empty log for each of the named domes.
func NewArchive(domes ...string) *Archive {
	a := &Archive{logs: make(map[string]*Log)}
	for _, name := range domes {
		a.Dome(name)
	}
	return a
}

// Dome returns the log of a dome, and starts one if it is new.
func (a *Archive) Dome(name string) *Log {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, ok := a.logs[name]
	if !ok {
		l = &Log{dome: name}
		a.logs[name] = l
	}
	return l
}

// Domes returns the names of all domes, sorted.
func (a *Archive) Domes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.logs))
}

// All returns the exposures of the named domes, or of all domes if none are
// named. It fails with ErrUnknownDome if there is no log of that name.
func (a *Archive) All(domes ...string) (iter.Seq[Exposure], error) {
	if len(domes) == 0 {
		domes = a.Domes()
	}
	// Every loop visits the logs in the same order, so that two of them cannot
	// wait for each other.
	domes = slices.Compact(slices.Sorted(slices.Values(domes)))

	a.mu.Lock()
	defer a.mu.Unlock()
	logs := make([]iter.Seq[Exposure], 0, len(domes))
	for _, name := range domes {
		l, ok := a.logs[name]
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrUnknownDome, name)
		}
		logs = append(logs, l.All())
	}
	return merge(logs), nil
}

// First returns the first exposure of the named domes, or of all, that satisfies
// match, and fails with ErrUnknown if none does.
func (a *Archive) First(match func(Exposure) bool, domes ...string) (Exposure, error) {
	all, err := a.All(domes...)
	if err != nil {
		return Exposure{}, err
	}
	for e := range all {
		if match(e) {
			return e, nil
		}
	}
	return Exposure{}, fmt.Errorf("%w: nothing matches", ErrUnknown)
}
