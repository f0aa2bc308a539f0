package agenda_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/alpenrose/wakeup/agenda"
)

var midnight = time.Date(2025, 2, 8, 0, 0, 0, 0, time.UTC)

func at(minutes int) time.Time {
	return midnight.Add(time.Duration(minutes) * time.Minute)
}

// takeAll takes all that is due.
func takeAll(a *agenda.Agenda[string], now time.Time) []string {
	var got []string
	for v, _, ok := a.Take(now); ok; v, _, ok = a.Take(now) {
		got = append(got, v)
	}
	return got
}

func TestTakeInOrder(t *testing.T) {
	a := agenda.New[string]()
	for _, v := range []struct {
		at   int
		name string
	}{{30, "c"}, {10, "a"}, {30, "d"}, {20, "b"}, {30, "e"}, {60, "f"}} {
		a.Add(at(v.at), v.name)
	}
	if _, _, ok := a.Take(at(9)); ok {
		t.Error("took something too early")
	}
	if v, when, ok := a.Take(at(15)); !ok || v != "a" || !when.Equal(at(10)) {
		t.Errorf("took %q of %v, %t", v, when, ok)
	}
	if next, ok := a.Next(); !ok || !next.Equal(at(20)) {
		t.Errorf("next at %v, %t", next, ok)
	}
	if got, want := takeAll(a, at(59)), []string{"b", "c", "d", "e"}; !slices.Equal(got, want) {
		t.Errorf("took %q, want %q", got, want)
	}
	if a.Len() != 1 {
		t.Errorf("%d left, want 1", a.Len())
	}
	if got := takeAll(a, at(60)); !slices.Equal(got, []string{"f"}) {
		t.Errorf("took %q", got)
	}
	if _, ok := a.Next(); ok {
		t.Error("an empty agenda has a next time")
	}
}

func TestCancel(t *testing.T) {
	a := agenda.New[string]()
	var tickets []*agenda.Ticket[string]
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		tickets = append(tickets, a.Add(at(i), name))
	}
	for _, i := range []int{1, 4, 0} {
		if !tickets[i].Pending() || !tickets[i].Cancel() {
			t.Errorf("ticket %d was not pending", i)
		}
		if tickets[i].Pending() || tickets[i].Cancel() || tickets[i].Move(at(0)) {
			t.Errorf("ticket %d is pending after Cancel", i)
		}
	}
	if got, want := takeAll(a, at(10)), []string{"c", "d"}; !slices.Equal(got, want) {
		t.Errorf("took %q, want %q", got, want)
	}
}

func TestTicketOfATakenValue(t *testing.T) {
	a := agenda.New[string]()
	first := a.Add(at(1), "first")
	a.Add(at(2), "second")
	a.Add(at(3), "third")
	if got := takeAll(a, at(1)); !slices.Equal(got, []string{"first"}) {
		t.Fatalf("took %q", got)
	}
	if first.Pending() || first.Cancel() || first.Move(at(5)) {
		t.Error("a ticket is pending after its value was taken")
	}
	if got, want := takeAll(a, at(10)), []string{"second", "third"}; !slices.Equal(got, want) {
		t.Errorf("took %q, want %q", got, want)
	}
}

func TestMove(t *testing.T) {
	a := agenda.New[string]()
	early := a.Add(at(1), "early")
	late := a.Add(at(9), "late")
	same := a.Add(at(5), "same")
	a.Add(at(5), "five")
	for _, m := range []struct {
		ticket *agenda.Ticket[string]
		to     int
	}{{early, 7}, {late, 2}, {same, 5}} {
		if !m.ticket.Move(at(m.to)) {
			t.Errorf("cannot move to %d", m.to)
		}
		if !m.ticket.At().Equal(at(m.to)) {
			t.Errorf("moved to %v, want %d", m.ticket.At(), m.to)
		}
	}
	if got, want := takeAll(a, at(10)), []string{"late", "five", "same", "early"}; !slices.Equal(got, want) {
		t.Errorf("took %q, want %q", got, want)
	}
}

func TestManyTickets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	a := agenda.New[int]()
	var tickets []*agenda.Ticket[int]
	var want []int
	for range 500 {
		n := random.IntN(200)
		tickets = append(tickets, a.Add(at(n), n))
	}
	for i, ticket := range tickets {
		switch i % 5 {
		case 1:
			if !ticket.Cancel() {
				t.Errorf("ticket %d was not pending", i)
			}
		case 3:
			ticket.Move(ticket.At().Add(time.Hour))
			ticket.Move(ticket.At().Add(-time.Hour))
			fallthrough
		default:
			want = append(want, int(ticket.At().Sub(midnight)/time.Minute))
		}
	}
	slices.Sort(want)
	if a.Len() != len(want) {
		t.Errorf("%d tickets, want %d", a.Len(), len(want))
	}
	var got []int
	for v, _, ok := a.Take(at(1000)); ok; v, _, ok = a.Take(at(1000)) {
		got = append(got, v)
	}
	if !slices.Equal(got, want) {
		t.Errorf("took %d, want %d", got, want)
	}
}
