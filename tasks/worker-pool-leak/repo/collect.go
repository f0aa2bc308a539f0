package pool

import "fmt"

// Collect runs the queued jobs and returns the first limit results, or all of
// them if limit is 0 or there are fewer jobs. With a negative limit it returns
// an error that wraps ErrLimit and leaves the queue alone.
func (p *Pool) Collect(limit int) ([]Result, error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: %d", ErrLimit, limit)
	}
	var collected []Result
	for result := range p.dispatch(p.take()) {
		collected = append(collected, result)
		if len(collected) == limit {
			break
		}
	}
	return collected, nil
}
