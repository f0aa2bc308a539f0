package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/switchyard/config"
)

// writeDoc writes a document to a new file and returns its path.
func writeDoc(t *testing.T, doc string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustLoad loads the document at path and the overlays.
func mustLoad(t *testing.T, path string, overlays ...string) *config.Config {
	t.Helper()
	c, err := config.NewStore(path).Load(overlays...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoadFillsInDefaults(t *testing.T) {
	c := mustLoad(t, writeDoc(t, `{"services": {"billing": {"addr": "10.0.4.1:7000"}}}`))
	want := config.Service{
		Addr:        "10.0.4.1:7000",
		Enabled:     true,
		Retries:     3,
		Backoff:     config.Duration(200 * time.Millisecond),
		Timeout:     config.Duration(5 * time.Second),
		MaxInFlight: 64,
	}
	if got := c.Services["billing"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLoadKeepsWhatTheDocumentSets(t *testing.T) {
	c := mustLoad(t, writeDoc(t, `{
		"region": "eu-north",
		"services": {
			"billing": {"addr": "10.0.4.1:7000", "enabled": false, "retries": 0, "backoff": "0s", "timeout": "1m", "max_in_flight": 0},
			"mailer":  {"addr": "10.0.4.2:7000", "region": "eu-west", "retries": 9}
		}
	}`))
	want := config.Service{Addr: "10.0.4.1:7000", Timeout: config.Duration(time.Minute)}
	if got := c.Services["billing"]; got != want {
		t.Errorf("billing: got %+v, want %+v", got, want)
	}
	if got := c.Services["mailer"]; got.Retries != 9 || got.Region != "eu-west" || !got.Enabled {
		t.Errorf("mailer: got %+v", got)
	}
}

func TestOverlays(t *testing.T) {
	base := writeDoc(t, `{"region": "eu-north", "services": {
		"billing": {"addr": "10.0.4.1:7000", "retries": 7},
		"mailer":  {"addr": "10.0.4.2:7000", "retries": 7}
	}}`)
	site := writeDoc(t, `{"region": "us-east", "services": {
		"billing": {"enabled": false, "timeout": "20s"},
		"search":  {"addr": "10.0.4.9:7000"}
	}}`)
	host := writeDoc(t, `{"services": {"billing": {"timeout": "30s"}}}`)

	c := mustLoad(t, base, site, host)
	billing := c.Services["billing"]
	if billing.Enabled || billing.Retries != 7 || billing.Timeout != config.Duration(30*time.Second) {
		t.Errorf("billing: got %+v", billing)
	}
	if mailer := c.Services["mailer"]; !mailer.Enabled || mailer.Retries != 7 {
		t.Errorf("mailer: got %+v", mailer)
	}
	if search := c.Services["search"]; !search.Enabled || search.Retries != 3 {
		t.Errorf("search: got %+v", search)
	}
	if c.Region != "us-east" {
		t.Errorf("region %q, want us-east", c.Region)
	}
}

func TestLoadRefusesBadDocuments(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"not json", `region = "eu-north"`, "invalid character"},
		{"two documents", `{"services": {}} {"services": {}}`, "data after the document"},
		{"unknown field", `{"regoin": "eu-north"}`, "regoin"},
		{"bad duration", `{"services": {"billing": {"addr": "a:1", "timeout": "soon"}}}`, "soon"},
		{"bad value", `{"services": {"billing": {"addr": "a:1", "timeout": "-1s"}}}`, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.NewStore(writeDoc(t, tt.doc)).Load()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load() error = %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := config.NewStore(filepath.Join(t.TempDir(), "none.json")).Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a missing file: %v", err)
	}
}

func TestSaveThenLoad(t *testing.T) {
	running := config.Service{Addr: "10.0.4.1:7000", Enabled: true, Retries: 1, Backoff: 1, Timeout: 1, MaxInFlight: 1}
	tests := []struct {
		name string
		opts []config.Option
		edit func(s *config.Service)
	}{
		{"as it is", nil, func(s *config.Service) {}},
		{"region", nil, func(s *config.Service) { s.Region = "eu-west" }},
		{"retries", nil, func(s *config.Service) { s.Retries = 12 }},
		{"waits", nil, func(s *config.Service) {
			s.Backoff = config.Duration(1500 * time.Microsecond)
			s.Timeout = config.Duration(2 * time.Hour)
		}},
		{"limit", nil, func(s *config.Service) { s.MaxInFlight = 4096 }},
		{
			"other defaults",
			[]config.Option{config.WithDefaults(config.Defaults{Retries: 10, Timeout: config.Duration(time.Second), MaxInFlight: 2})},
			func(s *config.Service) { s.Retries = 4 },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := running
			tt.edit(&s)
			want := &config.Config{Region: "eu-north", Services: map[string]config.Service{"billing": s}}
			store := config.NewStore(filepath.Join(t.TempDir(), "config.json"), tt.opts...)
			if err := store.Save(want); err != nil {
				t.Fatal(err)
			}
			got, err := store.Load()
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestSavedServicesFollowTheDefaultTimeout(t *testing.T) {
	path := writeDoc(t, `{"services": {"billing": {"addr": "10.0.4.1:7000"}}}`)
	store := config.NewStore(path)
	if err := store.Save(mustLoad(t, path)); err != nil {
		t.Fatal(err)
	}
	defaults := config.StandardDefaults()
	defaults.Timeout = config.Duration(15 * time.Second)
	c, err := config.NewStore(path, config.WithDefaults(defaults)).Load()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Services["billing"].Timeout; got != defaults.Timeout {
		t.Errorf("timeout %v, want the new default of %v", got, defaults.Timeout)
	}
}

func TestSaveReplacesTheFile(t *testing.T) {
	path := writeDoc(t, `{"services": {"billing": {"addr": "10.0.4.1:7000"}}}`)
	store := config.NewStore(path)
	c := mustLoad(t, path)
	s := c.Services["billing"]
	s.Addr = "10.0.4.77:7000"
	c.Services["billing"] = s
	if err := store.Save(c); err != nil {
		t.Fatal(err)
	}
	if got := mustLoad(t, path).Services["billing"].Addr; got != "10.0.4.77:7000" {
		t.Errorf("addr %q after Save", got)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files are left in the directory, want 1", len(entries))
	}
}

func TestSaveDoesNotTouchAnUnchangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	store := config.NewStore(path)
	if err := store.Save(fleet()); err != nil {
		t.Fatal(err)
	}
	long := time.Date(2021, 3, 4, 5, 6, 7, 0, time.UTC)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(fleet()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime().Equal(long) {
		t.Errorf("the file was written again at %v", info.ModTime())
	}
}

func TestSaveRefusesWhatIsNotValid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	c := fleet()
	c.Services["billing"] = config.Service{Addr: "10.0.4.1:7000"}
	if err := config.NewStore(path).Save(c); !errors.Is(err, config.ErrInvalid) {
		t.Errorf("Save() = %v, want ErrInvalid", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is there: %v", err)
	}
	if err := config.NewStore(filepath.Join(path, "no", "such", "dir")).Save(fleet()); err == nil {
		t.Error("Save into a missing directory succeeded")
	}
}
