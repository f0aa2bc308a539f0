package eventbus_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/dockside/eventbus"
)

// log collects who received what, in the order of the calls.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) handler(name string) eventbus.Handler {
	return func(ev eventbus.Event) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, name+" "+ev.Payload.(string))
		return nil
	}
}

// take returns the lines since the last call.
func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

func subscribe(t *testing.T, bus *eventbus.Bus, name, topic string, h eventbus.Handler, opts ...eventbus.SubscribeOption) {
	t.Helper()
	if err := bus.Subscribe(name, topic, h, opts...); err != nil {
		t.Fatalf("Subscribe(%q): %v", name, err)
	}
}

func publish(t *testing.T, bus *eventbus.Bus, topic string, payload any, want int) {
	t.Helper()
	got, err := bus.Publish(topic, payload)
	if err != nil {
		t.Fatalf("Publish(%q, %v): %v", topic, payload, err)
	}
	if got != want {
		t.Fatalf("Publish(%q, %v) = %d handlers, want %d", topic, payload, got, want)
	}
}

func expect(t *testing.T, l *log, want ...string) {
	t.Helper()
	if got := l.take(); !slices.Equal(got, want) {
		t.Fatalf("received %q, want %q", got, want)
	}
}

func TestPublishReachesEverySubscriberInOrder(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	for _, name := range []string{"billing", "yard-map", "customs"} {
		subscribe(t, bus, name, "container.landed", l.handler(name))
	}
	publish(t, bus, "container.landed", "MSKU1", 3)
	expect(t, l, "billing MSKU1", "yard-map MSKU1", "customs MSKU1")
	publish(t, bus, "container.landed", "MSKU2", 3)
	expect(t, l, "billing MSKU2", "yard-map MSKU2", "customs MSKU2")
}

func TestPublishReachesOnlyItsTopic(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "billing", "container.landed", l.handler("billing"))
	subscribe(t, bus, "gate", "container.gate-out", l.handler("gate"))
	publish(t, bus, "container.gate-out", "MSKU1", 1)
	expect(t, l, "gate MSKU1")
	publish(t, bus, "crane.idle", "C4", 0)
	expect(t, l)
}

func TestPublishFollowsPriority(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "billing", "container.landed", l.handler("billing"))
	subscribe(t, bus, "customs", "container.landed", l.handler("customs"), eventbus.Priority(10))
	subscribe(t, bus, "archive", "container.landed", l.handler("archive"), eventbus.Priority(-1))
	subscribe(t, bus, "yard-map", "container.landed", l.handler("yard-map"))
	subscribe(t, bus, "veterinary", "container.landed", l.handler("veterinary"), eventbus.Priority(10))
	publish(t, bus, "container.landed", "MSKU1", 5)
	expect(t, l, "customs MSKU1", "veterinary MSKU1", "billing MSKU1", "yard-map MSKU1", "archive MSKU1")
}

func TestPublishJoinsTheErrorsOfHandlers(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	errLedger := errors.New("ledger is read-only")
	subscribe(t, bus, "billing", "container.landed", func(eventbus.Event) error { return errLedger })
	subscribe(t, bus, "customs", "container.landed", l.handler("customs"))

	n, err := bus.Publish("container.landed", "MSKU1")
	if n != 1 {
		t.Errorf("Publish = %d handlers, want 1", n)
	}
	if !errors.Is(err, errLedger) {
		t.Errorf("Publish error %v does not wrap %v", err, errLedger)
	}
	var failed *eventbus.DeliveryError
	if !errors.As(err, &failed) {
		t.Fatalf("Publish error %T holds no *DeliveryError", err)
	}
	if failed.Subscriber != "billing" || failed.Event.Seq != 1 {
		t.Errorf("DeliveryError names %q and event %d, want billing and 1", failed.Subscriber, failed.Event.Seq)
	}
	if want := `eventbus: deliver #1 on container.landed to "billing": ledger is read-only`; err.Error() != want {
		t.Errorf("Publish error %q, want %q", err, want)
	}
	expect(t, l, "customs MSKU1")
}

func TestPublishStampsEvents(t *testing.T) {
	now := time.Date(2025, 3, 14, 6, 0, 0, 0, time.UTC)
	bus := eventbus.New(eventbus.WithClock(func() time.Time { return now }))
	var got []eventbus.Event
	subscribe(t, bus, "billing", "container.landed", func(ev eventbus.Event) error {
		got = append(got, ev)
		return nil
	})
	publish(t, bus, "container.landed", "MSKU1", 1)
	now = now.Add(time.Minute)
	publish(t, bus, "container.landed", "MSKU2", 1)
	want := []eventbus.Event{
		{Seq: 1, Topic: "container.landed", At: now.Add(-time.Minute), Payload: "MSKU1"},
		{Seq: 2, Topic: "container.landed", At: now, Payload: "MSKU2"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestHandlersMayChangeTheBus(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "pilot", "berth.free", func(ev eventbus.Event) error {
		if ev.Payload != "B1" {
			return l.handler("pilot")(ev)
		}
		subscribe(t, bus, "tug", "berth.free", l.handler("tug"))
		if err := bus.Unsubscribe("mooring"); err != nil {
			t.Error(err)
		}
		return l.handler("pilot")(ev)
	})
	subscribe(t, bus, "mooring", "berth.free", l.handler("mooring"))
	publish(t, bus, "berth.free", "B1", 2)
	expect(t, l, "pilot B1", "mooring B1")
	publish(t, bus, "berth.free", "B2", 2)
	expect(t, l, "pilot B2", "tug B2")
}

func TestHandlerThatDisablesALaterSubscriberCountsFromTheNextPublish(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "pilot", "berth.free", func(ev eventbus.Event) error {
		if err := bus.SetEnabled("mooring", false); err != nil {
			t.Error(err)
		}
		return l.handler("pilot")(ev)
	})
	subscribe(t, bus, "mooring", "berth.free", l.handler("mooring"))
	publish(t, bus, "berth.free", "B1", 2)
	expect(t, l, "pilot B1", "mooring B1")
	if info, err := bus.Lookup("mooring"); err != nil || info.Enabled {
		t.Errorf("Lookup(mooring) = %+v, %v, want a disabled subscriber", info, err)
	}
}

func TestHandlersMayPublish(t *testing.T) {
	bus, l := eventbus.New(), &log{}
	subscribe(t, bus, "crane", "container.landed", func(ev eventbus.Event) error {
		publish(t, bus, "crane.idle", ev.Payload, 1)
		return l.handler("crane")(ev)
	})
	subscribe(t, bus, "planner", "crane.idle", l.handler("planner"))
	publish(t, bus, "container.landed", "MSKU1", 1)
	expect(t, l, "planner MSKU1", "crane MSKU1")
}

func TestBusServesSeveralGoroutines(t *testing.T) {
	const rounds = 50
	bus := eventbus.New(eventbus.WithJournal(1000))
	cranes := []string{"c1", "c2", "c3", "c4"}
	var wg sync.WaitGroup
	for _, crane := range cranes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			received := 0
			count := func(eventbus.Event) error {
				received++
				return nil
			}
			for range rounds {
				if err := bus.Subscribe(crane, "crane."+crane, count); err != nil {
					t.Error(err)
				}
				if n, err := bus.Publish("crane."+crane, "moved"); n != 1 || err != nil {
					t.Errorf("Publish = %d, %v, want 1", n, err)
				}
				if err := bus.Unsubscribe(crane); err != nil {
					t.Error(err)
				}
			}
			if received != rounds {
				t.Errorf("%s received %d events, want %d", crane, received, rounds)
			}
		}()
	}
	wg.Wait()

	seen := make(map[uint64]bool)
	for _, crane := range cranes {
		for _, ev := range bus.Recent("crane." + crane) {
			seen[ev.Seq] = true
		}
	}
	if len(seen) != len(cranes)*rounds {
		t.Errorf("%d different events, want %d", len(seen), len(cranes)*rounds)
	}
}
