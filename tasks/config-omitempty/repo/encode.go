package config

import "encoding/json"

// encode returns the document for c, without the fields that def supplies.
func encode(c *Config, def Defaults) ([]byte, error) {
	doc := document{
		Region:   c.Region,
		Services: make(map[string]json.RawMessage, len(c.Services)),
	}
	for name, s := range c.Services {
		raw, err := json.Marshal(compact(s, def))
		if err != nil {
			return nil, err
		}
		doc.Services[name] = raw
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// compact returns s with only the values that differ from def.
func compact(s Service, def Defaults) Service {
	return Service{
		Addr:        s.Addr,
		Region:      s.Region,
		Enabled:     differing(s.Enabled, def.Enabled),
		Retries:     differing(s.Retries, def.Retries),
		Backoff:     differing(s.Backoff, def.Backoff),
		Timeout:     differing(s.Timeout, def.Timeout),
		MaxInFlight: differing(s.MaxInFlight, def.MaxInFlight),
	}
}

// differing returns v, or the zero value if v is the default.
func differing[T comparable](v, def T) (diff T) {
	if v != def {
		diff = v
	}
	return diff
}
