package retention_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/stillwater/retention"
)

func TestStandardIsTheShippedEntry(t *testing.T) {
	if got, want := retention.Standard(), handbook["standard"]; got != want {
		t.Errorf("Standard() = %s, want %s", counts(got), counts(want))
	}
	if want := handbook["standard"]; earlyStandard != want {
		t.Errorf("Standard() at start-up = %s, want %s", counts(earlyStandard), counts(want))
	}
}

func TestAuditFloorIsTheShippedEntry(t *testing.T) {
	if got, want := retention.AuditFloor(), handbook["audit"]; got != want {
		t.Errorf("AuditFloor() = %s, want %s", counts(got), counts(want))
	}
	if want := handbook["audit"]; earlyFloor != want {
		t.Errorf("AuditFloor() at start-up = %s, want %s", counts(earlyFloor), counts(want))
	}
}

func TestUnlistedClassHasTheStandardPolicy(t *testing.T) {
	site := shelf{"maps": {Last: 2, Weekly: 3}}
	for _, tc := range []struct {
		name string
		make func() *retention.Planner
	}{
		{"default_planner", func() *retention.Planner { return retention.Default }},
		{"new_planner", func() *retention.Planner { return retention.NewPlanner() }},
		{"planner_made_at_start_up", func() *retention.Planner { return earlyPlanner }},
		{"site_catalogue", func() *retention.Planner {
			return retention.NewPlanner(retention.WithCatalogue(site))
		}},
		{"empty_catalogue", func() *retention.Planner {
			return retention.NewPlanner(retention.WithCatalogue(retention.Layer()))
		}},
		{"site_before_shipped_catalogue", func() *retention.Planner {
			return retention.NewPlanner(retention.WithCatalogue(retention.Layer(site, retention.Builtin)))
		}},
		{"site_with_a_standard_of_its_own", func() *retention.Planner {
			return retention.NewPlanner(retention.WithCatalogue(shelf{"standard": {Last: 70}, "audit": {Last: 80}}))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sheltered(t, func() error {
				p := tc.make()
				for range 2 {
					for _, class := range []string{"media", "", "vm-image", "standard ", "Audit/2"} {
						if err := grants(p, retention.Volume{Name: "v", Class: class}, handbook["standard"]); err != nil {
							return err
						}
					}
				}
				return nil
			})
		})
	}
}

func TestAuditedVolumeIsHeldToTheFloor(t *testing.T) {
	few := &retention.Policy{Daily: 3}
	many := &retention.Policy{Last: 1, Hourly: 400, Daily: 400, Weekly: 400, Monthly: 400, Yearly: 400}
	mixed := &retention.Policy{Last: 5, Daily: 32, Weekly: 1, Monthly: 17, Yearly: 8}
	for _, tc := range []struct {
		name   string
		volume retention.Volume
		policy retention.Policy
	}{
		{"unlisted_class", retention.Volume{Class: "media"}, handbook["standard"]},
		{"build", retention.Volume{Class: "build"}, handbook["build"]},
		{"scratch_by_its_former_name", retention.Volume{Class: "tmp"}, handbook["scratch"]},
		{"database", retention.Volume{Class: "database"}, handbook["database"]},
		{"low_override", retention.Volume{Class: "database", Override: few}, *few},
		{"empty_override", retention.Volume{Class: "mail", Override: &retention.Policy{}}, retention.Policy{}},
		{"mixed_override", retention.Volume{Class: "media", Override: mixed}, *mixed},
		{"high_override", retention.Volume{Class: "media", Override: many}, *many},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sheltered(t, func() error {
				v := tc.volume
				v.Name, v.Audited = "ledger", true
				want := raised(tc.policy, handbook["audit"])
				for _, p := range []*retention.Planner{retention.Default, retention.NewPlanner(), earlyPlanner} {
					if err := grants(p, v, want); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func TestAuditFloorHoldsUnderEveryOption(t *testing.T) {
	site := shelf{"media": {Daily: 2}, "audit": {Last: 99}, "standard": {Last: 98}}
	for _, tc := range []struct {
		name string
		opts []retention.Option
		base retention.Policy
	}{
		{"site_catalogue", []retention.Option{retention.WithCatalogue(site)}, site["media"]},
		{"minimal_fallback", []retention.Option{retention.WithFallback(retention.Policy{Last: 1})}, retention.Policy{}},
		{"weekly_fallback", []retention.Option{retention.WithFallback(retention.Policy{Weekly: 52})}, retention.Policy{Weekly: 52}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sheltered(t, func() error {
				v := retention.Volume{Name: "ledger", Class: "media", Audited: true}
				return grants(retention.NewPlanner(tc.opts...), v, raised(tc.base, handbook["audit"]))
			})
		})
	}
}

func TestSmallPoliciesAreTakenAtTheirWord(t *testing.T) {
	sheltered(t, func() error {
		least := retention.Policy{Last: 1}
		if got := retention.Minimal(); got != least {
			return fmt.Errorf("Minimal() = %s, want %s", counts(got), counts(least))
		}
		small := retention.NewPlanner(retention.WithFallback(retention.Minimal()))
		none := retention.NewPlanner(retention.WithFallback(retention.Policy{}))
		site := retention.NewPlanner(retention.WithCatalogue(shelf{"media": least, "maps": {}}))
		for _, err := range []error{
			grants(small, retention.Volume{Class: "media"}, least),
			grants(none, retention.Volume{Class: "media"}, least),
			grants(site, retention.Volume{Class: "media"}, least),
			grants(site, retention.Volume{Class: "maps"}, least),
			grants(retention.Default, retention.Volume{Class: "scratch"}, least),
			grants(retention.Default, retention.Volume{Class: "media", Override: &least}, least),
			grants(retention.Default, retention.Volume{Class: "database", Override: &retention.Policy{}}, least),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func TestListedClassesKeepTheirEntries(t *testing.T) {
	sheltered(t, func() error {
		for class, want := range handbook {
			if got, ok := retention.Builtin.Policy(class); !ok || got != want {
				return fmt.Errorf("Builtin lists %s as %s, %t, want %s", class, counts(got), ok, counts(want))
			}
			for _, p := range []*retention.Planner{retention.Default, retention.NewPlanner()} {
				if err := grants(p, retention.Volume{Class: class}, raised(want, retention.Policy{})); err != nil {
					return err
				}
			}
		}
		for former, class := range map[string]string{"db": "database", "Users": "home", "CI": "build", "tmp": "scratch"} {
			if err := grants(retention.Default, retention.Volume{Class: former}, handbook[class]); err != nil {
				return err
			}
		}
		if got, ok := retention.Builtin.Policy("media"); ok {
			return fmt.Errorf("Builtin lists media as %s", counts(got))
		}
		return nil
	})
}

func TestOptionsStayWithTheirPlanner(t *testing.T) {
	sheltered(t, func() error {
		own := retention.Policy{Last: 41, Hourly: 3}
		site := shelf{"maps": {Last: 6}}
		v := retention.Volume{Class: "media"}
		for _, opts := range [][]retention.Option{
			{retention.WithFallback(own), retention.WithCatalogue(site)},
			{retention.WithCatalogue(site), retention.WithFallback(own)},
		} {
			p := retention.NewPlanner(opts...)
			for _, err := range []error{
				grants(p, v, own),
				grants(p, retention.Volume{Class: "maps"}, site["maps"]),
				grants(p, retention.Volume{Class: "mail"}, own), // the site does not list it
				grants(p, retention.Volume{Class: "standard"}, own),
			} {
				if err != nil {
					return err
				}
			}
		}
		if got := retention.Standard(); got == own {
			return fmt.Errorf("Standard() = %s, the fallback of a planner", counts(got))
		}
		return grants(retention.Default, retention.Volume{Class: "mail"}, handbook["mail"])
	})
}

func TestBadPoliciesAreStillRefused(t *testing.T) {
	sheltered(t, func() error {
		if retention.ErrBadPolicy == nil || errors.Is(errors.New("disk full"), retention.ErrBadPolicy) {
			return errors.New("ErrBadPolicy matches what it should not")
		}
		bad := retention.Policy{Last: 4, Monthly: -2}
		for _, err := range []error{
			second(retention.Default.PolicyFor(retention.Volume{Override: &bad})),
			second(retention.Default.PolicyFor(retention.Volume{Override: &bad, Audited: true})),
			second(retention.NewPlanner(retention.WithFallback(bad)).PolicyFor(retention.Volume{Class: "media"})),
			second(retention.NewPlanner(retention.WithCatalogue(shelf{"media": bad})).PolicyFor(retention.Volume{Class: "media"})),
		} {
			if !errors.Is(err, retention.ErrBadPolicy) {
				return fmt.Errorf("error %v, want ErrBadPolicy", err)
			}
		}
		return nil
	})
}

func second(_ retention.Policy, err error) error { return err }
