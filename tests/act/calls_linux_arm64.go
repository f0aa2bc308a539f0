package main

import "syscall"

// processCalls are the system calls that start a process: clone and clone3.
var processCalls = []uintptr{syscall.SYS_CLONE, 435}
