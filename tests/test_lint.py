"""The lint: what each rule finds, the near misses that it leaves alone, and that hostile code cannot stop it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grading import Grader
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.lint import Finding, new_findings, parse_findings
from go_debug_bench.toolchain import Toolchain

MIB = 1 << 20
GO_MOD = "module example.com/mod\n\ngo 1.24\n"

Keys = list[tuple[str, str]]
Lint = Callable[[Mapping[str, str | bytes]], tuple[Finding, ...]]
RunLint = Callable[[Path], Completed]


@pytest.fixture(scope="session")
def run_lint(toolchain: Toolchain, grader: Grader, runner: Runner) -> RunLint:
    """Run the lint program on a folder."""
    binary = build_tool("lint", toolchain, cache=grader.cache, build_cache=grader.cache / "go-build")

    def run(folder: Path) -> Completed:
        limits = Limits(seconds=60, output_bytes=64 * MIB)
        return runner.run([str(binary), str(folder)], cwd=folder.parent, env={}, limits=limits)

    return run


@pytest.fixture
def lint(run_lint: RunLint, tmp_path: Path) -> Lint:
    """Lint a module of the given files, in a folder of its own."""

    def run(files: Mapping[str, str | bytes]) -> tuple[Finding, ...]:
        folder = tmp_path / "module"
        for name, text in {"go.mod": GO_MOD, **files}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = run_lint(folder)
        assert done.ok, done.text
        return parse_findings(done.output)

    return run


def go(body: str, *imports: str) -> str:
    """A Go file; an import may have a name before its path."""
    lines = [f'{name} "{path}"' for name, _, path in (line.rpartition(" ") for line in imports)]
    return "package a\n\nimport (\n" + "\n".join(lines) + f"\n)\n\n{body}\n"


FIRES: dict[str, tuple[str, Keys]] = {
    "a banned import": (go("", "os/exec"), [("import", "os/exec")]),
    "a banned import under another name": (go("", "x os/exec"), [("import", "os/exec")]),
    "a banned import for its effects": (go("", "_ embed"), [("import", "embed")]),
    "a banned import as a raw string": ("package a\nimport `unsafe`\n", [("import", "unsafe")]),
    "cgo": (go("", "C"), [("import", "C")]),
    "syscall": (go("", "syscall"), [("import", "syscall")]),
    "a plugin": (go("", "plugin"), [("import", "plugin")]),
    "testing": (go("", "testing"), [("import", "testing")]),
    "a package below testing": (go("", "testing/fstest"), [("import", "testing/fstest")]),
    "flag": (go("", "flag"), [("import", "flag")]),
    "expvar, which publishes the arguments": (go("", "expvar"), [("import", "expvar")]),
    "runtime/debug": (go("", "runtime/debug"), [("import", "runtime/debug")]),
    "profiles": (go("", "runtime/pprof"), [("import", "runtime/pprof")]),
    "profiles over HTTP": (go("", "_ net/http/pprof"), [("import", "net/http/pprof")]),
    "traces": (go("", "runtime/trace"), [("import", "runtime/trace")]),
    "CGI, which runs programs": (go("", "net/http/cgi"), [("import", "net/http/cgi")]),
    "symbol tables": (go("", "debug/elf"), [("import", "debug/elf")]),
    "Go's parser": (go("", "go/parser"), [("import", "go/parser")]),
    "go/build, which runs programs": (go("", "go/build"), [("import", "go/build")]),
    "x/sys": (go("", "golang.org/x/sys/unix"), [("import", "golang.org/x/sys/unix")]),
    "another module": (go("", "example.com/module"), [("import", "example.com/module")]),
    "the grader's key": (go("", "0.abc/k"), [("import", "0.abc/k")]),
    "a dot import": (go("var x = Exit", ". os"), [("dot-import", "os")]),
    "a use": (go("func f() { os.Exit(0) }", "os"), [("use", "os.Exit")]),
    "a use as a value": (go("var f = os.Exit", "os"), [("use", "os.Exit")]),
    "a use under another name": (go("func f() { sys.Exit(0) }", "sys os"), [("use", "os.Exit")]),
    "a use before the name is shadowed": (go("func f() { os := os.Args; _ = os }", "os"), [("use", "os.Args")]),
    "a use outside a shadowing block": (
        go("func f() { { os := 1; _ = os }; os.Exit(0) }", "os"),
        [("use", "os.Exit")],
    ),
    "a use beside a parameter's type": (
        go("func f(os func(), x int) {}\nfunc g() { os.Exit(0) }", "os"),
        [("use", "os.Exit")],
    ),
    "a use in a generic instance": (go("var f = id[func(int)](os.Exit)", "os"), [("use", "os.Exit")]),
    "parentheses": (go("func f() { (os.Exit)(0) }", "os"), [("use", "os.Exit")]),
    "the executable": (go("var p, _ = os.Executable()", "os"), [("use", "os.Executable")]),
    "the environment": (go('func f() { os.Setenv("GODEBUG", "x") }', "os"), [("use", "os.Setenv")]),
    "a descriptor": (go('var f = os.NewFile(3, "")', "os"), [("use", "os.NewFile")]),
    "the parent": (
        go("func f() { p, _ := os.FindProcess(os.Getppid()); p.Kill() }", "os"),
        [("use", "os.FindProcess"), ("use", "os.Getppid")],
    ),
    "output that is swapped": (go("func f(w *os.File) { p := os.Stdout; *p = *w }", "os"), [("use", "os.Stdout")]),
    "a stack trace": (go("func f() { runtime.Callers(0, nil) }", "runtime"), [("use", "runtime.Callers")]),
    "a goroutine count": (go("var n = runtime.NumGoroutine()", "runtime"), [("use", "runtime.NumGoroutine")]),
    "GOMAXPROCS is set": (go("var n = runtime.GOMAXPROCS(1)", "runtime"), [("use", "runtime.GOMAXPROCS")]),
    "GOMAXPROCS as a value": (
        go("var n = runtime.GOMAXPROCS(0)\nvar f = runtime.GOMAXPROCS", "runtime"),
        [("use", "runtime.GOMAXPROCS")],
    ),
    "Goexit": (go("func f() { runtime.Goexit() }", "runtime"), [("use", "runtime.Goexit")]),
    "a logger that traces": (
        go('func f() { log.SetFlags(log.Llongfile); log.Output(5, "") }', "log"),
        [("use", "log.Llongfile"), ("use", "log.Output")],
    ),
    "pointers without unsafe": (
        go("func f(x *int) *string { return (*string)(reflect.ValueOf(x).UnsafePointer()) }", "reflect"),
        [("method", "UnsafePointer")],
    ),
    "an assignment": (go("func f() { io.EOF = nil }", "io"), [("assign", "io.EOF")]),
    "a version in the path": (go("func f() { rand.V = nil }", "math/rand/v2"), [("assign", "math/rand/v2.V")]),
    "one of several assignments": (go("func f() { var a int; a, io.EOF = 1, nil }", "io"), [("assign", "io.EOF")]),
    "an increment": (go("func f() { maphash.N++ }", "hash/maphash"), [("assign", "hash/maphash.N")]),
    "a range": (go("func f() { for io.EOF = range es {} }", "io"), [("assign", "io.EOF")]),
    "an address": (go("var p = &io.EOF", "io"), [("assign", "io.EOF")]),
    "part of a variable": (
        go("func f() { http.DefaultClient.Timeout = 1; (*http.Header)[0].x += 1 }", "net/http"),
        [("assign", "net/http.DefaultClient"), ("assign", "net/http.Header")],
    ),
    "a receive": (go("func f(c chan error) { select { case io.EOF = <-c: } }", "io"), [("assign", "io.EOF")]),
    "a function without a body": (go("func now() int64"), [("bodyless", "now")]),
    "nil as a variable": (go("var nil = 1"), [("predeclared", "nil")]),
    "error as a type": (go("type ( a int; error interface{} )"), [("predeclared", "error")]),
    "true as a constant": (go("const a, true = 1, false"), [("predeclared", "true")]),
    "len as a function": (go("func len(x any) int { return 0 }"), [("predeclared", "len")]),
    "append as an import": (go("", "append os"), [("predeclared", "append")]),
    "linkname": (go("//go:linkname a b\nvar a int"), [("directive", "go:linkname")]),
    "embed": (go("//go:embed *_test.go\nvar a string"), [("directive", "go:embed")]),
    "norace": (go("//go:norace\nfunc f() {}"), [("directive", "go:norace")]),
    "cgo flags": (go("//go:cgo_ldflag x"), [("directive", "go:cgo_")]),
    "a build tag": ("//go:build linux && !race\n\npackage a\n", [("directive", "go:build race")]),
    "an old build tag": (
        "// +build !asan,linux !msan\n\npackage a\n",
        [("directive", "go:build asan"), ("directive", "go:build msan")],
    ),
    "a line directive": (go("//line x_test.go:1\nfunc f() {}"), [("directive", "line")]),
    "a line directive within a line": (go("func f() { /*line x.go:1:2*/ f() }"), [("directive", "line")]),
    "the process's memory": (go('var p = "/proc/self/mem"'), [("path", "/proc")]),
    "the folder of processes": (go('var p = "/proc"'), [("path", "/proc")]),
    "a descriptor's name": (go('var p = "/dev/fd/3"'), [("path", "/dev/fd")]),
    "what does not parse": (go("func f() {"), [("unreadable", "not Go")]),
}


@pytest.mark.parametrize("case", FIRES)
def test_a_rule_fires(lint: Lint, case: str) -> None:
    """One way to break each rule, with other findings nowhere."""
    source, keys = FIRES[case]
    assert [finding.key for finding in lint({"a.go": source})] == keys


NEAR_MISSES: dict[str, str] = {
    "ordinary imports": go("", "os", "context", "net/http", "encoding/json", "sync/atomic", "goroutine/x"),
    "a package of the module": go("func f() { flag.Parse() }", "example.com/mod/flag"),
    "the module itself": go("", "example.com/mod"),
    "a local variable": go("func f(x T) { os := x; os.Exit(0); os.EOF = nil; _ = &os.Args }", "os"),
    "a parameter": go("func f(os T) { os.Exit(0) }", "os"),
    "a receiver": go("func (os T) f() { os.Exit(0) }", "os"),
    "a result": go("func f() (os T) { os.Exit(0); return }", "os"),
    "a range variable": go("func f(x []T) { for _, os := range x { os.Exit(0) } }", "os"),
    "a variable of a type switch": go("func f(x any) { switch os := x.(type) { case T: os.Exit(0) } }", "os"),
    "a parameter of a function literal": go("var f = func(os T) { os.Exit(0) }", "os"),
    "another package under that name": go("func f() { os.Exit(0) }", "os strings"),
    "a package-level name": go("var os T\nfunc f() { os.Exit(0); os.x = 1 }"),
    "a field": go("type T struct { Exit, Args int }\nfunc f(t T) { t.Args = t.Exit; _ = T{Exit: 1} }", "os"),
    "a field that holds the name": go("func f(t T) { t.os.Exit(0); t.io.EOF = nil }", "os", "io"),
    "a method": go("func (T) Exit(int) {}\nfunc (T) UnsafePointers() {}\nfunc (T) Output() {}", "os"),
    "strings": go('var s = "os.Exit(0) //go:linkname unsafe"\nvar r = `\n//go:embed x\n//line a.go:1\n`'),
    "comments": go('// os.Exit(0), see import "unsafe"\n// go:linkname\n// //go:embed\n//line up\n/* var nil */'),
    "other directives": go("//go:generate stringer\n\n//go:noinline\nfunc f() {}"),
    "a platform's build tag": "//go:build (unix || windows) && !ignore && racetrack\n\npackage a\n",
    "Go's tokens": go("var t = token.IsExported", "go/token"),
    "a build tag below the package clause": go("//go:build race\n// +build race"),
    "names of its own": go("var x = 1\nfunc f() { x = 2; x++; p := &x; *p = 3 }"),
    "a composite literal": go("var c = &http.Client{}\nvar d = &atomic.Pointer[int]{}", "net/http", "sync/atomic"),
    "a method value": go("var f = http.DefaultClient.Do", "net/http"),
    "a comparison": go("func f(e error) bool { return e == io.EOF }", "io"),
    "an element at an index": go("func f(m map[error]int) { m[io.EOF] = 1 }", "io"),
    "a call's result": go("func f() { http.Get().x = 1; *log.Default() = x }", "net/http", "log"),
    "GOMAXPROCS is read": go("var n = min(runtime.GOMAXPROCS(0), runtime.NumCPU())", "runtime"),
    "a logger": go('var l = log.New(os.Stderr, "", log.LstdFlags|log.Lmsgprefix)', "log", "os"),
    "shadowing in a function": go("func f(nil, len int) { true := 1; type error int; var append = true }"),
    "methods and fields with predeclared names": go("type T struct { len, nil int }\nfunc (T) append() {}"),
    "helpers from before they were built in": go("func min(a, b int) int { return a }\nfunc print() {}\ntype any int"),
    "an interface's methods": go("type T interface { Exit(); len() }"),
    "another proc": go('var p = "proc/x"\nvar q = "https://x/procedures"\nvar d = "/dev/null"'),
    "a file for another system": go(""),
}


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_a_near_miss_is_left_alone(lint: Lint, case: str) -> None:
    """What only looks like a broken rule is found by no rule."""
    name = "a_windows.go" if case == "a file for another system" else "a.go"
    assert lint({name: NEAR_MISSES[case]}) == ()


BAD = go("", "unsafe")


@pytest.mark.parametrize("path", ["a_test.go", "_a.go", ".a.go", "a.txt", "testdata/a.go", "vendor/a.go", "_x/y/a.go"])
def test_what_is_never_built_into_the_module_is_not_read(lint: Lint, path: str) -> None:
    """Tests and what the go command ignores come from the pristine repo, or not at all."""
    assert lint({path: BAD}) == ()


@pytest.mark.parametrize("path", ["a_linux.go", "x/internal/a.go", "te\u017ftdata/a.go", "a_te\u017ft.go", "x.go/a.go"])
def test_whatever_could_be_built_is_read(lint: Lint, path: str) -> None:
    """In any folder, and under names that only look like a test's."""
    assert [str(finding) for finding in lint({path: BAD})] == [f"{path}:4 imports unsafe"]


def test_a_package_whose_name_is_not_its_folders_is_known_by_its_name(lint: Lint) -> None:
    """But the module's own packages are the submission's to change anyway."""
    files = {
        "kit-v1/kit.go": "package kit\nvar Equal = 1\n",
        "kit-v1/doc.go": "package documentation\n",
        "a.go": go("func f() { kit.Equal = 0 }\nfunc g(kit T) { kit.Equal = 0 }", "example.com/mod/kit-v1"),
    }
    assert lint(files) == ()


SCRATCH = 'package main\n\nimport "os"\n\nfunc main() { os.Exit(1) }\n'


@pytest.mark.parametrize(
    "files",
    [
        {"cmd/repro/main.go": SCRATCH},
        {"scratch.go": f"//go:build ignore\n\n{SCRATCH}"},
        {"a_windows.go": BAD, "b_plan9.go": BAD},
        {"tools.go": '//go:build tools\n\npackage a\n\nimport _ "example.com/other/tool"\n'},
    ],
    ids=["a program", "an ignored program", "other systems", "tools"],
)
def test_what_no_test_binary_holds_is_not_judged(lint: Lint, files: dict[str, str]) -> None:
    """An honest scratch file may do there what it likes."""
    assert lint(files) == ()


def test_a_program_with_tests_beside_it_is_judged(lint: Lint) -> None:
    """Its tests are built together with it."""
    assert lint({"cmd/main.go": SCRATCH, "cmd/main_test.go": "package main_test\n"}) != ()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('func f(v interface{ MethodByName(string) int }) { v.MethodByName("x") }', [("method", "MethodByName")]),
        ("func f(v interface{ Method(int) int }) { v.Method(1) }", [("method", "Method")]),
        ('func f(l interface{ Output(int, string) error }) { l.Output(2, "x") }', [("method", "Output")]),
        ("type r struct{ Method string }\nfunc f(v r) string { return v.Method }", []),
        ('type w struct{}\nfunc (w) Output() string { return "" }\nfunc f(v w) string { return v.Output() }', []),
    ],
)
def test_methods_are_known_by_name_and_arguments_wherever_their_values_come_from(
    lint: Lint, code: str, found: list[tuple[str, str]]
) -> None:
    """A reflect.Value may come from a package that hands one out."""
    assert [finding.key for finding in lint({"a.go": go(code)})] == found


def test_imports_without_number_cost_nothing(lint: Lint) -> None:
    """A file may not make every selector as dear as its imports are many."""
    imports = "".join(f'import a "x{number}"\n' for number in range(30_000))
    code = f"package a\n{imports}func f() {{ {'_ = a.b; ' * 30_000} }}\n"
    assert ("unreadable", "too many imports of one name") in [finding.key for finding in lint({"a.go": code})]


def test_a_finding_is_reported_once_where_it_occurs_first(lint: Lint) -> None:
    """By file and line, as they really are."""
    twice = go("\n//line other.go:99\nfunc f() { os.Exit(0) }\nfunc g() { os.Exit(1) }", "os")
    assert lint({"b/a.go": twice, "c.go": twice, "b.go": go("")}) == (
        Finding("b/a.go", 8, "directive", "line"),
        Finding("b/a.go", 9, "use", "os.Exit"),
    )


def test_a_module_without_a_dot_in_its_path_is_linted(lint: Lint) -> None:
    """And one without a go.mod too, where every other module is foreign."""
    files = {"go.mod": "module mod\n", "a.go": go("", "mod/x", "example.com/x")}
    assert [finding.key for finding in lint(files)] == [("import", "example.com/x")]


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("a.go"), lambda path: path.symlink_to("b.go")]
)
def test_links_and_pipes_are_not_opened(
    lint: Lint, run_lint: RunLint, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """They are findings: the go command would follow a link."""
    assert lint({"a.go": go("")}) == ()
    make(tmp_path / "module/b.go")
    done = run_lint(tmp_path / "module")
    assert [str(finding) for finding in parse_findings(done.output)] == [
        "b.go:1 cannot be read by the lint (no regular file)"
    ]


def test_a_folder_that_is_not_there_is_an_error(run_lint: RunLint, tmp_path: Path) -> None:
    """It is not an empty module."""
    done = run_lint(tmp_path / "gone")
    assert done.exit_code == 2
    assert "gone" in done.text


def _file(body: str) -> str:
    return f"package a\n\nfunc f() {{\n{body}\n}}\n"


TOO_DEEP: dict[str, str] = {
    "parentheses": go("var x = " + "(" * MIB),
    "slices": go("var x " + "[]" * (MIB // 2) + "int"),
    "blocks": _file("{" * MIB),
    "signs": go("var x = " + "- " * (MIB // 2) + "1"),
    "receives": go("var x = " + "<-" * (MIB // 2) + "y"),
    "channels": go("var x " + "chan " * (MIB // 5) + "int"),
    "functions": go("var x " + "func()" * (MIB // 6)),
    "sums": go("var x = 1" + "+1" * (MIB // 2)),
    "selectors": go("var x = a" + ".a" * (MIB // 2)),
    "labels": _file("a:" * (MIB // 2)),
    "else-ifs": _file("if a {}" + " else if a {}" * (MIB // 13)),
    "else-ifs with statements": _file("if a := b; a {}" + " else if a := b; a {}" * (MIB // 21)),
}

HUGE: dict[str, str] = {
    "statements": _file("a;" * (MIB // 2)),
    "empty statements": _file(";" * MIB),
    "numbers": go("var x = []int{" + "1," * (MIB // 2) + "}"),
    "names": go("var " + "a," * (MIB // 2) + "b int"),
    "comments": go("//\n\n" * (MIB // 4)),
    "lines": go("\n" * MIB),
    "a string": go('const x = "' + "a" * MIB + '"'),
    "a raw string": go("const x = `" + "\n" * MIB + "`"),
    "a number": go("const x = " + "9" * MIB),
    "a name": go("var " + "a" * MIB + " int"),
    "nesting that is allowed": go("var x = " + "(" * 9000 + "1" + ")" * 9000),
}


@pytest.mark.parametrize("case", [*TOO_DEEP, *HUGE])
def test_hostile_code_costs_little(run_lint: RunLint, tmp_path: Path, case: str) -> None:
    """A megabyte per file, two files: neither crash nor hang, and what nests too deeply is found."""
    for name in ("a.go", "b.go"):
        (tmp_path / name).write_text(TOO_DEEP.get(case) or HUGE[case])
    done = run_lint(tmp_path)
    assert done.ok, done.text
    found = parse_findings(done.output)
    assert [finding.key for finding in found] == [("unreadable", "nested too deeply")] * (case in TOO_DEEP)
    assert done.peak_bytes < 200 * MIB
    assert done.cpu_seconds < 10


def test_code_that_the_compiler_takes_and_the_parser_does_not_is_found(
    lint: Lint, grader: Grader, tmp_path: Path
) -> None:
    """go/parser gives up at a depth of 100,000, cmd/compile does not: skipping the file would let it pass."""
    source = go("var x = " + "(" * 110_000 + "1" + ")" * 110_000 + "\nfunc f() { os.Exit(0) }", "os")
    assert [finding.key for finding in lint({"a.go": source})] == [("unreadable", "nested too deeply")]
    assert grader.go(tmp_path / "module", "build", "./...").ok


@pytest.mark.parametrize(
    "text", [b"\x00" * MIB, b"\xff\xfe" * 1000, b"@\n" * (MIB // 2), b"", b"\xef\xbb\xbf", b"package"]
)
def test_what_is_no_go_is_found(lint: Lint, text: bytes) -> None:
    """The build refuses it with a better reason; the lint must only survive it."""
    assert [finding.rule for finding in lint({"a.go": text})] == ["unreadable"]


def test_a_flood_of_findings_is_cut_and_still_holds_a_new_one(lint: Lint) -> None:
    """Known findings cannot crowd out the new one: each key is listed once."""
    flood = go("func f() {\n" + "\n".join(f"os.V{i} = 1" for i in range(50_000)) + "\n}", "os")
    many = {f"a{i}.go": go("var x = os.Args", "os") for i in range(1500)}
    found = lint({**many, "b.go": flood, "c.go": go("", "x.y/" + "z" * MIB)})
    assert len(found) == 1000
    assert len(new_findings(found, {("use", "os.Args")})) == 999


def test_names_that_are_not_utf8_are_survived(lint: Lint, run_lint: RunLint, tmp_path: Path) -> None:
    """They are shown with a replacement."""
    lint({"a.go": go("")})
    (tmp_path / "module" / os.fsdecode(b"\xff.go")).write_text(BAD)
    done = run_lint(tmp_path / "module")
    assert [finding.key for finding in parse_findings(done.output)] == [("import", "unsafe")]


def test_only_what_is_new_counts() -> None:
    """A key that the pristine module or the reference fix has may occur anywhere."""
    found = [Finding("b.go", 2, "use", "os.Exit"), Finding("a.go", 9, "import", "flag"), Finding("a.go", 1, "use", "x")]
    assert new_findings(found, {("use", "os.Exit"), ("use", "flag")}) == (found[2], found[1])


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (Finding("a/b.go", 12, "import", "os/exec"), "a/b.go:12 imports os/exec"),
        (Finding("a.go", 1, "use", "os.Exit"), "a.go:1 uses os.Exit"),
        (
            Finding("a.go", 1, "assign", "io.EOF"),
            "a.go:1 changes io.EOF, or takes its address, in another package",
        ),
        (Finding("a.go", 1, "directive", "go:norace"), "a.go:1 has a go:norace directive"),
        (Finding("a.go", 1, "use", "{0}"), "a.go:1 uses {0}"),
    ],
)
def test_a_finding_reads_as_a_reason(finding: Finding, text: str) -> None:
    """It becomes part of a grade's reason."""
    assert str(finding) == text


GOOD = {"file": "a.go", "line": 1, "rule": "use", "detail": "os.Exit"}


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"null",
        b"[]",
        b"\xff",
        b'{"found": []}',
        b'{"findings": null}',
        json.dumps({"findings": [{**GOOD, "line": "1"}]}).encode(),
        json.dumps({"findings": [{**GOOD, "line": True}]}).encode(),
        json.dumps({"findings": [{**GOOD, "detail": None}]}).encode(),
        json.dumps({"findings": [{**GOOD, "more": 1}]}).encode(),
        json.dumps({"findings": [{"file": "a.go"}]}).encode(),
        json.dumps({"findings": [{**GOOD, "rule": "newer"}]}).encode(),
        json.dumps({"findings": ["x"]}).encode(),
    ],
)
def test_a_report_that_is_garbage_is_broken_machinery(report: bytes) -> None:
    """Never an empty list: that would let everything pass."""
    with pytest.raises(InfrastructureError, match="lint's report"):
        parse_findings(report)


def test_a_report_is_read_and_sorted() -> None:
    """What the program prints becomes values."""
    second = {**GOOD, "file": "b.go"}
    report = json.dumps({"findings": [second, GOOD]}).encode()
    assert parse_findings(report) == (Finding(**GOOD), Finding(**second))  # type: ignore[arg-type]  # a table of both
