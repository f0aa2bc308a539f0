package relay_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/firnline/relay"
	"example.com/firnline/relay/spool"
	"example.com/firnline/relay/uplink"
)

// collector is the other end of the lines. It accepts everything unless it is
// told to be silent.
type collector struct {
	mu     sync.Mutex
	silent bool
	heard  map[string][]string // messages by station
}

func (c *collector) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	go c.serve(ours)
	return theirs, nil
}

func (c *collector) serve(conn net.Conn) {
	defer conn.Close()
	name := ""
	for in := bufio.NewScanner(conn); in.Scan(); {
		words := strings.SplitN(in.Text(), " ", 3)
		if words[0] == "HELLO" {
			name = words[2]
		}
		c.mu.Lock()
		if c.silent {
			c.mu.Unlock()
			return
		}
		if c.heard == nil {
			c.heard = make(map[string][]string)
		}
		c.heard[name] = append(c.heard[name], in.Text())
		c.mu.Unlock()
		fmt.Fprintln(conn, "OK", words[1])
	}
}

func (c *collector) setSilent(silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent = silent
}

func (c *collector) want(t *testing.T, station string, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := c.heard[station]; !slices.Equal(got, want) {
		t.Errorf("collector heard %q from %s, want %q", got, station, want)
	}
}

var morning = time.Date(2025, 1, 14, 6, 0, 0, 0, time.UTC)

// snow returns the records of a station at which it is snowing.
func snow(station string, n int) []relay.Record {
	var records []relay.Record
	for i := range n {
		at := morning.Add(time.Duration(i) * time.Minute)
		records = append(records, relay.Record{Station: station, At: at, Sensor: "hs", Value: 100 + float64(i)})
	}
	return records
}

func newRelay(t *testing.T, opts ...relay.Option) *relay.Relay {
	t.Helper()
	r, err := relay.New(opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() { r.Shutdown(context.Background()) })
	return r
}

func open(t *testing.T, r *relay.Relay, mode relay.Mode, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := r.Open(name, mode); err != nil {
			t.Fatalf("Open: %v", err)
		}
	}
}

func appendAll(t *testing.T, r *relay.Relay, records []relay.Record) {
	t.Helper()
	for _, rec := range records {
		if err := r.Append(rec); err != nil {
			t.Fatalf("Append(%v): %v", rec, err)
		}
	}
}

// fetch returns the lines of the sealed segments of a station.
func fetch(t *testing.T, dir, station string) []string {
	t.Helper()
	paths, err := spool.Segments(filepath.Join(dir, station))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range paths {
		texts, err := spool.Read(path)
		if err != nil {
			t.Error(err)
		}
		lines = append(lines, texts...)
	}
	return lines
}

func TestForward(t *testing.T) {
	var c collector
	r := newRelay(t, relay.WithCollector(c.dial))
	open(t, r, relay.Forward, "FURKA", "KLAUSEN")
	appendAll(t, r, snow("FURKA", 2))
	if err := r.Drop("FURKA"); err != nil {
		t.Errorf("Drop: %v", err)
	}
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 2025-01-14T06:00:00Z hs 100", "DATA 2 2025-01-14T06:01:00Z hs 101", "BYE 3")
	c.want(t, "KLAUSEN")
}

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	r := newRelay(t, relay.WithSpool(dir), relay.WithSegmentSize(2))
	open(t, r, relay.Keep, "FURKA")
	records := snow("FURKA", 4)
	records[3].At = morning
	appendAll(t, r, records)
	appendAll(t, r, snow("FURKA", 1))
	if err := r.Drop("FURKA"); err != nil {
		t.Errorf("Drop: %v", err)
	}
	want := []string{
		"2025-01-14T06:00:00Z hs 100",
		"2025-01-14T06:01:00Z hs 101",
		"2025-01-14T06:02:00Z hs 102",
		"2025-01-14T06:00:00Z hs 103 late",
		"2025-01-14T06:00:00Z hs 100 late",
	}
	if got := fetch(t, dir, "FURKA"); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestMirror(t *testing.T) {
	var c collector
	dir := t.TempDir()
	r := newRelay(t, relay.WithCollector(c.dial), relay.WithSpool(dir), relay.WithSegmentSize(2))
	open(t, r, relay.Mirror, "FURKA")
	appendAll(t, r, snow("FURKA", 3))
	want := []string{"2025-01-14T06:00:00Z hs 100", "2025-01-14T06:01:00Z hs 101", "2025-01-14T06:02:00Z hs 102"}
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 "+want[0], "DATA 2 "+want[1], "DATA 3 "+want[2])
	if got := fetch(t, dir, "FURKA"); !slices.Equal(got, want[:2]) {
		t.Errorf("kept %q, want %q", got, want[:2])
	}
	if err := r.Flush("FURKA"); err != nil {
		t.Errorf("Flush: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "FURKA", "000002.part")); string(got) != "= "+want[2]+"\n" {
		t.Errorf("flushed %q (%v), want %q", got, err, want[2])
	}
	if got := r.Report(); len(got) != 1 || got[0].Taken != 3 || got[0].Sent != 3 || got[0].Kept != 3 {
		t.Errorf("report %+v", got)
	}
}

func TestMirrorKeepsWhatCannotBeSent(t *testing.T) {
	var c collector
	dir := t.TempDir()
	now := morning
	r := newRelay(t,
		relay.WithCollector(c.dial),
		relay.WithSpool(dir),
		relay.WithSegmentSize(1),
		relay.WithRest(time.Hour),
		relay.WithClock(func() time.Time { return now }),
	)
	open(t, r, relay.Mirror, "FURKA")
	records := snow("FURKA", 3)
	c.setSilent(true)
	for _, rec := range records[:2] {
		if err := r.Append(rec); err == nil {
			t.Error("Append without a collector succeeded")
		}
		c.setSilent(false) // but it is left alone for now
	}
	now = now.Add(time.Hour)
	appendAll(t, r, records[2:])
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 2025-01-14T06:02:00Z hs 102")
	if got := fetch(t, dir, "FURKA"); len(got) != 3 {
		t.Errorf("kept %q, want all 3 records", got)
	}
}

func TestMute(t *testing.T) {
	r := newRelay(t)
	open(t, r, relay.Mute, "FURKA")
	appendAll(t, r, snow("FURKA", 3))
	if err := r.Flush("FURKA"); err != nil {
		t.Errorf("Flush: %v", err)
	}
	if err := r.Drop("FURKA"); err != nil {
		t.Errorf("Drop: %v", err)
	}
}

func TestRepeatsAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	r := newRelay(t, relay.WithSpool(dir))
	open(t, r, relay.Keep, "FURKA")
	for _, rec := range snow("FURKA", 3) {
		appendAll(t, r, []relay.Record{rec, rec})
	}
	if got := r.Report(); got[0].Taken != 3 || got[0].Kept != 3 {
		t.Errorf("report %+v", got)
	}
}

// board is a sink of our own.
type board struct {
	records []relay.Record
	flushed int
	closed  int
	err     error
}

func (b *board) Append(rec relay.Record) error {
	b.records = append(b.records, rec)
	return b.err
}

func (b *board) Flush() error {
	b.flushed++
	return b.err
}

func (b *board) Close() error {
	b.closed++
	return b.err
}

func TestAttach(t *testing.T) {
	r := newRelay(t)
	b := new(board)
	if err := r.Attach("FURKA", b); err != nil {
		t.Fatal(err)
	}
	records := snow("FURKA", 2)
	appendAll(t, r, records)
	if err := r.Flush("FURKA"); err != nil {
		t.Errorf("Flush: %v", err)
	}
	b.err = errors.New("board is broken")
	if err := r.Flush("FURKA"); !errors.Is(err, b.err) {
		t.Errorf("Flush: %v", err)
	}
	if err := r.Drop("FURKA"); !errors.Is(err, b.err) {
		t.Errorf("Drop: %v", err)
	}
	if err := r.Drop("FURKA"); !errors.Is(err, relay.ErrNotOpen) {
		t.Errorf("Drop again: %v", err)
	}
	if !slices.Equal(b.records, records) || b.flushed != 2 || b.closed != 1 {
		t.Errorf("board %+v", b)
	}
}

func TestSwitch(t *testing.T) {
	var c collector
	dir := t.TempDir()
	r := newRelay(t, relay.WithCollector(c.dial), relay.WithSpool(dir))
	open(t, r, relay.Forward, "FURKA")
	records := snow("FURKA", 3)
	appendAll(t, r, records[:1])
	if err := r.Switch("FURKA", relay.Keep); err != nil {
		t.Fatalf("Switch: %v", err)
	}
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 2025-01-14T06:00:00Z hs 100", "BYE 2")
	appendAll(t, r, records[1:])
	if err := r.Switch("FURKA", relay.Mute); err != nil {
		t.Fatalf("Switch: %v", err)
	}
	if got := fetch(t, dir, "FURKA"); len(got) != 2 {
		t.Errorf("kept %q, want 2 records", got)
	}
	if err := r.Switch("KLAUSEN", relay.Keep); !errors.Is(err, relay.ErrNotOpen) {
		t.Errorf("Switch of no station: %v", err)
	}
}

func TestCloseIdle(t *testing.T) {
	dir := t.TempDir()
	now := morning
	r := newRelay(t, relay.WithSpool(dir), relay.WithClock(func() time.Time { return now }))
	open(t, r, relay.Keep, "KLAUSEN", "FURKA", "GRIMSEL")
	appendAll(t, r, snow("FURKA", 1))
	now = now.Add(time.Hour)
	appendAll(t, r, snow("GRIMSEL", 1))
	names, err := r.CloseIdle(time.Hour)
	if want := []string{"FURKA", "KLAUSEN"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("CloseIdle = %v, %v, want %v", names, err, want)
	}
	if got := fetch(t, dir, "FURKA"); len(got) != 1 {
		t.Errorf("kept %q", got)
	}
	if got := r.Report(); len(got) != 1 || got[0].Station != "GRIMSEL" {
		t.Errorf("report %+v", got)
	}
}

func TestShutdown(t *testing.T) {
	var c collector
	dir := t.TempDir()
	r := newRelay(t, relay.WithCollector(c.dial), relay.WithSpool(dir))
	open(t, r, relay.Forward, "FURKA")
	open(t, r, relay.Keep, "GRIMSEL")
	broken := &board{err: errors.New("board is broken")}
	if err := r.Attach("KLAUSEN", broken); err != nil {
		t.Fatal(err)
	}
	appendAll(t, r, snow("FURKA", 1))
	appendAll(t, r, snow("GRIMSEL", 1))
	if err := r.Shutdown(t.Context()); !errors.Is(err, broken.err) {
		t.Errorf("Shutdown: %v", err)
	}
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 2025-01-14T06:00:00Z hs 100", "BYE 2")
	if got := fetch(t, dir, "GRIMSEL"); len(got) != 1 {
		t.Errorf("kept %q", got)
	}
	for what, err := range map[string]error{
		"Open":   r.Open("FURKA", relay.Mute),
		"Append": r.Append(snow("FURKA", 1)[0]),
		"Flush":  r.Flush("FURKA"),
		"Drop":   r.Drop("FURKA"),
		"Switch": r.Switch("FURKA", relay.Mute),
	} {
		if !errors.Is(err, relay.ErrShutdown) {
			t.Errorf("%s after Shutdown: %v", what, err)
		}
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown again: %v", err)
	}
}

// slowBoard does not close before it is let.
type slowBoard struct {
	board
	let chan struct{}
}

func (b *slowBoard) Close() error {
	<-b.let
	return nil
}

func TestShutdownWaitsForTheContextOnly(t *testing.T) {
	r := newRelay(t)
	b := &slowBoard{let: make(chan struct{})}
	if err := r.Attach("FURKA", b); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := r.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown: %v", err)
	}
	close(b.let)
}

func TestWhatCannotBeOpened(t *testing.T) {
	r := newRelay(t)
	open(t, r, relay.Mute, "FURKA")
	for _, tt := range []struct {
		name string
		mode relay.Mode
		want error
	}{
		{"FURKA", relay.Mute, relay.ErrOpen},
		{"", relay.Mute, relay.ErrStation},
		{"../x", relay.Mute, relay.ErrStation},
		{"KLAUSEN", relay.Forward, relay.ErrMode},
		{"KLAUSEN", relay.Keep, relay.ErrMode},
		{"KLAUSEN", relay.Mirror, relay.ErrMode},
		{"KLAUSEN", relay.Attached, relay.ErrMode},
		{"KLAUSEN", 99, relay.ErrMode},
	} {
		if err := r.Open(tt.name, tt.mode); !errors.Is(err, tt.want) {
			t.Errorf("Open(%q, %v): %v, want %v", tt.name, tt.mode, err, tt.want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r = newRelay(t, relay.WithSpool(file), relay.WithCollector(new(collector).dial))
	for _, mode := range []relay.Mode{relay.Keep, relay.Mirror} {
		if err := r.Open("KLAUSEN", mode); err == nil {
			t.Errorf("%v station opened in a file", mode)
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, opt := range []relay.Option{
		relay.WithAnswerTime(0),
		relay.WithRest(-1),
		relay.WithSegmentSize(0),
		relay.WithFlushEvery(0),
	} {
		if _, err := relay.New(opt); !errors.Is(err, relay.ErrOption) {
			t.Errorf("New: %v, want ErrOption", err)
		}
	}
}

func TestForwardFailure(t *testing.T) {
	var c collector
	c.setSilent(true)
	r := newRelay(t, relay.WithCollector(c.dial), relay.WithAnswerTime(time.Minute))
	open(t, r, relay.Forward, "FURKA")
	rec := snow("FURKA", 1)[0]
	if err := r.Append(rec); err == nil || errors.Is(err, uplink.ErrRefused) {
		t.Errorf("Append: %v", err)
	}
	c.setSilent(false)
	appendAll(t, r, []relay.Record{rec})
	c.want(t, "FURKA", "HELLO 0 FURKA", "DATA 1 2025-01-14T06:00:00Z hs 100")
}
