package main

import (
	"flag"
	"syscall"
)

// limits are the resource limits of the program; 0 sets none.
type limits struct {
	Data      uint64 // bytes of private writable memory, per process
	File      uint64 // bytes of the largest file that it may write
	Files     uint64 // open file descriptors
	CPU       uint64 // seconds of processor time, per process
	Processes uint64 // processes and threads of the program's user
}

func (l *limits) register(flags *flag.FlagSet) {
	flags.Uint64Var(&l.Data, "data", 0, "`bytes` of private memory per process")
	flags.Uint64Var(&l.File, "file", 0, "`bytes` of the largest file")
	flags.Uint64Var(&l.Files, "files", 0, "open file descriptors")
	flags.Uint64Var(&l.CPU, "cpu", 0, "`seconds` of processor time per process")
	flags.Uint64Var(&l.Processes, "processes", 0, "processes and threads, where the program gets a user of its own")
}

func (l limits) set() error {
	for _, limit := range []struct {
		resource int
		value    uint64
	}{
		{syscall.RLIMIT_DATA, l.Data},
		{syscall.RLIMIT_FSIZE, l.File},
		{syscall.RLIMIT_NOFILE, l.Files},
		{syscall.RLIMIT_CPU, l.CPU},
		{rlimitProcesses, l.Processes},
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
