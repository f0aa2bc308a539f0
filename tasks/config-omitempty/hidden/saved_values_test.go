package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/switchyard/config"
)

// guarded runs body and turns a panic or a hang into a failure of t. body
// must not call FailNow: it reports what it finds with the error it returns.
func guarded(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v", p)
			}
		}()
		done <- body()
	}()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-deadline.C:
		t.Error("still running after 20s")
	}
}

// ms is n milliseconds.
func ms(n int) config.Duration { return config.Duration(n) * config.Duration(time.Millisecond) }

// ordinary returns a service that has the standard defaults.
func ordinary(addr string) config.Service {
	return config.Service{Addr: addr, Enabled: true, Retries: 3, Backoff: ms(200), Timeout: ms(5000), MaxInFlight: 64}
}

// withService returns a configuration of one service called "ledger".
func withService(s config.Service) *config.Config {
	return &config.Config{Services: map[string]config.Service{"ledger": s}}
}

// inDir returns the path of a file in a directory of its own.
func inDir(t *testing.T) string { return filepath.Join(t.TempDir(), "fleet.json") }

// put writes a document by hand.
func put(path, doc string) error { return os.WriteFile(path, []byte(doc), 0o644) }

// diff describes how two configurations differ, field by field.
func diff(got, want *config.Config) error {
	var errs []error
	if got.Region != want.Region {
		errs = append(errs, fmt.Errorf("region is %q, want %q", got.Region, want.Region))
	}
	for name, w := range want.Services {
		if g, ok := got.Services[name]; !ok {
			errs = append(errs, fmt.Errorf("service %q is gone", name))
		} else if g != w {
			errs = append(errs, fmt.Errorf("service %q is\n\t%+v, want\n\t%+v", name, g, w))
		}
	}
	for name := range got.Services {
		if _, ok := want.Services[name]; !ok {
			errs = append(errs, fmt.Errorf("service %q came from nowhere", name))
		}
	}
	if len(errs) > 3 {
		errs = append(errs[:3], fmt.Errorf("and %d more", len(errs)-3))
	}
	return errors.Join(errs...)
}

// saveAndLoad saves c with one set of defaults and loads it with another.
func saveAndLoad(path string, c *config.Config, saved, loaded config.Defaults) (*config.Config, error) {
	if err := config.NewStore(path, config.WithDefaults(saved)).Save(c); err != nil {
		return nil, err
	}
	return config.NewStore(path, config.WithDefaults(loaded)).Load()
}

func TestZeroValuesSurviveSaveAndLoad(t *testing.T) {
	tests := []struct {
		name string
		edit func(s *config.Service)
	}{
		{"disabled", func(s *config.Service) { s.Enabled = false }},
		{"no_retries", func(s *config.Service) { s.Retries = 0 }},
		{"no_backoff", func(s *config.Service) { s.Backoff = 0 }},
		{"no_limit", func(s *config.Service) { s.MaxInFlight = 0 }},
		{"disabled_without_retries", func(s *config.Service) { s.Enabled, s.Retries = false, 0 }},
		{"everything_zero", func(s *config.Service) { *s = config.Service{Addr: s.Addr, Timeout: s.Timeout} }},
		{"zero_beside_own_values", func(s *config.Service) { s.Retries, s.Timeout, s.MaxInFlight, s.Region = 0, ms(71), 19, "ap-south" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				s := ordinary("10.9.8.7:6543")
				tt.edit(&s)
				want := withService(s)
				store := config.NewStore(path)
				if err := store.Save(want); err != nil {
					return err
				}
				got, err := store.Load()
				if err != nil {
					return err
				}
				return diff(got, want)
			})
		})
	}
}

// TestEveryValidServiceSurvivesSaveAndLoad goes through all combinations of
// the default, zero and other values, under several defaults.
func TestEveryValidServiceSurvivesSaveAndLoad(t *testing.T) {
	tests := []struct {
		name     string
		defaults config.Defaults
	}{
		{"standard_defaults", config.StandardDefaults()},
		{"off_by_default", config.Defaults{Retries: 11, Backoff: ms(37), Timeout: ms(1900), MaxInFlight: 500}},
		{"on_and_nothing_else", config.Defaults{Enabled: true, Timeout: ms(640)}},
		{"backoff_and_limit_only", config.Defaults{Backoff: ms(3), MaxInFlight: 2}},
		{"zero_defaults", config.Defaults{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				d := tt.defaults
				want := &config.Config{Region: "eu-south", Services: map[string]config.Service{}}
				for _, enabled := range []bool{true, false} {
					for _, retries := range []int{d.Retries, 0, 1, 3, 170} {
						for _, backoff := range []config.Duration{d.Backoff, 0, 1, ms(200), ms(90000)} {
							for _, timeout := range []config.Duration{d.Timeout, 1, ms(5000), ms(777)} {
								for _, limit := range []int{d.MaxInFlight, 0, 64, 1, 9001} {
									s := config.Service{Addr: "a:1", Enabled: enabled, Retries: retries, Backoff: backoff, Timeout: timeout, MaxInFlight: limit}
									if timeout > 0 {
										want.Services[fmt.Sprintf("s%d", len(want.Services))] = s
									}
								}
							}
						}
					}
				}
				got, err := saveAndLoad(path, want, d, d)
				if err != nil {
					return err
				}
				return diff(got, want)
			})
		})
	}
}

func TestDisabledServiceStaysDisabledAcrossReloads(t *testing.T) {
	path := inDir(t)
	guarded(t, func() error {
		if err := put(path, `{"region": "eu-north", "services": {"ledger": {"addr": "a:1"}, "mailer": {"addr": "b:2", "retries": 8}}}`); err != nil {
			return err
		}
		store := config.NewStore(path)
		c, err := store.Load()
		if err != nil {
			return err
		}
		if err := c.SetEnabled("ledger", false); err != nil {
			return err
		}
		for round := range 4 {
			if err := store.Save(c); err != nil {
				return err
			}
			if c, err = store.Load(); err != nil {
				return err
			}
			if got := strings.Join(c.Running(), " "); got != "mailer" {
				return fmt.Errorf("reload %d: running %q, want only mailer", round, got)
			}
			s := c.Services["mailer"]
			s.Addr = fmt.Sprintf("b:%d", round)
			c.Services["mailer"] = s
		}
		return nil
	})
}

func TestServiceCanBeSwitchedOffAndOnAgain(t *testing.T) {
	path := inDir(t)
	guarded(t, func() error {
		if err := config.NewStore(path).Save(withService(ordinary("a:1"))); err != nil {
			return err
		}
		for step, enabled := range []bool{false, true, false, false, true} {
			store := config.NewStore(path)
			c, err := store.Load()
			if err != nil {
				return err
			}
			if err := c.SetEnabled("ledger", enabled); err != nil {
				return err
			}
			if err := store.Save(c); err != nil {
				return err
			}
			if c, err = store.Load(); err != nil {
				return err
			}
			if c.Services["ledger"].Enabled != enabled {
				return fmt.Errorf("step %d: enabled is %t, want %t", step, !enabled, enabled)
			}
		}
		return nil
	})
}

func TestSavedZeroRetriesScheduleNoRetry(t *testing.T) {
	path := inDir(t)
	guarded(t, func() error {
		s := ordinary("a:1")
		s.Retries = 0
		d := config.StandardDefaults()
		c, err := saveAndLoad(path, withService(s), d, d)
		if err != nil {
			return err
		}
		if waits := c.Services["ledger"].Schedule(); len(waits) != 0 {
			return fmt.Errorf("retried after %v", waits)
		}
		return nil
	})
}

func TestHandWrittenZerosSurviveSaving(t *testing.T) {
	path := inDir(t)
	guarded(t, func() error {
		if err := put(path, `{"services": {
			"ledger": {"addr": "a:1", "enabled": false, "retries": 0, "backoff": "0s", "max_in_flight": 0},
			"mailer": {"addr": "b:2"},
			"search": {"addr": "c:3", "retries": 0}
		}}`); err != nil {
			return err
		}
		store := config.NewStore(path)
		c, err := store.Load()
		if err != nil {
			return err
		}
		search := ordinary("c:3")
		search.Retries = 0
		want := &config.Config{Services: map[string]config.Service{
			"ledger": {Addr: "a:1", Timeout: ms(5000)},
			"mailer": ordinary("b:2"),
			"search": search,
		}}
		if err := diff(c, want); err != nil {
			return fmt.Errorf("before Save: %w", err)
		}
		if err := store.Save(c); err != nil {
			return err
		}
		if c, err = store.Load(); err != nil {
			return err
		}
		return diff(c, want)
	})
}

func TestSavedValuesDoNotFollowNewDefaults(t *testing.T) {
	tests := []struct {
		name          string
		service       config.Service
		before, after config.Defaults
	}{
		{
			"zeros",
			config.Service{Addr: "a:1", Timeout: ms(10)},
			config.StandardDefaults(),
			config.Defaults{Enabled: true, Retries: 6, Backoff: ms(50), Timeout: ms(50), MaxInFlight: 7},
		},
		{
			"zeros_that_become_the_default",
			config.Service{Addr: "a:1", Timeout: ms(10)},
			config.StandardDefaults(),
			config.Defaults{Timeout: ms(50)},
		},
		{
			"own_values",
			config.Service{Addr: "a:1", Enabled: true, Retries: 4, Backoff: ms(4), Timeout: ms(4), MaxInFlight: 4},
			config.Defaults{},
			config.Defaults{Retries: 6, Backoff: ms(50), Timeout: ms(50), MaxInFlight: 7},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				want := withService(tt.service)
				got, err := saveAndLoad(path, want, tt.before, tt.after)
				if err != nil {
					return err
				}
				return diff(got, want)
			})
		})
	}
}

func TestDefaultValuesFollowNewDefaults(t *testing.T) {
	some := config.Defaults{Enabled: true, Retries: 6, Backoff: ms(50), Timeout: ms(60), MaxInFlight: 7}
	none := config.Defaults{Timeout: ms(9)}
	filled := func(d config.Defaults) config.Service {
		return config.Service{Addr: "a:1", Enabled: d.Enabled, Retries: d.Retries, Backoff: d.Backoff, Timeout: d.Timeout, MaxInFlight: d.MaxInFlight}
	}
	tests := []struct {
		name          string
		before, after config.Defaults
	}{
		{"from_standard_to_others", config.StandardDefaults(), some},
		{"from_standard_to_zero", config.StandardDefaults(), none},
		{"from_zero_to_standard", none, config.StandardDefaults()},
		{"from_others_to_zero", some, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				got, err := saveAndLoad(path, withService(filled(tt.before)), tt.before, tt.after)
				if err != nil {
					return err
				}
				return diff(got, withService(filled(tt.after)))
			})
		})
	}
}

func TestOnlyTheChangedFieldLeavesItsDefault(t *testing.T) {
	after := config.Defaults{Enabled: true, Retries: 6, Backoff: ms(50), Timeout: ms(60), MaxInFlight: 7}
	tests := []struct {
		name string
		edit func(s *config.Service)
	}{
		{"enabled", func(s *config.Service) { s.Enabled = false }},
		{"retries", func(s *config.Service) { s.Retries = 0 }},
		{"backoff", func(s *config.Service) { s.Backoff = 0 }},
		{"max_in_flight", func(s *config.Service) { s.MaxInFlight = 0 }},
		{"timeout", func(s *config.Service) { s.Timeout = ms(1) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				s := ordinary("a:1")
				tt.edit(&s)
				got, err := saveAndLoad(path, withService(s), config.StandardDefaults(), after)
				if err != nil {
					return err
				}
				want := config.Service{Addr: "a:1", Enabled: true, Retries: 6, Backoff: ms(50), Timeout: ms(60), MaxInFlight: 7}
				tt.edit(&want)
				return diff(got, withService(want))
			})
		})
	}
}

// releasedService is a service as a release reads it that is in the field. It
// refuses fields that it does not know.
type releasedService struct {
	Addr        *string `json:"addr"`
	Region      *string `json:"region"`
	Enabled     *bool   `json:"enabled"`
	Retries     *int    `json:"retries"`
	Backoff     *string `json:"backoff"`
	Timeout     *string `json:"timeout"`
	MaxInFlight *int    `json:"max_in_flight"`
}

// String names the fields that are set, with their values.
func (r releasedService) String() string {
	var parts []string
	show := func(name string, set bool, value func() any) {
		if set {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value()))
		}
	}
	wait := func(text string) time.Duration {
		d, err := time.ParseDuration(text)
		if err != nil {
			return -1
		}
		return d
	}
	show("addr", r.Addr != nil, func() any { return *r.Addr })
	show("region", r.Region != nil, func() any { return *r.Region })
	show("enabled", r.Enabled != nil, func() any { return *r.Enabled })
	show("retries", r.Retries != nil, func() any { return *r.Retries })
	show("backoff", r.Backoff != nil, func() any { return wait(*r.Backoff) })
	show("timeout", r.Timeout != nil, func() any { return wait(*r.Timeout) })
	show("max_in_flight", r.MaxInFlight != nil, func() any { return *r.MaxInFlight })
	return strings.Join(parts, " ")
}

func TestOlderReleasesReadSavedDocuments(t *testing.T) {
	off := config.Defaults{Timeout: ms(5000)}
	tests := []struct {
		name     string
		defaults config.Defaults
		service  config.Service
		want     string
	}{
		{"all_default", config.StandardDefaults(), ordinary("a:1"), "addr=a:1"},
		{"all_zero", config.StandardDefaults(), config.Service{Addr: "a:1", Timeout: ms(5000)}, "addr=a:1 enabled=false retries=0 backoff=0s max_in_flight=0"},
		{"all_zero_by_default", off, config.Service{Addr: "a:1", Timeout: ms(5000)}, "addr=a:1"},
		{"all_set", off, config.Service{Addr: "a:1", Region: "x", Enabled: true, Retries: 2, Backoff: ms(30), Timeout: ms(1500), MaxInFlight: 5}, "addr=a:1 region=x enabled=true retries=2 backoff=30ms timeout=1.5s max_in_flight=5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				c := withService(tt.service)
				c.Region = "eu-north"
				if err := config.NewStore(path, config.WithDefaults(tt.defaults)).Save(c); err != nil {
					return err
				}
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				var doc struct {
					Region   *string                    `json:"region"`
					Services map[string]releasedService `json:"services"`
				}
				dec := json.NewDecoder(bytes.NewReader(data))
				dec.DisallowUnknownFields()
				if err := dec.Decode(&doc); err != nil {
					return fmt.Errorf("%w in\n%s", err, data)
				}
				if bytes.Contains(data, []byte("null")) {
					return fmt.Errorf("a field without a value in\n%s", data)
				}
				if doc.Region == nil || *doc.Region != "eu-north" || len(doc.Services) != 1 {
					return fmt.Errorf("unexpected document\n%s", data)
				}
				if got := doc.Services["ledger"].String(); got != tt.want {
					return fmt.Errorf("saved %q, want %q", got, tt.want)
				}
				return nil
			})
		})
	}
}

// TestSaveReplacesTheFileInOneStep keeps a second link to the old file: who
// reads it while Save is at work must see the old document, whole.
func TestSaveReplacesTheFileInOneStep(t *testing.T) {
	path := inDir(t)
	old := filepath.Join(filepath.Dir(path), "old.json")
	guarded(t, func() error {
		store := config.NewStore(path)
		if err := store.Save(withService(ordinary("ledger:1"))); err != nil {
			return err
		}
		if err := os.Link(path, old); err != nil {
			return err
		}
		before, err := os.ReadFile(old)
		if err != nil {
			return err
		}
		if err := store.Save(withService(ordinary("ledger:2"))); err != nil {
			return err
		}
		after, err := os.ReadFile(old)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			return fmt.Errorf("the old file was written over:\n%s", after)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			return err
		}
		if len(entries) != 2 {
			return fmt.Errorf("%d files are left beside the document, want none", len(entries)-2)
		}
		return nil
	})
}
