package notices_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"
	"time"

	"example.com/brightwater/notices"
)

func TestViewKeepsItsStyleWhenAnotherIsMade(t *testing.T) {
	first := reader{"da", 1, "DKK"}
	for _, tc := range []struct {
		name  string
		later reader
	}{
		{"other_language", reader{"nl", 1, "DKK"}},
		{"other_zone", reader{"da", -9, "DKK"}},
		{"other_currency", reader{"da", 1, "EUR"}},
		{"all_different", reader{"hu", 3, ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verdict(t, func(e *notices.Engine) error {
				vs, err := views(e, []reader{first, tc.later})
				if err != nil {
					return err
				}
				for range 3 {
					if err := first.reads(vs[0].Render, "Ann", 7); err != nil {
						return err
					}
					if err := tc.later.reads(vs[1].Render, "Bob", 809); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestManyOpenViews(t *testing.T) {
	for _, tc := range []struct {
		name string
		n    int
	}{
		{"three", 3},
		{"seventeen", 17},
		{"three_hundred", 300},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verdict(t, func(e *notices.Engine) error {
				rs := crowd(tc.n)
				vs, err := views(e, rs)
				if err != nil {
					return err
				}
				order := rand.New(rand.NewPCG(5, uint64(tc.n))).Perm(tc.n)
				for _, i := range order {
					if err := rs[i].reads(vs[i].Render, fmt.Sprint("R", i), i); err != nil {
						return err
					}
				}
				for i := range tc.n {
					i = tc.n - 1 - i
					if err := rs[i].reads(vs[i].Render, fmt.Sprint("R", i), i); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestViewsMadeBetweenRenderings(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		rs := crowd(40)
		var vs []*notices.View
		for i := range rs {
			v, err := rs[i].view(e)
			if err != nil {
				return err
			}
			vs = append(vs, v)
			for _, k := range []int{0, i / 2, i} {
				if err := rs[k].reads(vs[k].Render, "Ann", i); err != nil {
					return fmt.Errorf("with %d views: %w", i+1, err)
				}
			}
		}
		return nil
	})
}

func TestViewInAnotherZoneLeavesTheFirstAlone(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		home := reader{"fi", 2, "EUR"}
		v, err := home.view(e)
		if err != nil {
			return err
		}
		west, err := v.In(time.FixedZone("west", -5*3600))
		if err != nil {
			return err
		}
		utc, err := west.In(nil)
		if err != nil {
			return err
		}
		for range 2 {
			for _, err := range []error{
				home.reads(v.Render, "Ann", 120),
				reader{"fi", -5, "EUR"}.reads(west.Render, "Ann", 121),
				reader{"fi", 0, "EUR"}.reads(utc.Render, "Ann", 122),
			} {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func TestPreviewStaysInTheHouseStyle(t *testing.T) {
	for _, tc := range []struct {
		name   string
		render bool
	}{
		{"after_a_view_is_made", false},
		{"after_a_view_has_rendered", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verdict(t, func(e *notices.Engine) error {
				for i, r := range crowd(12) {
					if err := houseReader.reads(e.Preview, "nobody", i); err != nil {
						return err
					}
					v, err := r.view(e)
					if err != nil {
						return err
					}
					if tc.render {
						if err := r.reads(v.Render, "Ann", i); err != nil {
							return err
						}
					}
					if err := houseReader.reads(e.Preview, "nobody", i); err != nil {
						return err
					}
					if tc.render {
						if err := r.reads(v.Render, "Ann", i); err != nil {
							return err
						}
					}
				}
				return nil
			})
		})
	}
}

func TestEnginesDoNotShareTheirStyle(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		other := reader{"nl", -3, "GBP"}
		second, err := estate(other.style())
		if err != nil {
			return err
		}
		ann := reader{"da", 1, "DKK"}
		v, err := ann.view(e)
		if err != nil {
			return err
		}
		got, err := second.Preview("plain.tmpl", map[string]any{"Name": "x"})
		if err == nil {
			return fmt.Errorf("a template without its data gives %q", got)
		}
		if err := ann.reads(v.Render, "Ann", 4); err != nil {
			return err
		}
		return houseReader.reads(e.Preview, "nobody", 5)
	})
}

func TestFilesAreReadOnce(t *testing.T) {
	verdict(t, func(*notices.Engine) error {
		files := fstest.MapFS{
			"a.tmpl": {Data: []byte(`{{tr "hi" .}}{{template "b.tmpl"}}`)},
			"b.tmpl": {Data: []byte(`{{tr "sum"}}`)},
		}
		e, err := notices.NewEngine(files, vocabulary(), notices.Style{Language: "en"})
		if err != nil {
			return err
		}
		delete(files, "b.tmpl")
		files["a.tmpl"] = &fstest.MapFile{Data: []byte(`changed {{`)}
		for _, tongue := range []string{"da", "nl"} {
			v, err := e.View(notices.Resident{Style: notices.Style{Language: tongue}})
			if err != nil {
				return err
			}
			got, err := v.Render("a.tmpl", "Ann")
			if want := "<" + tongue + " hi Ann><" + tongue + " sum>"; err != nil || got != want {
				return fmt.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		return nil
	})
}

func TestFailuresOfViews(t *testing.T) {
	verdict(t, func(e *notices.Engine) error {
		sentinels := []error{notices.ErrUnknownLanguage, notices.ErrUnknownTemplate, notices.ErrNoPhrase}
		for _, sentinel := range sentinels {
			if sentinel == nil || errors.Is(errors.New("no paper"), sentinel) {
				return fmt.Errorf("the sentinel %v matches what it should not", sentinel)
			}
		}
		danish := reader{"da", 1, "DKK"}
		v, err := danish.view(e)
		if err != nil {
			return err
		}
		if _, err := e.View(notices.Resident{Style: notices.Style{Language: "xx"}}); !errors.Is(err, notices.ErrUnknownLanguage) {
			return fmt.Errorf("view in xx: %v", err)
		}
		for _, name := range []string{"meter.tmpl", "", "notices"} {
			if _, err := v.Render(name, nil); !errors.Is(err, notices.ErrUnknownTemplate) {
				return fmt.Errorf("template %q: %v", name, err)
			}
		}
		if got, err := v.Render("plain.tmpl", map[string]any{"Name": "x"}); err == nil {
			return fmt.Errorf("a template without its data gives %q", got)
		}
		lost := fstest.MapFS{"a.tmpl": {Data: []byte(`{{tr "lost"}}`)}}
		poor, err := notices.NewEngine(lost, vocabulary(), notices.Style{Language: "en"})
		if err != nil {
			return err
		}
		if v, err = danish.view(poor); err != nil {
			return err
		}
		if _, err := v.Render("a.tmpl", nil); !errors.Is(err, notices.ErrNoPhrase) {
			return fmt.Errorf("missing phrase: %v", err)
		}
		return nil
	})
}
