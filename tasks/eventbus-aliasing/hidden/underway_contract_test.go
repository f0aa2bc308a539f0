package eventbus_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/dockside/eventbus"
)

func TestChangesMadeByAHandlerCountFromTheNextPublish(t *testing.T) {
	for _, tc := range []struct {
		label  string
		change func(s *scene) error
		first  []string
		second []string
	}{
		{
			"subscribe",
			func(s *scene) error { return s.join("new", "box.in", eventbus.Priority(-1)) },
			[]string{"lead", "bill", "ship"},
			[]string{"lead", "bill", "ship", "new"},
		},
		{
			"unsubscribe",
			func(s *scene) error { return s.bus.Unsubscribe("bill") },
			[]string{"lead", "bill", "ship"},
			[]string{"lead", "ship"},
		},
		{
			"unsubscribe_itself",
			func(s *scene) error { return s.bus.Unsubscribe("lead") },
			[]string{"lead", "bill", "ship"},
			[]string{"bill", "ship"},
		},
		{
			"disable",
			func(s *scene) error { return s.toggle(false, "bill") },
			[]string{"lead", "bill", "ship"},
			[]string{"lead", "ship"},
		},
		{
			"enable",
			func(s *scene) error { return s.toggle(true, "scan") },
			[]string{"lead", "bill", "ship"},
			[]string{"lead", "scan", "bill", "ship"},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			guard(t, func() error {
				s, err := setScene("box.in")
				if err != nil {
					return err
				}
				lead := func(ev eventbus.Event) error {
					if ev.Payload == 1 {
						return tc.change(s)
					}
					return nil
				}
				steps := []func() error{func() error { return s.joinWith("lead", "box.in", lead) }}
				// The other cases disable nobody before the first event.
				if slices.Contains(tc.second, "scan") {
					steps = append(steps, func() error { return s.join("scan", "box.in", eventbus.StartDisabled()) })
				}
				return each(append(steps,
					func() error { return s.join("bill", "box.in") },
					func() error { return s.join("ship", "box.in") },
					func() error { return s.delivers("box.in", 1, tc.first...) },
					func() error { return s.delivers("box.in", 2, tc.second...) },
				)...)
			})
		})
	}
}

func TestNestedPublishLeavesTheOuterReceiversAlone(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in")
		if err != nil {
			return err
		}
		lead := func(ev eventbus.Event) error {
			if ev.Payload != "outer" {
				return nil
			}
			if err := s.toggle(false, "scan"); err != nil {
				return err
			}
			n, err := s.bus.Publish("box.in", "inner")
			if err == nil && n != 3 {
				err = fmt.Errorf("nested Publish = %d, want 3", n)
			}
			return err
		}
		err = each(
			func() error { return s.joinWith("lead", "box.in", lead) },
			func() error { return s.join("scan", "box.in") },
			func() error { return s.join("bill", "box.in") },
			func() error { return s.join("ship", "box.in") },
		)
		if err != nil {
			return err
		}
		n, err := s.bus.Publish("box.in", "outer")
		if n != 4 || err != nil {
			return fmt.Errorf("Publish = %d, %v, want 4", n, err)
		}
		want := []string{
			"lead:outer", "lead:inner", "bill:inner", "ship:inner",
			"scan:outer", "bill:outer", "ship:outer",
		}
		if got := s.taken(); !slices.Equal(got, want) {
			return fmt.Errorf("delivered %q, want %q", got, want)
		}
		return nil
	})
}

func TestHandlerSeesTheWholeRegistry(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in", "weigh", "scan")
		if err != nil {
			return err
		}
		looked := 0
		look := func(eventbus.Event) error {
			looked++
			return s.lists("box.in", "weigh-", "scan", "lead", "bill-", "ship")
		}
		return each(
			func() error { return s.joinWith("lead", "box.in", look) },
			func() error { return s.join("bill", "box.in") },
			func() error { return s.join("ship", "box.in") },
			func() error { return s.toggle(false, "weigh", "bill") },
			func() error { return s.delivers("box.in", 1, "scan", "lead", "ship") },
			func() error { return s.delivers("box.in", 2, "scan", "lead", "ship") },
			func() error {
				if looked != 2 {
					return fmt.Errorf("the handler ran %d times, want 2", looked)
				}
				return nil
			},
		)
	})
}

// hold makes a handler that, for one payload, reports that it was entered and
// then waits until it is let go.
func hold(payload any) (h eventbus.Handler, entered <-chan struct{}, release func()) {
	in, out := make(chan struct{}, 1), make(chan struct{})
	return func(ev eventbus.Event) error {
		if ev.Payload != payload {
			return nil
		}
		in <- struct{}{}
		_, err := await("release of the handler", out)
		return err
	}, in, sync.OnceFunc(func() { close(out) })
}

func TestPublishUnderWayKeepsTheReceiversItStartedWith(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in")
		if err != nil {
			return err
		}
		h, entered, release := hold("slow")
		defer release()
		err = each(
			func() error { return s.joinWith("lead", "box.in", h) },
			func() error { return s.join("scan", "box.in") },
			func() error { return s.join("bill", "box.in") },
			func() error { return s.join("ship", "box.in") },
		)
		if err != nil {
			return err
		}
		slow := start(func() error {
			n, err := s.bus.Publish("box.in", "slow")
			if err == nil && n != 4 {
				err = fmt.Errorf("Publish = %d, want 4", n)
			}
			return err
		})
		if _, err := await("the first handler", entered); err != nil {
			return err
		}
		s.taken()
		err = each(
			func() error { return s.toggle(false, "scan") },
			func() error { return s.delivers("box.in", "quick", "lead", "bill", "ship") },
			func() error { return s.bus.Unsubscribe("bill") },
			func() error { return s.join("gate", "box.in", eventbus.Priority(3)) },
			func() error { return s.delivers("box.in", "brisk", "gate", "lead", "ship") },
		)
		if err != nil {
			return err
		}
		release()
		failure, err := await("the slow Publish", slow)
		if err != nil {
			return err
		}
		if got, want := s.taken(), []string{"scan:slow", "bill:slow", "ship:slow"}; !slices.Equal(got, want) {
			return fmt.Errorf("the slow Publish went on to %q, want %q", got, want)
		}
		return failure
	})
}

func TestSlowHandlerDelaysOnlyItsOwnPublish(t *testing.T) {
	guard(t, func() error {
		s, err := setScene("box.in")
		if err != nil {
			return err
		}
		h, entered, release := hold("slow")
		defer release()
		err = each(
			func() error { return s.joinWith("lead", "box.in", h) },
			func() error { return s.join("scan", "box.in") },
		)
		if err != nil {
			return err
		}
		slow := start(func() error {
			_, err := s.bus.Publish("box.in", "slow")
			return err
		})
		if _, err := await("the slow handler", entered); err != nil {
			return err
		}
		s.taken()
		meanwhile := start(func() error {
			return each(
				func() error { return s.delivers("box.in", "quick", "lead", "scan") },
				func() error { return s.join("bill", "box.in") },
				func() error { return s.toggle(false, "bill") },
				func() error { return s.delivers("box.in", "brisk", "lead", "scan") },
				func() error { return s.lists("box.in", "lead", "scan", "bill-") },
				func() error { return s.bus.Unsubscribe("bill") },
				func() error {
					if got := s.bus.Recent("box.in"); len(got) != 3 {
						return fmt.Errorf("Recent = %v, want 3 events", got)
					}
					return nil
				},
			)
		})
		failure, err := await("the calls beside a slow handler", meanwhile)
		if err != nil || failure != nil {
			return fmt.Errorf("beside a slow handler: %w", firstOf(err, failure))
		}
		release()
		failure, err = await("the slow Publish", slow)
		return firstOf(err, failure)
	})
}

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestConcurrentPublishesReachEveryEnabledSubscriberOnce(t *testing.T) {
	guard(t, func() error {
		const publishers, rounds = 4, 150
		steady := []string{"scan", "bill", "ship"}
		s, err := setScene("box.in", "shy", "scan", "bill")
		if err != nil {
			return err
		}
		var numbers sync.Map // the Seq of each event that ship received
		number := func(ev eventbus.Event) error {
			numbers.Store(ev.Seq, true)
			return nil
		}
		err = each(
			func() error { return s.joinWith("ship", "box.in", number) },
			func() error { return s.toggle(false, "shy") },
			func() error { return s.delivers("box.in", "before", steady...) },
		)
		if err != nil {
			return err
		}

		var over atomic.Bool
		churn := start(func() error {
			for on := true; !over.Load(); on = !on {
				err := each(
					func() error { return s.toggle(on, "shy") },
					func() error { return s.join("guest", "box.in", eventbus.Priority(5)) },
					func() error { return s.bus.Unsubscribe("guest") },
				)
				if err != nil {
					return err
				}
				runtime.Gosched()
			}
			return nil
		})
		var running []<-chan error
		for p := range publishers {
			running = append(running, start(func() error {
				for r := range rounds {
					n, err := s.bus.Publish("box.in", p*rounds+r)
					if err != nil || n < 3 || n > 5 {
						return fmt.Errorf("Publish = %d, %v, want 3 to 5", n, err)
					}
				}
				return nil
			}))
		}
		var failure error
		for _, done := range running {
			err, late := await("a publisher", done)
			failure = firstOf(failure, late, err)
		}
		over.Store(true)
		err, late := await("the changes beside the publishers", churn)
		if failure = firstOf(failure, late, err); failure != nil {
			return failure
		}

		counts := make(map[string]int)
		for _, line := range s.taken() {
			counts[line]++
		}
		for i := range publishers * rounds {
			for _, name := range steady {
				if n := counts[fmt.Sprintf("%s:%d", name, i)]; n != 1 {
					return fmt.Errorf("%s received event %d %d times, want once", name, i, n)
				}
			}
			for _, name := range []string{"shy", "guest"} {
				if n := counts[fmt.Sprintf("%s:%d", name, i)]; n > 1 {
					return fmt.Errorf("%s received event %d %d times, want at most once", name, i, n)
				}
			}
		}
		for seq := range uint64(publishers*rounds + 1) {
			if _, ok := numbers.Load(seq + 1); !ok {
				return fmt.Errorf("no event was number %d", seq+1)
			}
		}
		return each(
			func() error { return s.toggle(true, "shy") },
			func() error { return s.delivers("box.in", "after", "shy", "scan", "bill", "ship") },
			func() error { return s.lists("box.in", "shy", "scan", "bill", "ship") },
		)
	})
}

func TestConcurrentPublishesAreNumberedWithoutGaps(t *testing.T) {
	guard(t, func() error {
		const publishers, rounds, size = 4, 8000, 5
		bus := eventbus.New(eventbus.WithJournal(size))
		// recent wants consecutive numbers and returns the last event.
		recent := func() (eventbus.Event, error) {
			events := bus.Recent("quay")
			if len(events) != size {
				return eventbus.Event{}, fmt.Errorf("Recent holds %d events, want %d", len(events), size)
			}
			for i, ev := range events[1:] {
				if ev.Seq != events[i].Seq+1 {
					return eventbus.Event{}, fmt.Errorf("event %d follows event %d in the journal", ev.Seq, events[i].Seq)
				}
			}
			return events[size-1], nil
		}
		publish := func(payload string) error {
			n, err := bus.Publish("quay", payload)
			if err == nil && n != 0 {
				err = fmt.Errorf("Publish = %d, want 0", n)
			}
			return err
		}
		for range size {
			if err := publish("early"); err != nil {
				return err
			}
		}

		var over atomic.Bool
		reader := start(func() error {
			for !over.Load() {
				if _, err := recent(); err != nil {
					return err
				}
				runtime.Gosched()
			}
			return nil
		})
		var running []<-chan error
		for range publishers {
			running = append(running, start(func() error {
				for range rounds {
					if err := publish("busy"); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		var failure error
		for _, done := range running {
			err, late := await("a publisher", done)
			failure = firstOf(failure, late, err)
		}
		over.Store(true)
		err, late := await("the reader of the journal", reader)
		if failure = firstOf(failure, late, err); failure != nil {
			return failure
		}
		if err := publish("calm"); err != nil {
			return err
		}
		last, err := recent()
		if err != nil {
			return err
		}
		if want := uint64(size + publishers*rounds + 1); last.Payload != "calm" || last.Seq != want {
			return fmt.Errorf("the last event is %+v, want number %d", last, want)
		}
		return nil
	})
}
