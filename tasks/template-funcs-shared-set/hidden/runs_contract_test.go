package notices_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/brightwater/notices"
)

// tray collects what is sent and may do something on each occasion.
type tray struct {
	texts []string
	on    func() error
}

func (tr *tray) Send(n notices.Notice) error {
	tr.texts = append(tr.texts, n.Text)
	if tr.on != nil {
		return tr.on()
	}
	return nil
}

func residents(rs []reader) []notices.Resident {
	var list []notices.Resident
	for i, r := range rs {
		list = append(list, notices.Resident{Name: fmt.Sprint("R", i), Style: r.style()})
	}
	return list
}

func share(r notices.Resident) any { return facts(r.Name, 42) }

// posts sends b and checks what arrives.
func posts(b *notices.Batch, rs []reader, tr *tray) error {
	tr.texts = nil
	if n, err := b.Send(tr, share); n != len(rs) || err != nil {
		return fmt.Errorf("Send() = %d, %v, want %d", n, err, len(rs))
	}
	var want []string
	for i, r := range rs {
		want = append(want, r.text(fmt.Sprint("R", i), 42))
	}
	if !slices.Equal(tr.texts, want) {
		return fmt.Errorf("sent %q, want %q", tr.texts, want)
	}
	return nil
}

func TestBatchWritesToEachInTheirStyle(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int
	}{
		{"two", 2},
		{"nine", 9},
		{"two_hundred", 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verdict(t, func(e *notices.Engine) error {
				rs := crowd(tc.n)
				b, err := e.Batch("named.tmpl", residents(rs))
				if err != nil {
					return err
				}
				for range 2 {
					if err := posts(b, rs, &tray{}); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestBatchesPreparedTogether(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		all := crowd(24)
		var batches []*notices.Batch
		for i := range 4 {
			b, err := e.Batch("framed.tmpl", residents(all[i*6:i*6+6]))
			if err != nil {
				return err
			}
			batches = append(batches, b)
		}
		for _, i := range []int{2, 0, 3, 1, 0} {
			if err := posts(batches[i], all[i*6:i*6+6], &tray{}); err != nil {
				return fmt.Errorf("batch %d: %w", i, err)
			}
		}
		return nil
	})
}

func TestViewsUsedDuringARun(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		rs, clerk := crowd(10), reader{"hu", -4, "HUF"}
		open, err := clerk.view(e)
		if err != nil {
			return err
		}
		b, err := e.Batch("plain.tmpl", residents(rs))
		if err != nil {
			return err
		}
		caller := reader{"fi", 9, "SEK"}
		return posts(b, rs, &tray{on: func() error {
			v, err := caller.view(e)
			if err != nil {
				return err
			}
			return errors.Join(
				clerk.reads(open.Render, "clerk", 1),
				caller.reads(v.Render, "caller", 2),
				houseReader.reads(e.Preview, "nobody", 3),
			)
		}})
	})
}

func TestBatchWithABadEntrySendsNothing(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		list := residents(crowd(5))
		list[3].Style.Language = "xx"
		if _, err := e.Batch("plain.tmpl", list); !errors.Is(err, notices.ErrUnknownLanguage) {
			return fmt.Errorf("a list with an unknown language: %v", err)
		}
		if _, err := e.Batch("meter.tmpl", residents(crowd(2))); !errors.Is(err, notices.ErrUnknownTemplate) {
			return fmt.Errorf("an unknown template: %v", err)
		}
		return houseReader.reads(e.Preview, "nobody", 6)
	})
}

// breath is how long a text waits for another goroutine, which may itself have
// to wait for the text to be finished.
const breath = 150 * time.Millisecond

// gated renders with render and lets meanwhile run, on another goroutine, twice
// in the middle of the text.
func gated(r reader, render renderer, meanwhile func() error) error {
	var pending []<-chan error
	data := facts("Ann", 77)
	data["Gate"] = func() {
		result := aside(meanwhile)
		select {
		case err := <-result:
			done := make(chan error, 1)
			done <- err
			result = done
		case <-time.After(breath):
		}
		pending = append(pending, result)
	}
	got, err := render("gated.tmpl", data)
	if err != nil {
		return err
	}
	for _, result := range pending {
		select {
		case err := <-result:
			if err != nil {
				return fmt.Errorf("meanwhile: %w", err)
			}
		case <-time.After(3 * time.Second):
			return errors.New("another goroutine cannot go on after the text is finished")
		}
	}
	if want := r.text("Ann", 77); got != want {
		return fmt.Errorf("%+v reads %q, want %q", r, got, want)
	}
	return nil
}

func TestTextIsOfOneReaderThroughout(t *testing.T) {
	ann, bob := reader{"da", 1, "DKK"}, reader{"nl", -6, "EUR"}
	for _, tc := range []struct {
		name      string
		meanwhile func(e *notices.Engine, v *notices.View) error
	}{
		{"while_a_view_is_made", func(e *notices.Engine, _ *notices.View) error {
			_, err := bob.view(e)
			return err
		}},
		{"while_another_view_renders", func(_ *notices.Engine, v *notices.View) error {
			return bob.reads(v.Render, "Bob", 3)
		}},
		{"while_a_preview_is_rendered", func(e *notices.Engine, _ *notices.View) error {
			return houseReader.reads(e.Preview, "nobody", 3)
		}},
		{"while_a_view_moves", func(_ *notices.Engine, v *notices.View) error {
			_, err := v.In(time.FixedZone("east", 8*3600))
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verdict(t, func(e *notices.Engine) error {
				vs, err := views(e, []reader{ann, bob})
				if err != nil {
					return err
				}
				for range 2 {
					if err := gated(ann, vs[0].Render, func() error { return tc.meanwhile(e, vs[1]) }); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	t.Run("preview_while_a_view_renders", func(t *testing.T) {
		verdict(t, func(e *notices.Engine) error {
			v, err := bob.view(e)
			if err != nil {
				return err
			}
			return gated(houseReader, e.Preview, func() error { return bob.reads(v.Render, "Bob", 3) })
		})
	})
}

func TestReadersOnSeveralGoroutines(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		rs := crowd(6)
		vs, err := views(e, rs)
		if err != nil {
			return err
		}
		var results []<-chan error
		for i := range rs {
			results = append(results, aside(func() error {
				for round := range 40 {
					if err := rs[i].reads(vs[i].Render, "Ann", round); err != nil {
						return err
					}
					v, err := rs[i].view(e)
					if err != nil {
						return err
					}
					if err := rs[i].reads(v.Render, "Bob", round); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		for _, result := range results {
			if err := <-result; err != nil {
				return err
			}
		}
		return nil
	})
}
