package eventbus_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/dockside/eventbus"
)

// patience bounds every step that could hang.
const patience = 4 * time.Second

// start runs body on a goroutine of its own and reports its error, or its panic
// as an error.
func start(body func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := fmt.Errorf("the goroutine exited early")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			done <- err
		}()
		err = body()
	}()
	return done
}

// await waits for a signal or for the error of start.
func await[T any](what string, ch <-chan T) (T, error) {
	select {
	case v := <-ch:
		return v, nil
	case <-time.After(patience):
		var zero T
		return zero, fmt.Errorf("%s: nothing within %v", what, patience)
	}
}

// guard fails the test if body fails, panics or hangs.
func guard(t *testing.T, body func() error) {
	t.Helper()
	err, late := await("test body", start(body))
	if late != nil {
		t.Fatal(late)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// scene is a bus whose handlers write "name:payload" into one record.
type scene struct {
	bus *eventbus.Bus

	mu     sync.Mutex
	record []string
}

// setScene makes a bus with the named subscribers on topic.
func setScene(topic string, names ...string) (*scene, error) {
	s := &scene{bus: eventbus.New()}
	for _, name := range names {
		if err := s.join(name, topic); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *scene) note(name string, ev eventbus.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = append(s.record, fmt.Sprintf("%s:%v", name, ev.Payload))
}

func (s *scene) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.record
	s.record = nil
	return out
}

func (s *scene) join(name, topic string, opts ...eventbus.SubscribeOption) error {
	return s.joinWith(name, topic, func(eventbus.Event) error { return nil }, opts...)
}

// joinWith subscribes a handler that notes the event and then runs act.
func (s *scene) joinWith(name, topic string, act eventbus.Handler, opts ...eventbus.SubscribeOption) error {
	err := s.bus.Subscribe(name, topic, func(ev eventbus.Event) error {
		s.note(name, ev)
		return act(ev)
	}, opts...)
	if err != nil {
		return fmt.Errorf("Subscribe(%q, %q): %w", name, topic, err)
	}
	return nil
}

func (s *scene) toggle(on bool, names ...string) error {
	for _, name := range names {
		if err := s.bus.SetEnabled(name, on); err != nil {
			return fmt.Errorf("SetEnabled(%q, %v): %w", name, on, err)
		}
	}
	return nil
}

// delivers publishes payload and wants exactly these receivers in this order.
func (s *scene) delivers(topic string, payload any, receivers ...string) error {
	n, err := s.bus.Publish(topic, payload)
	if err != nil {
		return fmt.Errorf("Publish(%q, %v): %w", topic, payload, err)
	}
	want := make([]string, 0, len(receivers))
	for _, name := range receivers {
		want = append(want, fmt.Sprintf("%s:%v", name, payload))
	}
	if got := s.taken(); !slices.Equal(got, want) {
		return fmt.Errorf("Publish(%q, %v) delivered %q, want %q", topic, payload, got, want)
	}
	if n != len(receivers) {
		return fmt.Errorf("Publish(%q, %v) = %d, want %d", topic, payload, n, len(receivers))
	}
	return nil
}

// lists wants Subscribers and Disabled to show these names; a name that ends in
// "-" is disabled.
func (s *scene) lists(topic string, marked ...string) error {
	var names, off []string
	for _, m := range marked {
		name, disabled := strings.CutSuffix(m, "-")
		names = append(names, m)
		if disabled {
			off = append(off, m)
		}
		info, err := s.bus.Lookup(name)
		if err != nil {
			return fmt.Errorf("Lookup(%q): %w", name, err)
		}
		if info.Name != name || info.Topic != topic || info.Enabled == disabled {
			return fmt.Errorf("Lookup(%q) = %+v, want topic %q, enabled %v", name, info, topic, !disabled)
		}
	}
	if got := marks(s.bus.Subscribers(topic)); !slices.Equal(got, names) {
		return fmt.Errorf("Subscribers(%q) = %q, want %q", topic, got, names)
	}
	if got := marks(s.bus.Disabled(topic)); !slices.Equal(got, off) {
		return fmt.Errorf("Disabled(%q) = %q, want %q", topic, got, off)
	}
	return nil
}

func marks(infos []eventbus.Info) []string {
	var out []string
	for _, info := range infos {
		name := info.Name
		if !info.Enabled {
			name += "-"
		}
		out = append(out, name)
	}
	return out
}

// without returns names but for those in off.
func without(names []string, off ...string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(off, name) {
			out = append(out, name)
		}
	}
	return out
}

// crew returns n distinct names in an order that sorting by name would change.
func crew(n int) []string {
	names := make([]string, 0, n)
	for i := range n {
		names = append(names, fmt.Sprintf("s%03d", (i*7+5)%1009))
	}
	return names
}

// each runs the steps in order up to the first error.
func each(steps ...func() error) error {
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}
