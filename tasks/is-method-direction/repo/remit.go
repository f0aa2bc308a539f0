// Package remit hands the taps that ferry gates record over to the clearing
// house, which charges the cards.
//
// # Failures
//
// A [Link] takes a batch of taps to the clearing house. If the clearing house
// turns the batch away, the error is or wraps a [*StatusError]. Failures belong
// to classes:
//
//   - [Offline]: there was no answer. No status is of this class.
//   - [Overloaded]: the statuses 429 and 503.
//   - [ServerFault]: the statuses 500 to 599.
//   - [Denied]: the statuses 401 and 403.
//   - [Refused]: the statuses 400 to 499.
//
// Classes overlap: a 503 is Overloaded and a ServerFault. errors.Is(err, class)
// tells whether err is of a class, for what this package returns as for what a
// link returns. An error is of all the classes of each [*StatusError] that it is
// or wraps, whoever made that and however it was wrapped or joined with other
// errors. It is also of each class that it wraps itself, which is what links do
// that know no statuses. It is of no other class.
//
// # Attempts
//
// [Sender.Send] tries a batch again after a failure that may pass: one that is
// Overloaded, a ServerFault or Offline, whatever else it is, while attempts are
// left. Every other failure is final at once. The pause before the second
// attempt is the shortest one; it doubles with every further attempt up to the
// longest one. After an Overloaded failure it is the longest one at once.
//
// [Sender.SendAll] sorts batches by what became of them:
//
//   - Cleared: the clearing house has it.
//   - Kept: the failure may pass, but all attempts were used. Later batches are
//     sent all the same.
//   - Denied failures, if they are final, concern the gate and not the batch.
//     The run ends; this batch and those that follow are Kept.
//   - SetAside: any other final failure. Somebody has to look at the batch.
package remit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrOption reports an option that cannot be right.
var ErrOption = errors.New("remit: invalid option")

// A Link takes batches to the clearing house.
type Link interface {
	// Deliver returns nil once the clearing house has the batch.
	Deliver(ctx context.Context, b Batch) error
}

// A Sender hands batches over. Several goroutines may use it at once if its
// link allows that.
type Sender struct {
	link   Link
	policy policy
	wait   func(context.Context, time.Duration) error
}

// An Option configures a Sender.
type Option func(*Sender) error

// NewSender returns a Sender that tries a batch four times, with pauses from
// two seconds to a minute, unless options say otherwise.
func NewSender(link Link, opts ...Option) (*Sender, error) {
	if link == nil {
		return nil, fmt.Errorf("%w: no link", ErrOption)
	}
	s := &Sender{
		link:   link,
		policy: policy{attempts: 4, shortest: 2 * time.Second, longest: time.Minute},
		wait:   sleep,
	}
	for _, opt := range opts {
		if err := opt(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// WithAttempts sets how often a batch is tried.
func WithAttempts(n int) Option {
	return func(s *Sender) error {
		if n < 1 {
			return fmt.Errorf("%w: %d attempts", ErrOption, n)
		}
		s.policy.attempts = n
		return nil
	}
}

// WithPauses sets the shortest and the longest pause between attempts.
func WithPauses(shortest, longest time.Duration) Option {
	return func(s *Sender) error {
		if shortest < 0 || longest < shortest {
			return fmt.Errorf("%w: pauses from %v to %v", ErrOption, shortest, longest)
		}
		s.policy.shortest, s.policy.longest = shortest, longest
		return nil
	}
}

// WithWait replaces the function that passes the time between attempts. It
// returns early with an error when the context is done.
func WithWait(wait func(context.Context, time.Duration) error) Option {
	return func(s *Sender) error {
		s.wait = wait
		return nil
	}
}

// Send delivers one batch. If that fails, it returns the error of the last
// attempt, wrapped. Once ctx is done there is no further attempt, and the error
// is joined with the context's.
func (s *Sender) Send(ctx context.Context, b Batch) error {
	if err := b.Validate(); err != nil {
		return err
	}
	for n := 1; ; n++ {
		err := s.link.Deliver(ctx, b)
		if err == nil {
			return nil
		}
		err = fmt.Errorf("remit: batch %s, attempt %d: %w", b.ID(), n, err)
		if ctxErr := ctx.Err(); ctxErr != nil {
			return errors.Join(err, ctxErr)
		}
		if n >= s.policy.attempts || s.policy.judge(err) != again {
			return err
		}
		if waitErr := s.wait(ctx, s.policy.pause(n, err)); waitErr != nil {
			return errors.Join(err, waitErr)
		}
	}
}

// A Report says what became of the batches of a run.
type Report struct {
	Cleared  []Batch
	Kept     []Batch
	SetAside []Batch
	Err      error // all failures, joined
}

// SendAll sends batches in order. When ctx is done, what has not been cleared
// by then is kept.
func (s *Sender) SendAll(ctx context.Context, batches []Batch) Report {
	var r Report
	for i, b := range batches {
		if ctx.Err() != nil {
			r.Kept = append(r.Kept, batches[i:]...)
			r.Err = errors.Join(r.Err, ctx.Err())
			return r
		}
		err := s.Send(ctx, b)
		if err == nil {
			r.Cleared = append(r.Cleared, b)
			continue
		}
		r.Err = errors.Join(r.Err, err)
		verdict := s.policy.judge(err)
		switch {
		case verdict == halt:
			r.Kept = append(r.Kept, batches[i:]...)
			return r
		case verdict == again || ctx.Err() != nil:
			r.Kept = append(r.Kept, b)
		default:
			r.SetAside = append(r.SetAside, b)
		}
	}
	return r
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
