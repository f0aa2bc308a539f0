package retention_test

import (
	"errors"
	"testing"

	"example.com/stillwater/retention"
)

func TestParsePolicy(t *testing.T) {
	tests := []struct {
		text string
		want retention.Policy
	}{
		{"", retention.Policy{}},
		{"last=3", retention.Policy{Last: 3}},
		{"daily=7 weekly=4", retention.Policy{Daily: 7, Weekly: 4}},
		{" yearly=2  monthly=12\thourly=0 ", retention.Policy{Monthly: 12, Yearly: 2}},
		{
			"last=1 hourly=2 daily=3 weekly=4 monthly=5 yearly=6",
			retention.Policy{Last: 1, Hourly: 2, Daily: 3, Weekly: 4, Monthly: 5, Yearly: 6},
		},
	}
	for _, tt := range tests {
		got, err := retention.ParsePolicy(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("ParsePolicy(%q) = %+v, %v, want %+v", tt.text, got, err, tt.want)
		}
		again, err := retention.ParsePolicy(got.String())
		if err != nil || again != tt.want {
			t.Errorf("ParsePolicy(%q) = %+v, %v, want %+v", got.String(), again, err, tt.want)
		}
	}
}

func TestParsePolicyRefusesNonsense(t *testing.T) {
	for _, text := range []string{"daily", "daily=", "daily=x", "fortnightly=2", "daily=1 daily=2", "weekly=-1", "=3"} {
		if p, err := retention.ParsePolicy(text); !errors.Is(err, retention.ErrBadPolicy) {
			t.Errorf("ParsePolicy(%q) = %+v, %v, want ErrBadPolicy", text, p, err)
		}
	}
}

func TestBuiltinListsTheClassesOfTheHandbook(t *testing.T) {
	for _, class := range []string{"standard", "audit", "database", "home", "mail", "build", "scratch", "Database", "MAIL"} {
		if p, ok := retention.Builtin.Policy(class); !ok || p == (retention.Policy{}) {
			t.Errorf("%s: %+v, %v", class, p, ok)
		}
	}
	for _, class := range []string{"", "media", "standard "} {
		if p, ok := retention.Builtin.Policy(class); ok {
			t.Errorf("%q is listed as %+v", class, p)
		}
	}
}

func TestBuiltinKnowsFormerNames(t *testing.T) {
	for former, today := range map[string]string{"db": "database", "users": "home", "ci": "build", "TMP": "scratch"} {
		got, ok := retention.Builtin.Policy(former)
		want, _ := retention.Builtin.Policy(today)
		if !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v as for %s", former, got, ok, want, today)
		}
	}
}

// site is a catalogue for tests.
type site map[string]retention.Policy

func (s site) Policy(class string) (retention.Policy, bool) {
	p, ok := s[class]
	return p, ok
}

func TestLayerAnswersWithTheFirstEntry(t *testing.T) {
	upper := site{"mail": {Daily: 90}, "media": {Last: 4}}
	c := retention.Layer(upper, retention.Builtin)
	home, _ := retention.Builtin.Policy("home")
	for class, want := range map[string]retention.Policy{"mail": {Daily: 90}, "media": {Last: 4}, "home": home} {
		if got, ok := c.Policy(class); !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v", class, got, ok, want)
		}
	}
	if p, ok := c.Policy("maps"); ok {
		t.Errorf("maps is listed as %+v", p)
	}
}
