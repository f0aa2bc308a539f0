package eventbus_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/dockside/eventbus"
)

func nop(eventbus.Event) error { return nil }

func TestSubscribeRefusesMalformedRequests(t *testing.T) {
	for _, tc := range []struct {
		label, name, topic string
		handle             eventbus.Handler
		want               error
	}{
		{"no name", "", "container.landed", nop, eventbus.ErrBadName},
		{"no topic", "billing", "", nop, eventbus.ErrBadTopic},
		{"empty word", "billing", "container..landed", nop, eventbus.ErrBadTopic},
		{"trailing dot", "billing", "container.", nop, eventbus.ErrBadTopic},
		{"capital", "billing", "container.Landed", nop, eventbus.ErrBadTopic},
		{"space", "billing", "gate out", nop, eventbus.ErrBadTopic},
		{"no handler", "billing", "container.landed", nil, eventbus.ErrNilHandler},
		{"name taken on the topic", "customs", "container.landed", nop, eventbus.ErrDuplicateName},
		{"name taken on another topic", "customs", "crane.idle", nop, eventbus.ErrDuplicateName},
	} {
		t.Run(tc.label, func(t *testing.T) {
			bus := eventbus.New()
			subscribe(t, bus, "customs", "container.landed", nop)
			if err := bus.Subscribe(tc.name, tc.topic, tc.handle); !errors.Is(err, tc.want) {
				t.Errorf("Subscribe(%q, %q) = %v, want %v", tc.name, tc.topic, err, tc.want)
			}
			if got := bus.Subscribers("container.landed"); len(got) != 1 {
				t.Errorf("Subscribers = %+v, want customs alone", got)
			}
		})
	}
}

func TestPublishRefusesMalformedTopics(t *testing.T) {
	if _, err := eventbus.New().Publish("Container", "MSKU1"); !errors.Is(err, eventbus.ErrBadTopic) {
		t.Errorf("Publish = %v, want %v", err, eventbus.ErrBadTopic)
	}
}

func TestUnknownSubscribers(t *testing.T) {
	bus := eventbus.New()
	_, lookup := bus.Lookup("billing")
	for label, err := range map[string]error{
		"Lookup":      lookup,
		"Unsubscribe": bus.Unsubscribe("billing"),
		"SetEnabled":  bus.SetEnabled("billing", false),
	} {
		if !errors.Is(err, eventbus.ErrUnknownSubscriber) {
			t.Errorf("%s = %v, want %v", label, err, eventbus.ErrUnknownSubscriber)
		}
	}
}

func TestUnsubscribeFreesTheName(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "billing", "container.landed", l.handler("billing"))
	subscribe(t, bus, "customs", "container.landed", l.handler("customs"))
	for _, name := range []string{"billing", "customs"} {
		if err := bus.Unsubscribe(name); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, bus, "container.landed", "MSKU1", 0)
	subscribe(t, bus, "billing", "container.gate-out", l.handler("billing"))
	publish(t, bus, "container.gate-out", "MSKU1", 1)
	expect(t, l, "billing MSKU1")
}

func TestSetEnabledShowsInTheListings(t *testing.T) {
	bus := eventbus.New()
	subscribe(t, bus, "billing", "container.landed", nop)
	subscribe(t, bus, "customs", "container.landed", nop, eventbus.Priority(5))
	subscribe(t, bus, "yard-map", "container.landed", nop)
	for _, name := range []string{"billing", "customs"} {
		if err := bus.SetEnabled(name, false); err != nil {
			t.Fatal(err)
		}
	}
	customs := eventbus.Info{Name: "customs", Topic: "container.landed", Priority: 5}
	billing := eventbus.Info{Name: "billing", Topic: "container.landed"}
	yardMap := eventbus.Info{Name: "yard-map", Topic: "container.landed", Enabled: true}
	if got, want := bus.Subscribers("container.landed"), []eventbus.Info{customs, billing, yardMap}; !slices.Equal(got, want) {
		t.Errorf("Subscribers = %+v, want %+v", got, want)
	}
	if got, want := bus.Disabled("container.landed"), []eventbus.Info{customs, billing}; !slices.Equal(got, want) {
		t.Errorf("Disabled = %+v, want %+v", got, want)
	}

	if err := bus.SetEnabled("customs", true); err != nil {
		t.Fatal(err)
	}
	if got, want := bus.Disabled("container.landed"), []eventbus.Info{billing}; !slices.Equal(got, want) {
		t.Errorf("Disabled = %+v, want %+v", got, want)
	}
}

func TestSubscriberReceivesAfterBeingSwitchedOffAndOn(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "billing", "container.landed", l.handler("billing"))
	subscribe(t, bus, "customs", "container.landed", l.handler("customs"))
	publish(t, bus, "container.landed", "MSKU1", 2)
	expect(t, l, "billing MSKU1", "customs MSKU1")
	for _, on := range []bool{false, false, true} {
		if err := bus.SetEnabled("billing", on); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, bus, "container.landed", "MSKU2", 2)
	expect(t, l, "billing MSKU2", "customs MSKU2")
}

func TestStartDisabledWaitsForSetEnabled(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "billing", "container.landed", l.handler("billing"), eventbus.StartDisabled())
	subscribe(t, bus, "customs", "container.landed", l.handler("customs"))
	if info, err := bus.Lookup("billing"); err != nil || info.Enabled {
		t.Fatalf("Lookup(billing) = %+v, %v, want a disabled subscriber", info, err)
	}
	if err := bus.SetEnabled("billing", true); err != nil {
		t.Fatal(err)
	}
	publish(t, bus, "container.landed", "MSKU1", 2)
	expect(t, l, "billing MSKU1", "customs MSKU1")
}
