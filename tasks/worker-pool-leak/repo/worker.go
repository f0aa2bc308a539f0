package pool

import "sync"

// dispatch runs jobs on the pool's workers. The returned channel carries one
// result for each job, in the order in which they are ready, and is closed
// after the last one.
func (p *Pool) dispatch(jobs []Job) <-chan Result {
	pending := make(chan Job)
	go func() {
		defer close(pending)
		for _, job := range jobs {
			pending <- job
		}
	}()

	results := make(chan Result)
	var workers sync.WaitGroup
	for range min(p.workers, len(jobs)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			p.work(pending, results)
		}()
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	return results
}

// work runs jobs until there are no more.
func (p *Pool) work(pending <-chan Job, results chan<- Result) {
	for job := range pending {
		results <- p.run(job)
	}
}

// run asks job's carrier until it answers or the attempts are used up.
func (p *Pool) run(job Job) Result {
	start := p.now()
	quote, attempts, err := p.retry.do(job.ask)
	return Result{
		Carrier:  job.Carrier,
		Quote:    quote,
		Err:      err,
		Attempts: attempts,
		Elapsed:  p.now().Sub(start),
	}
}
