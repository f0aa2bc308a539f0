package dayledger

import "fmt"

// A Tariff prices the energy of one site and day. All prices are in
// thousandths of a cent.
type Tariff struct {
	// Standing is due for every day with a row.
	Standing int64
	// Tiers are used up one after the other. Energy beyond the last one costs
	// what the last one costs.
	Tiers []Tier
}

// A Tier is an amount of energy at one price.
type Tier struct {
	WattHours int64 // how much of it there is in a day
	PerKWh    int64
}

// Cost returns the price of a day on which wattHours were used.
func (t Tariff) Cost(wattHours int64) int64 {
	cost := t.Standing * 1000
	rest := wattHours
	for i, tier := range t.Tiers {
		used := rest
		if i < len(t.Tiers)-1 {
			used = min(rest, tier.WattHours)
		}
		cost += used * tier.PerKWh
		rest -= used
	}
	return cost / 1000
}

func (t Tariff) validate() error {
	if t.Standing < 0 {
		return fmt.Errorf("%w: standing charge %d", ErrTariff, t.Standing)
	}
	for i, tier := range t.Tiers {
		if tier.WattHours <= 0 || tier.PerKWh < 0 {
			return fmt.Errorf("%w: tier %d: %d Wh at %d", ErrTariff, i+1, tier.WattHours, tier.PerKWh)
		}
	}
	return nil
}
