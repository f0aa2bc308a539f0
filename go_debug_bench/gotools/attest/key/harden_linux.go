package key

import "syscall"

const (
	prSetDumpable = 4
	prSetMDWE     = 65 // since Linux 6.3; older kernels refuse it, and the box has no /proc either
	mdweNoGain    = 1
)

// harden keeps this process's memory from other processes of its user and from
// its own /proc/self/mem, and its code from being rewritten.
func harden() {
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
	syscall.RawSyscall6(syscall.SYS_PRCTL, prSetMDWE, mdweNoGain, 0, 0, 0, 0)
}
