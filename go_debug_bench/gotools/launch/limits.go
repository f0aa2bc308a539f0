package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// becomeArg marks the second stage: launch runs itself once more in the child,
// sets the limits there, and becomes the program.
const becomeArg = "-become"

// becomeFD is where the second stage writes why it failed: on its standard
// output a failure of launch would pass for one of the program.
const becomeFD = 3

// limits are the resource limits of the program; 0 sets none.
type limits struct {
	data  uint64 // bytes of private writable memory, per process
	file  uint64 // bytes of the largest file that it may write
	files uint64 // open file descriptors
	cpu   uint64 // seconds of processor time, per process
}

func (l *limits) register(flags *flag.FlagSet) {
	flags.Uint64Var(&l.data, "data", 0, "`bytes` of private memory per process")
	flags.Uint64Var(&l.file, "file", 0, "`bytes` of the largest file")
	flags.Uint64Var(&l.files, "files", 0, "open file descriptors")
	flags.Uint64Var(&l.cpu, "cpu", 0, "`seconds` of processor time per process")
}

// String is the form in which the limits reach the second stage.
func (l limits) String() string {
	return fmt.Sprintf("%d,%d,%d,%d", l.data, l.file, l.files, l.cpu)
}

func parseLimits(text string) (l limits, err error) {
	_, err = fmt.Sscanf(text, "%d,%d,%d,%d", &l.data, &l.file, &l.files, &l.cpu)
	return l, err
}

func (l limits) set() error {
	for _, limit := range []struct {
		resource int
		value    uint64
	}{
		{syscall.RLIMIT_DATA, l.data},
		{syscall.RLIMIT_FSIZE, l.file},
		{syscall.RLIMIT_NOFILE, l.files},
		{syscall.RLIMIT_CPU, l.cpu},
	} {
		if limit.value == 0 {
			continue
		}
		if err := syscall.Setrlimit(limit.resource, &syscall.Rlimit{Cur: limit.value, Max: limit.value}); err != nil {
			return err
		}
	}
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// become sets the limits args[0], then runs the file args[1] as args[2:] in
// place of this process.
func become(args []string) {
	syscall.CloseOnExec(becomeFD)
	l, err := parseLimits(args[0])
	if err == nil {
		err = l.set()
	}
	if err == nil {
		err = execute(args[1], args[2:])
	}
	fmt.Fprint(os.NewFile(becomeFD, "failure"), err)
	os.Exit(125)
}

// execute runs a file in place of this process. A file that was just written
// may be busy for a moment: a process that was forked by another thread of the
// writer holds it open until it becomes its own program.
func execute(path string, argv []string) error {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
		err := syscall.Exec(path, argv, os.Environ())
		if !errors.Is(err, syscall.ETXTBSY) || time.Now().After(deadline) {
			return fmt.Errorf("run %s: %w", path, err)
		}
	}
}
