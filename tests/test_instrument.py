"""Instrumented tests: they compile, attest when they have passed and only then, and keep their lines.

The cases are the files of ``attested``: the first line of each names the tests that attest.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from go_debug_bench import tree
from go_debug_bench.attestation import ATTEST_FOLDER, attesting_module
from go_debug_bench.grading import Grader
from go_debug_bench.launcher import Completed, Limits, build_tool
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.workspace import Workspace

ATTESTED = Path(__file__).parent / "attested"
MODULE = "0.0123456789abcdef/secret"

# What gofmt or vet would not leave alone.
PLAIN = """// attests: Test{name} Test{name}/sub
package attested

import "testing"

func Test{name}(t *testing.T) {{
	t.Run("sub", func(t *testing.T) {{
		t.Log(`raw
string`) // and a comment }}
	}})
}}

func Test{name}Fails(t *testing.T) {{
	t.Error("fails") // fails here
}}
"""
ODD = {
    "crlf": PLAIN.format(name="CRLF").replace("\n", "\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + PLAIN.format(name="BOM").encode(),
    "no_newline": PLAIN.format(name="Short").encode().rstrip(b"\n"),
    "semicolons": (
        b"// attests: TestSemicolons TestSemicolons/sub\n"
        b'package attested; import "testing"; func TestSemicolons(t *testing.T) { t.Run("sub", TestNone); }'
        b"; func TestNone(*testing.T){}\n"
    ).replace(b"TestNone", b"none"),
    "lower": (
        b'// attests: TestCallsLower\npackage attested\nimport "testing"\n'
        b"func Testlower(t *testing.T, n ...int) int { return 1 }\n"
        b"func Test\xc3\xa4rger(t *testing.T) {}\n"
        b"func TestCallsLower(t *testing.T) { Testlower(t); Test\xc3\xa4rger(t) }\n"
    ),
    "line_directive": (
        b'// attests: TestDirective\npackage attested\nimport "testing"\n'
        b"//line other.go:1000\nfunc TestDirective(t *testing.T) {\n}\n"
    ),
}
FILES = {**tree.scan(ATTESTED).files, **{f"{name}_test.go": data for name, data in ODD.items()}}
CASES = sorted(name for name in FILES if tree.is_test_file(name))


class Run(Protocol):
    """What a run of a suite shows."""

    done: Completed
    names: list[str]
    unproved: list[str]


Attest = Callable[..., Run]


def wanted(case: str) -> list[str]:
    """The tests of a file that are to attest."""
    found = re.search(r"// attests:(.*?)\r?$", FILES[case].decode(), re.MULTILINE)
    assert found
    return found[1].split()


def each(case: str) -> list[str]:
    """Flags that run a file's tests one by one: some end the whole run."""
    return [f"-test.run=^{name}$" for name in re.findall(r"func (Test[^(]*)[(]", FILES[case].decode())]


@pytest.fixture(scope="module")
def suite(build_suite: Callable[[tree.Tree, str], bytes]) -> bytes:
    """All cases in one binary."""
    return build_suite(FILES, MODULE)


@pytest.mark.parametrize("case", CASES)
def test_what_passes_attests_once_and_nothing_else_does(suite: bytes, attest: Attest, case: str) -> None:
    """Whatever way a test is written and run; every token is handed out that is known."""
    everything = re.findall(r"--- [A-Z]+: (\S+)", "".join(attest(suite, (), flag).done.text for flag in each(case)))
    runs = [attest(suite, {*everything, *wanted(case)}, flag) for flag in each(case)]
    assert sorted(name for run in runs for name in run.names) == sorted(wanted(case))
    assert [run.unproved for run in runs if run.unproved] == []


@pytest.mark.parametrize("case", CASES)
def test_failures_report_the_lines_of_the_source(suite: bytes, attest: Attest, case: str) -> None:
    """Also through helpers, which name their caller's line."""
    lines = FILES[case].decode().splitlines()
    here = Counter(number for number, line in enumerate(lines, 1) if line.endswith("// fails here"))
    output = "".join(attest(suite, (), flag).done.text for flag in each(case))
    said = Counter(int(number) for number in re.findall(rf" {case}:(\d+): .*fails", output))
    assert here <= said


def test_a_panic_leaves_no_attestation(build_suite: Callable[[tree.Tree, str], bytes], attest: Attest) -> None:
    """Neither for its test nor for those around it, and a clean-up that panics is no better."""
    files = {
        "go.mod": b"module panics\n\ngo 1.24\n",
        "panics_test.go": b"""package panics

import "testing"

func TestBody(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { panic("on purpose") })
}

func TestCleanup(t *testing.T) {
	t.Cleanup(func() { panic("on purpose") })
}

func TestNil(t *testing.T) {
	t.Run("none", nil)
}

func TestRecovered(t *testing.T) {
	defer func() { recover() }()
	panic("on purpose")
}
""",
    }
    suite = build_suite(files, MODULE)
    for test, passed in (
        ("TestBody", ["TestBody/good"]),
        ("TestCleanup", []),
        ("TestNil", []),
        ("TestRecovered", ["TestRecovered"]),
    ):
        names = [test, f"{test}/good", f"{test}/bad", f"{test}/none"]
        assert attest(suite, names, f"-test.run=^{test}$").names == passed, test


def instrument(grader: Grader, folder: Path, *names: str, module: str = MODULE) -> subprocess.CompletedProcess[str]:
    """Run the tool over files."""
    tool = build_tool("instrument", grader.toolchain, cache=grader.cache, build_cache=grader.cache / "go-build")
    return subprocess.run(
        [tool, f"-module={module}", *names], cwd=folder, env={}, capture_output=True, text=True, check=False
    )


def instrumented(grader: Grader, folder: Path, source: bytes) -> bytes:
    """One file, instrumented."""
    (folder / "x_test.go").write_bytes(source)
    done = instrument(grader, folder, "x_test.go")
    assert done.returncode == 0, done.stderr
    return (folder / "x_test.go").read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_every_line_keeps_its_place(grader: Grader, tmp_path: Path, case: str) -> None:
    """Only lines that hold tests, calls or the package clause change, and the build constraint stays first."""
    before = FILES[case].split(b"\n")
    after = instrumented(grader, tmp_path, FILES[case]).split(b"\n")
    assert len(before) == len(after)
    changed = [old for old, new in zip(before, after, strict=True) if old != new]
    assert all(
        re.search(rb"package |func |[.]Run[(]|[.]Cleanup[(]|[})]|nction|check|method|call|pointer|generic", line)
        for line in changed
    )
    assert before[0] == after[0]


def test_a_file_without_tests_is_left_alone(grader: Grader, tmp_path: Path) -> None:
    """An import that nothing uses would not compile."""
    for source in (b"package x\n", b'package x\n\nimport "testing"\n\nfunc help(tb testing.TB) { tb.Helper() }\n'):
        assert instrumented(grader, tmp_path, source) == source


def test_a_file_that_does_not_parse_is_said_with_its_name(grader: Grader, tmp_path: Path) -> None:
    """It is the task's own file."""
    (tmp_path / "x_test.go").write_bytes(b"package x\nfunc {")
    done = instrument(grader, tmp_path, "x_test.go")
    assert done.returncode == 1
    assert "x_test.go: 2:6" in done.stderr


PACKAGES = ["strings", "sort", "container/heap", "text/tabwriter", "bufio", "encoding/csv", "path"]


def goroot_with(toolchain: Toolchain, room: Path, grader: Grader) -> Path:
    """A GOROOT like the real one, with instrumented tests and the module that attests among the standard packages."""
    module = "gobenchattest"
    made, real = room / "goroot", toolchain.goroot
    open_up = {Path("src")} | {
        Path("src") / parent for package in PACKAGES for parent in (Path(package), Path(package).parent)
    }
    for folder in sorted(open_up):
        (made / folder).mkdir(parents=True, exist_ok=True)
    for folder in sorted({*open_up, Path()}):
        for entry in (real / folder).iterdir():
            if folder / entry.name not in open_up:
                (made / folder / entry.name).symlink_to(entry)
    for package in PACKAGES:
        tests = sorted((made / "src" / package).glob("*_test.go"))
        for test in tests:
            data = test.read_bytes()
            test.unlink()
            test.write_bytes(data)
        done = instrument(grader, made / "src" / package, *(test.name for test in tests), module=module)
        assert done.returncode == 0, done.stderr
    attesting = attesting_module(module)
    tree.write(
        {path.removeprefix(f"{ATTEST_FOLDER}/"): data for path, data in attesting.items() if not path.endswith(".mod")},
        made / "src" / module,
    )
    return made


def test_standard_packages_attest_all_that_passes(grader: Grader, workspace: Workspace, attest: Attest) -> None:
    """Tests that were not written for this: every test and subtest that passes attests, once, and none extra."""
    with workspace.room() as room:
        goroot = goroot_with(grader.toolchain, room, grader)
        env = environment(grader.toolchain, home=room / "home", cache=grader.cache / "go-build")
        # The go command looks standard packages up in its index.
        env |= {"GODEBUG": "goindex=0", "GOROOT": str(goroot), "GO111MODULE": "off"}
        (room / "out").mkdir()
        (room / "home").mkdir()
        argv = [grader.toolchain.go, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", f"{room}/out/", *PACKAGES]
        built = grader.runner.run(argv, cwd=room, env=env, limits=Limits(seconds=120))
        assert built.ok, built.text
        counts = {}
        for package in PACKAGES:
            suite = (room / "out" / f"{package.rpartition('/')[2]}.test").read_bytes()
            run = attest(suite, (), "-test.short", "-test.run=^Test")
            assert run.done.ok, run.done.text
            passed = re.findall(r"^ *--- PASS: (Test\S*)", run.done.text, re.MULTILINE)
            reported = [line.partition("\0")[0] for line in run.done.report.decode().splitlines()]
            assert sorted(reported) == sorted(passed), package
            counts[package] = len(passed)
    assert min(counts.values()) > 0
    assert sum(counts.values()) > 150, counts
    print(counts)
