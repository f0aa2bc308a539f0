package notices

import (
	"text/template"
	"time"
)

// View is the templates as one resident reads them.
type View struct {
	engine *Engine
	style  Style
	set    *template.Template
}

// View returns the templates as r reads them.
func (e *Engine) View(r Resident) (*View, error) {
	return e.viewIn(r.Style)
}

func (e *Engine) viewIn(s Style) (*View, error) {
	if err := e.check(s); err != nil {
		return nil, err
	}
	return &View{engine: e, style: s, set: e.base.Funcs(e.reading(s))}, nil
}

// In returns a view for the same reader whose clocks are those of another zone,
// for notices about a place elsewhere. Nil means UTC.
func (v *View) In(zone *time.Location) (*View, error) {
	s := v.style
	s.Zone = zone
	return v.engine.viewIn(s)
}

// Render renders the named template.
func (v *View) Render(name string, data any) (string, error) {
	return render(v.set, name, data)
}
