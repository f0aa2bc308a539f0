package notices

import (
	"fmt"
	"maps"
	"slices"
)

// Phrases holds the phrases of each language by key. The phrases are formats
// for fmt.Sprintf.
type Phrases map[string]map[string]string

// Languages returns the languages that have phrases, sorted.
func (p Phrases) Languages() []string {
	return slices.Sorted(maps.Keys(p))
}

// Find returns the phrase in the first of the languages that has it.
func (p Phrases) Find(key string, languages ...string) (string, error) {
	for _, language := range languages {
		if phrase, ok := p[language][key]; ok {
			return phrase, nil
		}
	}
	return "", fmt.Errorf("%w: %q in %q", ErrNoPhrase, key, languages)
}
