//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const rlimitProcesses = 7 // RLIMIT_NPROC

func (b box) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (b box) enter() error {
	if b.Mode != isolateNone {
		return errors.New("programs can be isolated on Linux only")
	}
	return nil
}

func (b box) drop(bool) error { return nil }

// probe finds no isolation.
func probe() {
	fmt.Println("programs can be isolated on Linux only")
	os.Exit(1)
}
