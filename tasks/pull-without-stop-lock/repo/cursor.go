package nightlog

import "iter"

// cursor walks a sequence step by step. It closes itself at the end of the
// sequence.
type cursor struct {
	head Exposure // where the cursor stands, once advance has returned true

	next  func() (Exposure, bool)
	close func()
}

// newCursor returns a cursor that stands before the first exposure of seq.
func newCursor(seq iter.Seq[Exposure]) *cursor {
	next, stop := iter.Pull(seq)
	return &cursor{next: next, close: stop}
}

// advance moves to the next exposure, and returns false if there is none.
func (c *cursor) advance() bool {
	e, ok := c.next()
	if !ok {
		c.close()
		return false
	}
	c.head = e
	return true
}
