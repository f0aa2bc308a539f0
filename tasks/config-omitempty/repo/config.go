// Package config reads and writes the service configuration of switchyard,
// the supervisor that runs our back ends and routes calls to them.
//
// # Documents
//
// A configuration is kept as a JSON document:
//
//	{
//	  "region": "eu-north",
//	  "services": {
//	    "billing": {"addr": "10.0.4.1:7000", "retries": 5, "timeout": "20s"}
//	  }
//	}
//
// A field that a document does not set gets its value from the store's
// [Defaults], so that documents from before the field existed keep working.
// What a document sets counts, false and 0 too. Unknown fields are an error.
//
// An overlay is a document laid over another one: what it sets replaces what
// was there, what it does not set stays as it is, and a service that only the
// overlay has is added and filled up from the defaults.
//
// # Saving
//
// Load after Save, with the same defaults, returns what was saved, for every
// configuration that [Config.Validate] accepts.
//
// Save leaves out each field of a service that has its default value, be that
// zero or not, so that it follows the default when a release changes it. All
// other values are written and no longer depend on the defaults. An empty
// region is left out. Hosts on an older release read the same files, so that
// Save writes no fields and no types of value but those of the [Service]s
// that Load reads today.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

var (
	// ErrInvalid is wrapped by the errors about values that are not allowed.
	ErrInvalid = errors.New("config: invalid configuration")
	// ErrUnknownService is wrapped by the errors about names of no service.
	ErrUnknownService = errors.New("config: unknown service")
)

// DefaultRegion is the region of a configuration that names none.
const DefaultRegion = "local"

// Config is a set of services.
type Config struct {
	// Region is that of services without one. Empty means DefaultRegion.
	Region string
	// Services holds the services by name.
	Services map[string]Service
}

// Names returns the names of all services, sorted.
func (c *Config) Names() []string {
	return slices.Sorted(maps.Keys(c.Services))
}

// Running returns the names of the enabled services, sorted.
func (c *Config) Running() []string {
	return slices.DeleteFunc(c.Names(), func(name string) bool {
		return !c.Services[name].Enabled
	})
}

// RegionOf returns the region that the named service runs in.
func (c *Config) RegionOf(name string) (string, error) {
	s, ok := c.Services[name]
	if !ok {
		return "", fmt.Errorf("%w: %q", ErrUnknownService, name)
	}
	return cmp.Or(s.Region, c.Region, DefaultRegion), nil
}

// SetEnabled switches the named service on or off.
func (c *Config) SetEnabled(name string, enabled bool) error {
	s, ok := c.Services[name]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknownService, name)
	}
	s.Enabled = enabled
	c.Services[name] = s
	return nil
}

// Validate reports every value that is not allowed.
func (c *Config) Validate() error {
	var errs []error
	for _, name := range c.Names() {
		errs = append(errs, c.Services[name].problems(name))
	}
	return errors.Join(errs...)
}
