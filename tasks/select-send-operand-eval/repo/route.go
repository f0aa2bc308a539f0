package tilefeed

import "fmt"

// stop is one visit to a tile.
type stop struct {
	tile Tile
	pass int
}

// route lists the stops over a slide. The zero route has none.
type route struct {
	stops  []stop
	at     int          // how many stops are behind us
	passes map[Tile]int // stops at each tile, behind us or ahead
}

func newRoute(tiles []Tile) route {
	r := route{
		stops:  make([]stop, 0, len(tiles)),
		passes: make(map[Tile]int, len(tiles)),
	}
	for _, t := range tiles {
		r.add(t)
	}
	return r
}

// left returns how many stops are ahead.
func (r *route) left() int {
	return len(r.stops) - r.at
}

// next returns the stop ahead, with its number along the route. There must be
// one.
func (r *route) next() (int, stop) {
	ahead := r.stops[r.at]
	r.at++
	return r.at, ahead
}

// extend appends another stop for each of the tiles, all of which must be on
// the route.
func (r *route) extend(tiles []Tile) error {
	for _, t := range tiles {
		if r.passes[t] == 0 {
			return fmt.Errorf("%w: %v", ErrTile, t)
		}
	}
	for _, t := range tiles {
		r.add(t)
	}
	return nil
}

func (r *route) add(t Tile) {
	r.passes[t]++
	r.stops = append(r.stops, stop{tile: t, pass: r.passes[t]})
}
