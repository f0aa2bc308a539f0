//go:build !(linux && (amd64 || arm64))

package key

import "syscall"

// readBuffer fills the buffer and returns how much it holds, or -1.
func readBuffer(fd int) int {
	return retry(func() (int, error) { return syscall.Read(fd, buffer[:]) })
}

// writeBuffer writes the first n bytes of the buffer and returns how many were
// taken, or -1.
func writeBuffer(fd, n int) int {
	return retry(func() (int, error) { return syscall.Write(fd, buffer[:n]) })
}

func retry(transfer func() (int, error)) int {
	for {
		n, err := transfer()
		if err == nil {
			return n
		}
		if err != syscall.EINTR {
			return -1
		}
	}
}

func closeFD(fd int) { syscall.Close(fd) }

func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

// harden does nothing: untrusted submissions are graded on Linux alone.
func harden() {}
