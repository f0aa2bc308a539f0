package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

func init() {
	acts["escape"] = func([]string) error { return escape() }
	acts["parent"] = func([]string) error { return signalOthers() }
	acts["killparent"] = func([]string) error { kill(os.Getppid(), 9); return hang() }
	acts["bomb"] = func([]string) error { return bomb() }
	acts["bomblet"] = func([]string) error { return bomblet() }
	acts["fill"] = func(arguments []string) error { return fill(arguments[0]) }
	acts["litter"] = func(arguments []string) error { return litter(arguments[0]) }
	acts["net"] = func([]string) error { return network() }
	acts["host"] = func([]string) error { return host() }
	acts["descriptors"] = func([]string) error { return descriptors() }
	acts["regroup"] = func([]string) error { return regroup() }
	acts["swap"] = func([]string) error { return swap() }
	acts["persona"] = func([]string) error {
		_, _, errno := syscall.RawSyscall(syscall.SYS_PERSONALITY, 0x0400000, 0, 0) // READ_IMPLIES_EXEC
		return errno
	}
	acts["fork"] = func([]string) error { return fork() }
	acts["status"] = func([]string) error { return status() }
	acts["holdkey"] = func([]string) error { return holdKey() }
	acts["walk"] = func([]string) error { return walk() }
}

// escape tries what only the privileged may do, and says what came of it.
func escape() error {
	for _, attempt := range []struct {
		what string
		try  func() error
	}{
		{"mount", func() error { return syscall.Mount("tmpfs", "/tmp", "tmpfs", 0, "") }},
		{"remount", func() error { return syscall.Mount("", "/", "", syscall.MS_REMOUNT|syscall.MS_BIND, "") }},
		{"unmount", func() error { return syscall.Unmount("/tmp", syscall.MNT_DETACH) }},
		{"chroot", func() error { return syscall.Chroot("/tmp") }},
		{"pivot", func() error { return syscall.PivotRoot("/tmp", "/tmp") }},
		{"setuid", func() error { return syscall.Setuid(os.Getuid() + 1) }},
		{"setgid", func() error { return syscall.Setgid(os.Getgid() + 1) }},
		{"groups", func() error { return syscall.Setgroups([]int{0}) }},
		{"hostname", func() error { return syscall.Sethostname([]byte("owned")) }},
		{"mknod", func() error { return syscall.Mknod("/tmp/device", syscall.S_IFBLK|0o600, 0) }},
		{"chown", func() error {
			if err := os.WriteFile("/tmp/mine", nil, 0o600); err != nil {
				return nil
			}
			return os.Chown("/tmp/mine", os.Getuid()+1, 0)
		}},
		{"limits", func() error {
			return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1 << 19, Max: 1 << 19})
		}},
		{"priority", func() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, -5) }},
		{"mount names", func() error { return started(syscall.CLONE_NEWNS) }},
		{"process names", func() error { return started(syscall.CLONE_NEWPID) }},
		{"network names", func() error { return started(syscall.CLONE_NEWNET) }},
		{"user names", func() error { return started(syscall.CLONE_NEWUSER) }},
		{"all names", func() error { return started(syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS) }},
	} {
		if err := attempt.try(); err != nil {
			fmt.Printf("%s: %v\n", attempt.what, err)
		} else {
			fmt.Printf("%s: WORKED\n", attempt.what)
		}
	}
	return nil
}

// started starts a process in name spaces of its own.
func started(flags uintptr) error {
	child := exec.Command(os.Args[0], "platform")
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return child.Run()
}

// signalOthers sends signals to the parent and to everybody, and traces them.
func signalOthers() error {
	// Nobody is the parent of the first process: its number stands for the own group.
	say("parent", os.Getppid(), "others", syscall.Kill(-1, syscall.SIGKILL))
	reached := 0
	for pid := 2; pid < 1<<17; pid++ {
		// Its own threads can be reached, and are of its own group.
		if group, err := syscall.Getpgid(pid); syscall.Kill(pid, 0) == nil && (err != nil || group != 1) {
			reached++
		}
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_ATTACH, uintptr(os.Getppid()), 0, 0, 0, 0)
	say("reached", reached, errno)
	return nil
}

// bomb starts processes that start processes; it says how many there are when
// no more can be started.
func bomb() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	child := exec.Command(os.Args[0], "bomblet")
	child.Stdout = writer
	if err := child.Start(); err != nil {
		return err
	}
	count := 1
	go func() {
		for block := make([]byte, 4096); ; {
			n, err := reader.Read(block)
			if err != nil {
				return
			}
			count += n
		}
	}()
	time.Sleep(1500 * time.Millisecond)
	say("processes", count)
	return hang()
}

func bomblet() error {
	os.Stdout.Write([]byte("."))
	for {
		child := exec.Command(os.Args[0], "bomblet")
		child.Stdout = os.Stdout
		if child.Start() != nil {
			return hang()
		}
	}
}

// fill writes one file until there is no more room.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	total := 0
	for block := make([]byte, 1<<16); ; {
		n, err := file.Write(block)
		total += n
		if err != nil {
			say(total, errors.Unwrap(err))
			return nil
		}
	}
}

// litter makes empty files until there can be no more.
func litter(folder string) error {
	for count := 0; ; count++ {
		descriptor, err := syscall.Open(filepath.Join(folder, fmt.Sprint(count)), syscall.O_CREAT|syscall.O_WRONLY, 0o600)
		if err != nil {
			say(count, err)
			return nil
		}
		syscall.Close(descriptor)
	}
}

func network() error {
	interfaces, err := net.Interfaces()
	for _, each := range interfaces {
		say(each.Name, each.Flags)
	}
	for _, address := range []string{"127.0.0.1:22", "10.0.0.1:80", "[::1]:22"} {
		_, err := net.DialTimeout("tcp", address, time.Second)
		say(err != nil)
	}
	// Addresses without a file are of the network name space.
	_, abstract := net.Dial("unix", "@gobench-outside")
	say(abstract != nil)
	return err
}

func host() error {
	var names syscall.Utsname // os.Hostname asks /proc
	if err := syscall.Uname(&names); err != nil {
		return err
	}
	var name []byte
	for _, c := range names.Nodename {
		if c != 0 {
			name = append(name, byte(c))
		}
	}
	const create = 0o1000
	id, _, errno := syscall.Syscall(syscall.SYS_SHMGET, 0x60BE, 4096, 0)
	say(string(name), int(id), errno)
	id, _, errno = syscall.Syscall(syscall.SYS_SHMGET, 0x60BF, 4096, create|0o600)
	say(int(id), errno)
	return nil
}

// descriptors lists those that are open.
func descriptors() error {
	for fd := range 256 {
		if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0); errno == 0 {
			fmt.Print(fd, " ")
		}
	}
	return nil
}

// regroup leaves its process group for that of a child.
func regroup() error {
	child := exec.Command(os.Args[0], "child")
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := child.Start(); err != nil {
		return err
	}
	say(syscall.Setpgid(0, child.Process.Pid))
	return hang()
}

// swap tries to put another file in the place of the descriptors that the
// program is judged by, and says what came of it.
func swap() error {
	pipe := make([]int, 2)
	if err := syscall.Pipe2(pipe, 0); err != nil {
		return err
	}
	for _, fd := range []int{1, 4} {
		_, _, all := syscall.RawSyscall(436, uintptr(fd), uintptr(fd), 0) // close_range
		say(fd, syscall.Close(fd), syscall.Dup3(pipe[1], fd, 0), all)
	}
	return nil
}

// fork tries each of the kernel's calls that start a process.
func fork() error {
	for _, call := range processCalls {
		pid, _, errno := syscall.RawSyscall(call, uintptr(syscall.SIGCHLD), 0, 0)
		if errno == 0 && pid == 0 {
			syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
		}
		if errno != syscall.EPERM {
			return fmt.Errorf("call %d: process %d, %v", call, pid, errno)
		}
	}
	return syscall.EPERM
}

// status says what the kernel holds of this process's privileges.
func status() error {
	header := struct {
		version uint32
		pid     int32
	}{version: 0x20080522}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets)), 0)
	bounding := 0
	for capability := range 64 {
		if set, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, 23, uintptr(capability), 0); set == 1 {
			bounding++
		}
	}
	noNew, _, _ := syscall.RawSyscall6(syscall.SYS_PRCTL, 39, 0, 0, 0, 0, 0)
	say(sets, errno, bounding, noNew)
	return nil
}

// holdKey reads the key and hangs, to be looked at from outside.
func holdKey() error {
	key, err := io.ReadAll(os.NewFile(3, "key"))
	if err != nil {
		return err
	}
	syscall.Close(3)
	say("holds", len(key))
	return hang()
}

// walk lists all that there is.
func walk() error {
	return filepath.WalkDir("/", func(path string, _ os.DirEntry, _ error) error { return say(path) })
}
