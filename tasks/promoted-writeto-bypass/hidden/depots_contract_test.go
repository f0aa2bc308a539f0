package courier_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/quakenet/courier"
)

// way is one in which a depot may read all of a recording into w.
type way struct {
	name string
	read func(w io.Writer, r io.Reader) error
}

var ways = []way{
	{"copy", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	}},
	{"copy_with_a_buffer", func(w io.Writer, r io.Reader) error {
		_, err := io.CopyBuffer(w, r, make([]byte, 777))
		return err
	}},
	{"copy_of_a_body", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, io.NopCloser(r))
		return err
	}},
	{"copy_behind_a_preamble", func(w io.Writer, r io.Reader) error {
		const preamble = "SEED 2.4\n"
		var all bytes.Buffer
		_, err := io.Copy(plainWriter{&all}, io.MultiReader(strings.NewReader(preamble), r))
		if !bytes.HasPrefix(all.Bytes(), []byte(preamble)) {
			return fmt.Errorf("no preamble")
		}
		w.Write(all.Bytes()[len(preamble):])
		return err
	}},
	{"copy_through_a_buffered_reader", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, bufio.NewReaderSize(r, 512))
		return err
	}},
	{"copy_of_what_follows_a_header", func(w io.Writer, r io.Reader) error {
		header := make([]byte, 48)
		n, err := io.ReadFull(r, header)
		w.Write(header[:n])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		return err
	}},
	{"byte_by_byte", func(w io.Writer, r io.Reader) error {
		br, ok := r.(io.ByteReader)
		if !ok {
			br = bufio.NewReader(r)
		}
		out := bufio.NewWriter(w)
		defer out.Flush()
		for {
			b, err := br.ReadByte()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			out.WriteByte(b)
		}
	}},
	{"character_by_character", func(w io.Writer, r io.Reader) error {
		rr, ok := r.(io.RuneReader)
		if !ok {
			rr = bufio.NewReader(r)
		}
		out := bufio.NewWriter(w)
		defer out.Flush()
		for {
			c, _, err := rr.ReadRune()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			out.WriteRune(c)
		}
	}},
	{"block_by_block_at_offsets", func(w io.Writer, r io.Reader) error {
		at, ok := r.(io.ReaderAt)
		if !ok {
			_, err := io.Copy(w, r)
			return err
		}
		block := make([]byte, 600)
		for offset := int64(0); ; {
			n, err := at.ReadAt(block, offset)
			w.Write(block[:n])
			offset += int64(n)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}},
	{"read_all", func(w io.Writer, r io.Reader) error {
		all, err := io.ReadAll(r)
		w.Write(all)
		return err
	}},
	{"small_reads", func(w io.Writer, r io.Reader) error {
		p := make([]byte, 97)
		for {
			n, err := r.Read(p)
			w.Write(p[:n])
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}},
	{"copy_of_a_tee", func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(io.Discard, io.TeeReader(r, w))
		return err
	}},
}

// plainWriter hides all methods but Write.
type plainWriter struct {
	w io.Writer
}

func (p plainWriter) Write(b []byte) (int, error) { return p.w.Write(b) }

// shelf is a depot that reads in one of the ways and fails as told.
type shelf struct {
	way  way
	fail func(attempt int) error // nil does not fail

	attempt int
	stored  []byte // of the last attempt
}

func (s *shelf) Put(_ string, r io.Reader) error {
	s.attempt++
	var buf bytes.Buffer
	err := s.way.read(plainWriter{&buf}, r)
	s.stored = buf.Bytes()
	if err == nil && s.fail != nil {
		err = s.fail(s.attempt)
	}
	return err
}

type putFunc func(name string, r io.Reader) error

func (f putFunc) Put(name string, r io.Reader) error { return f(name, r) }

// swell is a recording that does not repeat itself, in ASCII, which can be read
// by characters too.
func swell(size int) []byte {
	data := make([]byte, size)
	x := uint32(2463534242)
	for i := range data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		data[i] = byte(x & 0x7f)
	}
	return data
}

func hexSum(data []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// within fails the test if body returns an error, panics or hangs.
func within(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(6 * time.Second):
		t.Fatal("still busy after 6s")
	}
}

// send sends a recording through a courier of its own.
func send(ctx context.Context, depot courier.Depot, name string, data []byte, opts ...courier.Option) (courier.Receipt, error) {
	opts = append([]courier.Option{courier.WithAttempts(3, 0)}, opts...)
	c, err := courier.New(depot, opts...)
	if err != nil {
		return courier.Receipt{}, fmt.Errorf("New: %w", err)
	}
	return c.Send(ctx, name, data)
}

// covers wants a receipt for the whole of data.
func covers(r courier.Receipt, name string, data []byte, attempts int) error {
	want := courier.Receipt{Name: name, Bytes: int64(len(data)), SHA256: hexSum(data), Attempts: attempts}
	if r != want {
		return fmt.Errorf("receipt %+v, want %+v", r, want)
	}
	return nil
}

// coversStart wants a receipt for the first bytes of data, between least and
// most of them.
func coversStart(r courier.Receipt, data []byte, least, most int) error {
	if r.Bytes < int64(least) || r.Bytes > int64(most) {
		return fmt.Errorf("receipt for %d bytes, want %d to %d", r.Bytes, least, most)
	}
	if want := hexSum(data[:r.Bytes]); r.SHA256 != want {
		return fmt.Errorf("sum %s of %d bytes, want %s", r.SHA256, r.Bytes, want)
	}
	return nil
}
