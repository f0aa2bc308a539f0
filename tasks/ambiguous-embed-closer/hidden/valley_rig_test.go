package relay_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/firnline/relay"
)

var overdue atomic.Bool

// patience is how long a test may wait; once one has waited in vain, the others
// are not worth as long a wait.
func patience() time.Duration {
	if overdue.Load() {
		return 500 * time.Millisecond
	}
	return 5 * time.Second
}

// within fails the test with what check returns, and if it panics or hangs.
func within(t *testing.T, check func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the test's goroutine has ended")
		defer func() {
			if p := recover(); p != nil {
				stack := make([]byte, 4096)
				err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
			}
			done <- err
		}()
		err = check()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience()):
		overdue.Store(true)
		t.Error("it hangs")
	}
}

// eventually waits until check returns nil.
func eventually(check func() error) error {
	for end := time.Now().Add(patience() / 2); ; time.Sleep(time.Millisecond) {
		err := check()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// phone is one connection to the valley.
type phone struct {
	net.Conn
	valley *valleyRig

	// Guarded by the valley's mu.
	caller   string
	messages []string
	hungUp   bool
	broken   error
}

// Read fails instead of returning the answer to what has broken the line.
func (p *phone) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.valley.mu.Lock()
	defer p.valley.mu.Unlock()
	if p.broken != nil {
		return 0, p.broken
	}
	return n, err
}

func (p *phone) Close() error {
	p.valley.mu.Lock()
	p.hungUp = true
	p.valley.mu.Unlock()
	return p.Conn.Close()
}

// valleyRig is a collector. What it does about a goodbye can be set by caller.
type valleyRig struct {
	mu      sync.Mutex
	phones  []*phone
	dead    error                    // of dialling
	refuse  map[string]bool          // answers NO
	breakUp map[string]error         // the caller reads that
	hold    map[string]chan struct{} // answers once it is closed
}

func newValley() *valleyRig {
	return &valleyRig{
		refuse:  make(map[string]bool),
		breakUp: make(map[string]error),
		hold:    make(map[string]chan struct{}),
	}
}

func (v *valleyRig) dial() (net.Conn, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dead != nil {
		return nil, v.dead
	}
	here, there := net.Pipe()
	p := &phone{Conn: there, valley: v}
	v.phones = append(v.phones, p)
	go v.serve(here, p)
	return p, nil
}

func (v *valleyRig) serve(conn net.Conn, p *phone) {
	defer conn.Close()
	for in := bufio.NewScanner(conn); in.Scan(); {
		words := strings.SplitN(in.Text(), " ", 3)
		if len(words) < 2 {
			return
		}
		answer := "OK"
		var hold chan struct{}
		v.mu.Lock()
		p.messages = append(p.messages, in.Text())
		if words[0] == "HELLO" && len(words) == 3 {
			p.caller = words[2]
		}
		if words[0] == "BYE" {
			if v.refuse[p.caller] {
				answer = "NO"
			}
			p.broken = v.breakUp[p.caller]
			hold = v.hold[p.caller]
		}
		v.mu.Unlock()
		if hold != nil {
			<-hold
		}
		fmt.Fprintln(conn, answer, words[1])
	}
}

// heard returns what the collector has heard from a station, call by call, and an
// error if a call has not been ended.
func (v *valleyRig) heard(station string) (calls [][]string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.phones {
		if p.caller != station {
			continue
		}
		calls = append(calls, slices.Clone(p.messages))
		if !p.hungUp {
			err = fmt.Errorf("%s has not hung up", station)
		}
	}
	return calls, err
}

// said checks that the calls of a station have brought these texts, each call from
// hello to goodbye.
func (v *valleyRig) said(station string, calls ...[]string) error {
	var want [][]string
	for _, texts := range calls {
		messages := []string{"HELLO 0 " + station}
		for i, text := range texts {
			messages = append(messages, fmt.Sprintf("DATA %d %s", i+1, text))
		}
		want = append(want, append(messages, fmt.Sprintf("BYE %d", len(texts)+1)))
	}
	got, err := v.heard(station)
	if !slices.EqualFunc(got, want, slices.Equal) {
		return fmt.Errorf("the collector heard %s from %s, want %s", brief(got), station, brief(want))
	}
	return err
}

func brief(v any) string {
	s := fmt.Sprintf("%q", v)
	if len(s) > 400 {
		s = s[:150] + " ... " + s[len(s)-200:]
	}
	return s
}

// hut is a relay with a valley and a spool.
type hut struct {
	*relay.Relay
	valley *valleyRig
	dir    string

	mu  sync.Mutex
	now time.Time
}

var firstMinute = time.Date(2024, 12, 1, 0, 0, 0, 0, time.UTC)

func newHut(t *testing.T, opts ...relay.Option) *hut {
	t.Helper()
	h := &hut{valley: newValley(), dir: t.TempDir(), now: firstMinute}
	opts = append([]relay.Option{
		relay.WithCollector(h.valley.dial),
		relay.WithSpool(h.dir),
		relay.WithAnswerTime(time.Minute),
		relay.WithClock(h.clock),
	}, opts...)
	r, err := relay.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	h.Relay = r
	return h
}

func (h *hut) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hut) later(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// report appends the records from one number to before another and returns them as
// they are written down.
func (h *hut) report(station string, from, to int) ([]string, error) {
	var texts []string
	for n := from; n < to; n++ {
		if err := h.Append(numbered(station, n)); err != nil {
			return nil, fmt.Errorf("Append: %w", err)
		}
		texts = append(texts, written(n))
	}
	return texts, nil
}

func numbered(station string, n int) relay.Record {
	return relay.Record{
		Station: station,
		At:      firstMinute.Add(time.Duration(n) * time.Minute),
		Sensor:  "hs",
		Value:   float64(n % 1000),
	}
}

func written(n int) string {
	at := firstMinute.Add(time.Duration(n) * time.Minute)
	return fmt.Sprintf("%s hs %d", at.Format(time.RFC3339), n%1000)
}

// begin opens a station and appends n records.
func (h *hut) begin(station string, mode relay.Mode, n int) ([]string, error) {
	if err := h.Open(station, mode); err != nil {
		return nil, fmt.Errorf("Open: %w", err)
	}
	return h.report(station, 0, n)
}

// keeps checks that the spool of a station has these texts, all sealed.
func (h *hut) keeps(station string, want ...string) error {
	entries, err := os.ReadDir(filepath.Join(h.dir, station))
	if err != nil {
		return err
	}
	var got []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".seg") {
			return fmt.Errorf("the spool of %s has %s", station, entry.Name())
		}
		data, err := os.ReadFile(filepath.Join(h.dir, station, entry.Name()))
		if err != nil {
			return err
		}
		texts, err := unseal(string(data))
		if err != nil {
			return fmt.Errorf("%s of %s: %w", entry.Name(), station, err)
		}
		got = append(got, texts...)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the spool of %s has %d texts %s, want %d %s", station, len(got), brief(got), len(want), brief(want))
	}
	return nil
}

// unseal returns the texts of a sealed segment.
func unseal(content string) ([]string, error) {
	at := strings.LastIndex(content, "end ")
	if at < 0 {
		return nil, errors.New("no seal")
	}
	var texts []string
	for line := range strings.Lines(content[:at]) {
		if !strings.HasPrefix(line, "= ") || !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("line %q", line)
		}
		texts = append(texts, line[2:len(line)-1])
	}
	if want := fmt.Sprintf("end %d %08x\n", len(texts), crc32.ChecksumIEEE([]byte(content[:at]))); content[at:] != want {
		return nil, fmt.Errorf("seal %q, want %q", content[at:], want)
	}
	return texts, nil
}

// finished checks that a mirrored station has been ended as it should, after a
// single call.
func (h *hut) finished(station string, texts []string) error {
	return errors.Join(h.keeps(station, texts...), h.valley.said(station, texts))
}

// ending is a way to end stations.
type ending func(h *hut, stations ...string) error

func byDrop(h *hut, stations ...string) error {
	var errs []error
	for _, s := range stations {
		errs = append(errs, h.Drop(s))
	}
	return errors.Join(errs...)
}

func bySwitch(h *hut, stations ...string) error {
	var errs []error
	for _, s := range stations {
		errs = append(errs, h.Switch(s, relay.Mute))
	}
	return errors.Join(errs...)
}

func byIdling(h *hut, stations ...string) error {
	h.later(3 * time.Hour)
	_, err := h.CloseIdle(2 * time.Hour)
	return err
}

func byShutdown(h *hut, stations ...string) error {
	return h.Shutdown(context.Background())
}

// onlyThese checks that an error is there and wraps the wanted ones and none of
// the others.
func onlyThese(err error, wanted []error, others ...error) error {
	if err == nil {
		return errors.New("no error")
	}
	for _, want := range wanted {
		if want == nil || !errors.Is(err, want) {
			return fmt.Errorf("error %q does not wrap %q", err, want)
		}
	}
	for _, other := range others {
		if !slices.Contains(wanted, other) && errors.Is(err, other) {
			return fmt.Errorf("error %q wraps %q", err, other)
		}
	}
	return nil
}
