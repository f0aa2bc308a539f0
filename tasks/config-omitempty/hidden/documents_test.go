package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/switchyard/config"
)

// layered writes documents beside each other and loads the first one with the
// others as overlays.
func layered(dir string, docs ...string) (*config.Config, error) {
	paths := make([]string, len(docs))
	for i, doc := range docs {
		paths[i] = filepath.Join(dir, fmt.Sprintf("layer%d.json", i))
		if err := put(paths[i], doc); err != nil {
			return nil, err
		}
	}
	return config.NewStore(paths[0]).Load(paths[1:]...)
}

func TestFieldsThatADocumentDoesNotSetHaveTheDefaults(t *testing.T) {
	tests := []struct {
		name, doc string
		want      config.Service
	}{
		{"address_only", `{"addr": "a:1"}`, config.Service{Addr: "a:1", Enabled: true, Retries: 13, Backoff: ms(14), Timeout: ms(15), MaxInFlight: 16}},
		{"retries_set", `{"addr": "a:1", "retries": 0}`, config.Service{Addr: "a:1", Enabled: true, Backoff: ms(14), Timeout: ms(15), MaxInFlight: 16}},
		{"enabled_set", `{"addr": "a:1", "enabled": false}`, config.Service{Addr: "a:1", Retries: 13, Backoff: ms(14), Timeout: ms(15), MaxInFlight: 16}},
		{"waits_set", `{"addr": "a:1", "backoff": "0s", "timeout": "1m30s"}`, config.Service{Addr: "a:1", Enabled: true, Retries: 13, Timeout: ms(90000), MaxInFlight: 16}},
		{"limit_set", `{"addr": "a:1", "max_in_flight": 0}`, config.Service{Addr: "a:1", Enabled: true, Retries: 13, Backoff: ms(14), Timeout: ms(15)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				if err := put(path, `{"services": {"ledger": `+tt.doc+`}}`); err != nil {
					return err
				}
				d := config.Defaults{Enabled: true, Retries: 13, Backoff: ms(14), Timeout: ms(15), MaxInFlight: 16}
				got, err := config.NewStore(path, config.WithDefaults(d)).Load()
				if err != nil {
					return err
				}
				return diff(got, withService(tt.want))
			})
		})
	}
}

func TestOverlayReplacesOnlyWhatItSets(t *testing.T) {
	own := config.Service{Addr: "a:1", Region: "x", Enabled: true, Retries: 7, Backoff: ms(7), Timeout: ms(7), MaxInFlight: 7}
	tests := []struct {
		name, overlay string
		edit          func(s *config.Service)
	}{
		{"nothing", `{}`, func(s *config.Service) {}},
		{"false", `{"enabled": false}`, func(s *config.Service) { s.Enabled = false }},
		{"zero_retries", `{"retries": 0}`, func(s *config.Service) { s.Retries = 0 }},
		{"zero_backoff", `{"backoff": "0s"}`, func(s *config.Service) { s.Backoff = 0 }},
		{"zero_limit", `{"max_in_flight": 0}`, func(s *config.Service) { s.MaxInFlight = 0 }},
		{"empty_region", `{"region": ""}`, func(s *config.Service) { s.Region = "" }},
		{"the_default", `{"retries": 3, "timeout": "5s"}`, func(s *config.Service) { s.Retries, s.Timeout = 3, ms(5000) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			guarded(t, func() error {
				got, err := layered(dir,
					`{"services": {"ledger": {"addr": "a:1", "region": "x", "retries": 7, "backoff": "7ms", "timeout": "7ms", "max_in_flight": 7}}}`,
					`{"services": {"ledger": `+tt.overlay+`}}`)
				if err != nil {
					return err
				}
				want := own
				tt.edit(&want)
				return diff(got, withService(want))
			})
		})
	}
}

func TestLaterOverlaysWin(t *testing.T) {
	dir := t.TempDir()
	guarded(t, func() error {
		got, err := layered(dir,
			`{"region": "r0", "services": {"ledger": {"addr": "a:1", "enabled": false, "retries": 0}}}`,
			`{"region": "r1", "services": {"ledger": {"enabled": true, "retries": 5}, "search": {"addr": "c:3", "retries": 0}}}`,
			`{"services": {"ledger": {"enabled": false}, "search": {"max_in_flight": 0}}}`)
		if err != nil {
			return err
		}
		ledger, search := ordinary("a:1"), ordinary("c:3")
		ledger.Enabled, ledger.Retries = false, 5
		search.Retries, search.MaxInFlight = 0, 0
		return diff(got, &config.Config{Region: "r1", Services: map[string]config.Service{"ledger": ledger, "search": search}})
	})
}

func TestOverlaysApplyToASavedDocument(t *testing.T) {
	tests := []struct {
		name, overlay string
		edit          func(s *config.Service)
	}{
		{"that_they_do_not_mention", `{"services": {}}`, func(s *config.Service) {}},
		{"field_by_field", `{"services": {"ledger": {"timeout": "44s"}}}`, func(s *config.Service) { s.Timeout = ms(44000) }},
		{"switching_on", `{"services": {"ledger": {"enabled": true}}}`, func(s *config.Service) { s.Enabled = true }},
		{"allowing_retries", `{"services": {"ledger": {"retries": 3}}}`, func(s *config.Service) { s.Retries = 3 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			guarded(t, func() error {
				base, overlay := filepath.Join(dir, "base.json"), filepath.Join(dir, "overlay.json")
				if err := put(overlay, tt.overlay); err != nil {
					return err
				}
				s := config.Service{Addr: "a:1", Timeout: ms(80)}
				store := config.NewStore(base)
				if err := store.Save(withService(s)); err != nil {
					return err
				}
				got, err := store.Load(overlay)
				if err != nil {
					return err
				}
				tt.edit(&s)
				return diff(got, withService(s))
			})
		})
	}
}

func TestLoadedOverlaysSurviveSaving(t *testing.T) {
	dir := t.TempDir()
	guarded(t, func() error {
		want, err := layered(dir,
			`{"services": {"ledger": {"addr": "a:1", "retries": 9}, "mailer": {"addr": "b:2"}}}`,
			`{"services": {"ledger": {"retries": 0}, "mailer": {"enabled": false, "backoff": "0s"}}}`)
		if err != nil {
			return err
		}
		d := config.StandardDefaults()
		got, err := saveAndLoad(filepath.Join(dir, "folded.json"), want, d, d)
		if err != nil {
			return err
		}
		if err := diff(got, want); err != nil {
			return err
		}
		if got := len(got.Running()); got != 1 {
			return fmt.Errorf("%d services run, want 1", got)
		}
		return nil
	})
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	const good = `{"services": {"ledger": {"addr": "a:1"}}}`
	tests := []struct {
		name string
		docs []string
	}{
		{"in_the_document", []string{`{"services": {}, "regions": ["x"]}`}},
		{"in_a_service", []string{`{"services": {"ledger": {"addr": "a:1", "retry": 0}}}`}},
		{"in_an_overlay", []string{good, `{"colour": "red"}`}},
		{"in_a_service_of_an_overlay", []string{good, `{"services": {"ledger": {"disabled": true}}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			guarded(t, func() error {
				if c, err := layered(dir, tt.docs...); err == nil {
					return fmt.Errorf("loaded %+v", c)
				}
				return nil
			})
		})
	}
}

func TestValuesOfTheWrongTypeAreRefused(t *testing.T) {
	tests := []struct{ name, service string }{
		{"enabled_string", `{"addr": "a:1", "enabled": "false"}`},
		{"enabled_number", `{"addr": "a:1", "enabled": 0}`},
		{"retries_string", `{"addr": "a:1", "retries": "0"}`},
		{"retries_fraction", `{"addr": "a:1", "retries": 0.5}`},
		{"backoff_number", `{"addr": "a:1", "backoff": 0}`},
		{"limit_bool", `{"addr": "a:1", "max_in_flight": false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			guarded(t, func() error {
				if c, err := layered(dir, `{"services": {"ledger": `+tt.service+`}}`); err == nil {
					return fmt.Errorf("loaded %+v", c)
				}
				return nil
			})
		})
	}
}

func TestEmptyRegionIsNotWrittenAndFallsBack(t *testing.T) {
	tests := []struct{ name, region, service, want string }{
		{"none_at_all", "", "", config.DefaultRegion},
		{"of_the_configuration", "eu-north", "", "eu-north"},
		{"of_the_service", "eu-north", "ap-south", "ap-south"},
		{"of_the_service_alone", "", "ap-south", "ap-south"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				s := ordinary("a:1")
				s.Region = tt.service
				c := withService(s)
				c.Region = tt.region
				d := config.StandardDefaults()
				got, err := saveAndLoad(path, c, d, d)
				if err != nil {
					return err
				}
				if err := diff(got, c); err != nil {
					return err
				}
				if region, err := got.RegionOf("ledger"); err != nil || region != tt.want {
					return fmt.Errorf("RegionOf = %q, %v, want %q", region, err, tt.want)
				}
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				var doc struct {
					Region   *string `json:"region"`
					Services map[string]struct {
						Region *string `json:"region"`
					} `json:"services"`
				}
				if err := json.Unmarshal(data, &doc); err != nil {
					return err
				}
				if written := doc.Region != nil; written != (tt.region != "") {
					return fmt.Errorf("region of the configuration written: %t", written)
				}
				if written := doc.Services["ledger"].Region != nil; written != (tt.service != "") {
					return fmt.Errorf("region of the service written: %t", written)
				}
				return nil
			})
		})
	}
}

func TestSaveLeavesItsArgumentAlone(t *testing.T) {
	path := inDir(t)
	guarded(t, func() error {
		c := &config.Config{Region: "eu-north", Services: map[string]config.Service{
			"ledger": ordinary("a:1"),
			"mailer": {Addr: "b:2", Timeout: ms(5000)},
		}}
		want := &config.Config{Region: c.Region, Services: maps.Clone(c.Services)}
		if err := config.NewStore(path).Save(c); err != nil {
			return err
		}
		return diff(c, want)
	})
}

func TestFileIsTouchedOnlyIfItsContentChanges(t *testing.T) {
	tests := []struct {
		name  string
		edit  func(s *config.Service)
		touch bool
	}{
		{"nothing", func(s *config.Service) {}, false},
		{"address", func(s *config.Service) { s.Addr = "z:26" }, true},
		{"address_of_the_same_length", func(s *config.Service) { s.Addr = "q:9" }, true},
		{"disabled", func(s *config.Service) { s.Enabled = false }, true},
		{"no_retries", func(s *config.Service) { s.Retries = 0 }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				c := withService(ordinary("a:1"))
				c.Services["mailer"] = config.Service{Addr: "b:2", Timeout: ms(1)}
				if err := config.NewStore(path).Save(c); err != nil {
					return err
				}
				then := time.Date(2019, 8, 7, 6, 5, 4, 0, time.UTC)
				if err := os.Chtimes(path, then, then); err != nil {
					return err
				}
				s := c.Services["ledger"]
				tt.edit(&s)
				c.Services["ledger"] = s
				if err := config.NewStore(path).Save(c); err != nil {
					return err
				}
				info, err := os.Stat(path)
				if err != nil {
					return err
				}
				if touched := !info.ModTime().Equal(then); touched != tt.touch {
					return fmt.Errorf("file touched: %t, want %t", touched, tt.touch)
				}
				return nil
			})
		})
	}
}

func TestInvalidConfigurationsAreNotSaved(t *testing.T) {
	tests := []struct {
		name    string
		service config.Service
	}{
		{"no_address", config.Service{Timeout: 1}},
		{"no_timeout", config.Service{Addr: "a:1", Enabled: true}},
		{"negative_retries", config.Service{Addr: "a:1", Timeout: 1, Retries: -1}},
		{"negative_backoff", config.Service{Addr: "a:1", Timeout: 1, Backoff: -1}},
		{"negative_limit", config.Service{Addr: "a:1", Timeout: 1, MaxInFlight: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := inDir(t)
			guarded(t, func() error {
				err := config.NewStore(path).Save(withService(tt.service))
				if err == nil || !errors.Is(err, config.ErrInvalid) {
					return fmt.Errorf("Save returned %v", err)
				}
				if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("a file was written: %v", err)
				}
				return nil
			})
		})
	}
}

func TestSentinelErrorsAreDistinct(t *testing.T) {
	guarded(t, func() error {
		if config.ErrInvalid == nil || config.ErrUnknownService == nil {
			return errors.New("a sentinel is nil")
		}
		unrelated := errors.New("unrelated")
		unknown := withService(ordinary("a:1")).SetEnabled("nobody", false)
		invalid := withService(config.Service{}).Validate()
		switch {
		case unknown == nil || !errors.Is(unknown, config.ErrUnknownService):
			return fmt.Errorf("SetEnabled of an unknown service: %v", unknown)
		case invalid == nil || !errors.Is(invalid, config.ErrInvalid):
			return fmt.Errorf("Validate of an empty service: %v", invalid)
		case errors.Is(unknown, config.ErrInvalid), errors.Is(invalid, config.ErrUnknownService):
			return errors.New("the sentinels match each other")
		case errors.Is(unknown, unrelated), errors.Is(invalid, unrelated), errors.Is(unrelated, config.ErrInvalid), errors.Is(unrelated, config.ErrUnknownService):
			return errors.New("an unrelated error matches")
		}
		return nil
	})
}
