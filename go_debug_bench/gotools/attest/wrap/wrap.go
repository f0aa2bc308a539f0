// Package wrap runs tests so that those that pass attest it.
package wrap

import (
	"sync"
	"testing"

	"gobench.tools/attest/key"
)

var mu sync.Mutex // serialises key.Pass

// Test runs a test's body, and attests the test once it and all its subtests
// have passed. A test that failed, was skipped, or was left by a panic or by
// runtime.Goexit does not attest.
func Test(t *testing.T, body func(*testing.T)) {
	t.Helper()
	done := false
	// Registered before the body's own cleanups, it runs after them, and after
	// parallel subtests. Goexit leaves Failed false: only a body that returns
	// has done its work.
	t.Cleanup(func() {
		if done && !t.Failed() && !t.Skipped() {
			mu.Lock()
			defer mu.Unlock()
			key.Pass(t.Name())
		}
	})
	body(t)
	done = true
}

// Sub is the body of a subtest, made to attest.
func Sub(body func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		Test(t, body)
	}
}
