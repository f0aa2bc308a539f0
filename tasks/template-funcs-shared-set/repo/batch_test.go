package notices_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/brightwater/notices"
)

// postbox is a Sender that keeps what it gets, and refuses some.
type postbox struct {
	got    []string
	refuse string
}

var errFull = errors.New("letter box is full")

func (p *postbox) Send(n notices.Notice) error {
	if n.Resident.Name == p.refuse {
		return errFull
	}
	p.got = append(p.got, n.Resident.Name+": "+n.Text)
	return nil
}

// stair returns the residents of a staircase in Lisbon.
func stair() []notices.Resident {
	var rs []notices.Resident
	for _, name := range []string{"Silva", "Moura", "Reis"} {
		rs = append(rs, notices.Resident{
			Name:    name,
			Address: "Rua do Poco 4",
			Style:   notices.Style{Language: "pt", Zone: lisbon, Currency: "EUR"},
		})
	}
	return rs
}

func TestBatchSendsInOrder(t *testing.T) {
	b, err := newEngine(t).Batch("bill.tmpl", stair())
	if err != nil {
		t.Fatal(err)
	}
	owed := map[string]int{"Silva": 100, "Moura": 2250, "Reis": 123456}
	var box postbox
	n, err := b.Send(&box, func(r notices.Resident) any {
		return map[string]any{"Due": bill["Due"], "Cents": owed[r.Name]}
	})
	if n != 3 || err != nil {
		t.Errorf("Send() = %d, %v", n, err)
	}
	want := []string{
		"Silva: Pague EUR 1.00 by 2025-02-01. Os seus zeladores",
		"Moura: Pague EUR 22.50 by 2025-02-01. Os seus zeladores",
		"Reis: Pague EUR 1 234.56 by 2025-02-01. Os seus zeladores",
	}
	if !slices.Equal(box.got, want) {
		t.Errorf("got %q, want %q", box.got, want)
	}
}

func TestBatchGoesOnAfterAFailure(t *testing.T) {
	b, err := newEngine(t).Batch("outage.tmpl", stair())
	if err != nil {
		t.Fatal(err)
	}
	box := postbox{refuse: "Silva"}
	n, err := b.Send(&box, func(r notices.Resident) any {
		if r.Name == "Moura" {
			return map[string]any{}
		}
		return outage
	})
	if n != 1 || !errors.Is(err, errFull) || !strings.Contains(fmt.Sprint(err), `"Moura"`) {
		t.Errorf("Send() = %d, %v", n, err)
	}
	if len(box.got) != 1 || !strings.HasPrefix(box.got[0], "Reis: 4 horas") {
		t.Errorf("got %q", box.got)
	}
}

func TestBatchRefusesABadList(t *testing.T) {
	e := newEngine(t)
	rs := stair()
	rs[1].Style.Language = "fr"
	if _, err := e.Batch("bill.tmpl", rs); !errors.Is(err, notices.ErrUnknownLanguage) || !strings.Contains(err.Error(), `"Moura"`) {
		t.Errorf("got %v, want ErrUnknownLanguage of Moura", err)
	}
	if _, err := e.Batch("meter.tmpl", stair()); !errors.Is(err, notices.ErrUnknownTemplate) {
		t.Errorf("got %v, want ErrUnknownTemplate", err)
	}
	b, err := e.Batch("bill.tmpl", nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.Send(&postbox{}, func(notices.Resident) any { return bill }); n != 0 || err != nil {
		t.Errorf("Send() = %d, %v, want nothing sent", n, err)
	}
}
