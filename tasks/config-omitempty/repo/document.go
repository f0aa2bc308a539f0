package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// document is the outer shape of a configuration document.
type document struct {
	Region   string                     `json:"region,omitempty"`
	Services map[string]json.RawMessage `json:"services"`
}

// merge lays a document over c. Services that are new to c start from def.
func merge(c *Config, data []byte, def Defaults) error {
	doc := document{Region: c.Region}
	if err := unmarshalStrict(data, &doc); err != nil {
		return err
	}
	c.Region = doc.Region
	for _, name := range slices.Sorted(maps.Keys(doc.Services)) {
		s, ok := c.Services[name]
		if !ok {
			s = Service{
				Enabled:     def.Enabled,
				Retries:     def.Retries,
				Backoff:     def.Backoff,
				Timeout:     def.Timeout,
				MaxInFlight: def.MaxInFlight,
			}
		}
		if err := unmarshalStrict(doc.Services[name], &s); err != nil {
			return fmt.Errorf("service %q: %w", name, err)
		}
		c.Services[name] = s
	}
	return nil
}

// unmarshalStrict decodes the one JSON value in data into v. It sets the
// fields of v that the value has and refuses fields that v does not have.
func unmarshalStrict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("data after the document at offset %d", dec.InputOffset())
	}
	return nil
}
