package main

import "syscall"

// processCalls are the system calls that start a process: clone, fork, vfork
// and clone3.
var processCalls = []uintptr{syscall.SYS_CLONE, syscall.SYS_FORK, syscall.SYS_VFORK, 435}
