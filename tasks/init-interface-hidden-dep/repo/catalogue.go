package retention

import (
	"slices"
	"strings"
)

// Catalogue lists the policies of volume classes.
type Catalogue interface {
	// Policy returns the entry of class and whether there is one.
	Policy(class string) (Policy, bool)
}

// Builtin is the catalogue that ships with this release. It takes class names
// in any case and knows the names that older agents report.
var Builtin Catalogue = shipped{}

// shipped answers from the tables of this release.
type shipped struct{}

func (shipped) Policy(class string) (Policy, bool) {
	class = strings.ToLower(class)
	if name, ok := formerNames[class]; ok {
		class = name
	}
	p, ok := classPolicies[class]
	return p, ok
}

// Layer returns a catalogue that asks each of layers in turn and answers with
// the first entry found. Sites use it to put a catalogue of their own before
// Builtin.
func Layer(layers ...Catalogue) Catalogue {
	return layered(slices.Clone(layers))
}

type layered []Catalogue

func (l layered) Policy(class string) (Policy, bool) {
	for _, c := range l {
		if p, ok := c.Policy(class); ok {
			return p, true
		}
	}
	return Policy{}, false
}

// entry returns what c lists for class, or Minimal if it lists nothing.
func entry(c Catalogue, class string) Policy {
	if p, ok := c.Policy(class); ok {
		return p
	}
	return Minimal()
}
