package caller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"example.com/townhall/counter/caller"
)

var offices = []string{"registry", "north-2"}

func headers(pairs ...string) http.Header {
	h := make(http.Header)
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestIdentifyFindsOfficeAndClerk(t *testing.T) {
	ctx, err := caller.Identify(context.Background(), headers("X-Office", "north-2", "X-Clerk", "imke@4"), offices)
	if err != nil {
		t.Fatal(err)
	}
	if code, ok := caller.Office(ctx); !ok || code != "north-2" {
		t.Errorf("Office = %q, %v, want north-2", code, ok)
	}
	if c, ok := caller.ClerkOf(ctx); !ok || c != (caller.Clerk{Name: "imke", Window: 4}) {
		t.Errorf("ClerkOf = %v, %v, want imke@4", c, ok)
	}
}

func TestIdentifyNeedsNoClerk(t *testing.T) {
	ctx, err := caller.Identify(context.Background(), headers("X-Office", "registry"), offices)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := caller.ClerkOf(ctx); ok {
		t.Errorf("ClerkOf = %v, want none", c)
	}
}

func TestIdentifyRefuses(t *testing.T) {
	for _, tc := range []struct {
		name    string
		headers http.Header
		want    error
	}{
		{"no office", headers("X-Clerk", "imke@4"), caller.ErrNoOffice},
		{"unknown office", headers("X-Office", "south-1"), caller.ErrUnknownOffice},
		{"clerk without window", headers("X-Office", "registry", "X-Clerk", "imke"), caller.ErrBadClerk},
		{"clerk without name", headers("X-Office", "registry", "X-Clerk", "@4"), caller.ErrBadClerk},
		{"window zero", headers("X-Office", "registry", "X-Clerk", "imke@0"), caller.ErrBadClerk},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := caller.Identify(context.Background(), tc.headers, offices); !errors.Is(err, tc.want) {
				t.Errorf("Identify: %v, want %v", err, tc.want)
			}
		})
	}
}

func TestClerkRoundTrip(t *testing.T) {
	want := caller.Clerk{Name: "Jan Harms", Window: 12}
	got, err := caller.ParseClerk(want.String())
	if err != nil || got != want {
		t.Errorf("ParseClerk(%q) = %v, %v", want, got, err)
	}
}

func TestCarryTakesTheCaller(t *testing.T) {
	src := caller.WithOffice(context.Background(), "registry")
	src = caller.WithClerk(src, caller.Clerk{Name: "imke", Window: 4})
	dst := caller.Carry(context.Background(), src)
	if code, _ := caller.Office(dst); code != "registry" {
		t.Errorf("Office = %q, want registry", code)
	}
	if c, _ := caller.ClerkOf(dst); c.Name != "imke" {
		t.Errorf("ClerkOf = %v, want imke", c)
	}
}
