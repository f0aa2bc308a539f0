package retention_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/stillwater/retention"
)

// handbook is what the shipped catalogue has to say.
var handbook = map[string]retention.Policy{
	"standard": {Last: 3, Hourly: 24, Daily: 14, Weekly: 8, Monthly: 12, Yearly: 2},
	"audit":    {Daily: 31, Monthly: 18, Yearly: 7},
	"database": {Last: 6, Hourly: 48, Daily: 30, Weekly: 12, Monthly: 12, Yearly: 3},
	"home":     {Last: 1, Hourly: 12, Daily: 21, Weekly: 6, Monthly: 6},
	"mail":     {Last: 1, Hourly: 24, Daily: 30, Weekly: 9, Monthly: 24, Yearly: 5},
	"build":    {Last: 2, Daily: 3},
	"scratch":  {Last: 1},
}

// Made while the tests' package is being initialised, as programs do it.
var (
	earlyPlanner  = retention.NewPlanner()
	earlyStandard = retention.Standard()
	earlyFloor    = retention.AuditFloor()
)

// shelf is a catalogue of a site.
type shelf map[string]retention.Policy

func (s shelf) Policy(class string) (retention.Policy, bool) {
	p, ok := s[class]
	return p, ok
}

// sheltered fails the test if body fails, panics or hangs.
func sheltered(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := fmt.Errorf("the goroutine exited early")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still busy after 5s")
	}
}

// grants checks the policy that p has for v.
func grants(p *retention.Planner, v retention.Volume, want retention.Policy) error {
	got, err := p.PolicyFor(v)
	if err != nil {
		return fmt.Errorf("PolicyFor(%s): %w", label(v), err)
	}
	if got != want {
		return fmt.Errorf("PolicyFor(%s) = %s, want %s", label(v), counts(got), counts(want))
	}
	return nil
}

func label(v retention.Volume) string {
	text := fmt.Sprintf("class %q, audited %t", v.Class, v.Audited)
	if v.Override != nil {
		text += ", override " + counts(*v.Override)
	}
	return text
}

// counts spells a policy without the help of the module.
func counts(p retention.Policy) string {
	return fmt.Sprintf("{last %d hourly %d daily %d weekly %d monthly %d yearly %d}",
		p.Last, p.Hourly, p.Daily, p.Weekly, p.Monthly, p.Yearly)
}

// raised returns p with no tier below that of floor.
func raised(p, floor retention.Policy) retention.Policy {
	return retention.Policy{
		Last:    max(p.Last, floor.Last, 1),
		Hourly:  max(p.Hourly, floor.Hourly),
		Daily:   max(p.Daily, floor.Daily),
		Weekly:  max(p.Weekly, floor.Weekly),
		Monthly: max(p.Monthly, floor.Monthly),
		Yearly:  max(p.Yearly, floor.Yearly),
	}
}
