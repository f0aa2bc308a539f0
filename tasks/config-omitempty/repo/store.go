package config

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// StandardDefaults returns the defaults of a store that was given no others.
func StandardDefaults() Defaults {
	return Defaults{
		Enabled:     true,
		Retries:     3,
		Backoff:     Duration(200 * time.Millisecond),
		Timeout:     Duration(5 * time.Second),
		MaxInFlight: 64,
	}
}

// Store keeps a configuration in a file.
type Store struct {
	path     string
	defaults Defaults
}

// Option changes a Store that is being made.
type Option func(*Store)

// WithDefaults replaces the standard defaults.
func WithDefaults(d Defaults) Option {
	return func(st *Store) { st.defaults = d }
}

// NewStore returns a store for the document at path.
func NewStore(path string, opts ...Option) *Store {
	st := &Store{path: path, defaults: StandardDefaults()}
	for _, opt := range opts {
		opt(st)
	}
	return st
}

// Load reads the document and lays the overlays at the paths over it, in
// order. The outcome must pass [Config.Validate].
func (st *Store) Load(overlays ...string) (*Config, error) {
	c := &Config{Services: make(map[string]Service)}
	for _, path := range append([]string{st.path}, overlays...) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		if err := merge(c, data, st.defaults); err != nil {
			return nil, fmt.Errorf("config: %s: %w", path, err)
		}
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}

// Save writes c as the store's document. It does not touch a file that has
// the right content already, so that nobody who watches it is woken in vain,
// and otherwise replaces the file in one step. If c is not valid Save returns
// an error that wraps ErrInvalid and writes nothing.
func (st *Store) Save(c *Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	data, err := encode(c, st.defaults)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if old, err := os.ReadFile(st.path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := replaceFile(st.path, data); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}

// replaceFile gives the file at path new content by way of a second file
// beside it, so that a reader sees the old content or the new.
func replaceFile(path string, data []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}
