// Command launch runs one program with limits, and leaves nothing of it behind.
//
// The program gets a process group of its own, no standard input, and a single
// capped stream for its output, which launch copies to its standard output.
// When the program ends, runs out of time, prints too much, or when launch's
// own parent dies, every descendant is killed, those that left the group too.
// What happened is written to standard error as one line of JSON, after which
// launch exits with 0; any other exit status means that launch itself failed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// status is what launch reports about the program's run.
type status struct {
	Exit        int     `json:"exit"`        // exit status, or -1
	Signal      string  `json:"signal"`      // name of the signal that ended it, or ""
	TimedOut    bool    `json:"timed_out"`   // it was killed for running longer than -timeout
	OutputCut   bool    `json:"output_cut"`  // it was killed for printing more than -output
	Interrupted bool    `json:"interrupted"` // launch was told to stop, or its parent died
	Leftovers   int     `json:"leftovers"`   // descendants that outlived the program and were killed
	Seconds     float64 `json:"seconds"`     // wall time
	CPUSeconds  float64 `json:"cpu_seconds"` // user and system time, of the waited-for children too
	MaxRSSBytes int64   `json:"max_rss"`     // peak resident memory of the largest process
	Report      []byte  `json:"report"`      // what it wrote to the report descriptor, in base64
}

// options are what the command line asks for besides the program.
type options struct {
	timeout time.Duration
	output  int64
	report  int64
	key     string
	limits  limits
	box     box
}

func main() {
	// The parent-death signal of the child is tied to the thread that starts it.
	runtime.LockOSThread()
	if len(os.Args) > 1 && os.Args[1] == becomeArg {
		become(os.Args[2:])
	}
	if len(os.Args) == 2 && os.Args[1] == "-probe" {
		probe()
	}

	var opt options
	flag.DurationVar(&opt.timeout, "timeout", time.Minute, "wall time after which the program is killed")
	flag.Int64Var(&opt.output, "output", 1<<20, "`bytes` of output after which the program is killed")
	flag.StringVar(&opt.key, "key", "", "`file` to hand over as descriptor 3; it is removed before the program starts")
	flag.Int64Var(&opt.report, "report", 1<<20, "`bytes` taken from descriptor 4, which a program with a key gets")
	parent := flag.Int("parent", 0, "`pid` whose death ends the program; 0 for nobody's")
	opt.limits.register(flag.CommandLine)
	opt.box.register(flag.CommandLine)
	flag.Usage = func() {} // what is wrong is enough
	flag.Parse()
	if flag.NArg() == 0 {
		fail(errors.New("no program to run"))
	}

	if err := hideDescriptors(); err != nil {
		fail(err)
	}
	// Signals are caught before the first of them can be asked for.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	// A reader that is gone must not end launch before it has killed the
	// program; and unlike an ignored signal, a caught one is not inherited.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err := adoptOrphans(); err != nil {
		fail(err)
	}
	if *parent != 0 {
		if err := followParent(*parent, stop); err != nil {
			fail(err)
		}
	}

	report, err := run(flag.Args(), opt, stop)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stderr).Encode(report); err != nil {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "launch:", err)
	os.Exit(125)
}

func run(argv []string, opt options, stop <-chan os.Signal) (status, error) {
	path := argv[0]
	if opt.box.Mode == isolateNone {
		found, err := exec.LookPath(path)
		if err != nil {
			return status{}, err
		}
		path = found
	}
	self, err := os.Executable()
	if err != nil {
		return status{}, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return status{}, err
	}
	// The second stage says here why it could not become the program.
	failure, failed, err := os.Pipe()
	if err != nil {
		return status{}, err
	}
	channel, err := openChannel(opt)
	if err != nil {
		return status{}, err
	}
	stage, err := json.Marshal(stage{Limits: opt.limits, Box: opt.box, Keyed: opt.key != "", Path: path})
	if err != nil {
		return status{}, err
	}

	cmd := exec.Command(self)
	cmd.Args = append([]string{self, becomeArg, string(stage)}, argv...)
	cmd.Stdout, cmd.Stderr = writer, writer
	cmd.ExtraFiles = []*os.File{channel.key, channel.report, failed} // keyFD, reportFD, becomeFD
	cmd.SysProcAttr = opt.box.attributes()
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return status{}, err
	}
	writer.Close()
	failed.Close()
	channel.handOver()

	copied := make(chan bool, 1) // whether the output was cut
	go func() {
		_, err := io.CopyN(os.Stdout, unhurried{reader}, opt.output)
		if err == nil {
			// The limit is reached; one more byte means that it is passed.
			n, _ := reader.Read(make([]byte, 1))
			err = io.EOF
			if n > 0 {
				copied <- true
				return
			}
		}
		copied <- false
	}()
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // the outcome is in cmd.ProcessState
		close(ended)
	}()

	var report status
	timer := time.NewTimer(opt.timeout)
	defer timer.Stop()
	drained := false
	for running := true; running; {
		select {
		case <-ended:
			reapDead()
			running = false
			continue
		case <-timer.C:
			report.TimedOut = true
		case <-stop:
			report.Interrupted = true
		case report.OutputCut = <-copied:
			drained = true
			copied = nil
			if !report.OutputCut {
				continue // it closed its output and goes on
			}
		}
		cmd.Process.Kill() // it may have left its group, where it does not lead a session
		killGroup(cmd.Process.Pid)
		<-ended
		running = false
	}
	killGroup(cmd.Process.Pid)
	report.Leftovers = killOrphans()
	if !drained {
		// Nobody is left who could write, so the copy ends.
		report.OutputCut = <-copied
	}

	if reason, _ := io.ReadAll(failure); len(reason) > 0 {
		return status{}, errors.New(string(reason))
	}

	report.Report = channel.collect()
	report.Seconds = time.Since(begin).Seconds()
	describe(cmd.ProcessState, &report)
	return report, nil
}

func describe(state *os.ProcessState, report *status) {
	report.Exit = state.ExitCode()
	report.CPUSeconds = (state.UserTime() + state.SystemTime()).Seconds()
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		report.Signal = wait.Signal().String()
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		report.MaxRSSBytes = maxRSS(usage)
	}
}

// killGroup kills what is left of the process group that pid leads.
func killGroup(pid int) {
	syscall.Kill(-pid, syscall.SIGKILL)
}
