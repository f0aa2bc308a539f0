// Command lint lists what Go code does that a grader does not want to see in
// code that it did not write: each rule names the cheat that it stops. It is a
// list, not a proof, and only one of the grader's guards.
//
// It reads every file below a module's folder that the go command could build
// into the module, whatever platform or tags the file asks for, and prints one
// JSON object. Findings with the same rule and detail are listed once, where
// they occur first: the grader compares them with what the module did before.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// maxFindings bounds the report. Each key is listed once, so a report that is
// cut still holds one that the module did not have, if there is any: no honest
// module has so many.
const maxFindings = 1000

// maxDetail bounds one detail, in bytes: an import path can be a megabyte.
const maxDetail = 200

// finding is one thing that a rule forbids. Rule and Detail are its key.
type finding struct {
	File   string `json:"file"` // below the module's folder, with slashes
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Detail string `json:"detail"`
}

type key struct{ rule, detail string }

func main() {
	// Small sources make big syntax trees: memory is worth more than time here.
	debug.SetGCPercent(30)
	if len(os.Args) != 2 {
		fail(errors.New("usage: lint DIR"))
	}
	findings, err := lint(os.Args[1])
	if err != nil {
		fail(err)
	}
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string][]finding{"findings": findings}); err != nil {
		fail(err)
	}
	if err := out.Flush(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "lint:", err)
	os.Exit(2)
}

// lint reads the module below root and returns what its files do, sorted.
func lint(root string) ([]finding, error) {
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	module, err := readModule(root, files)
	if err != nil {
		return nil, err
	}
	first := map[key]finding{}
	for _, file := range files {
		found := inspect(module, file)
		slices.SortFunc(found, compare)
		for _, f := range found {
			k := key{f.Rule, f.Detail}
			if _, known := first[k]; !known && len(first) < maxFindings {
				first[k] = f
			}
		}
	}
	return append([]finding{}, slices.SortedFunc(maps.Values(first), compare)...), nil
}

func compare(a, b finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Detail, b.Detail),
	)
}

// source is one Go file; data is nil if it is no regular file.
type source struct {
	path string // below the module's folder, with slashes
	data []byte
}

// sources reads the Go files below root that are no tests, in order of path.
// Folders of other modules are read too: they should not be there.
func sources(root string) ([]source, error) {
	var files []source
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if full == root {
			return nil
		}
		name := entry.Name()
		ignored := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
		if entry.IsDir() {
			if ignored || name == "testdata" || name == "vendor" {
				return filepath.SkipDir
			}
			return nil
		}
		if ignored || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		file := source{path: filepath.ToSlash(relative)}
		if entry.Type().IsRegular() {
			if file.data, err = os.ReadFile(full); err != nil {
				return err
			}
		}
		if isLinked(full, file) {
			files = append(files, file)
		}
		return nil
	})
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.path, b.path) })
	return files, err
}

// isLinked reports whether a test binary may hold a file's code. What a build
// constraint leaves out, and programs beside the packages that are tested,
// never reach it: an honest scratch file may do there what it likes.
func isLinked(full string, file source) bool {
	if file.data == nil {
		return true // no regular file: it is not opened, and reported
	}
	folder, name := filepath.Split(full)
	context := build.Default
	context.CgoEnabled = false
	if built, err := context.MatchFile(folder, name); err == nil && !built {
		return false
	}
	tests, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	return packageName(file) != "main" || err != nil || len(tests) > 0
}

// module is what imports are resolved against.
type module struct {
	path    string              // "" without a go.mod
	names   map[string][]string // names of the packages in a folder, by import path
	imports map[string]bool     // what any of its files imports
}

func readModule(root string, files []source) (module, error) {
	m := module{names: map[string][]string{}, imports: map[string]bool{}}
	for _, file := range files {
		for _, importPath := range importsOf(file) {
			m.imports[importPath] = true
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" {
			m.path = strings.Trim(words[1], "\"`")
		}
	}
	for _, file := range files {
		if name := packageName(file); name != "" {
			from := path.Join(m.path, path.Dir(file.path))
			if !slices.Contains(m.names[from], name) {
				m.names[from] = append(m.names[from], name)
			}
		}
	}
	return m, nil
}

// holds reports whether an import path lies in the module.
func (m module) holds(importPath string) bool {
	return m.path != "" && (importPath == m.path || strings.HasPrefix(importPath, m.path+"/"))
}
