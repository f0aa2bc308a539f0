// Package attested has nothing but tests. The first line of each of its files
// names the tests that attest; all others of the file must not.
package attested
