package dayledger_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/gridline/dayledger"
)

var household = dayledger.Tariff{
	Standing: 42_000,
	Tiers:    []dayledger.Tier{{WattHours: 4000, PerKWh: 21_500}, {WattHours: 6000, PerKWh: 28_000}, {WattHours: 1, PerKWh: 35_000}},
}

func TestCostUsesTheTiersUp(t *testing.T) {
	for _, tc := range []struct{ wattHours, want int64 }{
		{0, 42_000},
		{1, 42_021},
		{4000, 128_000},
		{5000, 156_000},
		{10_000, 296_000},
		{12_000, 366_000},
	} {
		if got := household.Cost(tc.wattHours); got != tc.want {
			t.Errorf("Cost(%d) = %d, want %d", tc.wattHours, got, tc.want)
		}
	}
	if got := (dayledger.Tariff{Standing: 7}).Cost(5000); got != 7 {
		t.Errorf("Cost without tiers = %d, want 7", got)
	}
}

func TestTariffsThatCannotBeRight(t *testing.T) {
	for name, tariff := range map[string]dayledger.Tariff{
		"standing charge": {Standing: -1},
		"empty tier":      {Tiers: []dayledger.Tier{{PerKWh: 5}}},
		"negative price":  {Tiers: []dayledger.Tier{{WattHours: 5, PerKWh: -5}}},
	} {
		if _, err := dayledger.New(dayledger.WithTariff(tariff)); !errors.Is(err, dayledger.ErrTariff) {
			t.Errorf("%s: error %v, want ErrTariff", name, err)
		}
	}
}

func TestReport(t *testing.T) {
	l := newLedger(t, dayledger.WithTariff(household))
	imports(t, l,
		"aarhus-2,m1,1,2025-02-03T12:00:00+01:00,9000",
		"aarhus-2,m2,1,2025-02-03T18:00:00+01:00,3000",
		"aarhus-2,m1,2,2025-02-04T12:00:00+01:00,25",
	)
	l.Seal(at(t, "2025-02-04T12:00:00Z"))
	var b strings.Builder
	if err := l.WriteReport(&b, "aarhus-2"); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"SITE      DAY          METERS  KWH     COST",
		"aarhus-2  2025-02-03   2       12.000  3.66",
		"aarhus-2  2025-02-04*  1       0.025   0.42",
		"",
	}, "\n")
	if b.String() != want {
		t.Errorf("report\n%swant\n%s", b.String(), want)
	}
}
