package uplink_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/firnline/relay/uplink"
)

// valley is a collector. It answers what answer returns, and hangs up if that is
// empty.
type valley struct {
	answer func(message string) string

	mu       sync.Mutex
	messages []string
}

func (v *valley) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer ours.Close()
		for in := bufio.NewScanner(ours); in.Scan(); {
			v.mu.Lock()
			v.messages = append(v.messages, in.Text())
			v.mu.Unlock()
			answer := v.answer(in.Text())
			if answer == "" {
				return
			}
			fmt.Fprintln(ours, answer)
		}
	}()
	return theirs, nil
}

func (v *valley) want(t *testing.T, want ...string) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Equal(v.messages, want) {
		t.Errorf("messages %q, want %q", v.messages, want)
	}
}

func accept(message string) string {
	return "OK " + strings.Fields(message)[1]
}

func TestSendAndClose(t *testing.T) {
	v := &valley{answer: accept}
	l := uplink.New("FURKA", v.dial, time.Minute)
	for _, text := range []string{"a b", "c"} {
		if err := l.Send(text); err != nil {
			t.Fatalf("Send: %v", err)
		}
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	v.want(t, "HELLO 0 FURKA", "DATA 1 a b", "DATA 2 c", "BYE 3")
	if err := l.Send("d"); !errors.Is(err, uplink.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	if l.Sent() != 2 {
		t.Errorf("Sent() = %d, want 2", l.Sent())
	}
}

func TestNothingIsDialledForNothing(t *testing.T) {
	l := uplink.New("FURKA", func() (net.Conn, error) {
		t.Error("dialled")
		return nil, net.ErrClosed
	}, time.Minute)
	if err := l.Send("a\nb"); !errors.Is(err, uplink.ErrText) {
		t.Errorf("Send of two lines: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestBrokenConnectionIsMadeAgain(t *testing.T) {
	calls := 0
	v := &valley{answer: func(message string) string {
		if calls++; calls == 3 {
			return ""
		}
		return accept(message)
	}}
	l := uplink.New("FURKA", v.dial, time.Minute)
	for _, text := range []string{"a", "b"} {
		if err := l.Send(text); err != nil {
			t.Fatalf("Send: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	v.want(t, "HELLO 0 FURKA", "DATA 1 a", "DATA 2 b", "HELLO 0 FURKA", "DATA 1 b", "BYE 2")
}

func TestRefusal(t *testing.T) {
	v := &valley{answer: func(message string) string {
		if strings.HasSuffix(message, "bad") {
			return "NO " + strings.Fields(message)[1] + " not today"
		}
		return accept(message)
	}}
	l := uplink.New("FURKA", v.dial, time.Minute)
	for text, want := range map[string]error{"bad": uplink.ErrRefused, "good": nil} {
		if err := l.Send(text); !errors.Is(err, want) {
			t.Errorf("Send(%q): %v, want %v", text, err, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if l.Sent() != 1 {
		t.Errorf("Sent() = %d, want 1", l.Sent())
	}
	l = uplink.New("bad", v.dial, time.Minute)
	if err := l.Send("good"); !errors.Is(err, uplink.ErrRefused) {
		t.Errorf("Send after a refused HELLO: %v", err)
	}
}

func TestAnswersThatDoNotFit(t *testing.T) {
	for _, answer := range []string{"OK", "OK 7", "OK x", "YES 0"} {
		v := &valley{answer: func(string) string { return answer }}
		if err := uplink.New("FURKA", v.dial, time.Minute).Send("a"); !errors.Is(err, uplink.ErrAnswer) {
			t.Errorf("Send with the answer %q: %v", answer, err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	l := uplink.New("FURKA", func() (net.Conn, error) { return nil, net.ErrClosed }, time.Minute)
	if err := l.Send("a"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Send without a connection: %v", err)
	}
	l = uplink.New("FURKA", func() (net.Conn, error) {
		_, theirs := net.Pipe()
		return theirs, nil
	}, time.Millisecond)
	if err := l.Send("a"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Send without an answer: %v", err)
	}
}
