package retention

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Planner makes plans for volumes. It may be used by several goroutines.
type Planner struct {
	catalogue Catalogue
	fallback  Policy
	floor     Policy
}

// Option configures a Planner.
type Option func(*Planner)

// WithCatalogue makes the planner look up classes in c, which must not be nil.
// The default is Builtin.
func WithCatalogue(c Catalogue) Option {
	return func(p *Planner) { p.catalogue = c }
}

// WithFallback sets the policy for classes that the catalogue does not list.
func WithFallback(policy Policy) Option {
	return func(p *Planner) { p.fallback = policy }
}

// NewPlanner returns a planner.
func NewPlanner(opts ...Option) *Planner {
	p := &Planner{catalogue: Builtin, fallback: standard, floor: auditFloor}
	for _, opt := range opts {
		opt(p)
	}
	return p
}

// Default is the planner of the command line tools.
var Default = NewPlanner()

// PolicyFor returns the policy that counts for v.
func (p *Planner) PolicyFor(v Volume) (Policy, error) {
	policy := p.base(v)
	if err := policy.validate(); err != nil {
		return Policy{}, fmt.Errorf("volume %q: %w", v.Name, err)
	}
	if v.Audited {
		policy = policy.atLeast(p.floor)
	}
	return policy.atLeast(Minimal()), nil
}

// base returns the policy that v has before any floor.
func (p *Planner) base(v Volume) Policy {
	if v.Override != nil {
		return *v.Override
	}
	if policy, ok := p.catalogue.Policy(v.Class); ok {
		return policy
	}
	return p.fallback
}

// Plan sorts the snapshots of v into those to keep and those to drop. It does
// not change snapshots.
func (p *Planner) Plan(v Volume, snapshots []Snapshot) (Plan, error) {
	policy, err := p.PolicyFor(v)
	if err != nil {
		return Plan{}, err
	}
	if err := checkSnapshots(snapshots); err != nil {
		return Plan{}, fmt.Errorf("volume %q: %w", v.Name, err)
	}
	sorted := slices.SortedFunc(slices.Values(snapshots), newestFirst)
	tiers := make([][]string, len(sorted))
	for _, name := range tierNames {
		for _, i := range chosen(sorted, name, *policy.tier(name)) {
			tiers[i] = append(tiers[i], name)
		}
	}
	plan := Plan{Volume: v.Name}
	for i, s := range sorted {
		if len(tiers[i]) > 0 {
			plan.Keep = append(plan.Keep, Kept{s, tiers[i]})
		} else {
			plan.Drop = append(plan.Drop, s)
		}
	}
	return plan, nil
}

// chosen returns the indices of the snapshots that a tier keeps, given the
// snapshots newest first and the count of the tier.
func chosen(sorted []Snapshot, tier string, count int) []int {
	var picks []int
	last := ""
	for i, s := range sorted {
		if len(picks) == count {
			break
		}
		if at := period(s, tier); at != last {
			picks = append(picks, i)
			last = at
		}
	}
	return picks
}

// period names the period of a tier that s belongs to.
func period(s Snapshot, tier string) string {
	at := s.Taken.UTC()
	switch tier {
	case "hourly":
		return at.Format("2006-01-02T15")
	case "daily":
		return at.Format(time.DateOnly)
	case "weekly":
		year, week := at.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case "monthly":
		return at.Format("2006-01")
	case "yearly":
		return at.Format("2006")
	}
	return s.ID
}

func newestFirst(a, b Snapshot) int {
	return cmp.Or(b.Taken.Compare(a.Taken), cmp.Compare(a.ID, b.ID))
}

func checkSnapshots(snapshots []Snapshot) error {
	seen := make(map[string]bool, len(snapshots))
	for _, s := range snapshots {
		switch {
		case s.ID == "":
			return fmt.Errorf("%w: one of %v has no ID", ErrBadSnapshot, s.Taken)
		case s.Taken.IsZero():
			return fmt.Errorf("%w: %q has no time", ErrBadSnapshot, s.ID)
		case seen[s.ID]:
			return fmt.Errorf("%w: %q is there twice", ErrBadSnapshot, s.ID)
		}
		seen[s.ID] = true
	}
	return nil
}
