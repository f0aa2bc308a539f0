package recall_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/cabstand/recall"
)

// stuck is set by the first wait that is in vain. The verdict is clear then, and
// the waits after it need not be as long.
var stuck atomic.Bool

// receive waits for a value from a channel.
func receive[T any](from <-chan T, what string) (T, error) {
	patience := 4 * time.Second
	if stuck.Load() {
		patience = time.Second
	}
	select {
	case v := <-from:
		return v, nil
	case <-time.After(patience):
		stuck.Store(true)
		var none T
		return none, fmt.Errorf("no %s within %v", what, patience)
	}
}

// Keys that print, or are encoded, alike.
type (
	account  string // ends in the same digits
	floor    int    // is on some floor
	ticket   int64
	port     uint32
	serial   uint64
	failure  int    // is an error
	verbose  uint64 // formats itself
	literal  string // has a Go syntax of its own
	token    string // has encodings of its own
	touchy   string // cannot be printed
	counter  int    // prints otherwise each time
	district string // has no methods
)

func (account) String() string { return "...17" }
func (floor) String() string   { return "upstairs" }
func (ticket) String() string  { return "ticket" }
func (port) String() string    { return "port" }
func (serial) String() string  { return "S/N" }
func (failure) Error() string  { return "failed" }
func (touchy) String() string  { panic("not to be printed") }

func (verbose) Format(s fmt.State, verb rune) { fmt.Fprint(s, "verbose") }

func (literal) GoString() string { return `literal("x")` }
func (literal) String() string   { return "x" }

func (token) String() string                    { return "secret" }
func (token) MarshalText() ([]byte, error)      { return []byte("secret"), nil }
func (token) MarshalJSON() ([]byte, error)      { return []byte(`"secret"`), nil }
func (token) MarshalBinary() ([]byte, error)    { return []byte("secret"), nil }
func (token) GobEncode() ([]byte, error)        { return []byte("secret"), nil }
func (token) AppendText([]byte) ([]byte, error) { return []byte("secret"), nil }

var printed struct {
	sync.Mutex
	times int
}

func (counter) String() string {
	printed.Lock()
	defer printed.Unlock()
	printed.times++
	return fmt.Sprint("printed ", printed.times, " times")
}

// texts are values for keys that are strings.
func texts[K ~string]() []K {
	keys := []K{
		"", "0", "1", "-1", "17", "x", "s1:x", "0017", "\x00", "\x00\x00", "\xff", "\xfe", "\ufffd",
		"+358401112217", "+358409992217", "a/b", "a b", "<a>", `\u003ca\u003e`, "A", "\u00e4", "a\u0308", `"`, `\"`,
	}
	for i := range 200 {
		keys = append(keys, K(fmt.Sprintf("%0*d", 10+i, 2217)))
	}
	return keys
}

// numbers are values for keys that are integers.
func numbers[K ~int | ~int64 | ~uint32 | ~uint64](more ...K) []K {
	keys := append([]K{}, more...)
	for i := range 200 {
		keys = append(keys, K(i))
	}
	return keys
}

var (
	wide     = []int64{-1, -2, -17, math.MinInt64, math.MaxInt64, 1 << 32, 1<<32 + 1, 1<<53 + 1, 1 << 53}
	unsigned = []uint64{math.MaxUint64, math.MaxUint64 - 1, 1 << 63, 1<<63 - 1, 1 << 32, 1<<32 + 1, 1<<53 + 1, 1 << 53}
)

func as[K ~int | ~int64 | ~uint64, N int64 | uint64](values []N) []K {
	var keys []K
	for _, v := range values {
		keys = append(keys, K(v))
	}
	return keys
}

// run fails the test if body returns an error, panics or hangs.
func run(t *testing.T, body func() error) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			ended <- err
		}()
		err = body()
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(9 * time.Second):
		t.Fatal("a call does not return")
	}
}

// plain keeps a key where fmt does not call its methods.
type plain[K recall.Key] struct{ key K }

// bare writes a key as its value, whatever methods it has.
func bare[K recall.Key](key K) string {
	return fmt.Sprintf("%+v", plain[K]{key})
}

// book is a table whose answers are the keys themselves and a number that grows
// with each load.
type book[K recall.Key] struct {
	*recall.Table[K, page[K]]
	mu    sync.Mutex
	loads map[K]int
}

type page[K recall.Key] struct {
	key  K
	load int
}

func newBook[K recall.Key](c *recall.Cache, name string) (*book[K], error) {
	b := &book[K]{loads: make(map[K]int)}
	table, err := recall.NewTable(c, name, time.Hour, func(_ context.Context, key K) (page[K], error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.loads[key]++
		return page[K]{key, b.loads[key]}, nil
	})
	b.Table = table
	return b, err
}

// read wants the answer to the ith key to be that of the given load.
func (b *book[K]) read(i int, key K, load int) error {
	got, err := b.Get(context.Background(), key)
	switch {
	case err != nil:
		return fmt.Errorf("Get of key %d: %w", i, err)
	case got.key != key:
		return fmt.Errorf("key %d, %s, has the answer to %s", i, bare(key), bare(got.key))
	case got.load != load:
		return fmt.Errorf("key %d, %s, has the answer of load %d, want %d", i, bare(key), got.load, load)
	}
	return nil
}
