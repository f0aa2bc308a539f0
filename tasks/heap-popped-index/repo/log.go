package wakeup

import (
	"slices"
	"sync"
)

// Log keeps the latest actions of a Desk. A nil Log keeps none.
type Log struct {
	mu      sync.Mutex
	size    int
	actions []Action
}

// NewLog returns a Log of up to size actions.
func NewLog(size int) *Log {
	return &Log{size: max(size, 1)}
}

func (l *Log) add(actions []Action) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.actions = append(l.actions, actions...)
	if extra := len(l.actions) - l.size; extra > 0 {
		l.actions = slices.Delete(l.actions, 0, extra)
	}
}

// Latest returns the latest actions, at most n, the last one first.
func (l *Log) Latest(n int) []Action {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from := max(len(l.actions)-max(n, 0), 0)
	latest := slices.Clone(l.actions[from:])
	slices.Reverse(latest)
	return latest
}
