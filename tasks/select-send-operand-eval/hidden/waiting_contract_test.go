package tilefeed_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/histolab/tilefeed"
)

// TestNoTileIsLostToACommand gives commands before every receipt.
func TestNoTileIsLostToACommand(t *testing.T) {
	for _, c := range []struct {
		name    string
		command func(r rig) error
	}{
		{"adjust", func(r rig) error { return r.Adjust(plain) }},
		{"pause_and_resume", func(r rig) error { return inOrder(r.Pause, r.Resume) }},
		{"resume_alone", func(r rig) error { return r.Resume() }},
		{"progress", func(r rig) error {
			_, err := r.Progress()
			return err
		}},
		{"refused_load", func(r rig) error {
			if err := r.Load(tilefeed.Slide{ID: "B", Rows: 1, Cols: 1}); !errors.Is(err, tilefeed.ErrBusy) {
				return fmt.Errorf("Load = %v, want ErrBusy", err)
			}
			return nil
		}},
		{"refused_redo", func(r rig) error {
			if err := r.Redo(tilefeed.Tile{Row: 99}); !errors.Is(err, tilefeed.ErrTile) {
				return fmt.Errorf("Redo = %v, want ErrTile", err)
			}
			return nil
		}},
		{"empty_redo", func(r rig) error { return r.Redo() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, times := range []int{1, 2, 7, 60} {
				onRig(t, func(r rig) error {
					if err := r.load("A", 5, 7); err != nil {
						return err
					}
					for _, want := range serpentine("A", 5, 7, plain) {
						for range times {
							if err := c.command(r); err != nil {
								return fmt.Errorf("command before shot %d: %w", want.Number, err)
							}
						}
						if err := r.takes(want); err != nil {
							return fmt.Errorf("after %d commands: %w", times, err)
						}
					}
					if times == 1 {
						if err := r.silent(); err != nil {
							return err
						}
					}
					return r.stands("A", 35, 0)
				})
			}
		})
	}
}

// TestCommandsInARowBeforeTheFirstCamera gives up to many more commands than
// there are tiles, and then none.
func TestCommandsInARowBeforeTheFirstCamera(t *testing.T) {
	for _, c := range []struct {
		name           string
		tiles, command int
	}{
		{"one_for_one", 1, 1},
		{"fewer_than_tiles", 5, 2},
		{"as_many_as_tiles", 13, 13},
		{"many_more_than_tiles", 6, 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			onRig(t, func(r rig) error {
				if err := r.load("A", 1, c.tiles); err != nil {
					return err
				}
				for range c.command {
					if err := r.Adjust(plain); err != nil {
						return err
					}
				}
				return inOrder(
					func() error { return r.stands("A", 0, c.tiles) },
					func() error { return r.takes(serpentine("A", 1, c.tiles, plain)...) },
					r.silent,
				)
			})
		})
	}
}

func TestALargeSlideWithACommandForEveryTile(t *testing.T) {
	onRig(t, func(r rig) error {
		if err := r.load("A", 130, 77); err != nil {
			return err
		}
		for i, want := range serpentine("A", 130, 77, plain) {
			want.Settings.Exposure += time.Duration(i) * time.Microsecond
			if err := r.Adjust(want.Settings); err != nil {
				return err
			}
			if err := r.takes(want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestProgressLeavesOutTheWaitingTile(t *testing.T) {
	onRig(t, func(r rig) error {
		if err := r.load("A", 3, 4); err != nil {
			return err
		}
		for i, want := range serpentine("A", 3, 4, plain) {
			if err := r.stands("A", i, 12-i); err != nil {
				return err
			}
			if err := r.takes(want); err != nil {
				return err
			}
		}
		return r.stands("A", 12, 0)
	})
}

// TestTheLastTileKeepsTheSlideBusy tries to load the next slide while the last
// tile waits for a camera.
func TestTheLastTileKeepsTheSlideBusy(t *testing.T) {
	for _, c := range []struct {
		name  string
		tiles int
	}{
		{"single_tile", 1},
		{"last_of_three", 3},
		{"last_of_forty", 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			onRig(t, func(r rig) error {
				shots := serpentine("A", 1, c.tiles, plain)
				if err := r.load("A", 1, c.tiles); err != nil {
					return err
				}
				if err := r.takes(shots[:c.tiles-1]...); err != nil {
					return err
				}
				for range 3 {
					if err := r.load("B", 2, 2); !errors.Is(err, tilefeed.ErrBusy) {
						return fmt.Errorf("%w, want ErrBusy while a tile waits", errors.Join(errors.New("Load"), err))
					}
				}
				return inOrder(
					func() error { return r.takes(shots[c.tiles-1]) },
					func() error { return r.load("B", 2, 2) },
					func() error { return r.takes(serpentine("B", 2, 2, plain)...) },
				)
			})
		})
	}
}

// TestEjectDropsTheWaitingTile wants it to be counted, and not to turn up later.
func TestEjectDropsTheWaitingTile(t *testing.T) {
	for _, c := range []struct {
		name         string
		tiles, taken int
	}{
		{"untouched", 9, 0},
		{"midway", 9, 4},
		{"last_tile_waits", 9, 8},
		{"single_tile", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			onRig(t, func(r rig) error {
				if err := r.load("A", 1, c.tiles); err != nil {
					return err
				}
				if err := r.takes(serpentine("A", 1, c.tiles, plain)[:c.taken]...); err != nil {
					return err
				}
				if n, err := r.Eject(); err != nil || n != c.tiles-c.taken {
					return fmt.Errorf("Eject = %d, %v; want %d", n, err, c.tiles-c.taken)
				}
				if _, err := r.Eject(); !errors.Is(err, tilefeed.ErrNoSlide) {
					return fmt.Errorf("second Eject: %v, want ErrNoSlide", err)
				}
				return inOrder(
					r.silent,
					func() error { return r.stands("", 0, 0) },
					func() error { return r.load("B", 2, 3) },
					func() error { return r.takes(serpentine("B", 2, 3, plain)...) },
					r.silent,
				)
			})
		})
	}
}

func TestRedoneTilesComeAtTheEnd(t *testing.T) {
	onRig(t, func(r rig) error {
		shots := serpentine("A", 2, 3, plain)
		again := func(number int, of tilefeed.Shot, pass int) tilefeed.Shot {
			of.Number, of.Pass = number, pass
			return of
		}
		return inOrder(
			func() error { return r.load("A", 2, 3) },
			func() error { return r.takes(shots[:2]...) },
			func() error { return r.Redo(shots[1].Tile) },
			func() error { return r.takes(shots[2:4]...) },
			func() error { return r.Redo(shots[0].Tile, shots[4].Tile, shots[1].Tile) },
			func() error { return r.stands("A", 4, 6) },
			func() error { return r.takes(shots[4:]...) },
			func() error { return r.takes(again(7, shots[1], 2), again(8, shots[0], 2)) },
			func() error { return r.Redo(shots[1].Tile) },
			func() error { return r.takes(again(9, shots[4], 2), again(10, shots[1], 3)) },
			func() error { return r.stands("A", 10, 1) },
			func() error { return r.takes(again(11, shots[1], 4)) },
			r.silent,
			func() error { return r.Redo(shots[5].Tile) },
			func() error { return r.Adjust(plain) },
			func() error { return r.takes(again(12, shots[5], 2)) },
			func() error { return r.stands("A", 12, 0) },
		)
	})
}

// TestAPauseHoldsTheWaitingTileBack pauses with a tile waiting for a camera.
func TestAPauseHoldsTheWaitingTileBack(t *testing.T) {
	onRig(t, func(r rig) error {
		shots := serpentine("A", 2, 5, plain)
		if err := r.load("A", 2, 5); err != nil {
			return err
		}
		for i := range shots {
			if err := r.Pause(); err != nil {
				return err
			}
			if i%4 == 0 {
				if err := r.silent(); err != nil {
					return err
				}
			}
			p, err := r.Progress()
			if err != nil || !p.Paused || p.Handed != i || p.Left != len(shots)-i {
				return fmt.Errorf("Progress = %+v, %v; want %d handed out, paused", p, err, i)
			}
			if err := inOrder(r.Pause, r.Resume, func() error { return r.takes(shots[i]) }); err != nil {
				return err
			}
		}
		return r.silent()
	})
}
