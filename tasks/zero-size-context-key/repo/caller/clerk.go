package caller

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"example.com/townhall/counter/scope"
)

// ClerkHeader carries the clerk at the window, as ParseClerk reads it.
const ClerkHeader = "X-Clerk"

// Clerk is somebody who serves the public at a window.
type Clerk struct {
	Name   string
	Window int // counts from 1
}

func (c Clerk) String() string {
	return c.Name + "@" + strconv.Itoa(c.Window)
}

// ParseClerk reads a clerk in the form that String writes, such as "imke@4".
func ParseClerk(text string) (Clerk, error) {
	name, window, ok := strings.Cut(text, "@")
	if !ok || name == "" {
		return Clerk{}, fmt.Errorf("%w: %q", ErrBadClerk, text)
	}
	n, err := strconv.Atoi(window)
	if err != nil || n < 1 {
		return Clerk{}, fmt.Errorf("%w: %q has no window", ErrBadClerk, text)
	}
	return Clerk{Name: name, Window: n}, nil
}

var clerk scope.Slot[Clerk]

// WithClerk returns a copy of ctx for work that c has asked for.
func WithClerk(ctx context.Context, c Clerk) context.Context {
	return clerk.Put(ctx, c)
}

// ClerkOf returns the clerk who has asked for the work that ctx runs, and
// whether there is one.
func ClerkOf(ctx context.Context) (Clerk, bool) {
	return clerk.Get(ctx)
}
