package notices

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"text/template"
	"time"
)

// Engine holds the templates. They are read once, when it is made.
type Engine struct {
	phrases Phrases
	house   Style
	helpers template.FuncMap
	base    *template.Template
}

// Option configures an Engine.
type Option func(*Engine)

// WithHelpers lets templates call functions besides those of this package. They
// are the same for all readers, and are called by several goroutines if several
// of them render.
func WithHelpers(helpers template.FuncMap) Option {
	return func(e *Engine) { maps.Copy(e.helpers, helpers) }
}

// NewEngine reads the files of files that match the pattern "*.tmpl". A
// template has the name of its file. Phrases that the language of a reader
// lacks are taken from that of house, which must be known.
func NewEngine(files fs.FS, phrases Phrases, house Style, opts ...Option) (*Engine, error) {
	e := &Engine{phrases: phrases, house: house, helpers: make(template.FuncMap)}
	for _, opt := range opts {
		opt(e)
	}
	if err := e.check(house); err != nil {
		return nil, err
	}
	base := template.New("notices").Funcs(e.helpers).Funcs(e.reading(house))
	base, err := base.ParseFS(files, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("notices: %w", err)
	}
	e.base = base
	return e, nil
}

// Preview renders the named template in the house style.
func (e *Engine) Preview(name string, data any) (string, error) {
	return render(e.base, name, data)
}

// check reports a language that e has no phrases in.
func (e *Engine) check(s Style) error {
	if _, ok := e.phrases[s.Language]; !ok {
		return fmt.Errorf("%w: %q", ErrUnknownLanguage, s.Language)
	}
	return nil
}

// reading returns the functions that depend on the reader.
func (e *Engine) reading(s Style) template.FuncMap {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	return template.FuncMap{
		"tr": func(key string, args ...any) (string, error) {
			phrase, err := e.phrases.Find(key, s.Language, e.house.Language)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf(phrase, args...), nil
		},
		"day":   func(at time.Time) string { return at.In(zone).Format("2006-01-02") },
		"clock": func(at time.Time) string { return at.In(zone).Format("15:04") },
		"money": func(cents int) string { return amount(s.Currency, cents) },
	}
}

// render runs a template of set.
func render(set *template.Template, name string, data any) (string, error) {
	t := set.Lookup(name)
	if t == nil {
		return "", fmt.Errorf("%w: %q", ErrUnknownTemplate, name)
	}
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return "", fmt.Errorf("notices: %w", err)
	}
	return text.String(), nil
}
