// Command act is what the tests run in a box, where there is no shell: its
// first argument says what it does, and it prints what came of it.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// acts are what it can do, by name. A returned error is printed; only what a
// test must not miss ends the program with a status.
var acts = map[string]func(arguments []string) error{
	"platform": func([]string) error { return say(runtime.GOOS, runtime.GOARCH) },
	"args": func(arguments []string) error {
		folder, err := os.Getwd()
		fmt.Printf("%q in %s", arguments, folder)
		return err
	},
	"env": func([]string) error { return say(strings.Join(os.Environ(), "\n")) },
	"exit": func(arguments []string) error {
		say("said")
		os.Exit(number(arguments[0]))
		return nil
	},
	"stdin": func([]string) error {
		data, err := io.ReadAll(os.Stdin)
		fmt.Println(len(data), "bytes")
		return err
	},
	"bytes": func([]string) error {
		os.Stdout.WriteString("\xff\x00\r\n")
		os.Stderr.WriteString("error\n")
		return nil
	},
	"flood": func(arguments []string) error { return flood(number(arguments[0])) },
	"hang":  func([]string) error { say("begun"); return hang() },
	"deaf": func([]string) error {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		say("begun")
		return hang()
	},
	"mute": func([]string) error { syscall.Close(1); syscall.Close(2); return hang() },
	"write": func(arguments []string) error {
		return os.WriteFile(arguments[0], []byte(arguments[1]), 0o644)
	},
	"read": func(arguments []string) error {
		data, err := os.ReadFile(arguments[0])
		os.Stdout.Write(data)
		return err
	},
	"link":   func(arguments []string) error { return os.Symlink(arguments[0], arguments[1]) },
	"mkdir":  func(arguments []string) error { return os.MkdirAll(arguments[0], 0o755) },
	"fifo":   func(arguments []string) error { return syscall.Mkfifo(arguments[0], 0o644) },
	"list":   func(arguments []string) error { return list(arguments[0]) },
	"alloc":  func(arguments []string) error { return allocate(number(arguments[0])) },
	"open":   func([]string) error { return openFiles() },
	"kill":   func(arguments []string) error { return kill(os.Getpid(), number(arguments[0])) },
	"family": func(arguments []string) error { return family(arguments[0], arguments[1]) },
	"child":  func([]string) error { return hang() },
	"key":    func([]string) error { return takeKey() },
	"report": func(arguments []string) error {
		os.Stdout = os.NewFile(4, "report")
		return flood(number(arguments[0]))
	},
	"early": func([]string) error { return nil }, // with a key that it never reads
	"id": func([]string) error {
		return say(os.Getuid(), os.Geteuid(), os.Getgid(), os.Getpid(), os.Getppid())
	},
}

func main() {
	if err := acts[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func say(what ...any) error {
	_, err := fmt.Println(what...)
	return err
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func hang() error {
	for {
		time.Sleep(time.Hour)
	}
}

func flood(bytes int) error {
	block := []byte(strings.Repeat("y\n", 1<<15))
	for bytes > 0 {
		n, err := os.Stdout.Write(block[:min(bytes, len(block))])
		if err != nil {
			return err
		}
		bytes -= n
	}
	return nil
}

func list(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		say(entry.Name())
	}
	return err
}

func allocate(mebibytes int) error {
	var kept [][]byte
	for range mebibytes {
		block := make([]byte, 1<<20)
		for at := 0; at < len(block); at += 4096 {
			block[at] = 1
		}
		kept = append(kept, block)
	}
	return say("got", len(kept))
}

func openFiles() error {
	for count := 0; ; count++ {
		if _, err := syscall.Open(os.Args[0], syscall.O_RDONLY, 0); err != nil {
			say(count, err)
			return nil
		}
	}
}

func kill(pid, number int) error { return syscall.Kill(pid, syscall.Signal(number)) }

// family leaves a child in this group and one in a session of its own, which
// can be told from others by a mark.
func family(ending, mark string) error {
	for _, apart := range []bool{false, true} {
		child := exec.Command(os.Args[0], "child", mark)
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: apart}
		if err := child.Start(); err != nil {
			return err
		}
	}
	say("started")
	if ending == "hang" {
		return hang()
	}
	return nil
}

// takeKey reads the key, gives it back as the report, and shows what is left.
func takeKey() error {
	key, err := io.ReadAll(os.NewFile(3, "key"))
	if err != nil {
		return err
	}
	if _, err := os.NewFile(4, "report").WriteString("report of " + string(key)); err != nil {
		return err
	}
	again, err := io.ReadAll(os.NewFile(3, "key"))
	return say(len(again), err)
}
