package recall

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// errUnfinished is the state of a load that has not come to its end.
var errUnfinished = errors.New("recall: load did not finish")

// Stats counts what a cache has been used for.
type Stats struct {
	Hits    int // answers that were there
	Shared  int // answers that another caller was just loading
	Loads   int // answers that had to be loaded, or could not
	Evicted int // answers that made room for others
	Held    int // answers that take up room at present
}

// entry is an answer that is kept.
type entry struct {
	slot   string
	answer any
	until  time.Time
}

// flight is a load under way.
type flight struct {
	landed chan struct{} // closed when answer and err are set
	answer any
	err    error
}

// Cache keeps the answers of tables. Use New to make one.
type Cache struct {
	size  int
	clock func() time.Time

	mu      sync.Mutex // guards what follows
	tables  map[string]bool
	entries map[string]*list.Element // of *entry, by slot
	recent  *list.List               // the last used in front
	flights map[string]*flight       // by slot, those whose answer is to be kept
	stats   Stats
}

// Option configures a Cache.
type Option func(*Cache)

// WithClock has the cache ask clock for the time. The default is time.Now.
func WithClock(clock func() time.Time) Option {
	return func(c *Cache) { c.clock = clock }
}

// New makes an empty cache with room for size answers. It fails with ErrSize if
// size is not positive.
func New(size int, opts ...Option) (*Cache, error) {
	if size < 1 {
		return nil, fmt.Errorf("%w: %d", ErrSize, size)
	}
	c := &Cache{
		size:    size,
		clock:   time.Now,
		tables:  make(map[string]bool),
		entries: make(map[string]*list.Element),
		recent:  list.New(),
		flights: make(map[string]*flight),
	}
	for _, opt := range opts {
		opt(c)
	}
	return c, nil
}

// Stats returns what the cache has been used for so far.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Held = c.recent.Len()
	return s
}

// register takes a name for a table, and reports whether it was still free.
func (c *Cache) register(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables[name] {
		return false
	}
	c.tables[name] = true
	return true
}

// fingerprint writes parts one after the other, each with its kind and its
// length, so that it is clear where it ends.
func fingerprint(parts ...any) string {
	var b []byte
	for _, part := range parts {
		kind, text := byte('?'), ""
		switch p := part.(type) {
		case string:
			kind, text = 's', p
		case int:
			kind, text = 'i', strconv.Itoa(p)
		case int64:
			kind, text = 'i', strconv.FormatInt(p, 10)
		case uint32:
			kind, text = 'u', strconv.FormatUint(uint64(p), 10)
		case uint64:
			kind, text = 'u', strconv.FormatUint(p, 10)
		default:
			text = fmt.Sprint(p)
		}
		b = append(b, kind)
		b = strconv.AppendInt(b, int64(len(text)), 10)
		b = append(b, ':')
		b = append(b, text...)
	}
	return string(b)
}

// get returns the answer in a slot. If there is none, it waits for the load of
// another caller or loads it itself.
func (c *Cache) get(ctx context.Context, slot string, ttl time.Duration, load func() (any, error)) (any, error) {
	c.mu.Lock()
	for {
		if e := c.find(slot); e != nil {
			c.stats.Hits++
			c.mu.Unlock()
			return e.answer, nil
		}
		f := c.flights[slot]
		if f == nil {
			break
		}
		c.mu.Unlock()
		select {
		case <-f.landed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		c.mu.Lock()
		if f.err == nil {
			c.stats.Shared++
			c.mu.Unlock()
			return f.answer, nil
		}
	}
	f := &flight{landed: make(chan struct{}), err: errUnfinished}
	c.flights[slot] = f
	c.stats.Loads++
	c.mu.Unlock()

	defer func() { // also if load panics
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.flights[slot] == f {
			delete(c.flights, slot)
			if f.err == nil {
				c.keep(slot, f.answer, ttl)
			}
		}
		close(f.landed)
	}()
	f.answer, f.err = load()
	return f.answer, f.err
}

func (c *Cache) put(slot string, answer any, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, slot)
	c.keep(slot, answer, ttl)
}

func (c *Cache) forget(slot string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, slot)
	if c.find(slot) == nil {
		return false
	}
	c.remove(c.entries[slot])
	return true
}

// find returns what is in a slot and counts it as used. It removes what must not
// be used any longer. The mutex must be held, as for all that follow.
func (c *Cache) find(slot string) *entry {
	element := c.entries[slot]
	if element == nil {
		return nil
	}
	e := element.Value.(*entry)
	if !c.clock().Before(e.until) {
		c.remove(element)
		return nil
	}
	c.recent.MoveToFront(element)
	return e
}

// keep puts an answer into a slot in place of the one that is there, and makes
// room for it if need be.
func (c *Cache) keep(slot string, answer any, ttl time.Duration) {
	if element := c.entries[slot]; element != nil {
		c.remove(element)
	}
	for c.recent.Len() >= c.size {
		c.remove(c.recent.Back())
		c.stats.Evicted++
	}
	e := &entry{slot: slot, answer: answer, until: c.clock().Add(ttl)}
	c.entries[slot] = c.recent.PushFront(e)
}

func (c *Cache) remove(element *list.Element) {
	delete(c.entries, element.Value.(*entry).slot)
	c.recent.Remove(element)
}
