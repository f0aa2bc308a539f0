package main

import (
	"fmt"
	"os"
	"syscall"
)

// probe is the program that finds out whether a box holds: it tries what a
// hostile program would try first, and says "isolated" if nothing worked. It
// ends with the first attempt that works: those that would do harm come after
// those that only look.
func probe() {
	for _, attempt := range []struct {
		what  string
		works func() bool
	}{
		{"it sees the machine's processes", func() bool { return os.Getpid() != 1 || os.Getppid() != 0 }},
		{"there is a /proc", func() bool { return exists("/proc/self") }},
		{"it sees the machine's files", func() bool { return exists("/etc/passwd") || exists("/usr") || exists("/sys/kernel") }},
		{"it has no /tmp", func() bool { return os.WriteFile("/tmp/written", nil, 0o600) != nil }},
		{"it can write to its root", func() bool { return os.WriteFile("/written", nil, 0o600) == nil }},
		{"it can become somebody else", func() bool { return syscall.Setuid(4242) == nil }},
		{"it can change its root", func() bool { return syscall.Chroot("/tmp") == nil }},
		{"it can mount", func() bool { return syscall.Mount("tmpfs", "/tmp", "tmpfs", 0, "") == nil }},
		{"it can have users of its own", ownUsers},
	} {
		if attempt.works() {
			fmt.Println(attempt.what)
			os.Exit(1)
		}
	}
	fmt.Println("isolated")
	os.Exit(0)
}

// ownUsers starts this program, which does nothing then, in a user name space:
// a process with threads cannot go there itself.
func ownUsers() bool {
	attr := &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}}
	_, err := syscall.ForkExec(os.Args[0], os.Args[:1], attr)
	return err == nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
