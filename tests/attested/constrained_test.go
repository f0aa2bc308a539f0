//go:build linux || darwin || !other

// attests: TestConstrained

// Package attested has a second comment.
package attested // and one behind

import "testing"

func TestConstrained(t *testing.T) {}
