package retention

import (
	"fmt"
	"strconv"
	"strings"
)

// Policy says how many snapshots to keep in each tier.
type Policy struct {
	Last    int
	Hourly  int
	Daily   int
	Weekly  int
	Monthly int
	Yearly  int
}

// Minimal returns the policy that keeps the newest snapshot and nothing else.
func Minimal() Policy { return Policy{Last: 1} }

// ParsePolicy reads a policy in the notation of the command line, as in
// "last=3 daily=7 weekly=4". Tiers that are not mentioned keep nothing.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	seen := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		name, count, ok := strings.Cut(word, "=")
		tier := p.tier(name)
		if !ok || tier == nil {
			return Policy{}, fmt.Errorf("%w: %q is not tier=count", ErrBadPolicy, word)
		}
		if seen[name] {
			return Policy{}, fmt.Errorf("%w: %s is set twice", ErrBadPolicy, name)
		}
		seen[name] = true
		n, err := strconv.Atoi(count)
		if err != nil {
			return Policy{}, fmt.Errorf("%w: %s: %w", ErrBadPolicy, name, err)
		}
		*tier = n
	}
	return p, p.validate()
}

// String returns p in the notation of ParsePolicy, without the empty tiers.
func (p Policy) String() string {
	var words []string
	for _, name := range tierNames {
		if n := *p.tier(name); n != 0 {
			words = append(words, fmt.Sprintf("%s=%d", name, n))
		}
	}
	return strings.Join(words, " ")
}

// tierNames holds the tiers from the finest to the coarsest.
var tierNames = [...]string{"last", "hourly", "daily", "weekly", "monthly", "yearly"}

// tier returns where p keeps the count of the named tier, or nil.
func (p *Policy) tier(name string) *int {
	switch name {
	case "last":
		return &p.Last
	case "hourly":
		return &p.Hourly
	case "daily":
		return &p.Daily
	case "weekly":
		return &p.Weekly
	case "monthly":
		return &p.Monthly
	case "yearly":
		return &p.Yearly
	}
	return nil
}

// atLeast returns p with every tier raised to that of floor.
func (p Policy) atLeast(floor Policy) Policy {
	for _, name := range tierNames {
		count := p.tier(name)
		*count = max(*count, *floor.tier(name))
	}
	return p
}

func (p Policy) validate() error {
	for _, name := range tierNames {
		if n := *p.tier(name); n < 0 {
			return fmt.Errorf("%w: %s is %d", ErrBadPolicy, name, n)
		}
	}
	return nil
}
