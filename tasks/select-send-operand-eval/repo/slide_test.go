package tilefeed_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/histolab/tilefeed"
)

func TestMask(t *testing.T) {
	mask, err := tilefeed.ParseMask(`
		.##.
		#..#
	`)
	if err != nil {
		t.Fatal(err)
	}
	f := newFeeder(t)
	if err := f.Load(tilefeed.Slide{ID: "H-1", Rows: 2, Cols: 4, Tissue: mask}); err != nil {
		t.Fatal(err)
	}
	want := []tilefeed.Tile{{0, 1}, {0, 2}, {1, 3}, {1, 0}}
	if got := tilesOf(shoot(t, f, 4)); !slices.Equal(got, want) {
		t.Errorf("tiles %v, want %v", got, want)
	}
	if err := f.Redo(tilefeed.Tile{}); !errors.Is(err, tilefeed.ErrTile) {
		t.Errorf("Redo of a masked tile = %v, want ErrTile", err)
	}
}

func TestParseMaskRefuses(t *testing.T) {
	for _, text := range []string{"", " \n\n", "##\n#", "#?"} {
		if _, err := tilefeed.ParseMask(text); !errors.Is(err, tilefeed.ErrSlide) {
			t.Errorf("ParseMask(%q) = %v, want ErrSlide", text, err)
		}
	}
}

func TestLoadRefusesUnusableSlides(t *testing.T) {
	mask, err := tilefeed.ParseMask("..\n..")
	if err != nil {
		t.Fatal(err)
	}
	f := newFeeder(t)
	for _, slide := range []tilefeed.Slide{
		{},
		{Rows: 2, Cols: 2},
		{ID: "no-rows", Cols: 3},
		{ID: "negative", Rows: 2, Cols: -1},
		{ID: "other-size", Rows: 3, Cols: 2, Tissue: mask},
		{ID: "no-tissue", Rows: 2, Cols: 2, Tissue: mask},
	} {
		if err := f.Load(slide); !errors.Is(err, tilefeed.ErrSlide) {
			t.Errorf("Load(%+v) = %v, want ErrSlide", slide, err)
		}
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	f := newFeeder(t)
	for _, change := range []func(*tilefeed.Settings){
		func(s *tilefeed.Settings) { s.Exposure = 0 },
		func(s *tilefeed.Settings) { s.Exposure = time.Minute },
		func(s *tilefeed.Settings) { s.Focus = tilefeed.MaxFocus + 1 },
		func(s *tilefeed.Settings) { s.Focus = -tilefeed.MaxFocus - 1 },
		func(s *tilefeed.Settings) { s.Filter = "" },
	} {
		s := tilefeed.DefaultSettings()
		change(&s)
		if err := f.Adjust(s); !errors.Is(err, tilefeed.ErrSettings) {
			t.Errorf("Adjust(%+v) = %v, want ErrSettings", s, err)
		}
		if _, err := tilefeed.New(s); !errors.Is(err, tilefeed.ErrSettings) {
			t.Errorf("New(%+v) = %v, want ErrSettings", s, err)
		}
	}
}
