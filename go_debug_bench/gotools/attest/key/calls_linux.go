//go:build linux && (amd64 || arm64)

package key

import "unsafe" // nothing of it is ever initialised

// call is syscall.Syscall6, which needs no initialisation of its package.
//
//go:linkname call syscall.Syscall6
func call(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)

const (
	setCloseOnExec = 2 // F_SETFD
	closedOnExec   = 1 // FD_CLOEXEC
	interrupted    = 4 // EINTR

	prSetDumpable = 4
	prSetMDWE     = 65 // since Linux 6.3; older kernels refuse it, and the box has no /proc either
	mdweNoGain    = 1
)

// readBuffer fills the buffer and returns how much it holds, or -1.
func readBuffer(fd int) int { return transfer(sysRead, fd, len(buffer)) }

// writeBuffer writes the first n bytes of the buffer and returns how many were
// taken, or -1.
func writeBuffer(fd, n int) int { return transfer(sysWrite, fd, n) }

func transfer(trap uintptr, fd, n int) int {
	for {
		done, _, errno := call(trap, uintptr(fd), uintptr(unsafe.Pointer(&buffer)), uintptr(n), 0, 0, 0)
		if errno == 0 {
			return int(done)
		}
		if errno != interrupted {
			return -1
		}
	}
}

func closeFD(fd int) { call(sysClose, uintptr(fd), 0, 0, 0, 0, 0) }

func closeOnExec(fd int) { call(sysFcntl, uintptr(fd), setCloseOnExec, closedOnExec, 0, 0, 0) }

// harden keeps this process's memory from other processes of its user and from
// its own /proc/self/mem, and its code from being rewritten.
func harden() {
	call(sysPrctl, prSetDumpable, 0, 0, 0, 0, 0)
	call(sysPrctl, prSetMDWE, mdweNoGain, 0, 0, 0, 0)
}
