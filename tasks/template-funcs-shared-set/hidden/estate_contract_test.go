package notices_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"text/template"
	"time"

	"example.com/brightwater/notices"
)

// moment is what every template of these tests is rendered with.
var moment = time.Date(2024, 12, 31, 22, 15, 0, 0, time.UTC)

// tongues are the languages of these tests; each has the phrase "hi" and all
// but the last have "sum". "end" is left to the house language.
var tongues = []string{"en", "da", "nl", "fi", "hu"}

func vocabulary() notices.Phrases {
	p := make(notices.Phrases)
	for _, tongue := range tongues {
		p[tongue] = map[string]string{"hi": "<" + tongue + " hi %s>", "sum": "<" + tongue + " sum>"}
	}
	delete(p["hu"], "sum")
	p["en"]["end"] = "<en end>"
	return p
}

func texts() fstest.MapFS {
	return fstest.MapFS{
		"plain.tmpl":  {Data: []byte(`{{tr "hi" .Name}}{{day .At}} {{clock .At}} {{money .Cents}}{{tr "sum"}}{{tr "end"}}`)},
		"framed.tmpl": {Data: []byte(`{{template "plain.tmpl" .}}`)},
		"named.tmpl":  {Data: []byte(`{{define "inner"}}{{template "framed.tmpl" .}}{{end}}{{range .Once}}{{template "inner" $}}{{end}}`)},
		"gated.tmpl":  {Data: []byte(`{{tr "hi" .Name}}{{gate .Gate}}{{day .At}} {{clock .At}} {{money .Cents}}{{gate .Gate}}{{tr "sum"}}{{tr "end"}}`)},
	}
}

var templates = []string{"plain.tmpl", "framed.tmpl", "named.tmpl", "inner"}

// gate calls what the data brings along, in the middle of a text.
func gate(f func()) string {
	if f != nil {
		f()
	}
	return ""
}

func estate(house notices.Style) (*notices.Engine, error) {
	return notices.NewEngine(texts(), vocabulary(), house, notices.WithHelpers(template.FuncMap{"gate": gate}))
}

func facts(name string, cents int) map[string]any {
	return map[string]any{"Name": name, "At": moment, "Cents": cents, "Once": []int{1}, "Gate": (func())(nil)}
}

// reader is a style with what it should make of moment.
type reader struct {
	tongue   string
	hours    int // east of UTC
	currency string
}

func (r reader) style() notices.Style {
	s := notices.Style{Language: r.tongue, Currency: r.currency}
	if r.hours != 0 {
		s.Zone = time.FixedZone("local", r.hours*3600)
	}
	return s
}

// text is what r should read in the templates for an amount below ten.
func (r reader) text(name string, cents int) string {
	sum := r.tongue
	if sum == "hu" {
		sum = "en"
	}
	at := moment.Add(time.Duration(r.hours) * time.Hour)
	money := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	if r.currency != "" {
		money = r.currency + " " + money
	}
	return fmt.Sprintf("<%s hi %s>%s %s<%s sum><en end>", r.tongue, name, at.Format("2006-01-02 15:04"), money, sum)
}

// crowd returns n readers, all of them different.
func crowd(n int) []reader {
	currencies := []string{"EUR", "DKK", "", "HUF", "GBP", "SEK", "NOK"}
	var rs []reader
	for i := range n {
		rs = append(rs, reader{tongues[i%len(tongues)], i%23 - 11, currencies[i%len(currencies)]})
	}
	return rs
}

// renderer is a view, or Preview.
type renderer func(name string, data any) (string, error)

// reads checks what render makes of each of the templates.
func (r reader) reads(render renderer, name string, cents int) error {
	for _, tmpl := range templates {
		got, err := render(tmpl, facts(name, cents))
		if err != nil {
			return fmt.Errorf("%+v, %s: %w", r, tmpl, err)
		}
		if want := r.text(name, cents); got != want {
			return fmt.Errorf("%+v reads %q in %s, want %q", r, got, tmpl, want)
		}
	}
	return nil
}

func (r reader) view(e *notices.Engine) (*notices.View, error) {
	return e.View(notices.Resident{Name: "R", Style: r.style()})
}

// views makes a view for each reader before any of them is used.
func views(e *notices.Engine, rs []reader) ([]*notices.View, error) {
	var vs []*notices.View
	for _, r := range rs {
		v, err := r.view(e)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// errLate is the error of a body that does not come to an end.
var errLate = errors.New("no result after 8s")

// verdict fails the test if body returns an error, panics or hangs.
func verdict(t *testing.T, body func(e *notices.Engine) error) {
	t.Helper()
	result := aside(func() error {
		e, err := estate(notices.Style{Language: "en", Currency: "XTS"})
		if err != nil {
			return err
		}
		return body(e)
	})
	select {
	case err := <-result:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(8 * time.Second):
		t.Fatal(errLate)
	}
}

// aside runs f on another goroutine.
func aside(f func() error) <-chan error {
	result := make(chan error, 1)
	go func() {
		err := errors.New("ended without a result")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			result <- err
		}()
		err = f()
	}()
	return result
}

// houseReader reads in the house style of the engines that verdict makes.
var houseReader = reader{"en", 0, "XTS"}
