//go:build plan9 && arm

package tally
