// Package uplink carries lines of text to the collector in the valley.
//
// # Protocol
//
// The relay dials and speaks first. It sends one message after the other and
// waits for the answer to each. A message is one line:
//
//	HELLO 0 <name>     who is calling
//	DATA <n> <text>    a line of text
//	BYE <n>            nothing more will come
//
// with n counting up over a connection, BYE included. The answer is "OK <n>", or
// "NO <n> <reason>" if the collector does not want the message. A connection
// that ends without a BYE is a lost line for the collector, which then raises an
// alarm.
package uplink

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// Errors that the methods of Line return or wrap.
var (
	ErrClosed  = errors.New("uplink: line is closed")
	ErrRefused = errors.New("uplink: collector has refused")
	ErrAnswer  = errors.New("uplink: unintelligible answer")
	ErrText    = errors.New("uplink: text is not a single line")
)

// Dial makes a connection to the collector.
type Dial func() (net.Conn, error)

// Line is the way to the collector for one name. It dials when there is
// something to send, and again when the connection has broken since. Its methods
// may be called from several goroutines.
type Line struct {
	name    string
	dial    Dial
	timeout time.Duration

	mu      sync.Mutex
	conn    net.Conn // nil if there is no connection
	answers *bufio.Reader
	next    int // number of the next message
	sent    int
	closed  bool
}

// New returns a line that waits for each answer no longer than timeout.
func New(name string, dial Dial, timeout time.Duration) *Line {
	return &Line{name: name, dial: dial, timeout: timeout}
}

// Send delivers a line of text. It returns nil once the collector has accepted
// it. A text whose answer got lost may reach the collector twice.
func (l *Line) Send(text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%w: %q", ErrText, text)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	used := l.conn != nil
	err := l.deliver(text)
	if err != nil && used && l.conn == nil {
		// The connection may have been dead since the last text.
		err = l.deliver(text)
	}
	if err != nil {
		return err
	}
	l.sent++
	return nil
}

// Sent returns how many texts the collector has accepted.
func (l *Line) Sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent
}

// Close says goodbye to the collector and hangs up. There is nothing to say if
// there is no connection. Closing again does nothing.
func (l *Line) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.conn == nil {
		return nil
	}
	defer l.hangUp()
	return l.exchange("BYE", "")
}

// deliver sends a text over the connection, which it makes if there is none.
func (l *Line) deliver(text string) error {
	if l.conn == nil {
		if err := l.connect(); err != nil {
			return err
		}
	}
	return l.exchange("DATA", text)
}

func (l *Line) connect() error {
	conn, err := l.dial()
	if err != nil {
		return fmt.Errorf("uplink: dial: %w", err)
	}
	l.conn = conn
	l.answers = bufio.NewReader(conn)
	l.next = 0
	if err := l.exchange("HELLO", l.name); err != nil {
		l.hangUp()
		return err
	}
	return nil
}

// exchange sends a message and waits for the answer. It hangs up if there is
// none that fits.
func (l *Line) exchange(verb, text string) error {
	number := l.next
	l.next++
	l.conn.SetDeadline(time.Now().Add(l.timeout))
	answer, err := l.ask(message(verb, number, text))
	if err == nil {
		err = check(answer, number)
	}
	if err != nil && !errors.Is(err, ErrRefused) {
		l.hangUp()
	}
	if err != nil {
		return fmt.Errorf("uplink: %s of %s: %w", verb, l.name, err)
	}
	return nil
}

func (l *Line) ask(message string) (answer string, err error) {
	if _, err := l.conn.Write([]byte(message)); err != nil {
		return "", err
	}
	return l.answers.ReadString('\n')
}

func (l *Line) hangUp() {
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
