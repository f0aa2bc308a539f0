package agenda

// queue is a heap of tickets, the first one on top. Its methods are for package
// heap.
type queue[T any] []*Ticket[T]

func (q queue[T]) Len() int { return len(q) }

func (q queue[T]) Less(i, j int) bool {
	if order := q[i].at.Compare(q[j].at); order != 0 {
		return order < 0
	}
	return q[i].seq < q[j].seq
}

func (q queue[T]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place = i
	q[j].place = j
}

func (q *queue[T]) Push(x any) {
	t := x.(*Ticket[T])
	t.place = len(*q)
	*q = append(*q, t)
}

func (q *queue[T]) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return t
}
