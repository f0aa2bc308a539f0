package retention_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/stillwater/retention"
)

// policyFor asks for the policy of v, which must have one.
func policyFor(t *testing.T, p *retention.Planner, v retention.Volume) retention.Policy {
	t.Helper()
	policy, err := p.PolicyFor(v)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// at makes a snapshot named after the time it was taken.
func at(t *testing.T, stamp string) retention.Snapshot {
	t.Helper()
	taken, err := time.Parse("2006-01-02T15:04", stamp)
	if err != nil {
		t.Fatal(err)
	}
	return retention.Snapshot{ID: stamp, Taken: taken}
}

func TestListedClassesHaveTheirEntry(t *testing.T) {
	for _, class := range []string{"database", "mail", "build", "db", "scratch"} {
		want, _ := retention.Builtin.Policy(class)
		if got := policyFor(t, retention.Default, retention.Volume{Name: "v1", Class: class}); got != want {
			t.Errorf("%s: %+v, want %+v", class, got, want)
		}
	}
}

func TestUnlistedClassesHaveTheFallback(t *testing.T) {
	v := retention.Volume{Name: "v1", Class: "media"}
	if got := policyFor(t, retention.NewPlanner(), v); got != retention.Standard() {
		t.Errorf("got %+v, want the standard policy, %+v", got, retention.Standard())
	}
	own := retention.Policy{Last: 2, Daily: 5}
	if got := policyFor(t, retention.NewPlanner(retention.WithFallback(own)), v); got != own {
		t.Errorf("got %+v, want %+v", got, own)
	}
}

func TestSiteCatalogue(t *testing.T) {
	p := retention.NewPlanner(retention.WithCatalogue(site{"media": {Monthly: 3}}))
	if got, want := policyFor(t, p, retention.Volume{Class: "media"}), (retention.Policy{Last: 1, Monthly: 3}); got != want {
		t.Errorf("media: %+v, want %+v", got, want)
	}
	if got := policyFor(t, p, retention.Volume{Class: "mail"}); got != retention.Standard() {
		t.Errorf("mail: %+v, want the standard policy, %+v", got, retention.Standard())
	}
}

func TestOverrideComesFirst(t *testing.T) {
	override := &retention.Policy{Last: 9, Weekly: 1}
	for _, class := range []string{"database", "media"} {
		if got := policyFor(t, retention.Default, retention.Volume{Class: class, Override: override}); got != *override {
			t.Errorf("%s: %+v, want %+v", class, got, *override)
		}
	}
	if got := policyFor(t, retention.Default, retention.Volume{Override: &retention.Policy{}}); got != retention.Minimal() {
		t.Errorf("empty override: %+v, want %+v", got, retention.Minimal())
	}
}

func TestAuditedVolumesKeepTheFloor(t *testing.T) {
	p, floor := retention.NewPlanner(), retention.AuditFloor()
	generous := retention.Policy{Last: 50, Hourly: 50, Daily: 500, Weekly: 500, Monthly: 500, Yearly: 500}
	mean := retention.Policy{}
	for _, override := range []*retention.Policy{nil, &mean, &generous} {
		v := retention.Volume{Name: "ledger", Class: "database", Override: override, Audited: true}
		got := policyFor(t, p, v)
		if got.Last < floor.Last || got.Daily < floor.Daily || got.Monthly < floor.Monthly || got.Yearly < floor.Yearly {
			t.Errorf("override %v: %+v is below the floor, %+v", override, got, floor)
		}
	}
	v := retention.Volume{Override: &generous, Audited: true}
	if got := policyFor(t, p, v); got != generous {
		t.Errorf("got %+v, want %+v", got, generous)
	}
}

func TestPlanTiers(t *testing.T) {
	var snapshots []retention.Snapshot
	for _, stamp := range []string{
		"2024-12-29T23:00", "2024-12-30T01:00", "2024-12-31T12:00",
		"2025-01-01T00:05", "2025-01-01T00:50", "2025-01-05T22:00", "2025-01-06T03:00",
	} {
		snapshots = append(snapshots, at(t, stamp))
	}
	tests := []struct{ policy, keep string }{
		{"last=1", "2025-01-06T03:00"},
		{"last=3", "2025-01-06T03:00 2025-01-05T22:00 2025-01-01T00:50"},
		{"hourly=4", "2025-01-06T03:00 2025-01-05T22:00 2025-01-01T00:50 2024-12-31T12:00"},
		{"daily=4", "2025-01-06T03:00 2025-01-05T22:00 2025-01-01T00:50 2024-12-31T12:00"},
		{"weekly=2", "2025-01-06T03:00 2025-01-05T22:00"},
		{"weekly=9", "2025-01-06T03:00 2025-01-05T22:00 2024-12-29T23:00"},
		{"monthly=2", "2025-01-06T03:00 2024-12-31T12:00"},
		{"yearly=2 weekly=3", "2025-01-06T03:00 2025-01-05T22:00 2024-12-31T12:00 2024-12-29T23:00"},
	}
	for _, tt := range tests {
		t.Run(tt.policy, func(t *testing.T) {
			policy, err := retention.ParsePolicy(tt.policy)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := retention.Default.Plan(retention.Volume{Name: "v1", Override: &policy}, snapshots)
			if err != nil {
				t.Fatal(err)
			}
			var keep []string
			for _, k := range plan.Keep {
				keep = append(keep, k.ID)
			}
			if want := strings.Fields(tt.keep); !slices.Equal(keep, want) {
				t.Errorf("keeps %q, want %q", keep, want)
			}
			if got := len(plan.Keep) + len(plan.Drop); got != len(snapshots) {
				t.Errorf("%d snapshots in the plan, want %d", got, len(snapshots))
			}
		})
	}
}

func TestPlanNamesTheTiers(t *testing.T) {
	snapshots := []retention.Snapshot{at(t, "2025-02-03T08:00"), at(t, "2025-02-04T08:00"), at(t, "2025-02-04T09:00")}
	plan, err := retention.Default.Plan(retention.Volume{Name: "site-7", Class: "build"}, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if err := retention.WriteReport(&report, plan); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"site-7: keep 3, drop 0",
		"  keep  2025-02-04 09:00Z  2025-02-04T09:00  last,daily",
		"  keep  2025-02-04 08:00Z  2025-02-04T08:00  last",
		"  keep  2025-02-03 08:00Z  2025-02-03T08:00  daily",
		"",
	}, "\n")
	if report.String() != want {
		t.Errorf("got\n%swant\n%s", report.String(), want)
	}
}

func TestPlanOfAnUnlistedClass(t *testing.T) {
	snapshots := []retention.Snapshot{at(t, "2025-02-04T08:00")}
	plan, err := retention.Default.Plan(retention.Volume{Name: "v1", Class: "media"}, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Keep) != 1 || plan.Keep[0].Snapshot != snapshots[0] || len(plan.Drop) != 0 {
		t.Errorf("got %+v, want the only snapshot kept", plan)
	}
	if plan, err := retention.Default.Plan(retention.Volume{Name: "v1", Class: "media"}, nil); err != nil || len(plan.Keep) != 0 {
		t.Errorf("got %+v, %v, want an empty plan", plan, err)
	}
}

func TestPlanLeavesSnapshotsAlone(t *testing.T) {
	snapshots := []retention.Snapshot{at(t, "2025-02-03T08:00"), at(t, "2025-02-05T08:00"), at(t, "2025-02-04T08:00")}
	before := slices.Clone(snapshots)
	plan, err := retention.Default.Plan(retention.Volume{Class: "scratch"}, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(snapshots, before) {
		t.Errorf("snapshots are now %v, were %v", snapshots, before)
	}
	if want := []retention.Snapshot{before[2], before[0]}; !slices.Equal(plan.Drop, want) {
		t.Errorf("drops %v, want %v", plan.Drop, want)
	}
}

func TestPlanRefusesBadInput(t *testing.T) {
	good := at(t, "2025-02-04T08:00")
	for _, snapshots := range [][]retention.Snapshot{
		{good, {Taken: good.Taken}},
		{good, {ID: "x"}},
		{good, good},
	} {
		_, err := retention.Default.Plan(retention.Volume{Name: "v1"}, snapshots)
		if !errors.Is(err, retention.ErrBadSnapshot) || !strings.Contains(err.Error(), `"v1"`) {
			t.Errorf("%v: error %v, want ErrBadSnapshot of v1", snapshots, err)
		}
	}
	v := retention.Volume{Name: "v1", Override: &retention.Policy{Daily: -1}, Audited: true}
	if _, err := retention.Default.Plan(v, nil); !errors.Is(err, retention.ErrBadPolicy) {
		t.Errorf("error %v, want ErrBadPolicy", err)
	}
}
