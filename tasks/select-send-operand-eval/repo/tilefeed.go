// Package tilefeed decides what the cameras of a slide scanner shoot next.
//
// A slide is scanned tile by tile. Load works out the route over a slide, and
// each of its tiles is then handed out as a Shot on the channel that Shots
// returns. Any number of cameras may receive from it; every shot goes to one of
// them. The tiles come in the order of the route. Redo adds further passes over
// single tiles to the end of it, in the order in which they are asked for.
//
// A shot is handed out when a camera receives it, and not before: a tile that
// merely waits for a camera is still to come. Every tile on the route is handed
// out once, whatever the operator does meanwhile, unless Eject or Close drops
// it. The shots of a slide are numbered 1, 2, 3 and so on as they are handed
// out, without gaps, and carry the settings in force at that moment: a shot
// received after Adjust has returned has the new ones.
//
// All methods may be called at any time and from any goroutine. They take effect
// before they return and do not wait for a camera. Once Pause has returned, no
// shot is received until Resume is called.
//
// Close ends the feeder. When it returns, the channel of shots is closed and
// nothing of the feeder is running any more; all other methods then fail with
// ErrClosed.
package tilefeed

import (
	"errors"
	"sync"
)

// Errors that the methods of Feeder return or wrap.
var (
	ErrClosed   = errors.New("tilefeed: feeder is closed")
	ErrBusy     = errors.New("tilefeed: slide is not finished")
	ErrNoSlide  = errors.New("tilefeed: no slide is loaded")
	ErrSlide    = errors.New("tilefeed: unusable slide")
	ErrTile     = errors.New("tilefeed: tile is not on the slide")
	ErrSettings = errors.New("tilefeed: settings out of range")
)

// Shot tells a camera to take one picture.
type Shot struct {
	Number   int // counts the shots of a slide, from 1
	Slide    string
	Tile     Tile
	Pass     int // 1, or more if the tile is redone
	Settings Settings
}

// Progress says how far a slide is.
type Progress struct {
	Slide  string // empty if no slide is loaded
	Handed int    // shots that were received
	Left   int    // shots still to come
	Paused bool
}

// Feeder hands out the tiles of one slide after the other. Use New to make one.
type Feeder struct {
	shots    chan Shot
	commands chan func(*session)

	closing sync.Once
	quit    chan struct{}
	done    chan struct{}
}

// Option configures a Feeder.
type Option func(*session)

// WithOrder sets the order in which the tiles of a slide are visited. The
// default is Serpentine.
func WithOrder(o Order) Option {
	return func(s *session) { s.order = o }
}

// New starts a feeder that has no slide and is not paused. It begins with
// settings and fails with ErrSettings if they are out of range.
func New(settings Settings, opts ...Option) (*Feeder, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	s := &session{settings: settings}
	for _, opt := range opts {
		opt(s)
	}
	f := &Feeder{
		shots:    make(chan Shot),
		commands: make(chan func(*session)),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	go f.run(s)
	return f, nil
}

// Shots returns the channel on which shots are handed out.
func (f *Feeder) Shots() <-chan Shot {
	return f.shots
}

// Load puts a slide under the cameras. It fails with ErrSlide if there is
// nothing to scan on it and with ErrBusy until all shots of the slide before
// have been handed out or dropped.
func (f *Feeder) Load(slide Slide) error {
	return f.do(func(s *session) error { return s.load(slide) })
}

// Redo asks for another pass over each of the tiles, which may or may not have
// been handed out already. It fails with ErrTile if one is not on the route of
// the slide, and with ErrNoSlide without a slide, and then asks for none.
func (f *Feeder) Redo(tiles ...Tile) error {
	return f.do(func(s *session) error { return s.redo(tiles) })
}

// Adjust changes the settings for all shots still to come. It fails with
// ErrSettings and changes nothing if they are out of range.
func (f *Feeder) Adjust(settings Settings) error {
	if err := settings.check(); err != nil {
		return err
	}
	return f.do(func(s *session) error {
		s.settings = settings
		return nil
	})
}

// Pause stops handing out shots until Resume. Pausing twice is not an error.
func (f *Feeder) Pause() error {
	return f.setPaused(true)
}

// Resume goes on where Pause stopped.
func (f *Feeder) Resume() error {
	return f.setPaused(false)
}

func (f *Feeder) setPaused(paused bool) error {
	return f.do(func(s *session) error {
		s.paused = paused
		return nil
	})
}

// Progress reports on the loaded slide.
func (f *Feeder) Progress() (Progress, error) {
	var p Progress
	err := f.do(func(s *session) error {
		p = s.progress()
		return nil
	})
	return p, err
}

// Eject takes the slide out, finished or not, and returns how many of its shots
// were still to come; they are dropped. It fails with ErrNoSlide without a
// slide.
func (f *Feeder) Eject() (int, error) {
	var dropped int
	err := f.do(func(s *session) (err error) {
		dropped, err = s.eject()
		return err
	})
	return dropped, err
}

// Close ends the feeder and drops what is still to come. Closing twice is not
// an error.
func (f *Feeder) Close() error {
	f.closing.Do(func() { close(f.quit) })
	<-f.done
	return nil
}
