package courier

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// meter is a recording that keeps account of how it is read.
type meter struct {
	*bytes.Reader

	ctx    context.Context
	chunk  int
	report func(read, total int64)

	read int64
	sum  hash.Hash
}

func newMeter(ctx context.Context, recording []byte, chunk int, report func(read, total int64)) *meter {
	return &meter{
		Reader: bytes.NewReader(recording),
		ctx:    ctx,
		chunk:  chunk,
		report: report,
		sum:    sha256.New(),
	}
}

// Read reads at most a chunk, and nothing if the context is done.
func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.Reader.Read(p[:min(len(p), m.chunk)])
	if n > 0 {
		m.read += int64(n)
		m.sum.Write(p[:n])
		m.report(m.read, m.Size())
	}
	return n, err
}

// rewind goes back to the beginning and starts a new account.
func (m *meter) rewind() {
	m.Seek(0, io.SeekStart)
	m.read = 0
	m.sum.Reset()
}

// tally returns how many bytes were read since the last rewind, and their sum.
func (m *meter) tally() (int64, string) {
	return m.read, hex.EncodeToString(m.sum.Sum(nil))
}
