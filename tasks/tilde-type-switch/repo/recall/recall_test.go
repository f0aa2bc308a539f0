package recall_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.com/cabstand/recall"
)

func newCache(t *testing.T, size int, opts ...recall.Option) *recall.Cache {
	t.Helper()
	c, err := recall.New(size, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return c
}

// echo makes a table whose answers are the keys in square brackets, and counts
// the loads.
func echo[K recall.Key](t *testing.T, c *recall.Cache, name string) (*recall.Table[K, string], *atomic.Int64) {
	t.Helper()
	loads := new(atomic.Int64)
	table, err := recall.NewTable(c, name, time.Minute, func(_ context.Context, key K) (string, error) {
		loads.Add(1)
		return fmt.Sprintf("[%v]", key), nil
	})
	if err != nil {
		t.Fatalf("NewTable: %v", err)
	}
	return table, loads
}

func want[K recall.Key](t *testing.T, table *recall.Table[K, string], key K, answer string) {
	t.Helper()
	if got, err := table.Get(t.Context(), key); err != nil || got != answer {
		t.Errorf("Get(%v) = %q, %v, want %q", key, got, err, answer)
	}
}

// testKeys looks whether keys are told apart, and each is loaded once.
func testKeys[K recall.Key](t *testing.T, keys ...K) {
	t.Helper()
	table, loads := echo[K](t, newCache(t, 100), "keys")
	for range 3 {
		for _, key := range keys {
			want(t, table, key, fmt.Sprintf("[%v]", key))
		}
	}
	if n := loads.Load(); n != int64(len(keys)) {
		t.Errorf("%d loads for %d keys %v", n, len(keys), keys)
	}
}

func TestKeys(t *testing.T) {
	testKeys(t, "", "a", "b", "ab", "1:a", "ü", "u", "\x00", "\xff", "\xfe", "\ufffd")
	testKeys(t, 0, 1, -1, 10, 1<<40)
	testKeys[int64](t, 0, 1, -1, 1<<62)
	testKeys[uint32](t, 0, 1, 1<<31)
	testKeys[uint64](t, 0, 1, 1<<63)
}

func TestTablesAreApart(t *testing.T) {
	c := newCache(t, 100)
	a, _ := echo[string](t, c, "a")
	b, _ := echo[int](t, c, "b")
	a.Put("1", "one of a")
	want(t, b, 1, "[1]")
	want(t, a, "1", "one of a")
	if !b.Forget(1) || b.Forget(1) {
		t.Error("Forget does not report what was there")
	}
	want(t, a, "1", "one of a")
	a.Reset()
	want(t, a, "1", "[1]")
}

func TestLeastRecentlyUsedGoes(t *testing.T) {
	c := newCache(t, 3)
	table, loads := echo[int](t, c, "numbers")
	for _, n := range []int{1, 2, 3, 1, 4, 1, 3} {
		want(t, table, n, fmt.Sprintf("[%d]", n))
	}
	if n := loads.Load(); n != 4 {
		t.Errorf("%d loads, want 4", n)
	}
	want(t, table, 2, "[2]")
	if got, want := c.Stats(), (recall.Stats{Hits: 3, Loads: 5, Evicted: 2, Held: 3}); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
}

func TestAnswersExpire(t *testing.T) {
	now := time.Date(2025, 5, 5, 22, 0, 0, 0, time.UTC)
	c := newCache(t, 10, recall.WithClock(func() time.Time { return now }))
	table, loads := echo[string](t, c, "x")
	want(t, table, "k", "[k]")
	now = now.Add(59 * time.Second)
	want(t, table, "k", "[k]")
	now = now.Add(time.Second)
	if table.Forget("k") {
		t.Error("Forget reports an answer that has expired")
	}
	want(t, table, "k", "[k]")
	if n := loads.Load(); n != 2 {
		t.Errorf("%d loads, want 2", n)
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	errDown := errors.New("registry is down")
	fail := true
	table, err := recall.NewTable(newCache(t, 10), "x", time.Hour, func(context.Context, int) (any, error) {
		if fail {
			return "partial", errDown
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := table.Get(t.Context(), 1); got != nil || !errors.Is(err, errDown) {
		t.Errorf("Get = %v, %v, want %v", got, err, errDown)
	}
	fail = false
	if got, err := table.Get(t.Context(), 1); got != nil || err != nil {
		t.Errorf("Get = %v, %v", got, err)
	}
}

// slow is a table whose loads wait to be told their outcome.
type slow struct {
	*recall.Table[string, string]
	asked    chan string
	outcomes chan error
}

func newSlow(t *testing.T, c *recall.Cache) slow {
	t.Helper()
	s := slow{asked: make(chan string, 100), outcomes: make(chan error)}
	table, err := recall.NewTable(c, "slow", time.Hour, func(_ context.Context, key string) (string, error) {
		s.asked <- key
		err := <-s.outcomes
		return "loaded " + key, err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Table = table
	return s
}

func (s slow) get(ctx context.Context, key string) <-chan error {
	done := make(chan error, 1)
	go func() {
		got, err := s.Get(ctx, key)
		if err == nil && got != "loaded "+key {
			err = fmt.Errorf("Get(%s) = %q", key, got)
		}
		done <- err
	}()
	return done
}

func wantErr(t *testing.T, done <-chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Errorf("Get: %v, want %v", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Get does not return")
	}
}

func TestLoadsAreShared(t *testing.T) {
	s := newSlow(t, newCache(t, 10))
	first := s.get(t.Context(), "k")
	<-s.asked
	second := s.get(t.Context(), "k")
	other := s.get(t.Context(), "other")
	if key := <-s.asked; key != "other" {
		t.Fatalf("load of %q, want other", key)
	}
	s.outcomes <- nil
	s.outcomes <- nil
	for _, done := range []<-chan error{first, second, other} {
		wantErr(t, done, nil)
	}
	if n := len(s.asked); n > 0 {
		t.Errorf("%d more loads", n)
	}
}

func TestAFailedLoadIsDoneAgain(t *testing.T) {
	s := newSlow(t, newCache(t, 10))
	errDown := errors.New("registry is down")
	first := s.get(t.Context(), "k")
	<-s.asked
	second := s.get(t.Context(), "k")
	s.outcomes <- errDown
	wantErr(t, first, errDown)
	<-s.asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, s.get(ctx, "k"), context.Canceled)
	s.outcomes <- nil
	wantErr(t, second, nil)
}

func TestPutAndForgetDuringALoad(t *testing.T) {
	s := newSlow(t, newCache(t, 10))
	done := s.get(t.Context(), "k")
	<-s.asked
	s.Put("k", "put")
	s.outcomes <- nil
	wantErr(t, done, nil)
	want(t, s.Table, "k", "put")

	s.Forget("k")
	done = s.get(t.Context(), "k")
	<-s.asked
	s.Forget("k")
	s.outcomes <- nil
	wantErr(t, done, nil)
	if s.Forget("k") {
		t.Error("an answer is kept that was forgotten")
	}
}

func TestAPanicInALoad(t *testing.T) {
	calls := 0
	table, err := recall.NewTable(newCache(t, 10), "x", time.Hour, func(context.Context, int) (string, error) {
		if calls++; calls == 1 {
			panic("bad row")
		}
		return "fine", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		table.Get(t.Context(), 5)
	}()
	want(t, table, 5, "fine")
}

func TestUnusable(t *testing.T) {
	for _, size := range []int{0, -4} {
		if _, err := recall.New(size); !errors.Is(err, recall.ErrSize) {
			t.Errorf("New(%d): %v, want ErrSize", size, err)
		}
	}
	c := newCache(t, 1)
	load := func(context.Context, int) (int, error) { return 0, nil }
	if _, err := recall.NewTable(c, "a", time.Hour, load); err != nil {
		t.Fatal(err)
	}
	_, twice := recall.NewTable(c, "a", time.Hour, load)
	_, never := recall.NewTable(c, "b", 0, load)
	_, without := recall.NewTable[int, int](c, "c", time.Hour, nil)
	for i, err := range []error{twice, never, without} {
		if !errors.Is(err, recall.ErrTable) {
			t.Errorf("table %d: %v, want ErrTable", i, err)
		}
	}
}
