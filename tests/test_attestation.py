"""Tokens and reports, and what a submission can do about them from inside of the test binary."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import pytest

from go_debug_bench import tree
from go_debug_bench.attestation import (
    ATTEST_FOLDER,
    Attested,
    attest_module,
    attesting_module,
    new_tokens,
    read_report,
    token_table,
)
from go_debug_bench.launcher import Completed

BuildSuite = Callable[[tree.Tree, str], bytes]


class Run(Protocol):
    """What a run of a suite shows."""

    done: Completed
    names: list[str]
    unproved: list[str]


Attest = Callable[..., Run]

TOKENS = {"TestA": "a" * 32, "TestA/sub": "b" * 32, "TestB": "c" * 32}


# Tokens and reports


def test_tokens_are_fresh_for_every_test_and_every_run() -> None:
    """None can be told from another, or used again."""
    first, second = new_tokens(["TestA", "TestB"]), new_tokens(["TestA", "TestB"])
    tokens = [*first.values(), *second.values()]
    assert set(first) == {"TestA", "TestB"}
    assert len(set(tokens)) == 4
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)


def test_table_holds_the_tokens_among_decoys_in_no_order() -> None:
    """Names of tests that are not there, each with a token of its own, and none for none."""
    tokens = new_tokens([f"TestA/{number}" for number in range(20)] + ["TestA", "Test\N{SNOWMAN}/x_y"])
    table = dict(entry.split("\0") for entry in token_table(tokens).decode().splitlines())
    assert tokens.items() <= table.items()
    assert len(table) >= 2 * len(tokens)
    assert len(set(table.values())) == len(table)
    assert list(table) != sorted(table)
    assert all(len(token) == 32 for token in table.values())
    assert token_table({}) == b""


def test_whoever_reports_the_whole_table_gives_himself_away() -> None:
    """A decoy counts as a test that the suite does not have."""
    tokens = new_tokens(["TestA", "TestA/one", "TestB"])
    attested = read_report(token_table(tokens), tokens)
    assert attested.passed == tokens.keys()
    assert attested.unknown


def line(name: str, token: str) -> bytes:
    """One line of a report."""
    return f"{name}\0{token}\n".encode()


A, SUB, B = (line(name, token) for name, token in TOKENS.items())


@pytest.mark.parametrize(
    ("report", "passed", "unknown"),
    [
        (b"", "", ""),
        (A + SUB + B, "TestA TestA/sub TestB", ""),
        (B + A, "TestA TestB", ""),
        (A + A + A, "TestA", ""),
        # Somebody else's token, none, part of one, more than one.
        (line("TestA", TOKENS["TestB"]), "", "TestA"),
        (line("TestA", ""), "", "TestA"),
        (b"TestA\n", "", "TestA"),
        (line("TestA", "a" * 31), "", "TestA"),
        (line("TestA", "a" * 32 + "\0"), "", "TestA"),
        (line("TestA", "A" * 32), "", "TestA"),
        (line("TestA", "\N{SNOWMAN}" * 32), "", "TestA"),
        # Tests that are not expected, known to have passed or not.
        (line("TestC", "?") + A, "TestA", "TestC"),
        (line("TestC", TOKENS["TestA"]), "", "TestC"),
        # A second run, and a guess before the proof.
        (A + line("TestA", "?"), "TestA", ""),
        (line("TestA", "guess") + A, "TestA", ""),
        # A test that failed has not passed, whatever is reported before or after.
        (line("TestA", "!") + A + B, "TestB", ""),
        (A + line("TestA", "!") + B, "TestB", ""),
        (line("TestC", "!") + A, "TestA", ""),
        # A line that was cut off proves nothing.
        (A + B[:-1], "TestA", ""),
        (A[:-1], "", ""),
        (b"\n\n" + A, "TestA", "|"),
        (b"\xff\xfe\0\xff\n" + A, "TestA", "\ufffd\ufffd"),
        (b"TestA\0" + b"a" * 32 + b"\r\n", "", "TestA"),
        (b" TestA\0" + b"a" * 32 + b"\n", "", "| TestA"),
    ],
)
def test_only_a_name_with_its_own_token_has_passed(report: bytes, passed: str, unknown: str) -> None:
    """A report may hold anything: whoever runs in the binary can write to it."""
    names = set(unknown.removeprefix("|").split("|") if "|" in unknown else unknown.split())
    assert read_report(report, TOKENS) == Attested(passed=frozenset(passed.split()), unknown=frozenset(names))


def test_a_large_report_of_noise_is_read_fast() -> None:
    """A mebibyte of line ends is as much as comes back from a box."""
    assert read_report(b"\n" * (1 << 20), TOKENS) == Attested(unknown=frozenset({""}))


# The module


def test_module_is_made_once_for_a_cache_and_is_secret(tmp_path: Path) -> None:
    """Half of its path is not to be guessed, and only the owner may read it."""
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: attest_module(tmp_path), range(32)))
    assert len(set(paths)) == 1
    assert re.fullmatch(r"0\.[0-9a-f]{32}", paths[0])
    (kept,) = tmp_path.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (tmp_path / "other").mkdir()
    assert attest_module(tmp_path / "other") != paths[0]


def test_module_in_a_clean_room_has_the_secret_path_everywhere() -> None:
    """And lies where ./... does not look."""
    files = attesting_module("0.secret")
    assert ATTEST_FOLDER.startswith(".")
    assert all(path.startswith(f"{ATTEST_FOLDER}/") for path in files)
    assert files[f"{ATTEST_FOLDER}/go.mod"].startswith(b"module 0.secret\n")
    assert b'"0.secret/key"' in files[f"{ATTEST_FOLDER}/wrap/wrap.go"]
    assert not any(b"gobench.tools" in data for data in files.values())


# What a submission can do

EARLY = b"""package early

import (
	"fmt"
	"os"
	"syscall"
	_ "unsafe"
)

var got = steal()

func steal() string {
	buffer := make([]byte, 100)
	n, err := syscall.Read(3, buffer)
	_, again := os.NewFile(3, "key").Read(buffer)
	return fmt.Sprint(n, " ", err, " ", again != nil)
}

func Got() string { return got }
"""


@pytest.mark.parametrize("module", ["0", "0.0", "00", "a", "A", "zz", "example.com/early"])
def test_no_package_reads_the_key_before_the_one_that_hides_it(
    build_suite: BuildSuite, attest: Attest, module: str
) -> None:
    """However early its name makes a package that can do I/O be initialised."""
    files = {
        "go.mod": f"module {module}\n\ngo 1.24\n".encode(),
        "early.go": EARLY,
        "early_test.go": b"""package early

import "testing"

func TestGot(t *testing.T) { t.Log("got", Got()) }
""",
    }
    path = "0.ffffffffffffffffffffffffffffffff"  # the worst of all that there can be
    run = attest(build_suite(files, path), ["TestGot"])
    assert "got -1 bad file descriptor true" in run.done.text
    assert run.names == ["TestGot"]


def test_a_package_that_is_initialised_early_reads_what_nobody_hides(build_suite: BuildSuite, attest: Attest) -> None:
    """The control: without the package that takes the key, anybody would get it."""
    files = {
        "go.mod": b"module early\n\ngo 1.24\n",
        "early.go": EARLY,
        "early_test.go": b"""package early

import "testing"

var _ = alias

func alias(t *testing.T) {}

func TestMain(m *testing.M) { println("got", Got()) }
""",
    }
    assert "got 100 <nil> false" in attest(build_suite(files, "0.unused"), ["Test" * 60]).done.text


HOSTILE = {
    "go.mod": b"module hostile\n\ngo 1.24\n",
    "hostile.go": b"""package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// What a submission may do before the flags are read.
func init() {
	os.Args = append(os.Args, strings.Fields(os.Getenv("EDIT"))...)
	switch os.Getenv("ACT") {
	case "forge":
		for _, token := range []string{"", "?", strings.Repeat("a", 32)} {
			syscall.Write(4, []byte("TestFails\\x00"+token+"\\n"))
		}
		fmt.Println("=== RUN   TestFails\\n--- PASS: TestFails (0.00s)\\nPASS")
		os.Exit(0)
	case "close":
		syscall.Close(4)
	case "child":
		os.Unsetenv("ACT")
		out, err := exec.Command(os.Args[0], "-test.run=TestPasses", "-test.v").CombinedOutput()
		fmt.Printf("child: %s %v\\n", out, err)
		os.Exit(0)
	case "flood":
		for range 1 << 12 {
			syscall.Write(4, []byte(strings.Repeat("x\\x00\\n", 1<<10)))
		}
	}
}

func Fails() bool { return true }
""",
    "hostile_test.go": b"""package hostile

import "testing"

func TestPasses(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }

func TestFails(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) {
		if Fails() {
			t.Fatal("it does")
		}
	})
}
""",
}
NAMES = ["TestPasses", "TestPasses/sub", "TestFails", "TestFails/good", "TestFails/bad"]


@pytest.fixture(scope="module")
def hostile(build_suite: BuildSuite) -> bytes:
    """A suite with a submission that does what the environment says."""
    return build_suite(HOSTILE, "0.0123456789abcdef")


@pytest.mark.parametrize(
    ("edit", "passed"),
    [
        ("", ["TestFails/good", "TestPasses", "TestPasses/sub"]),
        ("-test.run=^TestPasses$", ["TestPasses", "TestPasses/sub"]),
        ("-test.run=^Test/^$", ["TestFails", "TestPasses"]),
        ("-test.run=^$", []),
        ("-test.skip=/bad|/sub", ["TestFails", "TestFails/good", "TestPasses"]),
        ("-test.skip=Fails", ["TestPasses", "TestPasses/sub"]),
        ("-test.list=.", []),
        ("-test.count=0", []),
        ("-test.count=3", ["TestFails/good", "TestPasses", "TestPasses/sub"]),
        ("-test.failfast", ["TestFails/good", "TestPasses", "TestPasses/sub"]),
        ("-test.bench=. -test.run=NONE", []),
        ("-test.shuffle=on -test.parallel=1 -test.cpu=1,2", ["TestFails/good", "TestPasses", "TestPasses/sub"]),
        ("-test.v=false -test.timeout=1s -test.short", ["TestFails/good", "TestPasses", "TestPasses/sub"]),
    ],
)
def test_flags_make_no_test_attest_that_did_not_run_and_pass(
    hostile: bytes, attest: Attest, edit: str, passed: list[str]
) -> None:
    """Whatever a submission adds to the command line, and how often a test runs: once is all that counts.

    With filters a parent passes whose bad child was left out; the child, which is expected, never attests.
    """
    run = attest(hostile, NAMES, env={"EDIT": edit})
    assert sorted(run.names) == passed
    assert "TestFails/bad" not in run.names


@pytest.mark.parametrize("act", ["forge", "close", "child", "flood"])
def test_what_is_written_to_the_report_proves_nothing(hostile: bytes, attest: Attest, act: str) -> None:
    """A submission that forges, closes or floods the report, or runs the suite again, only harms itself."""
    run = attest(hostile, NAMES, env={"ACT": act})
    assert run.names == []
    assert run.unproved == {"forge": ["TestFails"], "flood": ["x"]}.get(act, [])
    if act == "child":
        assert "--- PASS: TestPasses" in run.done.text


@pytest.mark.parametrize("kind", ["root", "user"])
def test_suites_attest_in_isolation_too(hostile: bytes, attest: Attest, kind: str) -> None:
    """The channel is the same."""
    assert sorted(attest(hostile, NAMES, kind=kind).names) == ["TestFails/good", "TestPasses", "TestPasses/sub"]
