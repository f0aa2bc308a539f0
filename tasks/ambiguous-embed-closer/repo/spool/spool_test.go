package spool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/firnline/relay/spool"
)

func open(t *testing.T, dir string, segment, flush int) *spool.Spool {
	t.Helper()
	s, err := spool.Open(dir, spool.Options{SegmentLines: segment, FlushLines: flush})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t *testing.T, s *spool.Spool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := s.Add(text); err != nil {
			t.Fatalf("Add(%q): %v", text, err)
		}
	}
}

// sealed returns the lines of each sealed segment.
func sealed(t *testing.T, dir string) [][]string {
	t.Helper()
	paths, err := spool.Segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var segments [][]string
	for _, path := range paths {
		texts, err := spool.Read(path)
		if err != nil {
			t.Errorf("Read: %v", err)
		}
		segments = append(segments, texts)
	}
	return segments
}

func wantSealed(t *testing.T, dir string, want ...[]string) {
	t.Helper()
	if got := sealed(t, dir); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("sealed segments %q, want %q", got, want)
	}
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestCloseSeals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "down")
	s := open(t, dir, 100, 10)
	wantFiles(t, dir)
	add(t, s, "a", "b", "c")
	wantFiles(t, dir, "000001.part")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	wantFiles(t, dir, "000001.seg")
	wantSealed(t, dir, []string{"a", "b", "c"})
	if err := s.Add("d"); !errors.Is(err, spool.ErrClosed) {
		t.Errorf("Add after Close: %v", err)
	}
	if err := s.Flush(); !errors.Is(err, spool.ErrClosed) {
		t.Errorf("Flush after Close: %v", err)
	}
	if s.Kept() != 3 {
		t.Errorf("Kept() = %d, want 3", s.Kept())
	}
}

func TestFullSegmentsAreSealed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 3, 10)
	for i := range 7 {
		add(t, s, fmt.Sprint(i))
	}
	wantFiles(t, dir, "000001.seg", "000002.seg", "000003.part")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantSealed(t, dir, []string{"0", "1", "2"}, []string{"3", "4", "5"}, []string{"6"})
}

func TestLinesAreGathered(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 100, 4)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "000001.part"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	add(t, s, "x", "x", "x")
	if size() != 0 {
		t.Errorf("%d bytes written after 3 lines", size())
	}
	add(t, s, "x", "x")
	if want := int64(4 * len("= x\n")); size() != want {
		t.Errorf("%d bytes written after 5 lines, want %d", size(), want)
	}
	if err := s.Flush(); err != nil || size() != int64(5*len("= x\n")) {
		t.Errorf("%d bytes written after Flush (%v)", size(), err)
	}
}

func TestSalvage(t *testing.T) {
	tests := []struct {
		name, part string
		want       []string
	}{
		{"whole lines", "= a\n= b\n", []string{"a", "b"}},
		{"torn line", "= a\n= b\n= c", []string{"a", "b"}},
		{"torn seal", "= a\nend 1 0", []string{"a"}},
		{"seal but no name", "= a\nend 1 00000000\n", []string{"a"}},
		{"nothing whole", "= a", nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "000041.part"), []byte(tt.part), 0o644); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, 10, 1)
			want := [][]string{{"new"}}
			if tt.want != nil {
				want = slices.Insert(want, 0, tt.want)
			}
			add(t, s, "new")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			wantSealed(t, dir, want...)
		})
	}
}

func TestOpenGoesOnCounting(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "000000.seg", "x.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		s := open(t, dir, 10, 10)
		add(t, s, fmt.Sprint(i))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantSealed(t, dir, []string{"0"}, []string{"1"}, []string{"2"})
}

func TestReadRefuses(t *testing.T) {
	for content, want := range map[string]error{
		"":                           spool.ErrUnsealed,
		"= a\n":                      spool.ErrUnsealed,
		"= a\nend 2 e8b7be43\n":      spool.ErrDamaged,
		"= a\nb\nend 2 e8b7be43\n":   spool.ErrDamaged,
		"= a\n= b\nend 2 00000000\n": spool.ErrDamaged,
	} {
		path := filepath.Join(t.TempDir(), "000001.seg")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := spool.Read(path); !errors.Is(err, want) {
			t.Errorf("Read of %q: %v, want %v", content, err, want)
		}
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if _, err := spool.Read(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing file: %v", err)
	}
	if _, err := spool.Segments(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Segments of a missing directory: %v", err)
	}
}

func TestSpoolRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, opts := range []spool.Options{{}, {SegmentLines: 1}, {FlushLines: 1}} {
		if _, err := spool.Open(dir, opts); !errors.Is(err, spool.ErrOption) {
			t.Errorf("Open with %+v: %v", opts, err)
		}
	}
	s := open(t, dir, 1, 1)
	if err := s.Add("two\nlines"); !errors.Is(err, spool.ErrText) {
		t.Errorf("Add: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Add without a directory: %v", err)
	}
}
