package agenda_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/alpenrose/wakeup/agenda"
)

var dayZero = time.Date(2024, 11, 3, 4, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return dayZero.Add(time.Duration(n) * time.Minute) }

// bounded fails the test if body fails, panics or does not end.
func bounded(t *testing.T, body func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine ended early")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
			done <- err
		}()
		err = body()
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(6 * time.Second):
		t.Fatal("no end after 6s")
	}
}

// drain takes everything.
func drain(a *agenda.Agenda[int]) []int {
	var got []int
	for v, _, ok := a.Take(minute(1 << 20)); ok; v, _, ok = a.Take(minute(1 << 20)) {
		got = append(got, v)
		if len(got) > 1<<16 {
			break
		}
	}
	return got
}

// spend makes an agenda with n values, spends the ticket of value k and returns
// both. The values are put down for minute 10 + spread*value, and the one that is
// to be taken for minute 10 at the latest.
func spend(n, k, spread int, take bool) (*agenda.Agenda[int], *agenda.Ticket[int], error) {
	a := agenda.New[int]()
	var ticket *agenda.Ticket[int]
	for i := range n {
		at := 10 + spread*i
		if i == k && take && k > 0 {
			at = 1
		}
		if added := a.Add(minute(at), i); i == k {
			ticket = added
		}
	}
	if !ticket.Pending() {
		return nil, nil, errors.New("a new ticket is not pending")
	}
	if take {
		if v, at, ok := a.Take(minute(10)); !ok || v != k {
			return nil, nil, fmt.Errorf("Take() = %d, %v, %t, want %d", v, at, ok, k)
		}
		return a, ticket, nil
	}
	if !ticket.Cancel() {
		return nil, nil, errors.New("a pending ticket cannot be cancelled")
	}
	return a, ticket, nil
}

func TestSpentTicketStaysSpent(t *testing.T) {
	uses := []func(ticket *agenda.Ticket[int]) bool{
		func(ticket *agenda.Ticket[int]) bool { return ticket.Pending() },
		func(ticket *agenda.Ticket[int]) bool { return ticket.Cancel() },
		func(ticket *agenda.Ticket[int]) bool { return ticket.Move(minute(5)) },
		func(ticket *agenda.Ticket[int]) bool { return ticket.Move(minute(90_000)) },
	}
	for _, tc := range []struct {
		name   string
		spread int
		take   bool
	}{
		{"taken", 3, true},
		{"cancelled", 3, false},
		{"taken_among_equal_times", 0, true},
		{"cancelled_among_equal_times", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bounded(t, func() error {
				for _, n := range []int{1, 2, 3, 8, 33} {
					for _, k := range []int{0, n / 2, n - 1} {
						for _, more := range []int{0, 1, 2, 9, 70} {
							for i, use := range uses {
								a, ticket, err := spend(n, k, tc.spread, tc.take)
								if err != nil {
									return err
								}
								var want []int
								for v := range n {
									if v != k {
										want = append(want, v)
									}
								}
								for v := range more {
									a.Add(minute(10+tc.spread*(n+v)), n+v)
									want = append(want, n+v)
								}
								what := fmt.Sprintf("ticket %d of %d, with %d more, used in way %d", k, n, more, i)
								at := ticket.At()
								for range 2 {
									if use(ticket) || !ticket.At().Equal(at) {
										return fmt.Errorf("%s: it was not spent", what)
									}
								}
								if got := a.Len(); got != len(want) {
									return fmt.Errorf("%s: %d tickets are pending, want %d", what, got, len(want))
								}
								if got := drain(a); !slices.Equal(got, want) {
									return fmt.Errorf("%s: took %d, want %d", what, got, want)
								}
							}
						}
					}
				}
				return nil
			})
		})
	}
}

func TestManySpentTicketsAreKept(t *testing.T) {
	for _, tc := range []struct {
		name string
		take bool
		n    int
	}{
		{"taken", true, 4000},
		{"cancelled", false, 4000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bounded(t, func() error {
				a := agenda.New[int]()
				var spent []*agenda.Ticket[int]
				for i := range tc.n {
					spent = append(spent, a.Add(minute(1+i%13), i))
				}
				if tc.take {
					if got := len(drain(a)); got != tc.n {
						return fmt.Errorf("took %d of %d", got, tc.n)
					}
				} else {
					for i := range spent {
						if !spent[(i*7)%tc.n].Cancel() {
							return errors.New("a pending ticket cannot be cancelled")
						}
					}
				}
				var want []int
				for i := range tc.n + 500 {
					a.Add(minute(100+i), i)
					want = append(want, i)
				}
				for i, ticket := range spent {
					if ticket.Pending() || ticket.Cancel() || ticket.Move(minute(50)) {
						return fmt.Errorf("ticket %d was not spent", i)
					}
				}
				if got := drain(a); !slices.Equal(got, want) {
					return fmt.Errorf("took %d values, want %d in order", len(got), len(want))
				}
				return nil
			})
		})
	}
}

// plain is an agenda without any cunning.
type plain struct {
	entries []entry
	seq     int
}

type entry struct{ value, at, seq int }

func (p *plain) add(value, at int) {
	p.seq++
	p.entries = append(p.entries, entry{value, at, p.seq})
}

func (p *plain) find(value int) int {
	return slices.IndexFunc(p.entries, func(e entry) bool { return e.value == value })
}

func (p *plain) first() (entry, bool) {
	if len(p.entries) == 0 {
		return entry{}, false
	}
	return slices.MinFunc(p.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	}), true
}

func (p *plain) remove(value int) bool {
	i := p.find(value)
	if i < 0 {
		return false
	}
	p.entries = slices.Delete(p.entries, i, i+1)
	return true
}

func (p *plain) move(value, at int) bool {
	i := p.find(value)
	if i < 0 {
		return false
	}
	p.seq++
	p.entries[i].at, p.entries[i].seq = at, p.seq
	return true
}

func TestAgendaAgainstAPlainOne(t *testing.T) {
	for _, tc := range []struct {
		name  string
		seed  uint64
		times int // how many different ones
	}{
		{"many_times", 1, 5000},
		{"few_times", 2, 12},
		{"one_time", 3, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bounded(t, func() error {
				random := rand.New(rand.NewPCG(tc.seed, 44))
				a, p := agenda.New[int](), &plain{}
				var tickets []*agenda.Ticket[int]
				for step := range 6000 {
					fail := func(what string, got, want any) error {
						return fmt.Errorf("step %d: %s: got %v, want %v", step, what, got, want)
					}
					at := random.IntN(tc.times)
					if op := random.IntN(10); op < 3 || len(tickets) == 0 {
						p.add(len(tickets), at)
						tickets = append(tickets, a.Add(minute(at), len(tickets)))
					} else if op < 6 {
						first, ok := p.first()
						v, when, got := a.Take(minute(at))
						if want := ok && first.at <= at; got != want {
							return fail("Take", got, want)
						} else if want {
							if v != first.value || !when.Equal(minute(first.at)) {
								return fail("Take", v, first.value)
							}
							p.remove(v)
						}
					} else {
						i := random.IntN(len(tickets))
						if random.IntN(2) == 0 {
							i = max(0, len(tickets)-1-random.IntN(20))
						}
						pending := p.find(i) >= 0
						if got := tickets[i].Pending(); got != pending {
							return fail("Pending", got, pending)
						}
						if op < 8 {
							if got, want := tickets[i].Cancel(), p.remove(i); got != want {
								return fail("Cancel", got, want)
							}
						} else if got, want := tickets[i].Move(minute(at)), p.move(i, at); got != want {
							return fail("Move", got, want)
						} else if want && !tickets[i].At().Equal(minute(at)) {
							return fail("At", tickets[i].At(), minute(at))
						}
					}
					if got, want := a.Len(), len(p.entries); got != want {
						return fail("Len", got, want)
					}
					first, want := p.first()
					if next, got := a.Next(); got != want || want && !next.Equal(minute(first.at)) {
						return fail("Next", next, minute(first.at))
					}
				}
				return nil
			})
		})
	}
}

func TestTicketsOfSeveralAgendas(t *testing.T) {
	bounded(t, func() error {
		a, b := agenda.New[int](), agenda.New[int]()
		spent := a.Add(minute(1), 1)
		if !spent.Cancel() {
			return errors.New("a pending ticket cannot be cancelled")
		}
		for i := range 4 {
			a.Add(minute(i), 10+i)
			b.Add(minute(i), 20+i)
		}
		if spent.Cancel() || spent.Move(minute(9)) || spent.Pending() {
			return errors.New("a spent ticket is pending")
		}
		if x, y := drain(a), drain(b); !slices.Equal(x, []int{10, 11, 12, 13}) || !slices.Equal(y, []int{20, 21, 22, 23}) {
			return fmt.Errorf("took %d and %d", x, y)
		}
		return nil
	})
}
