package ledger_test

import (
	"os"
	"testing"

	"example.com/ledger"
	"example.com/ledger/ledgertest"
)

func TestEveryNameIsRead(t *testing.T) {
	ledgertest.Equal(t, ledger.Names("a\nb\nc\n"), []string{"a", "b", "c"})
}

func TestNamesOfAFile(t *testing.T) {
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	ledgertest.Equal(t, ledger.Names(string(text)), []string{"ada", "bob"})
}
