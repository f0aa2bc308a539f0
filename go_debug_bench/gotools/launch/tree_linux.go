package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	prSetPdeathsig      = 1
	prSetChildSubreaper = 36

	sysCloseRange     = 436 // on every architecture
	closeRangeCloexec = 4
)

// hideDescriptors keeps what was inherited besides the standard descriptors
// from the program.
func hideDescriptors() error {
	if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, math.MaxUint32, closeRangeCloexec); errno != 0 {
		return hideListed("/proc/self/fd") // the kernel is older than 5.11
	}
	return nil
}

// adoptOrphans makes descendants whose parents die children of this process,
// so that none can slip away by a double fork or a session of its own.
func adoptOrphans() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("become the reaper of orphans: %w", errno)
	}
	return nil
}

// followParent has the kernel send SIGTERM to this process when parent dies.
func followParent(parent int, _ chan<- os.Signal) error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGTERM), 0); errno != 0 {
		return fmt.Errorf("ask for a parent-death signal: %w", errno)
	}
	if os.Getppid() != parent {
		return fmt.Errorf("the parent, process %d, is gone already", parent)
	}
	return nil
}

// reapDead reaps the orphans that ended before the program did: they are no
// leftovers.
func reapDead() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != syscall.EINTR && pid <= 0 {
			return
		}
	}
}

// killOrphans kills and reaps every descendant that is left and says how many
// there were. It gives up after ten seconds: what a kill does not end by then
// hangs in the kernel.
func killOrphans() int {
	killed := map[int]bool{}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil { // ECHILD: nobody is left
			break
		}
		if pid > 0 {
			killed[pid] = true
			continue
		}
		for _, child := range children() {
			killed[child] = true
			syscall.Kill(child, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	return len(killed)
}

// children lists the processes whose parent is this one.
func children() []int {
	var found []int
	self := []byte(strconv.Itoa(os.Getpid()))
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// The command's name, in parentheses, may hold anything: fields are
		// counted from the last one. After it come the state and the parent.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && bytes.Equal(fields[1], self) {
			found = append(found, pid)
		}
	}
	return found
}

func maxRSS(usage *syscall.Rusage) int64 { return int64(usage.Maxrss) << 10 }
