package zone

// Rule reports whether v may enter while the vehicles inside are there. It must
// depend on nothing but its arguments, must not keep or change the slice, and
// must not call the zone. A zone asks one rule at a time.
//
// Rules are about entering. What is inside together may stay together.
type Rule func(inside []Vehicle, v Vehicle) bool

// MaxOf allows at most n vehicles of a kind at a time.
func MaxOf(kind string, n int) Rule {
	return func(inside []Vehicle, v Vehicle) bool {
		return v.Kind != kind || count(inside, kind) < n
	}
}

// MaxLoad allows at most so many kilograms on all vehicles together. A vehicle
// without a load may enter in any case.
func MaxLoad(kilograms int) Rule {
	return func(inside []Vehicle, v Vehicle) bool {
		if v.Load == 0 {
			return true
		}
		total := v.Load
		for _, other := range inside {
			total += other.Load
		}
		return total <= kilograms
	}
}

// Alone allows a vehicle of the kind to be in the zone only by itself.
func Alone(kind string) Rule {
	return func(inside []Vehicle, v Vehicle) bool {
		if v.Kind == kind {
			return len(inside) == 0
		}
		return count(inside, kind) == 0
	}
}

// Apart keeps the vehicles of two kinds out of each other's way.
func Apart(kind, other string) Rule {
	return func(inside []Vehicle, v Vehicle) bool {
		switch v.Kind {
		case kind:
			return count(inside, other) == 0
		case other:
			return count(inside, kind) == 0
		}
		return true
	}
}

// Escorted lets vehicles of a kind in only while one of the escort's kind is
// there.
func Escorted(kind, escort string) Rule {
	return func(inside []Vehicle, v Vehicle) bool {
		return v.Kind != kind || count(inside, escort) > 0
	}
}

func count(vehicles []Vehicle, kind string) int {
	n := 0
	for _, v := range vehicles {
		if v.Kind == kind {
			n++
		}
	}
	return n
}
