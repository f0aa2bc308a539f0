package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/switchyard/config"
)

// fleet returns a configuration of three services, one of them off.
func fleet() *config.Config {
	service := func(addr, region string, enabled bool) config.Service {
		return config.Service{
			Addr:        addr,
			Region:      region,
			Enabled:     enabled,
			Retries:     2,
			Backoff:     config.Duration(time.Second),
			Timeout:     config.Duration(10 * time.Second),
			MaxInFlight: 8,
		}
	}
	return &config.Config{
		Region: "eu-north",
		Services: map[string]config.Service{
			"billing": service("10.0.4.1:7000", "", true),
			"mailer":  service("10.0.4.2:7000", "eu-west", true),
			"reports": service("10.0.4.3:7000", "", false),
		},
	}
}

func TestNamesAndRunning(t *testing.T) {
	c := fleet()
	if got, want := c.Names(), []string{"billing", "mailer", "reports"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
	if got, want := c.Running(), []string{"billing", "mailer"}; !slices.Equal(got, want) {
		t.Errorf("Running() = %v, want %v", got, want)
	}
}

func TestSetEnabled(t *testing.T) {
	c := fleet()
	if err := c.SetEnabled("billing", false); err != nil {
		t.Fatal(err)
	}
	if err := c.SetEnabled("reports", true); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Running(), []string{"mailer", "reports"}; !slices.Equal(got, want) {
		t.Errorf("Running() = %v, want %v", got, want)
	}
	if err := c.SetEnabled("nobody", true); !errors.Is(err, config.ErrUnknownService) {
		t.Errorf("SetEnabled of an unknown service: %v", err)
	}
}

func TestRegionOf(t *testing.T) {
	c := fleet()
	for name, want := range map[string]string{"billing": "eu-north", "mailer": "eu-west"} {
		if got, err := c.RegionOf(name); err != nil || got != want {
			t.Errorf("RegionOf(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	c.Region = ""
	if got, err := c.RegionOf("billing"); err != nil || got != config.DefaultRegion {
		t.Errorf("RegionOf without any region = %q, %v, want %q", got, err, config.DefaultRegion)
	}
	if _, err := c.RegionOf("nobody"); !errors.Is(err, config.ErrUnknownService) {
		t.Errorf("RegionOf an unknown service: %v", err)
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	c := fleet()
	if err := c.Validate(); err != nil {
		t.Fatalf("a good configuration: %v", err)
	}
	c.Services["billing"] = config.Service{Retries: -1, Backoff: -1, MaxInFlight: -1}
	err := c.Validate()
	if !errors.Is(err, config.ErrInvalid) {
		t.Fatalf("Validate() = %v, want ErrInvalid", err)
	}
	for _, field := range []string{"addr", "retries", "backoff", "timeout", "max_in_flight"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q is not reported in: %v", field, err)
		}
	}
}

func TestSchedule(t *testing.T) {
	tests := []struct {
		name    string
		retries int
		backoff time.Duration
		want    []time.Duration
	}{
		{"doubles", 3, time.Second, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"never", 0, time.Second, nil},
		{"at once", 2, 0, []time.Duration{0, 0}},
		{"bounded", 2, 40 * time.Second, []time.Duration{40 * time.Second, time.Minute}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := config.Service{Retries: tt.retries, Backoff: config.Duration(tt.backoff)}
			if got := s.Schedule(); !slices.Equal(got, tt.want) {
				t.Errorf("Schedule() = %v, want %v", got, tt.want)
			}
		})
	}
}
