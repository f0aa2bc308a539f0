// Package scope keeps the values that belong to one request in its context.
//
// A Slot is a place for one value. The zero Slot is ready for use; as a rule it
// is a variable that a package keeps to itself:
//
//	var shift scope.Slot[string]
//
//	ctx = shift.Put(ctx, "night")
//	name, ok := shift.Get(ctx)
//
// A Slot is known by its variable, and every variable is a place of its own:
// what was put into one Slot is never found in another, and does not hide what
// the other holds. That is so for any number of Slots, whatever the types of
// their values and wherever they are declared: at package level, in a function,
// as a field or as an element of an array. A Slot must not be copied.
//
// Slots may be used by several goroutines at once.
package scope

import "context"

// Slot is a place for a value of type T in a context.
type Slot[T any] struct{}

// held is what a Slot puts into a context. It tells a nil interface that was
// put there from none at all.
type held[T any] struct{ value T }

// Put returns a copy of ctx in which the slot holds value, in place of what it
// may hold in ctx.
func (s *Slot[T]) Put(ctx context.Context, value T) context.Context {
	return context.WithValue(ctx, s, held[T]{value})
}

// Get returns the value that the slot holds in ctx, and whether it holds one.
func (s *Slot[T]) Get(ctx context.Context) (T, bool) {
	h, ok := ctx.Value(s).(held[T])
	return h.value, ok
}

// Or returns the value that the slot holds in ctx, or fallback if it is empty.
func (s *Slot[T]) Or(ctx context.Context, fallback T) T {
	if value, ok := s.Get(ctx); ok {
		return value
	}
	return fallback
}

// carry copies the slot from one context to another.
func (s *Slot[T]) carry(dst, src context.Context) context.Context {
	if value, ok := s.Get(src); ok {
		return s.Put(dst, value)
	}
	return dst
}

// Carrier is a *Slot of any type.
type Carrier interface {
	carry(dst, src context.Context) context.Context
}

// Carry returns a copy of dst in which the given slots hold what they hold in
// src. A slot that is empty in src stays as it is in dst. Nothing else of src is
// passed on, be it another slot, a deadline or a cancellation.
func Carry(dst, src context.Context, slots ...Carrier) context.Context {
	for _, slot := range slots {
		dst = slot.carry(dst, src)
	}
	return dst
}
