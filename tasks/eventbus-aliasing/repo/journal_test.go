package eventbus_test

import (
	"slices"
	"testing"

	"example.com/dockside/eventbus"
)

func payloads(events []eventbus.Event) []string {
	var out []string
	for _, ev := range events {
		out = append(out, ev.Payload.(string))
	}
	return out
}

func TestRecentPicksTheEventsOfItsTopic(t *testing.T) {
	bus := eventbus.New()
	publish(t, bus, "crane.idle", "C1", 0)
	publish(t, bus, "berth.free", "B1", 0)
	publish(t, bus, "crane.idle", "C2", 0)
	for range 2 {
		if got, want := payloads(bus.Recent("berth.free")), []string{"B1"}; !slices.Equal(got, want) {
			t.Errorf("Recent(berth.free) = %q, want %q", got, want)
		}
		if got, want := payloads(bus.Recent("crane.idle")), []string{"C1", "C2"}; !slices.Equal(got, want) {
			t.Errorf("Recent(crane.idle) = %q, want %q", got, want)
		}
	}
	if got := bus.Recent("container.landed"); len(got) != 0 {
		t.Errorf("Recent(container.landed) = %v, want none", got)
	}
}

func TestJournalForgetsTheOldest(t *testing.T) {
	bus := eventbus.New(eventbus.WithJournal(3))
	for _, payload := range []string{"C1", "C2", "C3", "C4", "C5"} {
		publish(t, bus, "crane.idle", payload, 0)
	}
	if got, want := payloads(bus.Recent("crane.idle")), []string{"C3", "C4", "C5"}; !slices.Equal(got, want) {
		t.Errorf("Recent = %q, want %q", got, want)
	}
}

func TestJournalCanBeTurnedOff(t *testing.T) {
	bus := eventbus.New(eventbus.WithJournal(0))
	publish(t, bus, "crane.idle", "C1", 0)
	if got := bus.Recent("crane.idle"); len(got) != 0 {
		t.Errorf("Recent = %v, want none", got)
	}
}
