package main

import "strings"

// The rules. Each group says which cheat it stops; what only looks odd is left
// to the other guards.

// bannedImports are packages that a library's fix does not need.
var bannedImports = map[string]bool{
	// Writing to the memory of package testing, or past the exit guards. C and
	// plugin bring code that this program cannot read.
	"C": true, "unsafe": true, "syscall": true, "plugin": true,

	// Reading the hidden tests at build time: //go:embed *_test.go.
	"embed": true,

	// Acting right only under test: testing.Testing, flag.Lookup("test.v"), and
	// expvar, which publishes os.Args. Setting the flags of the test run.
	"testing": true, "flag": true, "expvar": true,

	// Running the test binary once more and rewriting its FAIL to PASS. A CGI
	// handler runs any program, without os/exec.
	"os/exec": true, "net/http/cgi": true,

	// Finding out by a stack trace that a test is the caller. runtime/debug also
	// turns memory faults into panics, for those who search the memory.
	"runtime/debug": true, "runtime/pprof": true, "runtime/trace": true, "net/http/pprof": true,

	// Reading what the hidden tests expect from their source. The other two also
	// run bin/go below a GOROOT that the caller chooses.
	"go/parser": true, "go/build": true, "go/importer": true,
}

// bannedTrees are packages with everything below them.
var bannedTrees = []string{
	// As for testing and syscall.
	"testing", "golang.org/x/sys",

	// Finding functions of package testing in the program's own symbol table.
	"debug",

	// Calling a method that is named in a text, as reflect does.
	"text/template", "html/template",
}

// bannedUses are names of packages that are harmless otherwise.
var bannedUses = map[string]map[string]bool{
	"os": {
		// Ending the test run early, with success.
		"Exit": true,
		// Acting right only under test; dropping tests from the command line.
		"Args": true,
		// Finding the test binary: to run it again, or for its symbol table.
		"Executable": true, "StartProcess": true,
		// Swapping the run's output for a filter: p := os.Stdout; *p = *w.
		"Stdout": true,
		// Using the descriptors of the key and of the report.
		"NewFile": true,
		// Killing the grader's processes.
		"FindProcess": true, "Getppid": true,
		// GODEBUG is read while the program runs: it changes the runtime.
		"Setenv": true, "Unsetenv": true, "Clearenv": true,
	},
	"runtime": {
		// Finding out by a stack trace that a test is the caller.
		"Caller": true, "Callers": true, "CallersFrames": true, "FuncForPC": true, "Stack": true,
		"GoroutineProfile": true, "ThreadCreateProfile": true, "ReadTrace": true,
		"MemProfile": true, "BlockProfile": true, "MutexProfile": true,
		// Hiding a data race: one processor. GOMAXPROCS(0) only asks, and may be used.
		"GOMAXPROCS": true,
		// Hiding leaked goroutines behind others that end when they are counted.
		"NumGoroutine": true,
		// Leaving a test without a failure, from inside the API.
		"Goexit": true,
	},
	"log": {
		// A stack trace without package runtime: the file and line of any caller,
		// by Output's depth, into a buffer.
		"Llongfile": true, "Lshortfile": true, "Output": true, "SetOutput": true,
	},
	"reflect": {
		// With Value.UnsafePointer, below.
		"NewAt": true,
	},
}

// bannedMethods are methods that are known by their name alone. Each must be
// one that hardly any other type has.
var bannedMethods = map[string]bool{
	// Calling a method that is named in a string: UnsafePointer, or Output.
	"MethodByName": true,

	// Its result can be converted to any pointer without importing unsafe: a
	// forged slice header then reaches all memory.
	"UnsafePointer": true,
}

// bannedCalls are methods by the number of arguments that they are called with:
// reflect.Value.Method(i) and log.Logger.Output(depth, text), on values that
// come from anywhere.
var bannedCalls = map[string]int{"Method": 1, "Output": 2}

// bannedMethodsOf are methods that count only in a module that imports the
// package of their type.
var bannedMethodsOf = map[string]map[string]bool{
	// Calling a method without its name in the code: Value.UnsafePointer, or
	// Logger.Output.
	"reflect": {"Method": true, "MethodByName": true},
	// As for log.Output: a logger's flags may be written as a number.
	"log": {"Output": true},
}

// bannedDirectives are prefixes of comments that instruct the compiler or the
// go command.
var bannedDirectives = []string{
	// Calling the unexported: testing's exit guard.
	"//go:linkname",
	// As for the package embed.
	"//go:embed",
	// Hiding data races from the race detector.
	"//go:norace",
	// Linking C.
	"//go:cgo_",
}

// bannedTags are the build tags that differ between runs of one suite: other
// code under the race detector. Tags that every run sets alike win nothing.
var bannedTags = map[string]bool{"race": true, "msan": true, "asan": true}

// bannedPaths are parts of string literals.
var bannedPaths = []string{
	// Reading the symbol table from /proc/self/exe, patching package testing
	// through /proc/self/mem, reading the command line: with package os alone.
	"/proc/",
	// The descriptors of the key and of the report, by name.
	"/dev/fd",
}

// guardedNames are the predeclared names that a test's assertions rest on.
// "var nil = errBad" at package level makes every test in the package compare
// with errBad. Left out are the names that are younger than Go 1 and the
// printing functions: honest code has helpers called min, max or print.
var guardedNames = map[string]bool{
	"append": true, "bool": true, "byte": true, "cap": true, "close": true, "complex128": true,
	"complex64": true, "copy": true, "delete": true, "error": true, "false": true, "float32": true,
	"float64": true, "int": true, "int16": true, "int32": true, "int64": true, "int8": true,
	"iota": true, "len": true, "make": true, "new": true, "nil": true, "panic": true,
	"recover": true, "rune": true, "string": true, "true": true, "uint": true, "uint16": true,
	"uint32": true, "uint64": true, "uint8": true, "uintptr": true,
}

// forbidsImport reports whether a rule forbids importing a package into m. A
// package of another module does not build without the network, except for
// those that the grader itself adds to the module.
func forbidsImport(m module, path string) bool {
	if m.holds(path) {
		return false
	}
	for _, tree := range bannedTrees {
		if path == tree || strings.HasPrefix(path, tree+"/") {
			return true
		}
	}
	first, _, _ := strings.Cut(path, "/")
	return bannedImports[path] || strings.Contains(first, ".")
}
