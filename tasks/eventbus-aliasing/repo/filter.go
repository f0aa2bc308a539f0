package eventbus

// keep returns the elements of list that satisfy ok, in their order.
func keep[T any](list []T, ok func(T) bool) []T {
	kept := list[:0]
	for _, v := range list {
		if ok(v) {
			kept = append(kept, v)
		}
	}
	return kept
}
