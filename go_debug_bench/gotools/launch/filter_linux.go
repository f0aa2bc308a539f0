package main

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// A strict box forbids, with an error, what no test needs and a thief does:
// code that is mapped or made executable while the program runs, memory that
// no limit counts, the memory of others, processes besides its own, which would
// each have the whole limit of memory, and filters of the program's own, which
// could keep it from ending as it has to. Nor may it put something else in the
// place of the descriptors that it is judged by.

const (
	prSetSeccomp      = 22
	seccompModeFilter = 2

	seccompAllow = 0x7fff0000
	seccompErrno = 0x00050000

	bpfLoad  = 0x20 // BPF_LD | BPF_W | BPF_ABS
	bpfEqual = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	bpfSet   = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	bpfRet   = 0x06 // BPF_RET | BPF_K

	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16 // of 8 bytes each; the lower half comes first

	protExec       = 4
	mapShared      = 1
	cloneThread    = 0x10000
	otherInterface = 1 << 30 // set in the numbers of x86-64's x32
)

type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

type program struct {
	length uint16
	filter *instruction
}

// filter is the program that the kernel runs at every system call.
func filter(calls callNumbers, keyed bool) []instruction {
	const errno = seccompErrno | uint32(syscall.EPERM)
	// Another architecture's calls have other numbers, and so have those of an
	// older interface: none is allowed.
	code := []instruction{
		{bpfLoad, 0, 0, offsetArch}, {bpfEqual, 1, 0, calls.arch}, {bpfRet, 0, 0, errno},
		{bpfLoad, 0, 0, offsetNumber}, {bpfSet, 0, 1, otherInterface}, {bpfRet, 0, 0, errno},
	}
	for _, number := range calls.forbidden {
		code = append(code, instruction{bpfEqual, 0, 1, number}, instruction{bpfRet, 0, 0, errno})
	}
	// Of these calls an argument decides. A skip says how far to jump where the
	// test holds and where it fails: not at all is to the refusal, 1 is past it.
	type skip struct{ holds, fails uint8 }
	var (
		refused = skip{0, 1}
		needed  = skip{1, 0}
	)
	type rule struct {
		number, argument uint32
		test             uint16
		value            uint32
		skip             skip
	}
	rules := []rule{
		{calls.mmap, 2, bpfSet, protExec, refused},
		{calls.mmap, 3, bpfSet, mapShared, refused},
		{calls.mprotect, 2, bpfSet, protExec, refused},
		{calls.pkeyMprotect, 2, bpfSet, protExec, refused},
		{calls.prctl, 0, bpfEqual, prSetSeccomp, refused},
		{calls.clone, 0, bpfSet, cloneThread, needed},
	}
	if keyed {
		// Nothing takes the place of what is read as the program's own word.
		for _, fd := range []uint32{1, reportFD} {
			rules = append(rules,
				rule{calls.close, 0, bpfEqual, fd, refused},
				rule{calls.dup2, 1, bpfEqual, fd, refused},
				rule{calls.dup3, 1, bpfEqual, fd, refused})
		}
	}
	for _, call := range rules {
		code = append(code,
			instruction{bpfEqual, 0, 4, call.number}, // another call: past this group
			instruction{bpfLoad, 0, 0, offsetArgs + 8*call.argument},
			instruction{call.test, call.skip.holds, call.skip.fails, call.value},
			instruction{bpfRet, 0, 0, errno},
			instruction{bpfLoad, 0, 0, offsetNumber})
	}
	return append(code, instruction{bpfRet, 0, 0, seccompAllow})
}

// restrict sets the filter. It cannot be taken off again.
func restrict(keyed bool) error {
	calls, known := numbers[runtime.GOARCH]
	if !known {
		return fmt.Errorf("no strict box on %s", runtime.GOARCH)
	}
	code := filter(calls, keyed)
	p := program{uint16(len(code)), &code[0]}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&p)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}

// callNumbers are the system calls of an architecture that the filter knows.
type callNumbers struct {
	arch                                       uint32
	mmap, mprotect, pkeyMprotect, prctl, clone uint32
	close, dup2, dup3                          uint32 // dup2 is dup3 where there is none
	forbidden                                  []uint32
}

var numbers = map[string]callNumbers{
	"amd64": {
		arch: 0xc000003e, mmap: 9, mprotect: 10, pkeyMprotect: 329, prctl: 157, clone: 56,
		close: 3, dup2: 33, dup3: 292,
		// ptrace, seccomp, bpf, process_vm_readv and _writev, memfd_create,
		// memfd_secret, shmget, shmat, userfaultfd, io_uring_setup, remap_file_pages,
		// clone3, whose flags a filter cannot see, fork, vfork, close_range,
		// personality, which can make all memory executable
		forbidden: []uint32{101, 317, 321, 310, 311, 319, 447, 29, 30, 323, 425, 216, 435, 57, 58, 436, 135},
	},
	"arm64": {
		arch: 0xc00000b7, mmap: 222, mprotect: 226, pkeyMprotect: 288, prctl: 167, clone: 220,
		close: 57, dup2: 24, dup3: 24,
		forbidden: []uint32{117, 277, 280, 270, 271, 279, 447, 194, 196, 282, 425, 234, 435, 436, 92},
	},
}
