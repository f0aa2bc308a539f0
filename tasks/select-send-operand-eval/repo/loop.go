package tilefeed

// run owns the session. It offers shots and carries out commands until quit is
// closed.
func (f *Feeder) run(s *session) {
	defer close(f.done)
	defer close(f.shots)
	for {
		if !s.ready() {
			select {
			case command := <-f.commands:
				command(s)
			case <-f.quit:
				return
			}
			continue
		}
		select {
		case f.shots <- s.shot():
		case command := <-f.commands:
			command(s)
		case <-f.quit:
			return
		}
	}
}

// do has run carry out a command and returns the command's error.
func (f *Feeder) do(command func(*session) error) error {
	result := make(chan error, 1)
	select {
	case f.commands <- func(s *session) { result <- command(s) }:
		return <-result
	case <-f.done:
		return ErrClosed
	}
}
