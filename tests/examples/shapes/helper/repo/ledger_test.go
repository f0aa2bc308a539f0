package ledger_test

import (
	"testing"

	"example.com/ledger"
)

func TestFirstName(t *testing.T) {
	if got := ledger.Names("a\nb\n"); len(got) == 0 || got[0] != "a" {
		t.Errorf("Names = %q", got)
	}
}
