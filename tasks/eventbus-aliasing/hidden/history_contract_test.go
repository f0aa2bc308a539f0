package eventbus_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/dockside/eventbus"
)

// entry is what the model of a history knows of one subscriber.
type entry struct {
	name     string
	topic    string
	priority int
	on       bool
}

// TestBusFollowsItsHistory replays fixed pseudo-random histories against a list
// that is kept in the order of subscription.
func TestBusFollowsItsHistory(t *testing.T) {
	for _, tc := range []struct {
		label      string
		seed       uint64
		priorities int
	}{
		{"equal_priorities", 11, 1},
		{"two_priorities", 23, 2},
		{"many_priorities", 47, 9},
	} {
		t.Run(tc.label, func(t *testing.T) {
			guard(t, func() error { return replay(tc.seed, tc.priorities) })
		})
	}
}

func replay(seed uint64, priorities int) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	topics := []string{"box.in", "box.out"}
	s, err := setScene("")
	if err != nil {
		return err
	}
	var model []entry
	for step := range 600 {
		var err error
		switch roll := rng.IntN(10); {
		case len(model) < 3 || roll == 0 && len(model) < 14:
			e := entry{fmt.Sprintf("n%d", step), topics[rng.IntN(2)], rng.IntN(priorities) - priorities/2, rng.IntN(3) > 0}
			opts := []eventbus.SubscribeOption{eventbus.Priority(e.priority)}
			if !e.on {
				opts = append(opts, eventbus.StartDisabled())
			}
			err = s.join(e.name, e.topic, opts...)
			model = append(model, e)
		case roll == 1:
			i := rng.IntN(len(model))
			err = s.bus.Unsubscribe(model[i].name)
			model = slices.Delete(model, i, i+1)
		case roll < 6:
			e := &model[rng.IntN(len(model))]
			e.on = !e.on
			err = s.toggle(e.on, e.name)
		default:
			topic := topics[rng.IntN(2)]
			var receivers, marked []string
			for _, e := range ordered(model, topic) {
				if e.on {
					receivers = append(receivers, e.name)
					marked = append(marked, e.name)
				} else {
					marked = append(marked, e.name+"-")
				}
			}
			err = each(
				func() error { return s.delivers(topic, step, receivers...) },
				func() error { return s.lists(topic, marked...) },
			)
		}
		if err != nil {
			return fmt.Errorf("history step %d: %w", step, err)
		}
	}
	return nil
}

func ordered(model []entry, topic string) []entry {
	var out []entry
	for _, e := range model {
		if e.topic == topic {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return b.priority - a.priority })
	return out
}
