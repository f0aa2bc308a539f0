// Package eventbus routes events between the components of one process.
//
// A component subscribes to a topic under a name of its own, which is unique on
// the bus. Publish calls the handlers of the topic's enabled subscribers on the
// caller's goroutine, each exactly once: higher priorities first, equal
// priorities in the order in which they subscribed. A handler that fails does
// not keep the event from those after it.
//
// A disabled subscriber stays registered. It keeps its name, its topic and its
// place in the delivery order, misses the events that are published meanwhile,
// and receives again from the first Publish after it is enabled.
//
// A Bus may be used by several goroutines at once, and handlers may call any
// method of the Bus. Publish settles its receivers before it calls the first
// handler: a Subscribe, Unsubscribe or SetEnabled made while it is under way, by
// a handler or by another goroutine, counts from the next Publish, a nested one
// included. A slow handler delays only the Publish that called it.
//
// The slices that Subscribers, Disabled and Recent return are the caller's own.
package eventbus

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// DefaultJournal is how many events a Bus remembers unless WithJournal says
// otherwise.
const DefaultJournal = 128

// Bus is an in-process publish/subscribe router. Use New to make one.
type Bus struct {
	now func() time.Time

	mu      sync.Mutex
	seq     uint64
	journal *journal
	members map[string]*subscription

	// routes holds the subscriptions of each topic in delivery order. Subscribe
	// and Unsubscribe replace a route rather than edit it, so that a Publish
	// under way keeps the one that it started with.
	routes map[string][]*subscription
}

// Option configures a Bus.
type Option func(*Bus)

// WithClock sets the clock that stamps events. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(b *Bus) { b.now = now }
}

// WithJournal sets how many events the Bus remembers for Recent, over all
// topics. Zero or less turns the journal off.
func WithJournal(size int) Option {
	return func(b *Bus) { b.journal = newJournal(size) }
}

// New returns a Bus without subscribers.
func New(opts ...Option) *Bus {
	b := &Bus{
		now:     time.Now,
		journal: newJournal(DefaultJournal),
		members: make(map[string]*subscription),
		routes:  make(map[string][]*subscription),
	}
	for _, opt := range opts {
		opt(b)
	}
	return b
}

// Subscribe registers a handler for the events of topic under name. It fails
// with ErrBadName, ErrBadTopic or ErrNilHandler for a malformed request and with
// ErrDuplicateName if the name is taken, on this topic or another.
func (b *Bus) Subscribe(name, topic string, handle Handler, opts ...SubscribeOption) error {
	s, err := newSubscription(name, topic, handle, opts)
	if err != nil {
		return err
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if _, taken := b.members[name]; taken {
		return fmt.Errorf("%w: %q", ErrDuplicateName, name)
	}
	route := b.routes[topic]
	at := len(route)
	for at > 0 && route[at-1].priority < s.priority {
		at--
	}
	b.routes[topic] = slices.Insert(slices.Clone(route), at, s)
	b.members[name] = s
	return nil
}

// Unsubscribe removes the subscriber called name, which frees the name.
func (b *Bus) Unsubscribe(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.member(name)
	if err != nil {
		return err
	}
	delete(b.members, name)
	rest := slices.DeleteFunc(slices.Clone(b.routes[s.topic]), func(other *subscription) bool {
		return other == s
	})
	if len(rest) == 0 {
		delete(b.routes, s.topic)
		return nil
	}
	b.routes[s.topic] = rest
	return nil
}

// SetEnabled turns the delivery of events to the subscriber called name on or
// off. Setting the state that it already has is not an error.
func (b *Bus) SetEnabled(name string, on bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.member(name)
	if err != nil {
		return err
	}
	s.enabled = on
	return nil
}

// Publish sends payload to the enabled subscribers of topic and returns how many
// of their handlers succeeded. The error joins one *DeliveryError for each
// handler that failed. A topic without subscribers is not an error.
func (b *Bus) Publish(topic string, payload any) (int, error) {
	if err := checkTopic(topic); err != nil {
		return 0, err
	}
	ev, receivers := b.accept(topic, payload)

	delivered := 0
	var failures []error
	for _, s := range receivers {
		if err := s.handle(ev); err != nil {
			failures = append(failures, &DeliveryError{Subscriber: s.name, Event: ev, Err: err})
			continue
		}
		delivered++
	}
	return delivered, errors.Join(failures...)
}

// accept numbers an event, enters it in the journal and settles its receivers.
func (b *Bus) accept(topic string, payload any) (Event, []*subscription) {
	at := b.now()

	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	ev := Event{Seq: b.seq, Topic: topic, At: at, Payload: payload}
	b.journal.add(ev)
	return ev, keep(b.routes[topic], (*subscription).isEnabled)
}

// Lookup describes the subscriber called name.
func (b *Bus) Lookup(name string) (Info, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, err := b.member(name)
	if err != nil {
		return Info{}, err
	}
	return s.info(), nil
}

// Subscribers describes the subscribers of topic, enabled or not, in delivery
// order.
func (b *Bus) Subscribers(topic string) []Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	infos := make([]Info, 0, len(b.routes[topic]))
	for _, s := range b.routes[topic] {
		infos = append(infos, s.info())
	}
	return infos
}

// Disabled describes the disabled subscribers of topic, in delivery order.
func (b *Bus) Disabled(topic string) []Info {
	return keep(b.Subscribers(topic), func(i Info) bool { return !i.Enabled })
}

// Recent returns the events of topic that the journal still holds, oldest first.
func (b *Bus) Recent(topic string) []Event {
	b.mu.Lock()
	events := b.journal.events()
	b.mu.Unlock()
	return keep(events, func(ev Event) bool { return ev.Topic == topic })
}

// member finds a subscription by its name. The caller holds b.mu.
func (b *Bus) member(name string) (*subscription, error) {
	s, ok := b.members[name]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownSubscriber, name)
	}
	return s, nil
}
