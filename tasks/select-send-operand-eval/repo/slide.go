package tilefeed

import (
	"fmt"
	"strings"
)

// Tile is a place on a slide. Rows and columns count from 0.
type Tile struct {
	Row, Col int
}

func (t Tile) String() string {
	return fmt.Sprintf("r%dc%d", t.Row, t.Col)
}

// Order is a way to visit the tiles of a slide.
type Order int

const (
	// Serpentine goes along even rows by ascending and along odd rows by
	// descending column, which keeps the stage from travelling back.
	Serpentine Order = iota
	// Raster goes along all rows by ascending column.
	Raster
)

// Slide describes what is to be scanned.
type Slide struct {
	ID         string
	Rows, Cols int
	Tissue     Mask // which tiles to scan; all of them if there is no mask
}

// Mask tells the tiles with tissue from the empty ones. The zero Mask is no
// mask.
type Mask struct {
	rows []string
}

// ParseMask reads a mask as the overview camera writes it: one line for each
// row of tiles, '#' for tissue and '.' for an empty tile. All lines must be of
// the same length. Space around a line is ignored, and so are blank lines.
func ParseMask(text string) (Mask, error) {
	var m Mask
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if strings.Trim(line, "#.") != "" {
			return Mask{}, fmt.Errorf("%w: mask row %q", ErrSlide, line)
		}
		if len(m.rows) > 0 && len(line) != len(m.rows[0]) {
			return Mask{}, fmt.Errorf("%w: mask row %d has %d tiles, not %d", ErrSlide, len(m.rows), len(line), len(m.rows[0]))
		}
		m.rows = append(m.rows, line)
	}
	if len(m.rows) == 0 {
		return Mask{}, fmt.Errorf("%w: empty mask", ErrSlide)
	}
	return m, nil
}

// has reports whether the mask lets a tile through.
func (m Mask) has(t Tile) bool {
	return m.rows == nil || m.rows[t.Row][t.Col] == '#'
}

// fits reports whether the mask is of the given size.
func (m Mask) fits(rows, cols int) bool {
	return m.rows == nil || len(m.rows) == rows && len(m.rows[0]) == cols
}

// tiles returns the tiles to scan in the order in which they are visited.
func (s Slide) tiles(o Order) ([]Tile, error) {
	if s.ID == "" {
		return nil, fmt.Errorf("%w: no ID", ErrSlide)
	}
	if !s.Tissue.fits(s.Rows, s.Cols) {
		return nil, fmt.Errorf("%w: %s is %d by %d tiles, which its mask does not fit", ErrSlide, s.ID, s.Rows, s.Cols)
	}
	var tiles []Tile
	for row := range s.Rows {
		for i := range s.Cols {
			t := Tile{Row: row, Col: i}
			if o == Serpentine && row%2 == 1 {
				t.Col = s.Cols - 1 - i
			}
			if s.Tissue.has(t) {
				tiles = append(tiles, t)
			}
		}
	}
	if len(tiles) == 0 {
		return nil, fmt.Errorf("%w: nothing to scan on %s", ErrSlide, s.ID)
	}
	return tiles, nil
}
