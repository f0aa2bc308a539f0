package tilefeed

// session is the state of a feeder. Only the feeder's run touches it.
type session struct {
	order    Order
	settings Settings
	paused   bool

	slide string
	route route
}

// ready reports whether there is a shot for the next camera.
func (s *session) ready() bool {
	return !s.paused && s.route.left() > 0
}

// shot makes the shot for the next camera.
func (s *session) shot() Shot {
	number, stop := s.route.next()
	return Shot{
		Number:   number,
		Slide:    s.slide,
		Tile:     stop.tile,
		Pass:     stop.pass,
		Settings: s.settings,
	}
}

func (s *session) load(slide Slide) error {
	if s.route.left() > 0 {
		return ErrBusy
	}
	tiles, err := slide.tiles(s.order)
	if err != nil {
		return err
	}
	s.slide = slide.ID
	s.route = newRoute(tiles)
	return nil
}

func (s *session) redo(tiles []Tile) error {
	if s.slide == "" {
		return ErrNoSlide
	}
	return s.route.extend(tiles)
}

func (s *session) eject() (int, error) {
	if s.slide == "" {
		return 0, ErrNoSlide
	}
	dropped := s.route.left()
	s.slide = ""
	s.route = route{}
	return dropped, nil
}

func (s *session) progress() Progress {
	return Progress{
		Slide:  s.slide,
		Handed: s.route.at,
		Left:   s.route.left(),
		Paused: s.paused,
	}
}
