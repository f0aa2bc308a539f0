// Package key holds what a test has to show to be paid: one token for each
// test that is expected, given to this process alone and handed out only to a
// test that has passed.
//
// It must have read the tokens, closed their descriptor and hardened the
// process before any code that could do so first. Since Go 1.21, of all the
// packages whose imports are initialised, the first by path comes next. So on
// the platforms that submissions are graded on this one imports nothing that
// has to be initialised: it is done before package syscall is, and with it
// before all that can read a descriptor. And the module's path sorts early.
package key

const (
	keyFD    = 3
	reportFD = 4
	limit    = 1 << 20 // bytes of the table
)

var tokens = map[string]string{}

// buffer is what is read and written. It never moves, so the kernel can be
// given its address without the help of package runtime.
var buffer [4096]byte

func init() {
	table := read()
	closeFD(keyFD)
	// A program that is started from here must not be able to report.
	closeOnExec(reportFD)
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
	for len(table) < limit {
		n := readBuffer(keyFD)
		if n <= 0 {
			break
		}
		table = append(table, buffer[:n]...)
	}
	clear(buffer[:])
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
	report(name, token)
}

// Fail reports that a test has not passed, which no later report of the same
// test takes back. Calls must not overlap.
func Fail(name string) { report(name, "!") }

func report(name, token string) {
	line := name + "\x00" + token + "\n"
	for len(line) > 0 {
		n := writeBuffer(reportFD, copy(buffer[:], line))
		if n <= 0 {
			break
		}
		line = line[n:]
	}
	clear(buffer[:])
}
