package spool

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// Segments returns the paths of the sealed segments of a directory in the order
// in which they were written.
func Segments(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		if _, part, ok := parseName(entry.Name()); ok && !part {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths, nil
}

// Read returns the lines of a sealed segment. It fails with ErrUnsealed if the
// seal is missing and with ErrDamaged if it does not fit the lines.
func Read(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	body := strings.TrimSuffix(string(data), "\n")
	body, seal := body[:strings.LastIndexByte(body, '\n')+1], body[strings.LastIndexByte(body, '\n')+1:]
	if !strings.HasPrefix(seal, "end ") {
		return nil, fmt.Errorf("%w: %s", ErrUnsealed, path)
	}
	var texts []string
	for line := range strings.Lines(body) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), lineMark)
		if !ok {
			return nil, fmt.Errorf("%w: %s: line %q", ErrDamaged, path, line)
		}
		texts = append(texts, text)
	}
	if seal != fmt.Sprintf("end %d %08x", len(texts), crc32.ChecksumIEEE([]byte(body))) {
		return nil, fmt.Errorf("%w: %s", ErrDamaged, path)
	}
	return texts, nil
}
