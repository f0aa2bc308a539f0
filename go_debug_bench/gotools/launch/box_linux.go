package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

const (
	rlimitProcesses = 6 // RLIMIT_NPROC, which package syscall does not name

	prCapBoundingDrop = 24
	prSetNoNewPrivs   = 38
	lastCapability    = 63
)

// attributes are what the kernel does when the second stage is started.
func (b box) attributes() *syscall.SysProcAttr {
	// A session, and not only a group: its leader can leave neither. The first
	// process of a name space that joins a child's group never ends, as the kernel
	// waits for that group before it lets go of the process.
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if !b.apart() {
		return attr
	}
	attr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS |
		syscall.CLONE_NEWNET
	if b.Mode == isolateUser {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// enter makes the box's folder the root of the file system, with nothing of
// the machine in it but what is bound.
func (b box) enter() error {
	if b.Mode == isolateContainer {
		return os.Chdir(b.Folder)
	}
	if !b.apart() {
		return nil
	}
	if err := mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	// What is made for the box can be read by the program's user.
	syscall.Umask(0o022)
	// The folder above becomes the root of the name space and the box's own
	// folder that of the process alone: the kernel gives no new user name space,
	// with all privileges in it, to a process that does not see the whole.
	above := filepath.Dir(b.Root)
	if err := mount(above, above, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	if err := mount(b.Root, b.Root, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	for _, bind := range b.Binds {
		if err := b.bind(bind); err != nil {
			return err
		}
	}
	if err := b.mountOwn(); err != nil {
		return err
	}
	if err := mount("", b.Root, "", syscall.MS_REMOUNT|syscall.MS_BIND|readOnly, ""); err != nil {
		return err
	}
	if err := os.Chdir(above); err != nil {
		return err
	}
	// The old root ends up on top of the new one, and is taken off.
	if err := syscall.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("detach the old root: %w", err)
	}
	if err := syscall.Chroot(filepath.Base(b.Root)); err != nil {
		return fmt.Errorf("enter the root: %w", err)
	}
	if err := syscall.Sethostname([]byte("box")); err != nil {
		return err
	}
	if err := loopback(); err != nil {
		return err
	}
	return os.Chdir(b.Folder)
}

const (
	private  = syscall.MS_NOSUID | syscall.MS_NODEV
	readOnly = syscall.MS_RDONLY | private
)

// mountOwn gives the box its /tmp, its /dev/null and, if asked for, its /proc.
func (b box) mountOwn() error {
	if b.Proc {
		if err := os.MkdirAll(b.inside("/proc"), 0o755); err != nil {
			return err
		}
		if err := mount("proc", b.inside("/proc"), "proc", private|syscall.MS_NOEXEC, ""); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.inside("/tmp"), 0o755); err != nil {
		return err
	}
	flags := uintptr(private)
	if b.Strict {
		flags |= syscall.MS_NOEXEC
	}
	if err := mount("tmpfs", b.inside("/tmp"), "tmpfs", flags, fmt.Sprintf("size=%d,nr_inodes=20000,mode=1777", b.Scratch)); err != nil {
		return err
	}
	return b.bind(bind{From: "/dev/null", To: "/dev/null", Writable: true})
}

// bind shows a path of the machine in the box.
func (b box) bind(bind bind) error {
	status, err := os.Stat(bind.From)
	if err != nil {
		return err
	}
	target := b.inside(bind.To)
	if status.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		var file *os.File
		if file, err = os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o644); err == nil {
			file.Close()
		}
	}
	if err != nil {
		return err
	}
	if err := mount(bind.From, target, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	if bind.Writable {
		return nil
	}
	return mount("", target, "", syscall.MS_REMOUNT|syscall.MS_BIND|readOnly, "")
}

func (b box) inside(path string) string { return filepath.Join(b.Root, path) }

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", source, target, err)
	}
	return nil
}

// drop gives up every privilege. As root, the program gets a user of its own:
// no other process has it, so its limits are its own.
func (b box) drop(keyed bool) error {
	if b.Mode == isolateNone {
		return nil
	}
	for capability := uintptr(0); capability <= lastCapability; capability++ {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prCapBoundingDrop, capability, 0); errno == syscall.EINVAL {
			break // the kernel knows no more
		} else if errno == syscall.EPERM && b.Mode == isolateContainer {
			break // it was never given what it takes: no program gets more by its file, see below
		} else if errno != 0 {
			return fmt.Errorf("drop capability %d: %w", capability, errno)
		}
	}
	if b.Mode == isolateRoot || b.Mode == isolateContainer && os.Geteuid() == 0 {
		if err := b.becomeUser(); err != nil {
			return err
		}
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("forbid new privileges: %w", errno)
	}
	if err := clearCapabilities(); err != nil {
		return err
	}
	if err := followLaunch(); err != nil {
		return err
	}
	if b.Strict {
		return restrict(keyed)
	}
	return nil
}

// becomeUser takes a user and group that nothing else has.
func (b box) becomeUser() error {
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("leave all groups: %w", err)
	}
	if err := syscall.Setresgid(b.User, b.User, b.User); err != nil {
		return fmt.Errorf("change the group: %w", err)
	}
	if err := syscall.Setresuid(b.User, b.User, b.User); err != nil {
		return fmt.Errorf("change the user: %w", err)
	}
	return nil
}

// followLaunch has the kernel kill this process when launch dies: a change of
// user takes that back.
func followLaunch() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL), 0); errno != 0 {
		return fmt.Errorf("ask for a parent-death signal: %w", errno)
	}
	// It may be dead already, and then nobody reads the pipe. Its process id says
	// nothing: it is outside of the name space.
	poll := struct {
		fd             int32
		wanted, events int16
	}{fd: becomeFD}
	var atOnce syscall.Timespec
	errno := syscall.EINTR
	for errno == syscall.EINTR { // Go's scheduler interrupts its own threads
		_, _, errno = syscall.Syscall6(
			syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&atOnce)), 0, 0, 0,
		)
	}
	if errno != 0 {
		return fmt.Errorf("look after launch: %w", errno)
	}
	if poll.events != 0 {
		return errors.New("launch is gone already")
	}
	return nil
}

// clearCapabilities empties this process's own sets; with the bounding set
// empty too, no program that it becomes gets any back.
func clearCapabilities() error {
	header := struct {
		version uint32
		pid     int32
	}{version: 0x20080522}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0)
	if errno != 0 {
		return fmt.Errorf("clear capabilities: %w", errno)
	}
	return nil
}

// loopback brings up the box's own loopback interface, its only one: a test
// may well talk to a server that it starts itself.
func loopback() error {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring up the loopback: %w", err)
	}
	defer syscall.Close(socket)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{name: [syscall.IFNAMSIZ]byte{'l', 'o'}, flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return fmt.Errorf("bring up the loopback: %w", errno)
	}
	return nil
}
