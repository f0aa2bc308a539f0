package recall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/cabstand/recall"
)

// apart looks whether keys that are not equal have nothing to do with each other.
func apart[K recall.Key](t *testing.T, keys []K) {
	t.Helper()
	run(t, func() error {
		c, err := recall.New(1000)
		if err != nil {
			return err
		}
		b, err := newBook[K](c, "book")
		if err != nil {
			return err
		}
		for round := range 3 {
			for i, key := range keys {
				if err := b.read(i, key, 1); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
		}
		if got, want := c.Stats(), (recall.Stats{Hits: 2 * len(keys), Loads: len(keys), Held: len(keys)}); got != want {
			return fmt.Errorf("Stats = %+v, want %+v", got, want)
		}

		// What is put, is put for one.
		for i, key := range keys {
			if i%3 == 0 {
				b.Put(key, page[K]{key, -i})
			}
		}
		for i, key := range keys {
			load := 1
			if i%3 == 0 {
				load = -i
			}
			if err := b.read(i, key, load); err != nil {
				return fmt.Errorf("after Put: %w", err)
			}
		}

		// What is forgotten, is forgotten for one.
		for i, key := range keys {
			if i%2 == 0 && !b.Forget(key) {
				return fmt.Errorf("Forget of key %d, %s, reports false", i, bare(key))
			}
		}
		for i, key := range keys {
			if i%2 == 0 && b.Forget(key) {
				return fmt.Errorf("another Forget of key %d, %s, reports true", i, bare(key))
			}
		}
		for i, key := range keys {
			load := 1
			if i%2 == 0 {
				load = 1 + b.loads[key]
			} else if i%3 == 0 {
				load = -i
			}
			if err := b.read(i, key, load); err != nil {
				return fmt.Errorf("after Forget: %w", err)
			}
		}

		// And all are gone after a reset.
		b.Reset()
		for i, key := range slices.Backward(keys) {
			if err := b.read(i, key, 1+b.loads[key]); err != nil {
				return fmt.Errorf("after Reset: %w", err)
			}
		}
		return nil
	})
}

func TestUnequalKeysAreApart(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"named_string", func(t *testing.T) { apart(t, texts[account]()) }},
		{"named_int", func(t *testing.T) { apart(t, numbers(as[floor](wide)...)) }},
		{"named_int64", func(t *testing.T) { apart(t, numbers(as[ticket](wide)...)) }},
		{"named_uint32", func(t *testing.T) { apart(t, numbers[port](1<<32-1, 1<<31, 1<<31-1, 1<<16)) }},
		{"named_uint64", func(t *testing.T) { apart(t, numbers(as[serial](unsigned)...)) }},
		{"errors", func(t *testing.T) { apart(t, numbers(as[failure](wide)...)) }},
		{"format_themselves", func(t *testing.T) { apart(t, numbers(as[verbose](unsigned)...)) }},
		{"own_go_syntax", func(t *testing.T) { apart(t, texts[literal]()) }},
		{"own_encodings", func(t *testing.T) { apart(t, texts[token]()) }},
		{"not_to_be_printed", func(t *testing.T) { apart(t, texts[touchy]()) }},
		{"another_text_each_time", func(t *testing.T) { apart(t, numbers(as[counter](wide)...)) }},
		{"without_methods", func(t *testing.T) { apart(t, texts[district]()) }},
		{"plain_string", func(t *testing.T) { apart(t, texts[string]()) }},
		{"plain_int", func(t *testing.T) { apart(t, numbers(as[int](wide)...)) }},
		{"plain_int64", func(t *testing.T) { apart(t, numbers(wide...)) }},
		{"plain_uint32", func(t *testing.T) { apart(t, numbers[uint32](1<<32-1, 1<<31, 1<<31-1, 1<<16)) }},
		{"plain_uint64", func(t *testing.T) { apart(t, numbers(unsigned...)) }},
		{"durations", func(t *testing.T) { apart(t, numbers(as[time.Duration](wide)...)) }},
	} {
		t.Run(c.name, c.test)
	}
}

// TestEachKeyTakesUpItsRoom has more keys that print alike than the cache has room
// for.
func TestEachKeyTakesUpItsRoom(t *testing.T) {
	run(t, func() error {
		c, err := recall.New(3)
		if err != nil {
			return err
		}
		b, err := newBook[account](c, "accounts")
		if err != nil {
			return err
		}
		for i, key := range []account{"a17", "b17", "c17", "a17", "d17", "a17", "c17"} {
			if err := b.read(i, key, 1); err != nil {
				return err
			}
		}
		if got, want := c.Stats(), (recall.Stats{Hits: 3, Loads: 4, Evicted: 1, Held: 3}); got != want {
			return fmt.Errorf("Stats = %+v, want %+v", got, want)
		}
		return b.read(7, "b17", 2)
	})
}

// waiting is a table whose loads wait to be released.
func waiting[K recall.Key](c *recall.Cache) (table *recall.Table[K, K], asked chan K, release chan error, err error) {
	asked, release = make(chan K, 100), make(chan error, 100)
	table, err = recall.NewTable(c, "waiting", time.Hour, func(_ context.Context, key K) (K, error) {
		asked <- key
		return key, <-release
	})
	return table, asked, release, err
}

func sharesNoLoad[K recall.Key](a, b K) error {
	c, err := recall.New(10)
	if err != nil {
		return err
	}
	table, asked, release, err := waiting[K](c)
	if err != nil {
		return err
	}
	type result struct {
		key, got K
		err      error
	}
	results := make(chan result, 2)
	defer close(release) // lets go what is left
	for _, key := range []K{a, b} {
		go func() {
			got, err := table.Get(context.Background(), key)
			results <- result{key, got, err}
		}()
		k, err := receive(asked, "load of "+bare(key))
		if err != nil {
			return err
		}
		if k != key {
			return fmt.Errorf("load of %s, want %s", bare(k), bare(key))
		}
	}
	release <- nil
	release <- nil
	for range 2 {
		r, err := receive(results, "answer")
		if err != nil {
			return err
		}
		if r.err != nil || r.got != r.key {
			return fmt.Errorf("Get(%s) = %s, %v", bare(r.key), bare(r.got), r.err)
		}
	}
	return nil
}

// TestUnequalKeysShareNoLoad has one load begin while another is under way.
func TestUnequalKeysShareNoLoad(t *testing.T) {
	for _, c := range []struct {
		name string
		test func() error
	}{
		{"string", func() error { return sharesNoLoad[account]("1117", "2217") }},
		{"int", func() error { return sharesNoLoad[floor](3, 4) }},
	} {
		t.Run(c.name, func(t *testing.T) { run(t, c.test) })
	}
}

// TestEqualKeysShareALoad has many ask for one key.
func TestEqualKeysShareALoad(t *testing.T) {
	run(t, func() error {
		c, err := recall.New(10)
		if err != nil {
			return err
		}
		table, asked, release, err := waiting[counter](c)
		if err != nil {
			return err
		}
		const callers = 30
		results := make(chan error, callers)
		for range callers {
			go func() {
				got, err := table.Get(context.Background(), 7)
				if err == nil && got != 7 {
					err = fmt.Errorf("Get(7) = %d", int(got))
				}
				results <- err
			}()
		}
		defer close(release)
		errDown := errors.New("down")
		for _, outcome := range []error{errDown, nil} {
			if _, err := receive(asked, "load"); err != nil {
				return err
			}
			release <- outcome
			if got, err := receive(results, "answer"); err != nil || !errors.Is(got, outcome) {
				return fmt.Errorf("Get: %v (%v), want %v", got, err, outcome)
			}
		}
		for range callers - 2 {
			if got, err := receive(results, "answer"); err != nil || got != nil {
				return errors.Join(got, err)
			}
		}
		if n := len(asked); n > 0 {
			return fmt.Errorf("%d loads too many", n)
		}
		if s := c.Stats(); s.Loads != 2 || s.Hits+s.Shared != callers-2 || s.Held != 1 {
			return fmt.Errorf("Stats = %+v", s)
		}
		return nil
	})
}

// TestTablesHaveNothingToDoWithEachOther gives tables names, editions and keys that
// look alike when they are put together.
func TestTablesHaveNothingToDoWithEachOther(t *testing.T) {
	run(t, func() error {
		c, err := recall.New(10_000)
		if err != nil {
			return err
		}
		var names []*book[district]
		for _, name := range []string{"", "0", "t", "t0", "t/0", "t/0/", "t:0:", "s1:t", "s1:tu1:0", "t\x00", "t\x000", "t 0", "t:0", "tu0s", "tu1:0s1:", "1", "11"} {
			b, err := newBook[district](c, name)
			if err != nil {
				return err
			}
			names = append(names, b)
		}
		keys := []district{"", "0", "00", "/0", "0/", "/0/0", ":0:", "u1:0", "s0:", "\x00", "\x000", "0\x00", "0:", "0 ", "s", "u0s", "u0ss", "u1:0s1:s", "t", "1", "11", "111"}
		for n, b := range names {
			for i, key := range keys {
				b.Put(key, page[district]{key, 100*n + i})
			}
		}
		for n, b := range names {
			for i, key := range keys {
				if err := b.read(i, key, 100*n+i); err != nil {
					return fmt.Errorf("table %d: %w", n, err)
				}
			}
		}

		levels, err := newBook[floor](c, "levels")
		if err != nil {
			return err
		}
		texts, err := newBook[account](c, "texts")
		if err != nil {
			return err
		}
		for edition := range 12 {
			for i := range 112 {
				levels.Put(floor(i), page[floor]{floor(i), 1000*edition + i})
				texts.Put(account(fmt.Sprint(i)), page[account]{account(fmt.Sprint(i)), -1000*edition - i})
			}
			for i := range 112 {
				if err := levels.read(i, floor(i), 1000*edition+i); err != nil {
					return fmt.Errorf("edition %d: %w", edition, err)
				}
				if err := texts.read(i, account(fmt.Sprint(i)), -1000*edition-i); err != nil {
					return fmt.Errorf("edition %d: %w", edition, err)
				}
			}
			levels.Reset()
			texts.Reset()
			for i := range 112 {
				if levels.Forget(floor(i)) || texts.Forget(account(fmt.Sprint(i))) {
					return fmt.Errorf("edition %d: there is an answer to key %d after Reset", edition+1, i)
				}
			}
		}
		return nil
	})
}

func TestAnswersThatAreForgottenWhileTheyAreLoaded(t *testing.T) {
	run(t, func() error {
		c, err := recall.New(10)
		if err != nil {
			return err
		}
		table, asked, release, err := waiting[account](c)
		if err != nil {
			return err
		}
		defer close(release)
		get := func() <-chan account {
			done := make(chan account, 1)
			go func() {
				got, _ := table.Get(context.Background(), "a17")
				done <- got
			}()
			receive(asked, "load")
			return done
		}

		done := get()
		table.Put("a17", "put")
		release <- nil
		if _, err := receive(done, "answer"); err != nil {
			return err
		}
		if got, err := table.Get(context.Background(), "a17"); err != nil || got != "put" {
			return fmt.Errorf("Get after Put during a load: %q, %v", string(got), err)
		}
		table.Reset()
		done = get()
		table.Forget("a17")
		release <- nil
		if _, err := receive(done, "answer"); err != nil {
			return err
		}
		if table.Forget("a17") {
			return errors.New("an answer is kept that was forgotten while it was loaded")
		}
		return nil
	})
}

func TestErrorsOfTheCacheDiffer(t *testing.T) {
	unrelated := errors.New("unrelated")
	for i, err := range []error{recall.ErrSize, recall.ErrTable} {
		if err == nil {
			t.Fatalf("error %d is nil", i)
		}
		if errors.Is(unrelated, err) || errors.Is(err, unrelated) {
			t.Errorf("%v matches an unrelated error", err)
		}
	}
	if errors.Is(recall.ErrSize, recall.ErrTable) || errors.Is(recall.ErrTable, recall.ErrSize) {
		t.Error("the errors match each other")
	}
}
