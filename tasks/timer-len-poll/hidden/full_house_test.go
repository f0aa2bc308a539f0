package boxoffice_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/stagedoor/boxoffice"
)

func TestSweepTakesTheLapsedAndLeavesTheOthers(t *testing.T) {
	scene(t, func() error {
		h, err := newHall()
		if err != nil {
			return err
		}
		const short = 12 * time.Millisecond
		var lapse, stay []boxoffice.ID
		for n := range 60 {
			customer, d := "long", aWhile
			switch n % 6 {
			case 0, 1:
				customer, d = "short", short
			case 2:
				customer = "gone"
			}
			id, err := h.Hold(customer, d, stalls[n])
			if err != nil {
				return err
			}
			switch n % 6 {
			case 3:
				_, err = h.Confirm(id)
			case 4:
				err = h.Release(id)
			case 5:
				stay = append(stay, id)
			default:
				lapse = append(lapse, id)
			}
			if err != nil {
				return err
			}
		}
		if n := h.Abandon("gone"); n != 10 {
			return fmt.Errorf("Abandon = %d, want 10", n)
		}
		want := map[boxoffice.State]int{boxoffice.Free: 350, boxoffice.Held: 10, boxoffice.Stale: 30, boxoffice.Sold: 10}
		agrees := func() bool {
			tally := h.Tally()
			for state, n := range want {
				if tally[state] != n {
					return false
				}
			}
			return true
		}
		if !comes(time.Now().Add(short), agrees) {
			return fmt.Errorf("tally %v, want %v", h.Tally(), want)
		}
		swept := h.Sweep()
		var ids []boxoffice.ID
		for _, l := range swept {
			ids = append(ids, l.ID)
			n := slices.Index(stalls, l.Seats[0])
			customer := "short"
			if n%6 == 2 {
				customer = "gone"
			}
			if l.Customer != customer || l.Abandoned != (customer == "gone") || len(l.Seats) != 1 {
				return fmt.Errorf("swept %+v, want it of %s", l, customer)
			}
		}
		if !slices.Equal(ids, lapse) {
			return fmt.Errorf("swept %v, want %v", ids, lapse)
		}
		if again := h.Sweep(); len(again) != 0 {
			return fmt.Errorf("swept %v again", again)
		}
		ids = nil
		for _, info := range h.Holds() {
			ids = append(ids, info.ID)
			if info.Lapsed {
				return fmt.Errorf("hold %d has lapsed", info.ID)
			}
		}
		if !slices.Equal(ids, stay) {
			return fmt.Errorf("holds %v remain, want %v", ids, stay)
		}
		want = map[boxoffice.State]int{boxoffice.Free: 380, boxoffice.Held: 10, boxoffice.Stale: 0, boxoffice.Sold: 10}
		if !agrees() {
			return fmt.Errorf("tally %v, want %v", h.Tally(), want)
		}
		return nil
	})
}

func TestManyHoldsAreSweptOnceEach(t *testing.T) {
	scene(t, func() error {
		h, err := newHall()
		if err != nil {
			return err
		}
		start := time.Now()
		lasts := make(map[boxoffice.ID]time.Duration)
		for n, seat := range stalls {
			d := time.Duration(n%25+1) * time.Millisecond
			id, err := h.Hold(fmt.Sprint("customer ", n), d, seat)
			if err != nil {
				return err
			}
			lasts[id] = d
		}
		var wrong error
		swept := make(map[boxoffice.ID]int)
		all := func() bool {
			for _, l := range h.Sweep() {
				if swept[l.ID]++; swept[l.ID] > 1 || time.Since(start) < lasts[l.ID] || l.Abandoned {
					wrong = fmt.Errorf("swept %+v after %v, %d times", l, time.Since(start), swept[l.ID])
				}
			}
			return len(swept) == len(stalls) || wrong != nil
		}
		if !comes(time.Now().Add(25*time.Millisecond), all) {
			return fmt.Errorf("%d holds are swept, want %d", len(swept), len(stalls))
		}
		if tally := h.Tally(); wrong == nil && tally[boxoffice.Free] != len(stalls) {
			return fmt.Errorf("tally %v, want all free", tally)
		}
		return wrong
	})
}

func TestRunSweepsWhatLapses(t *testing.T) {
	scene(t, func() error {
		h, err := newHall()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var mu sync.Mutex
		var reported []boxoffice.ID
		ended := make(chan error, 1)
		go func() {
			ended <- h.Run(ctx, 2*time.Millisecond, func(l boxoffice.Lapsed) {
				mu.Lock()
				defer mu.Unlock()
				reported = append(reported, l.ID)
			})
		}()
		if _, err := h.Hold("long", aWhile, stalls[9]); err != nil {
			return err
		}
		for n := range 4 {
			id, err := h.Hold("short", 5*time.Millisecond, stalls[0])
			if err != nil {
				return fmt.Errorf("Hold after %d holds were swept: %w", n, err)
			}
			told := func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(reported) > n && reported[n] == id
			}
			if !comes(time.Now().Add(5*time.Millisecond), told) {
				return fmt.Errorf("hold %d is not reported", id)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			return fmt.Errorf("Run: error %w, want Canceled", err)
		}
		if len(reported) != 4 || stateOf(h, 9) != boxoffice.Held {
			return fmt.Errorf("%d holds reported, and the long one is %v", len(reported), stateOf(h, 9))
		}
		return nil
	})
}

func TestAbandonAndReleaseAfterTheTimeIsUp(t *testing.T) {
	scene(t, func() error {
		return with(7*time.Millisecond, func(h *boxoffice.House, old boxoffice.ID) error {
			young, err := h.Hold("ada", aWhile, stalls[2])
			if err != nil {
				return err
			}
			if !comes(time.Now().Add(7*time.Millisecond), func() bool { return stateOf(h, 0) == boxoffice.Stale }) {
				return errors.New("the hold does not lapse")
			}
			if n := h.Abandon("ada"); n != 1 {
				return fmt.Errorf("Abandon = %d, want 1", n)
			}
			third, err := h.Hold("ada", 7*time.Millisecond, stalls[3])
			if err != nil {
				return err
			}
			if !comes(time.Now().Add(7*time.Millisecond), func() bool { return stateOf(h, 3) == boxoffice.Stale }) {
				return errors.New("the third hold does not lapse")
			}
			if err := h.Release(third); err != nil || stateOf(h, 3) != boxoffice.Free {
				return fmt.Errorf("Release: error %w, seat is %v", err, stateOf(h, 3))
			}
			swept := h.Sweep()
			if len(swept) != 2 || swept[0].ID != old || swept[0].Abandoned || swept[1].ID != young || !swept[1].Abandoned {
				return fmt.Errorf("swept %+v, want %d, lapsed, and %d, abandoned", swept, old, young)
			}
			return nil
		})
	})
}

// TestAbandonedBeforeItsTime passes without timers.
func TestAbandonedBeforeItsTime(t *testing.T) {
	scene(t, func() error {
		return with(aWhile, func(h *boxoffice.House, id boxoffice.ID) error {
			if n := h.Abandon("ada"); n != 1 {
				return fmt.Errorf("Abandon = %d, want 1", n)
			}
			for _, l := range looks {
				if !l.see(h, id) {
					return fmt.Errorf("%s: the hold has not lapsed", l.name)
				}
			}
			if _, err := h.Confirm(id); !refused(err) {
				return fmt.Errorf("Confirm: error %w, want ErrLapsed", err)
			}
			swept := h.Sweep()
			if len(swept) != 1 || swept[0].ID != id || !swept[0].Abandoned {
				return fmt.Errorf("swept %+v, want the abandoned hold", swept)
			}
			return nil
		})
	})
}

func TestHoldsAndSweepsAtOnce(t *testing.T) {
	scene(t, func() error {
		h, err := newHall()
		if err != nil {
			return err
		}
		const customers, rounds = 6, 12
		var mu sync.Mutex
		made, swept := make(map[boxoffice.ID]bool), make(map[boxoffice.ID]int)
		sweep := func() {
			for _, l := range h.Sweep() {
				mu.Lock()
				swept[l.ID]++
				mu.Unlock()
			}
		}
		var wg sync.WaitGroup
		for c := range customers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for round := range rounds {
					d := time.Duration(round%3+1) * time.Millisecond
					id, err := h.Hold(fmt.Sprint(c), d, stalls[c*rounds+round])
					if err == nil {
						mu.Lock()
						made[id] = true
						mu.Unlock()
					}
					stateOf(h, c*rounds)
					h.Extend(id, time.Millisecond)
					sweep()
					h.Holds()
					h.Tally()
				}
			}()
		}
		wg.Wait()
		if len(made) != customers*rounds {
			return fmt.Errorf("%d holds, want %d", len(made), customers*rounds)
		}
		if !comes(time.Now().Add(3*time.Millisecond), func() bool { sweep(); return len(swept) >= len(made) }) {
			return fmt.Errorf("%d holds swept, want %d", len(swept), len(made))
		}
		for id, n := range swept {
			if n != 1 || !made[id] {
				return fmt.Errorf("hold %d is swept %d times", id, n)
			}
		}
		return nil
	})
}

// houseGoroutines returns the stacks of goroutines that run or were started by
// code of the module, by the goroutine's number.
func houseGoroutines() map[string]string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	found := make(map[string]string)
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		for line := range strings.SplitSeq(stack, "\n") {
			line = strings.TrimPrefix(line, "created by ")
			if strings.HasPrefix(line, "example.com/stagedoor/boxoffice.") || strings.HasPrefix(line, "example.com/stagedoor/boxoffice/") ||
				strings.HasPrefix(line, "time.goFunc") {
				found[strings.Fields(stack)[1]] = stack
				break
			}
		}
	}
	return found
}

func TestNoGoroutineIsLeftOfHoldsThatAreOver(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(h *boxoffice.House, id boxoffice.ID) error
	}{
		{"confirmed", func(h *boxoffice.House, id boxoffice.ID) error {
			_, err := h.Confirm(id)
			return err
		}},
		{"released", func(h *boxoffice.House, id boxoffice.ID) error { return h.Release(id) }},
		{"extended_and_released", func(h *boxoffice.House, id boxoffice.ID) error {
			return errors.Join(h.Extend(id, aWhile/2), h.Extend(id, aWhile), h.Release(id))
		}},
		{"swept", func(h *boxoffice.House, _ boxoffice.ID) error {
			h.Abandon("ada")
			if n := len(h.Sweep()); n != 1 {
				return fmt.Errorf("%d holds swept, want 1", n)
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			scene(t, func() error {
				before := houseGoroutines()
				for range 25 {
					if err := with(aWhile, c.end); err != nil {
						return err
					}
				}
				var left string
				none := func() bool {
					left = ""
					for number, stack := range houseGoroutines() {
						if _, old := before[number]; !old {
							left = stack
						}
					}
					return left == ""
				}
				if !comes(time.Now(), none) {
					return fmt.Errorf("a goroutine is left:\n%s", left)
				}
				return nil
			})
		})
	}
}

// TestTimersOfTheProgramAreLeftAlone looks at a timer of somebody else.
func TestTimersOfTheProgramAreLeftAlone(t *testing.T) {
	scene(t, func() error {
		return with(time.Millisecond, func(h *boxoffice.House, id boxoffice.ID) error {
			if err := h.Release(id); err != nil {
				return err
			}
			timer := time.NewTimer(aWhile)
			defer timer.Stop()
			if n := cap(timer.C); n != 0 {
				return fmt.Errorf("timers of the program are made with room for %d ticks, like those before Go 1.23", n)
			}
			return nil
		})
	})
}
