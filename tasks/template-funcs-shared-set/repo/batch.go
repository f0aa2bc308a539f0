package notices

import (
	"errors"
	"fmt"
)

// Notice is a text on its way to a resident.
type Notice struct {
	Resident Resident
	Text     string
}

// Sender delivers notices.
type Sender interface {
	Send(Notice) error
}

// Batch is one notice for many residents.
type Batch struct {
	template string
	letters  []letter
}

type letter struct {
	to   Resident
	view *View
}

// Batch prepares the named template for residents. If one of them cannot be
// written to, it returns an error that says why, and nothing can be sent, so
// that no run ends half-way because of an entry in the address list.
func (e *Engine) Batch(name string, residents []Resident) (*Batch, error) {
	if e.base.Lookup(name) == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknownTemplate, name)
	}
	b := &Batch{template: name}
	var errs []error
	for _, r := range residents {
		v, err := e.View(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("resident %q: %w", r.Name, err))
			continue
		}
		b.letters = append(b.letters, letter{r, v})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return b, nil
}

// Send renders and sends the notices in the order of the residents, with what
// data returns for each. One that fails does not keep the others from being
// sent. It returns how many were sent and the joined errors of the rest.
func (b *Batch) Send(s Sender, data func(Resident) any) (int, error) {
	sent := 0
	var errs []error
	for _, l := range b.letters {
		text, err := l.view.Render(b.template, data(l.to))
		if err == nil {
			err = s.Send(Notice{Resident: l.to, Text: text})
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("resident %q: %w", l.to.Name, err))
			continue
		}
		sent++
	}
	return sent, errors.Join(errs...)
}
