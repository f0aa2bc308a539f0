package main

import (
	"os"
	"strconv"
	"syscall"
)

// hideListed keeps the descriptors that a folder lists from other programs.
func hideListed(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
