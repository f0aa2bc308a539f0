package courier_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"example.com/quakenet/courier"
)

func TestReceiptCoversWhatTheDepotReads(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			within(t, func() error {
				for _, size := range []int{0, 1, 47, 1000, 4096, 65_536, 150_001} {
					data := swell(size)
					depot := &shelf{way: w}
					r, err := send(context.Background(), depot, "KO.BALB", data)
					if err != nil {
						return err
					}
					if !bytes.Equal(depot.stored, swell(size)) {
						return fmt.Errorf("depot has %d bytes that are not the %d of the recording", len(depot.stored), size)
					}
					if err := covers(r, "KO.BALB", data, 1); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// TestProgressComesWithEveryChunk wants steps of at most a chunk, up to the end.
func TestProgressComesWithEveryChunk(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			within(t, func() error {
				for _, c := range []struct{ chunk, size int }{
					{1, 300}, {1000, 25_300}, {4096, 4096}, {10_000, 9_999}, {64 << 10, 200_000},
				} {
					data := swell(c.size)
					var last, largest int64
					var odd error
					r, err := send(context.Background(), &shelf{way: w}, "KO.BALB", data,
						courier.WithChunk(c.chunk),
						courier.WithProgress(func(p courier.Progress) {
							if p.Name != "KO.BALB" || p.Total != int64(c.size) || p.Read < last {
								odd = fmt.Errorf("progress %+v after %d", p, last)
							}
							largest = max(largest, p.Read-last)
							last = p.Read
						}))
					if err := errors.Join(err, odd); err != nil {
						return err
					}
					if last != int64(c.size) || largest > int64(c.chunk) {
						return fmt.Errorf("progress up to %d of %d in steps of up to %d, want %d", last, c.size, largest, c.chunk)
					}
					if err := covers(r, "KO.BALB", data, 1); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// TestADoneContextStopsTheDepot cancels when some of the recording is read.
func TestADoneContextStopsTheDepot(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			within(t, func() error {
				const chunk = 1000
				data := swell(120_000)
				for _, after := range []int{1, 5_000, 77_777} {
					ctx, cancel := context.WithCancel(context.Background())
					depot := &shelf{way: w}
					r, err := send(ctx, depot, "KO.BALB", data,
						courier.WithChunk(chunk),
						courier.WithProgress(func(p courier.Progress) {
							if p.Read >= int64(after) {
								cancel()
							}
						}))
					cancel()
					if !errors.Is(err, context.Canceled) {
						return fmt.Errorf("Send: %v, want context.Canceled", err)
					}
					if err := coversStart(r, data, after, after+2*chunk); err != nil {
						return err
					}
					if !bytes.HasPrefix(data, depot.stored) || len(depot.stored) > int(r.Bytes) {
						return fmt.Errorf("depot has %d bytes that are not of the first %d", len(depot.stored), r.Bytes)
					}
				}
				return nil
			})
		})
	}
}

// TestEveryAttemptHasItsOwnAccount has the depot read everything three times.
func TestEveryAttemptHasItsOwnAccount(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			within(t, func() error {
				data := swell(9_876)
				busy := fmt.Errorf("tape is rewinding: %w", courier.ErrTemporary)
				depot := &shelf{way: w, fail: func(attempt int) error {
					if attempt < 3 {
						return busy
					}
					return nil
				}}
				var ends int
				r, err := send(context.Background(), depot, "KO.GEMT", data, courier.WithProgress(func(p courier.Progress) {
					if p.Read == p.Total {
						ends++
					}
				}))
				if err != nil {
					return err
				}
				if ends != 3 || !bytes.Equal(depot.stored, data) {
					return fmt.Errorf("progress came to the end %d times, and the depot has %d bytes", ends, len(depot.stored))
				}
				return covers(r, "KO.GEMT", data, 3)
			})
		})
	}
}

// TestReceiptEndsWhereTheDepotFails has the depot's own disk fail.
func TestReceiptEndsWhereTheDepotFails(t *testing.T) {
	for _, w := range ways[:3] {
		t.Run(w.name, func(t *testing.T) {
			within(t, func() error {
				const chunk = 100
				errFull := errors.New("disk is full")
				data := swell(90_000)
				for _, room := range []int{1, 2_550, 60_001} {
					r, err := send(context.Background(), putFunc(func(_ string, r io.Reader) error {
						return w.read(&disk{room: room, full: errFull}, r)
					}), "KO.ISK", data, courier.WithChunk(chunk))
					if !errors.Is(err, errFull) {
						return fmt.Errorf("Send: %v, want %v", err, errFull)
					}
					if err := coversStart(r, data, room, room+chunk); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// disk takes as many bytes as there is room for.
type disk struct {
	room int
	full error
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if n < len(p) {
		return n, d.full
	}
	return n, nil
}

func TestReceiptEndsWhereTheDepotStops(t *testing.T) {
	data := swell(70_000)
	for _, c := range []struct {
		name string
		want int
		put  putFunc
	}{
		{"nothing_read", 0, func(string, io.Reader) error { return nil }},
		{"header_only", 512, func(_ string, r io.Reader) error {
			_, err := io.ReadFull(r, make([]byte, 512))
			return err
		}},
		{"first_blocks", 40_961, func(_ string, r io.Reader) error {
			_, err := io.CopyN(io.Discard, r, 40_961)
			return err
		}},
		{"on_and_on", 70_000, func(_ string, r io.Reader) error {
			for range 3 {
				if _, err := io.ReadAll(r); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, func() error {
				r, err := send(context.Background(), c.put, "KO.ISK", data)
				if err != nil {
					return err
				}
				return covers(r, "KO.ISK", data[:c.want], 1)
			})
		})
	}
}

func TestDirectoryReceiptsMatchTheFiles(t *testing.T) {
	dir := courier.Dir(t.TempDir())
	within(t, func() error {
		manifest := make(courier.Manifest)
		for i, size := range []int{0, 3, 70_000, 200 << 10} {
			name := fmt.Sprintf("KO.S%d.mseed", i)
			data := swell(size)
			r, err := send(context.Background(), dir, name, data)
			if err != nil {
				return err
			}
			if err := covers(r, name, data, 1); err != nil {
				return err
			}
			if stored, err := os.ReadFile(string(dir) + "/" + name); err != nil || !bytes.Equal(stored, data) {
				return fmt.Errorf("file %s has %d bytes (%v), want %d", name, len(stored), err, size)
			}
			manifest.Add(r)
		}
		return manifest.Check(dir)
	})
}

// TestDirectoryKeepsNoPart cancels on the way, and wants the recording from
// before to be there still.
func TestDirectoryKeepsNoPart(t *testing.T) {
	dir := courier.Dir(t.TempDir())
	within(t, func() error {
		before := swell(2_000)
		if err := dir.Put("KO.BALB", bytes.NewReader(before)); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		data := swell(250_000)
		r, err := send(ctx, dir, "KO.BALB", data, courier.WithChunk(500), courier.WithProgress(func(p courier.Progress) {
			if p.Read >= 100_000 {
				cancel()
			}
		}))
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("Send: %v, want context.Canceled", err)
		}
		if err := coversStart(r, data, 100_000, 101_000); err != nil {
			return err
		}
		if stored, err := dir.Get("KO.BALB"); err != nil || !bytes.Equal(stored, before) {
			return fmt.Errorf("Get returns %d bytes (%v), want the %d from before", len(stored), err, len(before))
		}
		if entries, err := os.ReadDir(string(dir)); err != nil || len(entries) != 1 {
			return fmt.Errorf("directory holds %v (%v), want one file", entries, err)
		}
		return nil
	})
}

func TestSendsAtOnceKeepTheirAccountsApart(t *testing.T) {
	within(t, func() error {
		var stored courier.Memory
		c, err := courier.New(putFunc(func(name string, r io.Reader) error {
			var buf bytes.Buffer
			if _, err := io.Copy(plainWriter{&buf}, r); err != nil {
				return err
			}
			return stored.Put(name, &buf)
		}), courier.WithChunk(300))
		if err != nil {
			return err
		}
		results := make(chan error, 8)
		for i := range cap(results) {
			go func() {
				name, data := fmt.Sprint("KO.", i), swell(10_000+i*1_117)
				r, err := c.Send(context.Background(), name, data)
				if err == nil {
					err = covers(r, name, data, 1)
				}
				results <- err
			}()
		}
		for range cap(results) {
			err = errors.Join(err, <-results)
		}
		return err
	})
}

func TestSentinelErrorsStandApart(t *testing.T) {
	sentinels := []error{
		courier.ErrTemporary, courier.ErrName, courier.ErrOption, courier.ErrManifest, courier.ErrMismatch,
	}
	unrelated := errors.New("unrelated")
	for i, a := range sentinels {
		if a == nil {
			t.Fatalf("sentinel %d is nil", i)
		}
		if errors.Is(unrelated, a) || errors.Is(a, unrelated) {
			t.Errorf("%v matches an unrelated error", a)
		}
		for j, b := range sentinels {
			if i != j && errors.Is(a, b) {
				t.Errorf("%v matches %v", a, b)
			}
		}
	}
}
