// Package key holds what a test has to show to be paid: one token for each
// test that is expected, given to this process alone and handed out only to a
// test that has passed.
//
// It imports nothing but syscall, and the module's path sorts before all
// others: since Go 1.21 packages that are ready are initialised in the order
// of their paths, so this one has read the tokens, closed their descriptor and
// hardened the process before any package that could do so first.
package key

import "syscall"

const (
	keyFD    = 3
	reportFD = 4
	limit    = 1 << 20 // bytes of the table
)

var tokens = map[string]string{}

func init() {
	table := read()
	syscall.Close(keyFD)
	// A program that is started from here must not be able to report.
	syscall.CloseOnExec(reportFD)
	harden()
	for len(table) > 0 {
		var name, token []byte
		name, table = cut(table, 0)
		token, table = cut(table, '\n')
		tokens[string(name)] = string(token)
	}
}

// read returns what is to be read from keyFD, or nothing if it is not open.
func read() []byte {
	var table []byte
	buffer := make([]byte, 4096)
	for len(table) < limit {
		n, err := syscall.Read(keyFD, buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		table = append(table, buffer[:n]...)
	}
	clear(buffer)
	return table
}

func cut(text []byte, at byte) (before, after []byte) {
	for i, b := range text {
		if b == at {
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

// Pass reports that a test has passed, with its token, which is good for once.
// A test that nobody expected is reported with a question mark. Calls must not
// overlap.
func Pass(name string) {
	token, expected := tokens[name]
	delete(tokens, name)
	if !expected {
		token = "?"
	}
	line := []byte(name + "\x00" + token + "\n")
	for len(line) > 0 {
		n, err := syscall.Write(reportFD, line)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		line = line[n:]
	}
}
