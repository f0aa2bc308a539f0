package retention_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/stillwater/retention"
)

// history returns a snapshot for every step back from the newest, newest first.
func history(newest time.Time, step time.Duration, n int) []retention.Snapshot {
	var out []retention.Snapshot
	for i := range n {
		out = append(out, retention.Snapshot{ID: fmt.Sprintf("s%05d", i), Taken: newest.Add(-time.Duration(i) * step)})
	}
	return out
}

// survivors works out by another way which of the snapshots, newest first, a
// policy keeps.
func survivors(policy retention.Policy, snapshots []retention.Snapshot) []string {
	type spell [3]int
	tiers := []struct {
		count int
		of    func(i int, at time.Time) spell
	}{
		{policy.Last, func(i int, _ time.Time) spell { return spell{i} }},
		{policy.Hourly, func(_ int, at time.Time) spell { return spell{at.Year(), at.YearDay(), at.Hour()} }},
		{policy.Daily, func(_ int, at time.Time) spell { return spell{at.Year(), at.YearDay()} }},
		{policy.Weekly, func(_ int, at time.Time) spell {
			year, week := at.ISOWeek()
			return spell{year, week}
		}},
		{policy.Monthly, func(_ int, at time.Time) spell { return spell{at.Year(), int(at.Month())} }},
		{policy.Yearly, func(_ int, at time.Time) spell { return spell{at.Year()} }},
	}
	var ids []string
	taken := make([]map[spell]bool, len(tiers))
	for i, s := range snapshots {
		wanted := i == 0
		for n, tier := range tiers {
			if taken[n] == nil {
				taken[n] = make(map[spell]bool)
			}
			if at := tier.of(i, s.Taken.UTC()); !taken[n][at] && len(taken[n]) < tier.count {
				taken[n][at] = true
				wanted = true
			}
		}
		if wanted {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// keeps checks the plan of p for v against the policy that should count.
func keeps(p *retention.Planner, v retention.Volume, snapshots []retention.Snapshot, policy retention.Policy) error {
	before := slices.Clone(snapshots)
	plan, err := p.Plan(v, snapshots)
	if err != nil {
		return err
	}
	if !slices.Equal(snapshots, before) {
		return fmt.Errorf("Plan(%s) changed the snapshots", label(v))
	}
	var ids []string
	for _, k := range plan.Keep {
		if len(k.Tiers) == 0 {
			return fmt.Errorf("Plan(%s) keeps %s for no tier", label(v), k.ID)
		}
		ids = append(ids, k.ID)
	}
	if want := survivors(policy, before); !slices.Equal(ids, want) {
		return fmt.Errorf("Plan(%s) keeps %d of %d snapshots, want %d", label(v), len(ids), len(before), len(want))
	}
	if len(plan.Keep)+len(plan.Drop) != len(before) || plan.Volume != v.Name {
		return fmt.Errorf("Plan(%s) of %q keeps %d and drops %d of %d", label(v), plan.Volume, len(plan.Keep), len(plan.Drop), len(before))
	}
	return nil
}

// spans are histories of several lengths, one around the turn of a year.
var spans = []struct {
	name   string
	newest time.Time
	step   time.Duration
	n      int
}{
	{"two_days_of_quarter_hours", time.Date(2025, 6, 11, 17, 45, 0, 0, time.UTC), 15 * time.Minute, 192},
	{"six_weeks_at_the_turn_of_the_year", time.Date(2025, 1, 2, 3, 30, 0, 0, time.UTC), 2 * time.Hour, 504},
	{"nine_years_of_days", time.Date(2025, 1, 2, 3, 30, 0, 0, time.UTC), 24 * time.Hour, 3300},
}

func TestPlansOfUnlistedClasses(t *testing.T) {
	for _, span := range spans {
		t.Run(span.name, func(t *testing.T) {
			sheltered(t, func() error {
				snapshots := history(span.newest, span.step, span.n)
				for _, p := range []*retention.Planner{retention.Default, retention.NewPlanner(), earlyPlanner} {
					if err := keeps(p, retention.Volume{Name: "films", Class: "media"}, snapshots, handbook["standard"]); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestPlansOfAuditedVolumes(t *testing.T) {
	few := &retention.Policy{Daily: 3}
	for _, span := range spans {
		t.Run(span.name, func(t *testing.T) {
			sheltered(t, func() error {
				snapshots := history(span.newest, span.step, span.n)
				for _, p := range []*retention.Planner{retention.Default, retention.NewPlanner(), earlyPlanner} {
					v := retention.Volume{Name: "ledger", Class: "database", Override: few, Audited: true}
					if err := keeps(p, v, snapshots, raised(*few, handbook["audit"])); err != nil {
						return err
					}
					v = retention.Volume{Name: "ledger", Class: "papers", Audited: true}
					if err := keeps(p, v, snapshots, raised(handbook["standard"], handbook["audit"])); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestPlansOfListedClassesAndOverrides(t *testing.T) {
	weekly := &retention.Policy{Weekly: 30, Yearly: 4}
	for _, span := range spans {
		t.Run(span.name, func(t *testing.T) {
			sheltered(t, func() error {
				snapshots := history(span.newest, span.step, span.n)
				for class, policy := range handbook {
					if err := keeps(retention.Default, retention.Volume{Name: "v", Class: class}, snapshots, policy); err != nil {
						return err
					}
				}
				return keeps(retention.Default, retention.Volume{Name: "v", Class: "media", Override: weekly}, snapshots, *weekly)
			})
		})
	}
}

func TestPlannerServesSeveralGoroutines(t *testing.T) {
	sheltered(t, func() error {
		snapshots := history(spans[1].newest, spans[1].step, 120)
		p := retention.NewPlanner()
		failures := make(chan error, 8)
		for range cap(failures) {
			go func() {
				err := fmt.Errorf("the planner panicked")
				defer func() {
					recover()
					failures <- err
				}()
				err = keeps(p, retention.Volume{Name: "films", Class: "media"}, snapshots, handbook["standard"])
			}()
		}
		for range cap(failures) {
			if err := <-failures; err != nil {
				return err
			}
		}
		return nil
	})
}
