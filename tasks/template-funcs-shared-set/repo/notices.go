// Package notices writes to the residents of the Brightwater estates: outages
// of water and heating, meter readings, bills.
//
// # Templates
//
// The texts are text/template files. Besides the functions that text/template
// brings along they may call
//
//	tr KEY ARG...   the phrase KEY with its verbs filled in
//	day TIME        a date
//	clock TIME      a time of day
//	money CENTS     an amount in the currency of the estate
//
// and they may include each other by name. What these functions return depends
// on the reader: phrases come in the reader's language, dates and times in the
// reader's time zone, and amounts in the reader's currency. Templates do not
// say for whom they are.
//
// # Views
//
// A [View] is the templates as one resident reads them. It goes on reading like
// that for as long as it is kept, no matter how many other views are made
// meanwhile or afterwards, from the same [Engine] or from the view itself, and
// no matter what is rendered with them. The office keeps a view open for each
// conversation.
//
// [Engine.Preview] renders for nobody in particular, in the house style that
// the engine was made with. Views do not change it.
//
// An engine, its views and its batches may be used by several goroutines at the
// same time, and so may a single view.
package notices

import (
	"errors"
	"time"
)

var (
	// ErrUnknownLanguage is wrapped by the errors about languages without
	// phrases.
	ErrUnknownLanguage = errors.New("notices: unknown language")
	// ErrUnknownTemplate is wrapped by the errors about names of no template.
	ErrUnknownTemplate = errors.New("notices: unknown template")
	// ErrNoPhrase is wrapped by the errors about phrases that no language has.
	ErrNoPhrase = errors.New("notices: no such phrase")
)

// Style is how a text is to be read.
type Style struct {
	// Language is that of the phrases, like "en".
	Language string
	// Zone is where the reader's clocks are. Nil means UTC.
	Zone *time.Location
	// Currency is put before amounts, like "EUR".
	Currency string
}

// Resident is somebody who gets notices.
type Resident struct {
	Name    string
	Address string
	Style   Style
}
