package spool

import (
	"bufio"
	"fmt"
	"hash"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
)

const (
	partExt   = ".part"
	sealedExt = ".seg"
	lineMark  = "= "
)

// segment is a file that is being written.
type segment struct {
	base      string
	file      *os.File
	out       *bufio.Writer
	sum       hash.Hash32
	lines     int
	unwritten int
}

func newSegment(base string, file *os.File) *segment {
	return &segment{
		base: base,
		file: file,
		out:  bufio.NewWriter(file),
		sum:  crc32.NewIEEE(),
	}
}

// create begins a segment.
func create(base string) (*segment, error) {
	file, err := os.OpenFile(base+partExt, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return newSegment(base, file), nil
}

// salvage seals what there is of a segment whose writer has gone.
func salvage(base string) error {
	data, err := os.ReadFile(base + partExt)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(base+partExt, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	s := newSegment(base, file)
	size := int64(0)
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, lineMark) || !strings.HasSuffix(line, "\n") {
			break
		}
		s.account(line)
		size += int64(len(line))
	}
	if s.lines == 0 {
		file.Close()
		return os.Remove(base + partExt)
	}
	if err := file.Truncate(size); err != nil {
		file.Close()
		return err
	}
	return s.seal()
}

// add appends a line.
func (s *segment) add(text string) error {
	line := lineMark + text + "\n"
	if _, err := s.out.WriteString(line); err != nil {
		return err
	}
	s.account(line)
	s.unwritten++
	return nil
}

func (s *segment) account(line string) {
	s.sum.Write([]byte(line))
	s.lines++
}

// flush writes the lines that are still in memory.
func (s *segment) flush() error {
	s.unwritten = 0
	return s.out.Flush()
}

// seal ends the segment and gives it its final name.
func (s *segment) seal() error {
	fmt.Fprintf(s.out, "end %d %08x\n", s.lines, s.sum.Sum32())
	err := s.flush()
	if closeErr := s.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(s.base+partExt, s.base+sealedExt)
}

// parseName takes the name of a segment's file apart.
func parseName(name string) (number int, part, ok bool) {
	digits, part := strings.CutSuffix(name, partExt)
	if !part {
		if digits, ok = strings.CutSuffix(name, sealedExt); !ok {
			return 0, false, false
		}
	}
	number, err := strconv.Atoi(digits)
	return number, part, err == nil && number > 0
}
