package remit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/ferryline/remit"
)

// inTime returns what f returns, unless it panics or hangs.
func inTime[T any](t *testing.T, f func() T) T {
	t.Helper()
	type outcome struct {
		value    T
		panicked any
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			done <- o
		}()
		o.value = f()
	}()
	select {
	case o := <-done:
		if o.panicked != nil {
			t.Fatalf("panic: %v", o.panicked)
		}
		return o.value
	case <-time.After(10 * time.Second):
		t.Fatal("the call does not return")
		panic("unreachable")
	}
}

// kinds are the classes with the statuses that they are documented to have.
var kinds = []struct {
	name  string
	class *remit.Class
	has   func(code int) bool
}{
	{"Offline", remit.Offline, func(int) bool { return false }},
	{"Overloaded", remit.Overloaded, func(code int) bool { return code == 429 || code == 503 }},
	{"ServerFault", remit.ServerFault, func(code int) bool { return code >= 500 && code < 600 }},
	{"Denied", remit.Denied, func(code int) bool { return code == 401 || code == 403 }},
	{"Refused", remit.Refused, func(code int) bool { return code >= 400 && code < 500 }},
}

// kindsOf asks which classes err is of.
func kindsOf(t *testing.T, err error) string {
	t.Helper()
	return inTime(t, func() string {
		var names []string
		for _, k := range kinds {
			if errors.Is(err, k.class) {
				names = append(names, k.name)
			}
		}
		return strings.Join(names, " ")
	})
}

// documented returns the classes that errors with these statuses are of.
func documented(codes ...int) string {
	var names []string
	for _, k := range kinds {
		if slices.ContainsFunc(codes, k.has) {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, " ")
}

// frameError and tornFrame are errors of a link with types of its own.
type frameError struct {
	frame int
	cause error
}

func (e frameError) Error() string { return fmt.Sprintf("frame %d: %v", e.frame, e.cause) }
func (e frameError) Unwrap() error { return e.cause }

type tornFrame struct{ parts []error }

func (e *tornFrame) Error() string   { return fmt.Sprint("torn frame: ", e.parts) }
func (e *tornFrame) Unwrap() []error { return e.parts }

// wrappings are ways in which a link may hand on an error.
var wrappings = []struct {
	name string
	wrap func(error) error
}{
	{"bare", func(err error) error { return err }},
	{"wrapped", func(err error) error { return fmt.Errorf("modem: %w", err) }},
	{"wrapped_thrice", func(err error) error {
		return fmt.Errorf("quay: %w", fmt.Errorf("modem: %w", fmt.Errorf("frame: %w", err)))
	}},
	{"two_verbs", func(err error) error { return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err) }},
	{"joined_first", func(err error) error { return errors.Join(err, io.ErrClosedPipe) }},
	{"joined_last", func(err error) error { return errors.Join(io.ErrClosedPipe, fs.ErrExist, err) }},
	{"type_of_its_own", func(err error) error { return frameError{7, err} }},
	{"list_of_its_own", func(err error) error { return &tornFrame{[]error{io.EOF, frameError{3, err}}} }},
	{"nested", func(err error) error {
		return fmt.Errorf("quay: %w", errors.Join(io.EOF, fmt.Errorf("%w, %w", fs.ErrClosed, errors.Join(frameError{1, err}))))
	}},
}

func TestErrorsAreOfTheClassesOfTheirStatus(t *testing.T) {
	for _, c := range wrappings {
		t.Run(c.name, func(t *testing.T) {
			for code := range 1100 {
				err := c.wrap(&remit.StatusError{Code: code, Detail: "see log"})
				if got, want := kindsOf(t, err), documented(code); got != want {
					t.Fatalf("%v is %q, want %q", err, got, want)
				}
			}
		})
	}
}

func TestErrorsAreOfTheClassesOfAllTheirStatuses(t *testing.T) {
	status := func(code int) error { return &remit.StatusError{Code: code} }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"not_found_then_fault", errors.Join(status(404), status(500)), "ServerFault Refused"},
		{"fault_then_not_found", errors.Join(status(500), status(404)), "ServerFault Refused"},
		{"denied_and_busy", fmt.Errorf("%w, %w", status(403), status(503)), "Overloaded ServerFault Denied Refused"},
		{"last_of_many", errors.Join(status(302), status(200), status(600), io.EOF, frameError{2, status(401)}), "Denied Refused"},
		{"two_of_a_kind", errors.Join(status(501), status(504)), "ServerFault"},
		{"status_and_class", errors.Join(status(404), fmt.Errorf("modem: %w", remit.Offline)), "Offline Refused"},
		{"class_and_status", fmt.Errorf("%w: %w", remit.Offline, status(429)), "Offline Overloaded Refused"},
		{"another_class_than_its_own", fmt.Errorf("%w: %w", remit.Denied, status(418)), "Denied Refused"},
		{"none_of_any_class", errors.Join(status(304), io.EOF, status(100)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range wrappings {
				if got := kindsOf(t, w.wrap(c.err)); got != c.want {
					t.Errorf("%s: %q, want %q", w.name, got, c.want)
				}
			}
		})
	}
}

func TestAStatusIsNoOtherError(t *testing.T) {
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			for _, code := range []int{0, 302, 401, 403, 404, 429, 500, 503, 599} {
				err := w.wrap(&remit.StatusError{Code: code})
				for _, other := range []error{
					nil, context.Canceled, fs.ErrNotExist, errors.New("status 503"), frameError{9, io.EOF},
					remit.ErrBatch, remit.ErrOption, new(remit.Class),
				} {
					if inTime(t, func() bool { return errors.Is(err, other) }) {
						t.Errorf("%v is %v", err, other)
					}
				}
				var status *remit.StatusError
				if !errors.As(err, &status) || status.Code != code {
					t.Errorf("%v has lost its status", err)
				}
				if !inTime(t, func() bool { return errors.Is(err, status) }) {
					t.Errorf("%v is not its status", err)
				}
			}
		})
	}
}

// TestStatusesCanBeComparedWithStatuses is content with any answer. Should there
// never be one, a small stack ends the program before it takes the memory.
func TestStatusesCanBeComparedWithStatuses(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(8 << 20))
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			err := w.wrap(&remit.StatusError{Code: 503})
			other := &remit.StatusError{Code: 404}
			inTime(t, func() bool { return errors.Is(err, other) && errors.Is(other, err) })
			inTime(t, func() bool { return errors.Is(err, w.wrap(other)) })
		})
	}
}

func TestClassesAreThemselves(t *testing.T) {
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			for _, k := range kinds {
				if k.class == nil {
					t.Fatalf("%s is nil", k.name)
				}
				if got := kindsOf(t, w.wrap(k.class)); got != k.name {
					t.Errorf("%s is %q", k.name, got)
				}
			}
		})
	}
}

func TestOtherErrorsAreOfNoClass(t *testing.T) {
	for _, w := range wrappings {
		t.Run(w.name, func(t *testing.T) {
			for _, err := range []error{remit.ErrBatch, remit.ErrOption, fs.ErrInvalid, new(remit.Class), context.Canceled} {
				if err == nil {
					t.Fatal("a sentinel is nil")
				}
				if got := kindsOf(t, w.wrap(err)); got != "" {
					t.Errorf("%v is %q", err, got)
				}
			}
		})
	}
}

// answers is a clearing house without a network: the nth request gets the nth
// status, and the last one again from then on.
type answers struct {
	codes []int
	hosts []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.hosts = append(a.hosts, r.URL.Host)
	code := a.codes[min(len(a.hosts), len(a.codes))-1]
	return &http.Response{
		StatusCode: code,
		Header:     http.Header{"Content-Type": {"text/html"}},
		Body:       io.NopCloser(bytes.NewReader([]byte("<html><h1>maintenance</h1></html>"))),
		Request:    r,
	}, nil
}

func linkTo(t *testing.T, host string, a *answers) remit.Link {
	t.Helper()
	link, err := remit.NewHTTPLink("https://"+host+"/v2", &http.Client{Transport: a})
	if err != nil {
		t.Fatalf("NewHTTPLink: %v", err)
	}
	return link
}

func TestClassesOfWhatIsReturnedAboutABatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		codes []int
	}{
		{"maintenance", []int{503}},
		{"fault", []int{500}},
		{"gateway", []int{502}},
		{"rate_limit", []int{429}},
		{"certificate", []int{401}},
		{"blocked", []int{403}},
		{"unknown", []int{404}},
		{"odd", []int{599}},
		{"beyond", []int{600}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := documented(c.codes...)
			link := linkTo(t, "ch.example", &answers{codes: c.codes})
			deliver := func(link remit.Link) error {
				return inTime(t, func() error { return link.Deliver(context.Background(), someBatch(1)) })
			}
			if got := kindsOf(t, deliver(link)); got != want {
				t.Errorf("Deliver: %q, want %q", got, want)
			}
			routes := remit.Routes{linkTo(t, "a.example", &answers{codes: []int{304}}), link}
			if got := kindsOf(t, deliver(routes)); got != want {
				t.Errorf("Routes: %q, want %q", got, want)
			}
			s, _ := hurried(t, link)
			err := trySend(t, s, someBatch(1))
			if got := kindsOf(t, err); got != want {
				t.Errorf("Send: %q, want %q", got, want)
			}
			var status *remit.StatusError
			if !errors.As(err, &status) || status.Code != c.codes[0] {
				t.Errorf("Send: %v does not have the status", err)
			}
			r := sendAll(t, s, context.Background(), someBatch(1))
			if got := kindsOf(t, r.Err); got != want {
				t.Errorf("SendAll: %q, want %q", got, want)
			}
		})
	}
}

func TestAdviceGoesByTheStatus(t *testing.T) {
	const (
		certificate = "renew the certificate of the gate"
		busy        = "wait, the clearing house is busy"
		call        = "call the clearing house"
		modem       = "check the modem at the quay"
		accounting  = "send the batch to accounting"
	)
	status := func(code int) error { return &remit.StatusError{Code: code} }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"unauthorized", status(401), certificate},
		{"forbidden", status(403), certificate},
		{"rate_limit", status(429), busy},
		{"maintenance", status(503), busy},
		{"fault", status(500), call},
		{"odd_fault", status(577), call},
		{"not_found", status(404), accounting},
		{"teapot", status(418), accounting},
		{"redirect", status(302), ""},
		{"beyond", status(600), ""},
		{"refused_and_fault", errors.Join(status(404), status(502)), call},
		{"fault_and_denied", errors.Join(status(502), status(401)), certificate},
		{"refused_and_busy", errors.Join(status(400), status(503)), busy},
		{"refused_and_offline", errors.Join(status(400), remit.Offline), modem},
		{"offline", remit.Offline, modem},
		{"class_alone", fmt.Errorf("modem: %w", remit.Denied), certificate},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range wrappings {
				if got := inTime(t, func() string { return remit.Advice(w.wrap(c.err)) }); got != c.want {
					t.Errorf("%s: %q, want %q", w.name, got, c.want)
				}
			}
		})
	}
}
