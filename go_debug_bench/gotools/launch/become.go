package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// becomeArg marks the second stage: launch runs itself once more in the child,
// builds the box and sets the limits there, and becomes the program.
const becomeArg = "-become"

// Descriptors of the second stage. The program keeps the first two if it was
// given a key. Why the program could not be started is written to becomeFD: on
// standard output a failure of launch would pass for one of the program.
const (
	keyFD = iota + 3
	reportFD
	becomeFD
)

// stage is what the second stage has to do.
type stage struct {
	Limits limits
	Box    box
	Keyed  bool
	Path   string // the program's file
}

// become does what the stage args[0] says, then runs its program as args[1:]
// in place of this process.
func become(args []string) {
	syscall.CloseOnExec(becomeFD)
	fmt.Fprint(os.NewFile(becomeFD, "failure"), start(args[0], args[1:]))
	os.Exit(125)
}

func start(text string, argv []string) error {
	var s stage
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	if !s.Keyed {
		syscall.CloseOnExec(keyFD)
		syscall.CloseOnExec(reportFD)
	}
	if err := s.Box.enter(); err != nil {
		return err
	}
	if s.Box.Mode == isolateNone {
		// The count is the user's, with all that the user runs besides.
		s.Limits.Processes = 0
	}
	if err := s.Limits.set(); err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	if err := s.Box.drop(s.Keyed); err != nil {
		return err
	}
	return execute(s.Path, argv)
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
