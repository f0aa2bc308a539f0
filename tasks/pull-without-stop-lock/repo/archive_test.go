package nightlog_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/observatory/nightlog"
)

// night returns an archive of three domes and ten exposures.
func night(t *testing.T) *nightlog.Archive {
	t.Helper()
	a := nightlog.NewArchive("west", "east", "south")
	add(t, a.Dome("west"), shot("1", "M31", 5), shot("2", "M31", 15), shot("3", "NGC 7331", 25), shot("4", "M33", 35))
	add(t, a.Dome("east"), shot("1", "M33", 0), shot("2", "M31", 10), shot("3", "M33", 20), shot("4", "M31", 30))
	add(t, a.Dome("south"), shot("1", "NGC 253", 15), shot("2", "NGC 253", 25))
	return a
}

// inOrder lists the exposures of night.
var inOrder = []string{
	"east/1", "west/1", "east/2", "south/1", "west/2", "east/3", "south/2", "west/3", "east/4", "west/4",
}

func TestDomes(t *testing.T) {
	a := night(t)
	a.Dome("annex")
	if got, want := a.Domes(), []string{"annex", "east", "south", "west"}; !slices.Equal(got, want) {
		t.Errorf("Domes = %q, want %q", got, want)
	}
	if a.Dome("east") != a.Dome("east") {
		t.Error("Dome made a second log of one dome")
	}
}

func TestAllMergesTheLogs(t *testing.T) {
	a := night(t)
	for _, tc := range []struct {
		name  string
		domes []string
		want  []string
	}{
		{"all", nil, inOrder},
		{"two", []string{"west", "south"}, []string{"west/1", "south/1", "west/2", "south/2", "west/3", "west/4"}},
		{"one twice", []string{"south", "south"}, []string{"south/1", "south/2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := a.All(tc.domes...)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got := ids(slices.Collect(all)); !slices.Equal(got, tc.want) {
					t.Errorf("All = %q, want %q", got, tc.want)
				}
			}
		})
	}
}

func TestUnknownDome(t *testing.T) {
	a := night(t)
	if _, err := a.All("east", "north"); !errors.Is(err, nightlog.ErrUnknownDome) {
		t.Errorf("All: %v, want %v", err, nightlog.ErrUnknownDome)
	}
	if _, err := a.Page(nightlog.Query{Domes: []string{"north"}, Limit: 1}); !errors.Is(err, nightlog.ErrUnknownDome) {
		t.Errorf("Page: %v, want %v", err, nightlog.ErrUnknownDome)
	}
	if _, err := a.Summary("north"); !errors.Is(err, nightlog.ErrUnknownDome) {
		t.Errorf("Summary: %v, want %v", err, nightlog.ErrUnknownDome)
	}
	if _, err := a.First(func(nightlog.Exposure) bool { return true }, "north"); !errors.Is(err, nightlog.ErrUnknownDome) {
		t.Errorf("First: %v, want %v", err, nightlog.ErrUnknownDome)
	}
}

func TestFirst(t *testing.T) {
	a := night(t)
	ofM33 := func(e nightlog.Exposure) bool { return e.Target == "M33" }
	got, err := a.First(ofM33, "west", "south")
	if err != nil || got.Dome != "west" || got.ID != "4" {
		t.Errorf("First = %+v, %v, want west/4", got, err)
	}
	if _, err := a.First(ofM33, "south"); !errors.Is(err, nightlog.ErrUnknown) {
		t.Errorf("First: %v, want %v", err, nightlog.ErrUnknown)
	}
}

func TestPages(t *testing.T) {
	a := night(t)
	var got []string
	for skip := 0; ; skip += 4 {
		page, err := a.Page(nightlog.Query{Skip: skip, Limit: 4})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ids(page.Exposures)...)
		if !page.More {
			break
		}
		if len(page.Exposures) != 4 {
			t.Fatalf("a page of %d, and more to come", len(page.Exposures))
		}
	}
	if !slices.Equal(got, inOrder) {
		t.Errorf("pages %q, want %q", got, inOrder)
	}
}

func TestPageFilters(t *testing.T) {
	a := night(t)
	for _, tc := range []struct {
		name string
		q    nightlog.Query
		want []string
		more bool
	}{
		{"target", nightlog.Query{Target: "M33", Limit: 10}, []string{"east/1", "east/3", "west/4"}, false},
		{"since", nightlog.Query{Since: dusk.Add(25 * time.Minute), Limit: 2}, []string{"south/2", "west/3"}, true},
		{"all of them", nightlog.Query{Domes: []string{"south"}, Limit: 2}, []string{"south/1", "south/2"}, false},
		{"beyond the end", nightlog.Query{Skip: 10, Limit: 5}, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page, err := a.Page(tc.q)
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(page.Exposures); !slices.Equal(got, tc.want) || page.More != tc.more {
				t.Errorf("Page = %q, more %v, want %q, %v", got, page.More, tc.want, tc.more)
			}
		})
	}
}

func TestPageRefuses(t *testing.T) {
	a := night(t)
	for _, q := range []nightlog.Query{{}, {Limit: -1}, {Limit: nightlog.MaxLimit + 1}, {Skip: -1, Limit: 1}} {
		if _, err := a.Page(q); !errors.Is(err, nightlog.ErrBadQuery) {
			t.Errorf("Page(%+v): %v, want %v", q, err, nightlog.ErrBadQuery)
		}
	}
}

func TestSummary(t *testing.T) {
	got, err := night(t).Summary("west", "south")
	if err != nil {
		t.Fatal(err)
	}
	want := []nightlog.Total{
		{Target: "M31", Exposures: 2, Length: 2 * time.Minute},
		{Target: "NGC 253", Exposures: 2, Length: 2 * time.Minute},
		{Target: "M33", Exposures: 1, Length: time.Minute},
		{Target: "NGC 7331", Exposures: 1, Length: time.Minute},
	}
	if !slices.Equal(got, want) {
		t.Errorf("Summary = %+v, want %+v", got, want)
	}
}

func TestDomesWriteWhileOthersRead(t *testing.T) {
	const shots = 50
	a := nightlog.NewArchive("east", "west")
	var wg sync.WaitGroup
	for _, name := range a.Domes() {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range shots {
				if err := a.Dome(name).Add(shot(fmt.Sprint(i), "M31", i)); err != nil {
					t.Error(err)
				}
			}
		}()
		go func() {
			defer wg.Done()
			for range shots {
				page, err := a.Page(nightlog.Query{Limit: nightlog.MaxLimit})
				if err != nil {
					t.Error(err)
				}
				if !slices.IsSortedFunc(page.Exposures, func(x, y nightlog.Exposure) int { return x.Start.Compare(y.Start) }) {
					t.Errorf("out of order: %q", ids(page.Exposures))
				}
			}
		}()
	}
	wg.Wait()
	totals, err := a.Summary()
	if err != nil || len(totals) != 1 || totals[0].Exposures != 2*shots {
		t.Errorf("Summary = %+v, %v, want %d exposures of M31", totals, err, 2*shots)
	}
}
