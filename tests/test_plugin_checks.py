"""The checks through pytest: every one is proved to fire, alone, and every way of running gives the same verdicts."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent / "examples"
BROKEN = {
    "fails-vet-clean": "vet-clean",
    "fails-public-green": "public-green",
    "fails-unfixed-fails": "unfixed-fails",
    "fails-reference-passes": "reference-passes",
    "fails-delete-test-cheat": "delete-test-cheat",
    "fails-non-compiling": "non-compiling",
    "fails-alternative": "alternative[by-index]",
    "fails-wrong": "wrong[one-more]",
    "fails-stable": "stable",
    "fails-written": "written",
    "fails-discreet": "discreet",
    "fails-explained": "explained",
    "fails-distinct": "distinct",
    "fails-distinct-renamed": "distinct",
}

# What judges by the tests that the reference fix passes can say nothing where it does not pass them.
BESIDE = [
    ("fails-reference-passes", check)
    for check in (
        "unfixed-fails",
        "alternative[by-index]",
        "alternative[from-the-end]",
        "wrong[one-more]",
        "wrong[skip-the-first]",
    )
]


def outcomes(pytester: pytest.Pytester, *arguments: str) -> dict[str, bool]:
    """Whether each check holds, by node id, from a run's junit file."""
    pytester.runpytest_subprocess("--gobench-tasks", "--junitxml=junit.xml", *arguments)
    cases = ET.parse(pytester.path / "junit.xml").iter("testcase")  # noqa: S314  (our own file)
    return {f"{case.get('classname')}::{case.get('name')}": case.find("failure") is None for case in cases}


@pytest.mark.parametrize("workers", ["0", "2"])
def test_each_check_fires_alone_on_the_task_that_is_broken_for_it(pytester: pytest.Pytester, workers: str) -> None:
    """A check that nothing can fail proves nothing."""
    pytester.copy_example("broken")
    found = outcomes(pytester, ".", "-n", workers, "--gobench-repeat=3")
    failed = {name for name, holds in found.items() if not holds}
    assert len(found) == 15 * len(BROKEN)
    assert failed == {f"{task}.task.json::{check}" for task, check in [*BROKEN.items(), *BESIDE]}


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """Two valid tasks and a broken one."""
    for name in ("valid/tiny-tally", "valid/build", "broken/fails-wrong"):
        shutil.copytree(EXAMPLES / name, pytester.path / "tasks" / Path(name).name)
    return pytester.path


def test_every_way_of_running_gives_the_same_verdicts(pytester: pytest.Pytester, project: Path) -> None:
    """Serial, parallel, and whatever the distribution."""
    selection = ["-k", "unfixed-fails or one-more or vet-clean"]
    serial = outcomes(pytester, "-n", "0", *selection)
    assert len(serial) == 9
    assert [name for name, holds in serial.items() if not holds] == ["tasks.fails-wrong.task.json::wrong[one-more]"]
    for mode in ("load", "loadscope", "loadfile", "loadgroup", "worksteal"):
        assert outcomes(pytester, "-n", "2", "--dist", mode, *selection) == serial
    assert outcomes(pytester, "-n", "auto", *selection) == serial


def test_last_failed_runs_the_failed_check_again(pytester: pytest.Pytester, project: Path) -> None:
    """And nothing else."""
    pytester.runpytest("--gobench-tasks", "-k", "one-more").assert_outcomes(passed=2, failed=1)
    result = pytester.runpytest("--gobench-tasks", "--lf")
    result.assert_outcomes(failed=1)


def test_a_failure_tells_an_author_what_to_do(pytester: pytest.Pytester, project: Path) -> None:
    """Claim, finding, command, mend and Go's output; never a traceback."""
    result = pytester.runpytest("--gobench-tasks", "tasks/fails-wrong/task.json::wrong[one-more]")
    result.stdout.fnmatch_lines(
        [
            "*fails-wrong: wrong?one-more?*",
            "found   it earns 1.1: all 6 hidden and public tests pass",
            "claim   the wrong fix 'one-more' earns 0.1, as the hidden suite refuses it (It moves the limit.)",
            "repeat  pytest --gobench-tasks 'tasks/fails-wrong/task.json::wrong?one-more?' --gobench-keep=/tmp/kept",
            "        (cd /tmp/kept/fails-wrong/wrong-one-more && TZ=UTC go test -v ./...)",
            "mend    add a hidden test for the clause of the contract that the fix breaks",
        ],
        consecutive=True,
    )
    result.stdout.no_fnmatch_line("*Error*")
    result.stdout.no_fnmatch_line("*.py:*")


REFERENCE = {
    "does not pass": ("i < 2*2", "1 of 6 tests failed: TestTotalOfMany/five"),
    "does not build": ("i <", "the module does not build: "),
}


@pytest.mark.parametrize("what", REFERENCE)
def test_beside_a_reference_that_fails_nothing_is_said_of_other_trees(
    pytester: pytest.Pytester, project: Path, what: str
) -> None:
    """Neither of the unfixed repo nor of other fixes and exploits: they point to it, and its own check says why."""
    replace, reason = REFERENCE[what]
    path = project / "tasks" / "tiny-tally" / "task.json"
    fields = json.loads(path.read_text())
    fields["reference_fix"]["edits"] = [{"file": "tally.go", "find": "i < 3", "replace": replace}]
    path.write_text(json.dumps(fields))
    result = pytester.runpytest(
        "--gobench-tasks", "tasks/tiny-tally", "--gobench-exploits=init-hang",
        "-k", "unfixed-fails or by-index or first or exploit or reference",
    )  # fmt: skip
    result.assert_outcomes(failed=5)
    text = result.stdout.str()
    said = f"found   the reference fix does not pass here, so nothing can be said: {reason}"
    assert text.count(said) == text.count("mend    mend the reference fix first: see reference-passes") == 4
    assert text.count(f"found   it earns {0.1 if 'pass' in what else 0.0}: {reason}") == 1


def test_a_reference_that_fails_is_graded_once(
    pytester: pytest.Pytester, grader: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a run: the grader itself does not keep what may be the machine's fault."""
    from go_debug_bench.checks import Check, Prover
    from go_debug_bench.grading import Grader
    from go_debug_bench.task import load_task

    assert isinstance(grader, Grader)
    real, asked = Grader.grade_reference, []
    monkeypatch.setattr(Grader, "grade_reference", lambda *given: asked.append(given) or real(*given))
    task = load_task(EXAMPLES / "broken" / "fails-reference-passes")
    prover = Prover(grader=grader)
    for _ in range(2):
        assert not prover.run(Check(kind="unfixed-fails"), task).ok
    assert len(asked) == 1


def test_a_parent_in_fail_to_pass_is_told_to_be_one(pytester: pytest.Pytester, project: Path) -> None:
    """It does fail, and what is to be listed is below it."""
    path = project / "tasks" / "tiny-tally" / "task.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "fail_to_pass": ["TestTotalOfMany"]}))
    result = pytester.runpytest("--gobench-tasks", "tasks/tiny-tally", "-k", "unfixed-fails")
    instead = "TestTotalOfMany/five, TestTotalOfMany/four"
    result.stdout.fnmatch_lines([f"found   TestTotalOfMany is listed but has subtests, to list instead: {instead}"])


def test_a_failure_shows_what_go_said(pytester: pytest.Pytester) -> None:
    """The failing tests' own output."""
    pytester.copy_example("broken")
    result = pytester.runpytest("--gobench-tasks", "fails-alternative", "-k", "by-index")
    result.stdout.fnmatch_lines(["*found*it earns 0.1: 1 of 6 tests failed*", "*Total = 4, want 5*"])


def test_the_command_of_a_failure_works(pytester: pytest.Pytester, project: Path, grader: object) -> None:
    """The kept clean room is a module that the bare go command tests, hidden suite and all."""
    from go_debug_bench.grading import Grader

    assert isinstance(grader, Grader)
    pytester.runpytest("--gobench-tasks", "tasks/tiny-tally", "--gobench-keep=kept", "-k", "unfixed or vet or one-more")
    assert sorted(path.name for path in (project / "kept" / "tiny-tally").iterdir()) == [
        "unfixed-fails",
        "vet-clean",
        "wrong-one-more",
    ]
    room = project / "kept" / "tiny-tally" / "unfixed-fails"
    done = grader.go(room, "test", "./...")
    assert "--- FAIL: TestTotalOfMany/five" in done.text
    assert not (project / "kept" / "tiny-tally" / "vet-clean" / "total_test.go").exists()


def test_the_summary_is_the_matrix(pytester: pytest.Pytester, project: Path) -> None:
    """To the letter, with one line per failed claim."""
    result = pytester.runpytest("--gobench-tasks", "tasks/fails-wrong", "-n", "2")
    at = result.outlines.index("=== fails-wrong  (package tally, medium) ===")
    assert result.outlines[at : at + 9] == [
        "=== fails-wrong  (package tally, medium) ===",
        "    ok   go vet clean",
        "    ok   public suite passes",
        "    strategy                    build  tamper  hidden  reward",
        "    unfixed                      True   False   False     0.1",
        "    reference fix                True   False    True     1.1",
        "    cheat: delete a test         True    True   False     0.1",
        "    broken: does not compile    False   False   False     0.0",
        "",
    ]
    assert (
        result.outlines[at + 9] == "FAIL fails-wrong wrong[one-more]: it earns 1.1: all 6 hidden and public tests pass"
    )


def test_facts_reach_the_junit_file(pytester: pytest.Pytester, project: Path) -> None:
    """As JSON, for whoever reads the run later."""
    pytester.runpytest("--gobench-tasks", "tasks/tiny-tally", "-k", "unfixed", "--junitxml=junit.xml")
    (value,) = [
        node.get("value")
        for node in ET.parse(project / "junit.xml").iter("property")  # noqa: S314  (our own file)
        if node.get("name") == "gobench"
    ]
    facts = json.loads(value or "")
    assert (facts["task"], facts["check"], facts["ok"]) == ("tiny-tally", "unfixed-fails", True)
    assert (facts["compiles"], facts["tampered"], facts["hidden"], facts["reward"]) == (True, False, False, 0.1)


def test_a_machine_failure_is_an_error_without_a_verdict(
    pytester: pytest.Pytester, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails the check, says so in one line, and leaves no row in the matrix."""
    monkeypatch.setenv("GOBENCH_CACHE", "/proc/nowhere")
    result = pytester.runpytest_subprocess("--gobench-tasks", "tasks/tiny-tally", "-k", "unfixed")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["cannot make /proc/nowhere*set GOBENCH_CACHE to a folder of your own"])
    result.stdout.no_fnmatch_line("=== tiny-tally*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_tasks_of_this_repository_stay_out_of_broken_examples() -> None:
    """The examples under tests/ are collected by nobody but these tests."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tests/examples" not in done.stdout
    assert "tasks/worker-pool-leak/task.json::reference-passes" in done.stdout
