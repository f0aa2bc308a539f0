package main

import (
	"fmt"
	"os"
	"syscall"
)

// probe is the program that finds out whether a box holds: it tries what a
// hostile program would try first, and says "isolated" if nothing worked.
func probe() {
	for _, attempt := range []struct {
		what   string
		worked bool
	}{
		{"it sees the machine's processes", os.Getpid() != 1 || os.Getppid() != 0},
		{"it can write to its root", os.WriteFile("/written", nil, 0o600) == nil},
		{"there is a /proc", exists("/proc/self")},
		{"it sees the machine's files", exists("/etc/passwd") || exists("/usr") || exists("/sys/kernel")},
		{"it can mount", syscall.Mount("tmpfs", "/tmp", "tmpfs", 0, "") == nil},
		{"it can change its root", syscall.Chroot("/tmp") == nil},
		{"it can become somebody else", syscall.Setuid(4242) == nil},
		{"it has no /tmp", os.WriteFile("/tmp/written", nil, 0o600) != nil},
	} {
		if attempt.worked {
			fmt.Println(attempt.what)
			os.Exit(1)
		}
	}
	fmt.Println("isolated")
	os.Exit(0)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
