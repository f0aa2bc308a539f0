// Package ledgertest helps to test ledgers.
package ledgertest

import "testing"

// Equal reports where got is not want.
func Equal(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("element %d is %q, want %q", i, got[i], want[i])
		}
	}
}
