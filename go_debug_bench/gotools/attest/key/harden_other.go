//go:build !linux

package key

// harden does nothing: untrusted submissions are graded on Linux alone.
func harden() {}
