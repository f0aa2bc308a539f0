package courier_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"example.com/quakenet/courier"
)

// trace is a recording of the given size.
func trace(size int) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	return data
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func newCourier(t *testing.T, depot courier.Depot, opts ...courier.Option) *courier.Courier {
	t.Helper()
	c, err := courier.New(depot, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return c
}

// depotFunc is a depot for one test.
type depotFunc func(name string, r io.Reader) error

func (f depotFunc) Put(name string, r io.Reader) error { return f(name, r) }

func TestReceipt(t *testing.T) {
	for _, size := range []int{0, 1, 512, 64 << 10, 200_001} {
		var depot courier.Memory
		data := trace(size)
		got, err := newCourier(t, &depot).Send(t.Context(), "KO.BALB.mseed", data)
		if err != nil {
			t.Fatalf("Send of %d bytes: %v", size, err)
		}
		want := courier.Receipt{Name: "KO.BALB.mseed", Bytes: int64(size), SHA256: sum(data), Attempts: 1}
		if got != want {
			t.Errorf("receipt %+v, want %+v", got, want)
		}
		if stored, err := depot.Get("KO.BALB.mseed"); err != nil || !bytes.Equal(stored, data) {
			t.Errorf("depot has %d bytes (%v), want %d", len(stored), err, size)
		}
	}
}

func TestReceiptOfADepotThatStopsEarly(t *testing.T) {
	data := trace(5000)
	c := newCourier(t, depotFunc(func(_ string, r io.Reader) error {
		_, err := io.ReadFull(r, make([]byte, 48))
		return err
	}))
	got, err := c.Send(t.Context(), "header", data)
	if want := (courier.Receipt{Name: "header", Bytes: 48, SHA256: sum(data[:48]), Attempts: 1}); err != nil || got != want {
		t.Errorf("Send = %+v, %v, want %+v", got, err, want)
	}
}

func TestProgress(t *testing.T) {
	var seen []int64
	c := newCourier(t, new(courier.Memory), courier.WithChunk(100), courier.WithProgress(func(p courier.Progress) {
		if p.Name != "slow" || p.Total != 250 {
			t.Errorf("progress %+v", p)
		}
		seen = append(seen, p.Read)
	}))
	if _, err := c.Send(t.Context(), "slow", trace(250)); err != nil {
		t.Fatal(err)
	}
	if want := []int64{100, 200, 250}; !slices.Equal(seen, want) {
		t.Errorf("progress at %v, want %v", seen, want)
	}
}

func TestTemporaryFailureIsRepeated(t *testing.T) {
	data := trace(3000)
	var depot courier.Memory
	calls := 0
	c := newCourier(t, depotFunc(func(name string, r io.Reader) error {
		if calls++; calls < 3 {
			io.ReadFull(r, make([]byte, 700))
			return courier.ErrTemporary
		}
		return depot.Put(name, r)
	}), courier.WithAttempts(3, time.Millisecond))
	got, err := c.Send(t.Context(), "third-time", data)
	if want := (courier.Receipt{Name: "third-time", Bytes: 3000, SHA256: sum(data), Attempts: 3}); err != nil || got != want {
		t.Errorf("Send = %+v, %v, want %+v", got, err, want)
	}
}

func TestFailure(t *testing.T) {
	data := trace(90)
	errFull := errors.New("disk is full")
	for _, want := range []struct {
		err      error
		attempts int
	}{{errFull, 1}, {courier.ErrTemporary, 2}} {
		c := newCourier(t, depotFunc(func(_ string, r io.Reader) error {
			io.ReadFull(r, make([]byte, 30))
			return want.err
		}), courier.WithAttempts(2, 0))
		got, err := c.Send(t.Context(), "lost", data)
		if !errors.Is(err, want.err) {
			t.Errorf("Send: %v, want %v", err, want.err)
		}
		if got != (courier.Receipt{Name: "lost", Bytes: 30, SHA256: sum(data[:30]), Attempts: want.attempts}) {
			t.Errorf("receipt %+v after %v", got, want.err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var depot courier.Memory
	c := newCourier(t, &depot, courier.WithChunk(64), courier.WithProgress(func(p courier.Progress) {
		if p.Read == 128 {
			cancel()
		}
	}))
	got, err := c.Send(ctx, "stopped", trace(1000))
	if !errors.Is(err, context.Canceled) || got.Bytes != 128 {
		t.Errorf("Send = %+v, %v, want 128 bytes, then context.Canceled", got, err)
	}
	if _, err := depot.Get("stopped"); err == nil {
		t.Error("the depot keeps a part")
	}
	if got, err := c.Send(ctx, "not-begun", trace(10)); !errors.Is(err, context.Canceled) || got.Attempts != 0 {
		t.Errorf("Send = %+v, %v, want no attempt", got, err)
	}
}

func TestCancelBetweenAttempts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newCourier(t, depotFunc(func(string, io.Reader) error {
		cancel()
		return courier.ErrTemporary
	}), courier.WithAttempts(5, time.Hour))
	if got, err := c.Send(ctx, "stopped", trace(10)); !errors.Is(err, context.Canceled) || got.Attempts != 1 {
		t.Errorf("Send = %+v, %v, want one attempt", got, err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "KO.BALB..mseed", "", ".", "a/b", "../a", "a b", "é"} {
		_, err := newCourier(t, new(courier.Memory)).Send(t.Context(), name, nil)
		if good := name == "a"; good != (err == nil) || !good && !errors.Is(err, courier.ErrName) {
			t.Errorf("Send as %q: %v", name, err)
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, opt := range []courier.Option{
		courier.WithAttempts(0, time.Second),
		courier.WithAttempts(1, -time.Second),
		courier.WithChunk(0),
	} {
		if _, err := courier.New(new(courier.Memory), opt); !errors.Is(err, courier.ErrOption) {
			t.Errorf("New: %v, want ErrOption", err)
		}
	}
}
