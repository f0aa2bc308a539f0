// Package lookup finds values.
package lookup

import (
	"errors"
	"fmt"
)

var (
	// ErrMissing says that there is no such key.
	ErrMissing = errors.New("lookup: missing")
	// ErrClosed says that the table is closed.
	ErrClosed = errors.New("lookup: closed")
)

// Table holds values by key; a nil table is closed.
type Table map[string]string

// Find returns the value of key. A key that is not there is ErrMissing.
func (t Table) Find(key string) (string, error) {
	if t == nil {
		return "", ErrClosed
	}
	value, ok := t[key]
	if !ok {
		return "", fmt.Errorf("find %q: %v", key, ErrMissing)
	}
	return value, nil
}
