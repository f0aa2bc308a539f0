package tilefeed_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/histolab/tilefeed"
)

func newFeeder(t *testing.T, opts ...tilefeed.Option) *tilefeed.Feeder {
	t.Helper()
	f, err := tilefeed.New(tilefeed.DefaultSettings(), opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func load(t *testing.T, f *tilefeed.Feeder, id string, rows, cols int) {
	t.Helper()
	if err := f.Load(tilefeed.Slide{ID: id, Rows: rows, Cols: cols}); err != nil {
		t.Fatalf("Load(%s): %v", id, err)
	}
}

// shoot plays a camera that takes n shots.
func shoot(t *testing.T, f *tilefeed.Feeder, n int) []tilefeed.Shot {
	t.Helper()
	var shots []tilefeed.Shot
	for len(shots) < n {
		select {
		case s := <-f.Shots():
			shots = append(shots, s)
		case <-time.After(5 * time.Second):
			t.Fatalf("no shot after %d of %d", len(shots), n)
		}
	}
	return shots
}

// wantIdle fails the test if a camera gets a shot.
func wantIdle(t *testing.T, f *tilefeed.Feeder) {
	t.Helper()
	select {
	case s := <-f.Shots():
		t.Fatalf("unexpected shot %+v", s)
	case <-time.After(20 * time.Millisecond):
	}
}

func tilesOf(shots []tilefeed.Shot) []tilefeed.Tile {
	var tiles []tilefeed.Tile
	for _, s := range shots {
		tiles = append(tiles, s.Tile)
	}
	return tiles
}

func TestSerpentine(t *testing.T) {
	f := newFeeder(t)
	load(t, f, "H-1", 3, 2)
	shots := shoot(t, f, 6)
	want := []tilefeed.Tile{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {2, 1}}
	if got := tilesOf(shots); !slices.Equal(got, want) {
		t.Errorf("tiles %v, want %v", got, want)
	}
	for i, s := range shots {
		if s.Number != i+1 || s.Slide != "H-1" || s.Pass != 1 || s.Settings != tilefeed.DefaultSettings() {
			t.Errorf("shot %d is %+v", i+1, s)
		}
	}
	wantIdle(t, f)
}

func TestRaster(t *testing.T) {
	f := newFeeder(t, tilefeed.WithOrder(tilefeed.Raster))
	load(t, f, "H-1", 2, 2)
	want := []tilefeed.Tile{{0, 0}, {0, 1}, {1, 0}, {1, 1}}
	if got := tilesOf(shoot(t, f, 4)); !slices.Equal(got, want) {
		t.Errorf("tiles %v, want %v", got, want)
	}
}

func TestSlideAfterSlide(t *testing.T) {
	f := newFeeder(t)
	for _, id := range []string{"H-1", "H-2", "H-3"} {
		load(t, f, id, 1, 3)
		for i, s := range shoot(t, f, 3) {
			if s.Slide != id || s.Number != i+1 {
				t.Errorf("shot %d of %s is %+v", i+1, id, s)
			}
		}
	}
}

func TestLoadRefusesASecondSlide(t *testing.T) {
	f := newFeeder(t)
	load(t, f, "H-1", 2, 2)
	if err := f.Load(tilefeed.Slide{ID: "H-2", Rows: 1, Cols: 1}); !errors.Is(err, tilefeed.ErrBusy) {
		t.Errorf("Load = %v, want ErrBusy", err)
	}
	if s := shoot(t, f, 1)[0]; s.Slide != "H-1" {
		t.Errorf("shot is of %s, want H-1", s.Slide)
	}
}

func TestSeveralCameras(t *testing.T) {
	f := newFeeder(t)
	var mu sync.Mutex
	seen := make(map[tilefeed.Tile]int)
	var left sync.WaitGroup
	left.Add(400)
	for range 4 {
		go func() {
			for s := range f.Shots() {
				mu.Lock()
				seen[s.Tile]++
				mu.Unlock()
				left.Done()
			}
		}()
	}
	load(t, f, "H-1", 20, 20)
	left.Wait()
	if len(seen) != 400 {
		t.Errorf("%d tiles shot, want 400", len(seen))
	}
}

func TestAdjust(t *testing.T) {
	f := newFeeder(t)
	load(t, f, "H-1", 1, 2)
	shoot(t, f, 2)

	dark := tilefeed.Settings{Exposure: 120 * time.Millisecond, Focus: -4, Filter: "dapi"}
	if err := f.Adjust(dark); err != nil {
		t.Fatal(err)
	}
	load(t, f, "H-2", 1, 2)
	for _, s := range shoot(t, f, 2) {
		if s.Settings != dark {
			t.Errorf("settings %+v, want %+v", s.Settings, dark)
		}
	}
}

func TestPauseAndResume(t *testing.T) {
	f := newFeeder(t)
	if err := f.Pause(); err != nil {
		t.Fatal(err)
	}
	load(t, f, "H-1", 2, 2)
	wantIdle(t, f)
	if p, err := f.Progress(); err != nil || p != (tilefeed.Progress{Slide: "H-1", Left: 4, Paused: true}) {
		t.Errorf("Progress = %+v, %v", p, err)
	}
	if err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	shoot(t, f, 4)
	wantIdle(t, f)
}

func TestRedo(t *testing.T) {
	f := newFeeder(t)
	if err := f.Redo(tilefeed.Tile{}); !errors.Is(err, tilefeed.ErrNoSlide) {
		t.Errorf("Redo without a slide = %v, want ErrNoSlide", err)
	}
	load(t, f, "H-1", 2, 3)
	shoot(t, f, 6)

	blurred, dusty := tilefeed.Tile{Row: 1, Col: 2}, tilefeed.Tile{Row: 0, Col: 1}
	if err := f.Redo(blurred, dusty, blurred); err != nil {
		t.Fatal(err)
	}
	shots := shoot(t, f, 3)
	for i, want := range []tilefeed.Shot{
		{Number: 7, Tile: blurred, Pass: 2},
		{Number: 8, Tile: dusty, Pass: 2},
		{Number: 9, Tile: blurred, Pass: 3},
	} {
		want.Slide, want.Settings = "H-1", tilefeed.DefaultSettings()
		if shots[i] != want {
			t.Errorf("shot %+v, want %+v", shots[i], want)
		}
	}
	if err := f.Redo(blurred, tilefeed.Tile{Row: 2}); !errors.Is(err, tilefeed.ErrTile) {
		t.Errorf("Redo of a tile beside the slide = %v, want ErrTile", err)
	}
	wantIdle(t, f)
}

func TestProgress(t *testing.T) {
	f := newFeeder(t)
	if p, err := f.Progress(); err != nil || p != (tilefeed.Progress{}) {
		t.Errorf("Progress without a slide = %+v, %v", p, err)
	}
	load(t, f, "H-1", 3, 3)
	shoot(t, f, 9)
	if p, err := f.Progress(); err != nil || p != (tilefeed.Progress{Slide: "H-1", Handed: 9}) {
		t.Errorf("Progress = %+v, %v", p, err)
	}
}

func TestEject(t *testing.T) {
	f := newFeeder(t)
	if _, err := f.Eject(); !errors.Is(err, tilefeed.ErrNoSlide) {
		t.Errorf("Eject without a slide = %v, want ErrNoSlide", err)
	}
	load(t, f, "H-1", 1, 4)
	shoot(t, f, 4)
	if n, err := f.Eject(); n != 0 || err != nil {
		t.Errorf("Eject of a finished slide = %d, %v", n, err)
	}
	if err := f.Pause(); err != nil {
		t.Fatal(err)
	}
	load(t, f, "H-2", 1, 4)
	if n, err := f.Eject(); n != 4 || err != nil {
		t.Errorf("Eject of an untouched slide = %d, %v, want 4", n, err)
	}
	if err := f.Resume(); err != nil {
		t.Fatal(err)
	}
	wantIdle(t, f)
}

func TestClose(t *testing.T) {
	f := newFeeder(t)
	load(t, f, "H-1", 5, 5)
	shoot(t, f, 2)
	for range 2 {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if s, open := <-f.Shots(); open {
		t.Errorf("shot %+v after Close", s)
	}
	if err := f.Resume(); !errors.Is(err, tilefeed.ErrClosed) {
		t.Errorf("Resume after Close = %v, want ErrClosed", err)
	}
	if _, err := f.Progress(); !errors.Is(err, tilefeed.ErrClosed) {
		t.Errorf("Progress after Close = %v, want ErrClosed", err)
	}
}
