package eventbus_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/dockside/eventbus"
)

// places are positions in a route of four.
var places = []struct {
	label string
	at    int
}{
	{"first_of_four", 0},
	{"second_of_four", 1},
	{"third_of_four", 2},
	{"last_of_four", 3},
}

func TestReenabledSubscriberReceivesAgainInItsPlace(t *testing.T) {
	for _, place := range places {
		t.Run(place.label, func(t *testing.T) {
			guard(t, func() error {
				names := []string{"weigh", "scan", "bill", "ship"}
				s, err := setScene("box.in", names...)
				if err != nil {
					return err
				}
				off := names[place.at]
				return each(
					func() error { return s.toggle(false, off) },
					func() error { return s.delivers("box.in", 1, without(names, off)...) },
					func() error { return s.toggle(true, off) },
					func() error { return s.delivers("box.in", 2, names...) },
					func() error { return s.delivers("box.in", 3, names...) },
				)
			})
		})
	}
}

func TestOthersReceiveEachEventOnceWhileOneIsDisabled(t *testing.T) {
	for _, place := range places {
		t.Run(place.label, func(t *testing.T) {
			guard(t, func() error {
				names := []string{"weigh", "scan", "bill", "ship"}
				s, err := setScene("box.in", names...)
				if err != nil {
					return err
				}
				off := names[place.at]
				if err := s.toggle(false, off); err != nil {
					return err
				}
				for i := range 5 {
					if err := s.delivers("box.in", i, without(names, off)...); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestEverySubsetCanBeDisabledAndResume(t *testing.T) {
	for _, tc := range []struct {
		label string
		size  int
	}{
		{"of_two", 2},
		{"of_three", 3},
		{"of_five", 5},
		{"of_nine", 9},
	} {
		t.Run(tc.label, func(t *testing.T) {
			guard(t, func() error {
				names := crew(tc.size)
				for mask := range 1 << tc.size {
					var off, marked []string
					for i, name := range names {
						if mask>>i&1 == 1 {
							off = append(off, name)
							name += "-"
						}
						marked = append(marked, name)
					}
					s, err := setScene("box.in", names...)
					if err != nil {
						return err
					}
					err = each(
						func() error { return s.toggle(false, off...) },
						func() error { return s.delivers("box.in", 1, without(names, off...)...) },
						func() error { return s.lists("box.in", marked...) },
						func() error { return s.delivers("box.in", 2, without(names, off...)...) },
						func() error { return s.toggle(true, off...) },
						func() error { return s.lists("box.in", names...) },
						func() error { return s.delivers("box.in", 3, names...) },
					)
					if err != nil {
						return fmt.Errorf("%q disabled: %w", off, err)
					}
				}
				return nil
			})
		})
	}
}

func TestDisablingIsRepeatableOnOneBus(t *testing.T) {
	guard(t, func() error {
		names := crew(6)
		s, err := setScene("box.in", names...)
		if err != nil {
			return err
		}
		for round := range 30 {
			off := []string{names[round%6], names[(round*5+2)%6]}
			err := each(
				func() error { return s.toggle(false, off...) },
				func() error { return s.delivers("box.in", round, without(names, off...)...) },
				func() error { return s.toggle(true, off...) },
			)
			if err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return s.delivers("box.in", "end", names...)
	})
}

func TestLongRouteKeepsEverySubscriber(t *testing.T) {
	guard(t, func() error {
		names := crew(700)
		var off []string
		for i, name := range names {
			if i%3 == 1 {
				off = append(off, name)
			}
		}
		s, err := setScene("box.in", names...)
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, off...) },
			func() error { return s.delivers("box.in", 1, without(names, off...)...) },
			func() error { return s.delivers("box.in", 2, without(names, off...)...) },
			func() error { return s.toggle(true, off...) },
			func() error { return s.delivers("box.in", 3, names...) },
		)
	})
}

func TestListingsStillShowADisabledSubscriberAfterAPublish(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan", "bill")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "weigh") },
			func() error { return s.delivers("box.in", 1, "scan", "bill") },
			func() error { return s.lists("box.in", "weigh-", "scan", "bill") },
			func() error { return s.toggle(false, "scan") },
			func() error { return s.delivers("box.in", 2, "bill") },
			func() error { return s.lists("box.in", "weigh-", "scan-", "bill") },
		)
	})
}

func TestSubscriberThatStartsDisabledKeepsItsPlace(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.join("scan", "box.in", eventbus.StartDisabled()) },
			func() error { return s.join("bill", "box.in") },
			func() error { return s.delivers("box.in", 1, "weigh", "bill") },
			func() error { return s.delivers("box.in", 2, "weigh", "bill") },
			func() error { return s.toggle(true, "scan") },
			func() error { return s.delivers("box.in", 3, "weigh", "scan", "bill") },
		)
	})
}

func TestPrioritiesHoldAroundDisabledSubscribers(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "plain", "second")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.join("urgent", "box.in", eventbus.Priority(900)) },
			func() error { return s.join("late", "box.in", eventbus.Priority(-40)) },
			func() error { return s.join("rival", "box.in", eventbus.Priority(900)) },
			func() error { return s.toggle(false, "urgent", "plain") },
			func() error { return s.delivers("box.in", 1, "rival", "second", "late") },
			func() error { return s.join("soon", "box.in", eventbus.Priority(17)) },
			func() error { return s.delivers("box.in", 2, "rival", "soon", "second", "late") },
			func() error { return s.toggle(true, "plain", "urgent") },
			func() error { return s.delivers("box.in", 3, "urgent", "rival", "soon", "plain", "second", "late") },
			func() error { return s.lists("box.in", "urgent", "rival", "soon", "plain", "second", "late") },
		)
	})
}

func TestSubscribeWhileAnotherIsDisabledAddsOneReceiver(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "weigh") },
			func() error { return s.delivers("box.in", 1, "scan") },
			func() error { return s.join("bill", "box.in") },
			func() error { return s.delivers("box.in", 2, "scan", "bill") },
			func() error { return s.toggle(true, "weigh") },
			func() error { return s.delivers("box.in", 3, "weigh", "scan", "bill") },
		)
	})
}

func TestUnsubscribeWhileAnotherIsDisabledRemovesOneReceiver(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan", "bill", "ship")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "scan") },
			func() error { return s.delivers("box.in", 1, "weigh", "bill", "ship") },
			func() error { return s.bus.Unsubscribe("bill") },
			func() error { return s.delivers("box.in", 2, "weigh", "ship") },
			func() error { return s.lists("box.in", "weigh", "scan-", "ship") },
			func() error { return s.toggle(true, "scan") },
			func() error { return s.delivers("box.in", 3, "weigh", "scan", "ship") },
		)
	})
}

func TestDisabledSubscriberCanLeaveAndReturn(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan", "bill")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "weigh") },
			func() error { return s.delivers("box.in", 1, "scan", "bill") },
			func() error { return s.bus.Unsubscribe("weigh") },
			func() error { return s.delivers("box.in", 2, "scan", "bill") },
			func() error { return s.join("weigh", "box.in") },
			func() error { return s.delivers("box.in", 3, "scan", "bill", "weigh") },
		)
	})
}

func TestDisabledSubscriberMissesEventsForGood(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "scan") },
			func() error { return s.delivers("box.in", 1, "weigh") },
			func() error { return s.delivers("box.in", 2, "weigh") },
			func() error { return s.toggle(true, "scan", "scan") },
			func() error { return s.delivers("box.in", 3, "weigh", "scan") },
		)
	})
}

func TestTopicWithEveryoneDisabledDeliversToNobody(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.toggle(false, "weigh", "scan") },
			func() error { return s.delivers("box.in", 1) },
			func() error { return s.lists("box.in", "weigh-", "scan-") },
			func() error { return s.toggle(true, "scan", "weigh") },
			func() error { return s.delivers("box.in", 2, "weigh", "scan") },
		)
	})
}

func TestDisablingOnOneTopicLeavesOthersAlone(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan", "bill")
		if err != nil {
			return err
		}
		return each(
			func() error { return s.join("gate", "box.out") },
			func() error { return s.join("seal", "box.out") },
			func() error { return s.toggle(false, "scan") },
			func() error { return s.delivers("box.in", 1, "weigh", "bill") },
			func() error { return s.delivers("box.out", 2, "gate", "seal") },
			func() error { return s.lists("box.out", "gate", "seal") },
		)
	})
}

func TestFailingHandlerIsReportedAndTheRestReceive(t *testing.T) {
	guard(t, func() error {
		errA, errB := errors.New("scale is out of order"), errors.New("ledger is locked")
		s, err := setScene("box.in")
		if err != nil {
			return err
		}
		err = each(
			func() error {
				return s.joinWith("weigh", "box.in", func(eventbus.Event) error { return errA })
			},
			func() error { return s.join("scan", "box.in") },
			func() error {
				return s.joinWith("bill", "box.in", func(eventbus.Event) error { return errB })
			},
			func() error { return s.join("ship", "box.in") },
			func() error { return s.toggle(false, "ship") },
		)
		if err != nil {
			return err
		}
		n, err := s.bus.Publish("box.in", 1)
		if n != 1 {
			return fmt.Errorf("Publish = %d, want 1", n)
		}
		if !errors.Is(err, errA) || !errors.Is(err, errB) {
			return fmt.Errorf("Publish error %v, want both %v and %v", err, errA, errB)
		}
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) != 2 {
			return fmt.Errorf("Publish error %#v, want two joined errors", err)
		}
		for i, name := range []string{"weigh", "bill"} {
			var failed *eventbus.DeliveryError
			if !errors.As(joined.Unwrap()[i], &failed) || failed.Subscriber != name || failed.Event.Payload != 1 {
				return fmt.Errorf("failure %d is %#v, want a *DeliveryError of %q", i, joined.Unwrap()[i], name)
			}
		}
		if got, want := s.taken(), []string{"weigh:1", "scan:1", "bill:1"}; !slices.Equal(got, want) {
			return fmt.Errorf("delivered %q, want %q", got, want)
		}
		return nil
	})
}

func TestReturnedListingsBelongToTheCaller(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan", "bill")
		if err != nil {
			return err
		}
		if err := s.toggle(false, "bill", "scan"); err != nil {
			return err
		}
		for i := range 3 {
			if err := s.delivers("box.in", i, "weigh"); err != nil {
				return err
			}
		}
		for range 3 {
			if err := s.lists("box.in", "weigh", "scan-", "bill-"); err != nil {
				return err
			}
			events := s.bus.Recent("box.in")
			if len(events) != 3 {
				return fmt.Errorf("Recent = %v, want 3 events", events)
			}
			for i, ev := range events {
				if ev.Payload != i || ev.Seq != uint64(i+1) || ev.Topic != "box.in" {
					return fmt.Errorf("Recent = %v, want payloads 0, 1, 2", events)
				}
			}
			clear(events)
			_ = append(events[:0], eventbus.Event{Topic: "box.in"}, eventbus.Event{Topic: "box.in"})
			clear(s.bus.Subscribers("box.in"))
			clear(s.bus.Disabled("box.in"))
		}
		return s.delivers("box.in", 3, "weigh")
	})
}

func TestJournalHoldsEventsOfEveryTopicWhoeverReceives(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan")
		if err != nil {
			return err
		}
		topics := []string{"box.in", "box.out", "box.in", "crane", "box.out", "box.in"}
		if err := s.toggle(false, "scan", "weigh"); err != nil {
			return err
		}
		for i, topic := range topics {
			if err := s.delivers(topic, i); err != nil {
				return err
			}
		}
		for range 2 {
			for topic, want := range map[string][]int{"box.in": {0, 2, 5}, "box.out": {1, 4}, "crane": {3}, "quay": nil} {
				var got []int
				for _, ev := range s.bus.Recent(topic) {
					got = append(got, ev.Payload.(int))
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("Recent(%q) = %v, want %v", topic, got, want)
				}
			}
		}
		return nil
	})
}

func TestErrorsTellTheirCausesApart(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh")
		if err != nil {
			return err
		}
		ok := func(eventbus.Event) error { return nil }
		_, badTopic := s.bus.Publish("Box In", 1)
		_, lookup := s.bus.Lookup("scan")
		sentinels := []error{
			eventbus.ErrBadName, eventbus.ErrBadTopic, eventbus.ErrNilHandler,
			eventbus.ErrDuplicateName, eventbus.ErrUnknownSubscriber,
		}
		for i, sentinel := range sentinels {
			if sentinel == nil {
				return fmt.Errorf("sentinel %d is nil", i)
			}
			if errors.Is(errors.New("unrelated"), sentinel) {
				return fmt.Errorf("an unrelated error matches %v", sentinel)
			}
		}
		for _, tc := range []struct {
			what string
			got  error
			want error
		}{
			{"Subscribe without a name", s.bus.Subscribe("", "box.in", ok), eventbus.ErrBadName},
			{"Subscribe to a malformed topic", s.bus.Subscribe("scan", "box in", ok), eventbus.ErrBadTopic},
			{"Subscribe without a handler", s.bus.Subscribe("scan", "box.in", nil), eventbus.ErrNilHandler},
			{"Subscribe twice", s.bus.Subscribe("weigh", "box.in", ok), eventbus.ErrDuplicateName},
			{"Publish on a malformed topic", badTopic, eventbus.ErrBadTopic},
			{"Lookup of a stranger", lookup, eventbus.ErrUnknownSubscriber},
			{"SetEnabled of a stranger", s.bus.SetEnabled("scan", true), eventbus.ErrUnknownSubscriber},
			{"Unsubscribe of a stranger", s.bus.Unsubscribe("scan"), eventbus.ErrUnknownSubscriber},
		} {
			for _, sentinel := range sentinels {
				if got, want := errors.Is(tc.got, sentinel), sentinel == tc.want; got != want {
					return fmt.Errorf("%s: %v matches %v: %v, want %v", tc.what, tc.got, sentinel, got, want)
				}
			}
		}
		return s.delivers("box.in", 1, "weigh")
	})
}
