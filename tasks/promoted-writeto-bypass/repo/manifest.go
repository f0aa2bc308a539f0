package courier

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Archive is what a manifest can be checked against, such as a Dir.
type Archive interface {
	Get(name string) ([]byte, error)
}

// Manifest lists the sums of recordings by name. A nil Manifest is an empty one
// to which nothing can be added.
type Manifest map[string]string

// Add enters a receipt, in place of an earlier one for the same recording.
func (m Manifest) Add(r Receipt) {
	m[r.Name] = r.SHA256
}

// String formats the manifest as sha256sum does: one line for each recording,
// sorted by name.
func (m Manifest) String() string {
	var text strings.Builder
	for _, name := range m.names() {
		fmt.Fprintf(&text, "%s  %s\n", m[name], name)
	}
	return text.String()
}

func (m Manifest) names() []string {
	return slices.Sorted(maps.Keys(m))
}

// ParseManifest reads what String writes. It fails with ErrManifest or ErrName.
func ParseManifest(text string) (Manifest, error) {
	m := make(Manifest)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		sum, name, ok := strings.Cut(line, "  ")
		if raw, err := hex.DecodeString(sum); !ok || err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("%w: line %q", ErrManifest, line)
		}
		if err := CheckName(name); err != nil {
			return nil, err
		}
		m[name] = strings.ToLower(sum)
	}
	return m, nil
}

// Check compares what an archive holds with the manifest. The error joins one for
// each recording that is missing or, with ErrMismatch, differs, by name.
func (m Manifest) Check(archive Archive) error {
	var failures []error
	for _, name := range m.names() {
		recording, err := archive.Get(name)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if sum := sha256.Sum256(recording); hex.EncodeToString(sum[:]) != m[name] {
			failures = append(failures, fmt.Errorf("%w: %s", ErrMismatch, name))
		}
	}
	return errors.Join(failures...)
}
