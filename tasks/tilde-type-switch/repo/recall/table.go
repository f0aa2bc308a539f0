// Package recall keeps the answers of slow back ends for a while.
//
// A Cache has room for a number of answers, which any number of tables share. A
// Table knows how to ask for the answer to a key, for example for the tariff of a
// zone, and for how long it may be used. If there is no room for another answer,
// the one goes whose last use is longest ago, whatever table it belongs to.
//
// Two keys of a table are the same if they are equal in Go, and only then. A key
// may be of any type that Key allows; all that counts is its value.
//
// Callers who ask a table for the same key at the same time wait for a single
// load. If that fails, it has failed only for the one who did it: the next of
// them tries again. Different keys are loaded independently of each other.
// Failures are not kept.
//
// All methods may be called from any goroutine.
package recall

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Errors that New and NewTable wrap.
var (
	ErrSize  = errors.New("recall: unusable size")
	ErrTable = errors.New("recall: unusable table")
)

// Key is what answers can be kept by.
type Key interface {
	~string | ~int | ~int64 | ~uint32 | ~uint64
}

// Load asks for the answer to a key.
type Load[K Key, V any] func(ctx context.Context, key K) (V, error)

// Table keeps the answers to one kind of question. Use NewTable to make one.
type Table[K Key, V any] struct {
	cache *Cache
	name  string
	ttl   time.Duration
	load  Load[K, V]

	// Answers of an earlier edition are out of reach. They make room in the
	// course of time.
	edition atomic.Uint64
}

// NewTable makes a table whose answers may be used for the duration ttl. It fails
// with ErrTable if ttl is not positive, if load is nil, or if the cache has a
// table of that name already.
func NewTable[K Key, V any](c *Cache, name string, ttl time.Duration, load Load[K, V]) (*Table[K, V], error) {
	if ttl <= 0 {
		return nil, fmt.Errorf("%w: %s keeps answers for %v", ErrTable, name, ttl)
	}
	if load == nil {
		return nil, fmt.Errorf("%w: %s cannot load", ErrTable, name)
	}
	if !c.register(name) {
		return nil, fmt.Errorf("%w: there are two of the name %q", ErrTable, name)
	}
	return &Table[K, V]{cache: c, name: name, ttl: ttl, load: load}, nil
}

// Get returns the answer to a key, which it loads if the cache does not have it.
// It fails with the error of the load, or with that of ctx if this is done while
// Get waits for the load of another caller.
func (t *Table[K, V]) Get(ctx context.Context, key K) (V, error) {
	answer, err := t.cache.get(ctx, t.slot(key), t.ttl, func() (any, error) {
		return t.load(ctx, key)
	})
	if err != nil {
		var none V
		return none, err
	}
	v, _ := answer.(V) // a nil interface is an answer, too
	return v, nil
}

// Put keeps an answer that has become known in another way. It takes the place of
// what a load that is under way will bring.
func (t *Table[K, V]) Put(key K, answer V) {
	t.cache.put(t.slot(key), answer, t.ttl)
}

// Forget drops the answer to a key, and reports whether there was one that might
// still have been used. What a load that is under way will bring is not kept.
func (t *Table[K, V]) Forget(key K) bool {
	return t.cache.forget(t.slot(key))
}

// Reset drops all answers of the table. Those of loads under way are not kept
// for callers who ask after Reset has returned.
func (t *Table[K, V]) Reset() {
	t.edition.Add(1)
}

// slot says where in the cache the answer to a key is kept.
func (t *Table[K, V]) slot(key K) string {
	return fingerprint(t.name, t.edition.Load(), key)
}
