package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// How a program is kept apart from the machine.
const (
	isolateNone = "none" // not at all
	isolateRoot = "root" // namespaces and a user of its own, made as root
	isolateUser = "user" // namespaces, one for users among them, made by anybody
	// isolateContainer leaves the program where it is, as the machine is a box
	// already, but without any privilege, and as a user of its own if launch is
	// root and may change it.
	isolateContainer = "container"
)

// firstUser is where the users of boxes begin: far above those that exist. Each
// launch takes its own, as no two of them have one process id.
const firstUser = 1 << 30

// box says where and as whom the program runs. Without isolation, none of it
// counts; in a container, the folder is one of the machine.
type box struct {
	Mode    string
	Root    string // folder that becomes the root of the file system, read-only
	Folder  string // working directory inside of it
	Binds   binds  // what else is seen inside
	Scratch uint64 // bytes of the writable /tmp, in memory
	Proc    bool   // whether there is a /proc
	Strict  bool   // whether the program may neither make code nor escape its limits
	User    int    // user and group as which it runs, if launch is root
}

// bind is a file or folder of the machine that is seen in the box.
type bind struct {
	From, To string
	Writable bool
}

type binds []bind

func (b *binds) String() string { return "" }

// Set takes FROM:TO or FROM:TO:rw.
func (b *binds) Set(text string) error {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 || len(parts) == 3 && parts[2] != "rw" {
		return fmt.Errorf("%q is not FROM:TO or FROM:TO:rw", text)
	}
	*b = append(*b, bind{From: parts[0], To: parts[1], Writable: len(parts) == 3})
	return nil
}

// apart says whether the program gets name spaces and a root of its own.
func (b box) apart() bool { return b.Mode == isolateRoot || b.Mode == isolateUser }

func (b *box) register(flags *flag.FlagSet) {
	flags.StringVar(&b.Mode, "isolate", isolateNone, "`mode` of isolation: none, root, user or container")
	flags.StringVar(&b.Root, "root", "", "`folder` that becomes the program's /")
	flags.StringVar(&b.Folder, "folder", "/", "working `directory` below the root")
	flags.Var(&b.Binds, "bind", "`FROM:TO[:rw]`, a path of the machine that is seen inside; may be repeated")
	flags.Uint64Var(&b.Scratch, "scratch", 64<<20, "`bytes` of the program's /tmp")
	flags.BoolVar(&b.Strict, "strict", false, "forbid executable memory, shared memory and the like")
	flags.BoolVar(&b.Proc, "proc", false, "whether there is a /proc")
	flags.IntVar(&b.User, "user", firstUser+os.Getpid(), "`id` of the program's user and group, if launch is root")
}
