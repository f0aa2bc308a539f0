package eventbus

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors that the methods of Bus wrap.
var (
	ErrBadName           = errors.New("eventbus: empty subscriber name")
	ErrBadTopic          = errors.New("eventbus: malformed topic")
	ErrNilHandler        = errors.New("eventbus: nil handler")
	ErrDuplicateName     = errors.New("eventbus: subscriber name is taken")
	ErrUnknownSubscriber = errors.New("eventbus: unknown subscriber")
)

// Event is what a handler receives.
type Event struct {
	Seq     uint64 // counts the events of one Bus, from 1
	Topic   string
	At      time.Time
	Payload any
}

// DeliveryError reports a handler that failed.
type DeliveryError struct {
	Subscriber string
	Event      Event
	Err        error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("eventbus: deliver #%d on %s to %q: %v", e.Event.Seq, e.Event.Topic, e.Subscriber, e.Err)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// checkTopic accepts dot-separated words of lower-case letters, digits and
// hyphens, such as "container.gate-out".
func checkTopic(topic string) error {
	for word := range strings.SplitSeq(topic, ".") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return fmt.Errorf("%w: %q", ErrBadTopic, topic)
		}
	}
	return nil
}
