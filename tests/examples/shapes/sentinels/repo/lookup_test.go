package lookup_test

import (
	"testing"

	"example.com/lookup"
)

func TestFind(t *testing.T) {
	if got, err := (lookup.Table{"a": "1"}).Find("a"); got != "1" || err != nil {
		t.Errorf("Find = %q, %v", got, err)
	}
	if _, err := (lookup.Table{}).Find("a"); err == nil {
		t.Error("a missing key is found")
	}
}
