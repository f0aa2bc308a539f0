package eventbus

import "fmt"

// Handler receives the events of a topic. Handlers of concurrent Publish calls
// run concurrently.
type Handler func(Event) error

// Info describes a subscriber.
type Info struct {
	Name     string
	Topic    string
	Priority int
	Enabled  bool
}

// SubscribeOption configures one subscription.
type SubscribeOption func(*subscription)

// Priority moves a subscriber ahead of those of its topic with a lower priority.
// The default is zero.
func Priority(p int) SubscribeOption {
	return func(s *subscription) { s.priority = p }
}

// StartDisabled registers a subscriber that receives nothing until SetEnabled
// turns it on.
func StartDisabled() SubscribeOption {
	return func(s *subscription) { s.enabled = false }
}

// subscription is one entry of the registry. All fields but enabled are fixed
// once it is registered; enabled belongs to the mutex of the Bus.
type subscription struct {
	name     string
	topic    string
	handle   Handler
	priority int
	enabled  bool
}

func newSubscription(name, topic string, handle Handler, opts []SubscribeOption) (*subscription, error) {
	if name == "" {
		return nil, ErrBadName
	}
	if err := checkTopic(topic); err != nil {
		return nil, err
	}
	if handle == nil {
		return nil, fmt.Errorf("%w: %q", ErrNilHandler, name)
	}
	s := &subscription{name: name, topic: topic, handle: handle, enabled: true}
	for _, opt := range opts {
		opt(s)
	}
	return s, nil
}

func (s *subscription) isEnabled() bool { return s.enabled }

func (s *subscription) info() Info {
	return Info{Name: s.name, Topic: s.topic, Priority: s.priority, Enabled: s.enabled}
}
