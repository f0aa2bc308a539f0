package lookup_test

import (
	"errors"
	"io"
	"testing"

	"example.com/lookup"
)

// is reports whether err is the sentinel and nothing else.
func is(t *testing.T, err, sentinel, other error) {
	t.Helper()
	if sentinel == nil || other == nil || err == nil {
		t.Fatal("an error is nil")
	}
	if !errors.Is(err, sentinel) {
		t.Errorf("%v is not %v", err, sentinel)
	}
	if errors.Is(err, other) || errors.Is(err, io.EOF) {
		t.Errorf("%v is an unrelated error too", err)
	}
}

func TestMissingKeyIsErrMissing(t *testing.T) {
	_, err := (lookup.Table{}).Find("a")
	is(t, err, lookup.ErrMissing, lookup.ErrClosed)
}

func TestClosedTableIsErrClosed(t *testing.T) {
	_, err := (lookup.Table)(nil).Find("a")
	is(t, err, lookup.ErrClosed, lookup.ErrMissing)
}
