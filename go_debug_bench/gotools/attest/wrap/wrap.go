// Package wrap runs tests so that those that pass attest it.
package wrap

import (
	"sync"
	"testing"

	"gobench.tools/attest/key"
)

// T is what tests take, by a name that nothing in a test's file can hide.
type T = testing.T

// running is a test that has not attested yet.
type running struct {
	done     bool // its body has returned
	cleanups int  // functions that it registered and that have not returned
}

var (
	mu    sync.Mutex // guards tests and what they hold, and serialises key.Pass
	tests = map[*testing.T]*running{}
)

// Test runs a test's body, and attests the test once it and all its subtests
// have passed. A test that failed, was skipped, or was left by a panic or by
// runtime.Goexit does not attest; that it did not pass is reported instead.
//
// A test that another one calls with its own t is a part of that one.
func Test(t *testing.T, body func(*testing.T)) {
	t.Helper()
	test := begin(t)
	if test == nil {
		body(t)
		return
	}
	// Registered before the body's own cleanups, it runs after them, and after
	// parallel subtests. Goexit leaves Failed false: only a body that returns
	// has done its work.
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		delete(tests, t)
		switch {
		case test.done && test.cleanups == 0 && !t.Failed() && !t.Skipped():
			key.Pass(t.Name())
		case !t.Skipped():
			// Before package testing prints it: whoever reads and changes that
			// comes too late.
			key.Fail(t.Name())
		}
	})
	body(t)
	mu.Lock()
	test.done = true
	mu.Unlock()
}

// begin registers a test, or returns nil if it runs already.
func begin(t *testing.T) *running {
	mu.Lock()
	defer mu.Unlock()
	if tests[t] != nil {
		return nil
	}
	tests[t] = &running{}
	return tests[t]
}

// Sub is the body of a subtest, made to attest.
func Sub(body func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		Test(t, body)
	}
}

// Cleanup is a function for t.Cleanup that keeps the test from attesting unless
// it returns: package testing takes one that Goexit leaves for a good one.
func Cleanup(t testing.TB, clean func()) func() {
	mu.Lock()
	defer mu.Unlock()
	of, _ := t.(*testing.T)
	test := tests[of]
	if test == nil {
		return clean
	}
	test.cleanups++
	return func() {
		t.Helper()
		clean()
		mu.Lock()
		test.cleanups--
		mu.Unlock()
	}
}
