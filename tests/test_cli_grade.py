"""``go-debug-bench grade``: the training grade of a folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from go_debug_bench import fixes, tree
from go_debug_bench.cli.grade_document import GradeDocument
from go_debug_bench.isolation import Isolation
from go_debug_bench.task import load_task
from tests.commands import EXAMPLES, invoke, on_terminal, start, variables

VALID = EXAMPLES / "valid"
TASK = load_task(VALID / "tiny-tally")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A checkout of the unfixed task."""
    assert invoke("checkout", "tiny-tally", tmp_path / "work").exit_code == 0
    return tmp_path / "work"


def mend(work: Path) -> None:
    """Fix the task in a checkout."""
    tree.write(fixes.apply(TASK.spec.reference_fix, TASK.repo), work / "repo")


def test_a_right_fix_earns_the_full_reward(work: Path) -> None:
    """Exit status 0."""
    mend(work)
    done = invoke("grade", "tiny-tally", work)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("tiny-tally: reward 1.1 of 1.1  (passed)\nall 6 hidden and public tests pass\n")
    assert "pass\thidden\tTestTotalOfMany/five\n" in done.output
    assert "pass\tpublic\tTestTotalOfTwo\n" in done.output


def test_anything_less_is_told_with_the_reason(work: Path) -> None:
    """Exit status 1, rewards, tests, the failed ones' output, times, the box; and a warning."""
    done = invoke("grade", "tiny-tally", work)
    assert done.exit_code == 1
    assert "tiny-tally: reward 0.1 of 1.1  (tests-failed)\n2 of 6 tests failed: TestTotalOfMany/five" in done.output
    assert "compiles\t0.1\t1\n" in done.output
    assert "FAIL\thidden\tTestTotalOfMany/five\n" in done.output
    assert "Output of TestTotalOfMany/five\n" in done.output
    assert "total_test.go:20: Total = 3, want 5" in done.output
    assert "build and lint" in done.output
    assert "isolation" in done.output
    assert "names hidden tests: keep it from the agent" in done.output


def test_the_document_is_the_grade(work: Path) -> None:
    """One JSON object that its schema describes, with the same exit status."""
    done = invoke("grade", "tiny-tally", work, "--json")
    assert done.exit_code == 1
    document = GradeDocument.model_validate_json(done.stdout)
    assert (document.task, document.reward, document.full_reward, document.full) == ("tiny-tally", 0.1, 1.1, False)
    assert {entry.name: entry.outcome for entry in document.tests}["TestTotalOfMany/five"] == "fail"
    assert {entry.name.partition("/")[0]: entry.suite for entry in document.tests} == {
        "TestTotalOfMany": "hidden",
        "TestTotalOfNone": "public",
        "TestTotalOfTwo": "public",
    }
    assert "--- FAIL: TestTotalOfMany" in document.log
    assert "\x16" not in document.log  # what a test binary writes for test2json
    assert set(document.seconds) == {"collect", "build and lint", "compile", "run"}
    assert json.loads(done.stdout)["version"] == 1
    assert set(json.loads(done.stdout)) == set(json.loads(invoke("schema", "grade").stdout)["properties"])


def deleted_test(repo: Path) -> None:
    """Delete a public test."""
    (repo / "tally_test.go").unlink()


def other_module(repo: Path) -> None:
    """Edit go.mod."""
    (repo / "go.mod").write_text("module example.com/mine\n\ngo 1.23\n")


def no_module(repo: Path) -> None:
    """Delete go.mod."""
    (repo / "go.mod").unlink()


def does_not_build(repo: Path) -> None:
    """Break the code."""
    (repo / "tally.go").write_text("package tally\n\nfunc {\n")


def added_test(repo: Path) -> None:
    """Add a test file."""
    (repo / "own_test.go").write_text("package tally_test\n")


def uses_unsafe(repo: Path) -> None:
    """Do what only a cheat needs."""
    (repo / "extra.go").write_text('package tally\n\nimport _ "unsafe"\n')


@pytest.mark.parametrize(
    ("change", "reward", "said"),
    [
        (deleted_test, 0.1, "tally_test.go was deleted"),
        (other_module, 1.1, "(passed)"),
        (no_module, 1.1, "(passed)"),
        (does_not_build, 0.0, "the module does not build"),
        (added_test, 1.1, "own_test.go"),
        (uses_unsafe, 0.1, "extra.go:3 imports unsafe"),
    ],
)
def test_whatever_an_agent_did_to_its_checkout_is_graded(
    work: Path, change: Callable[[Path], None], reward: float, said: str
) -> None:
    """As in training: a folder with one of the task's Go files is a checkout."""
    mend(work)
    change(work / "repo")
    done = invoke("grade", "tiny-tally", work)
    assert done.exit_code == (0 if reward == 1.1 else 1)
    assert f"reward {reward} of 1.1" in done.output
    assert said in done.output


def test_the_repo_s_own_folder_is_taken_too(work: Path) -> None:
    """Somebody who works there names it."""
    mend(work)
    assert invoke("grade", "tiny-tally", work / "repo").exit_code == 0


def test_a_link_in_place_of_the_repo_is_not_followed(work: Path) -> None:
    """What lies elsewhere is not what the agent left."""
    (work / "repo").rename(work.parent / "elsewhere")
    (work / "repo").symlink_to(work.parent / "elsewhere")
    done = invoke("grade", "tiny-tally", work)
    assert done.exit_code == 2
    assert "is no checkout of tiny-tally" in done.stderr


def test_a_folder_that_is_no_checkout_is_a_usage_error(tmp_path: Path) -> None:
    """It says what it misses, and how to make one."""
    done = invoke("grade", "tiny-tally", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "holds none of its Go files (tally.go, tally_test.go, …)" in done.stderr
    assert "go-debug-bench checkout tiny-tally NEW-DIR" in done.stderr
    for path, said in {tmp_path / "nowhere": "is not there", Path(__file__): "is a file"}.items():
        done = invoke("grade", "tiny-tally", path)
        assert done.exit_code == 2
        assert said in done.stderr


def test_the_checkout_of_another_task_is_recognised(tmp_path: Path) -> None:
    """With the command that was meant; shared file names and go.mod are not enough to be taken for one's own."""
    tasks = tmp_path / "tasks"
    shutil.copytree(VALID / "tiny-tally", tasks / "tiny-tally")
    shutil.copytree(EXAMPLES / "shapes" / "helper", tasks / "helper")
    assert invoke("checkout", "helper", tmp_path / "work", "--tasks", tasks).exit_code == 0
    done = invoke("grade", "tiny-tally", tmp_path / "work", "--tasks", tasks)
    assert done.exit_code == 2
    assert f"seems to be a checkout of helper, not of tiny-tally; try 'go-debug-bench grade helper {tmp_path}" in (
        done.stderr
    )
    (tmp_path / "work" / "repo" / "tally.go").write_text("package tally\n")
    assert (
        "seems to be a checkout of helper" in invoke("grade", "tiny-tally", tmp_path / "work", "--tasks", tasks).stderr
    )


def test_infrastructure_that_fails_is_no_grade(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 3: no Go, no isolation, a malformed task. Nothing on standard output, in either form."""
    monkeypatch.setenv("GOBENCH_GO", "/nonexistent/go")
    done = invoke("grade", "tiny-tally", work, "--json")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "GOBENCH_GO=/nonexistent/go does not run" in done.stderr
    monkeypatch.delenv("GOBENCH_GO")
    torn = work.parent / "torn"
    shutil.copytree(VALID / "tiny-tally", torn / "tiny-tally")
    (torn / "tiny-tally" / "task.json").write_text("{}")
    done = invoke("grade", "tiny-tally", work, "--tasks", torn)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "is malformed" in done.stderr


def test_without_isolation_grading_must_be_asked_for(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the option; with it the suite runs unprotected, and the grade says so."""
    monkeypatch.setattr("go_debug_bench.grading.probe_isolation", lambda *_: Isolation.NONE)
    done = invoke("grade", "tiny-tally", work)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "--unisolated" in done.stderr
    done = invoke("grade", "tiny-tally", work, "--unisolated")
    assert done.exit_code == 1
    assert "isolation none" in done.stdout


def test_isolation_that_works_is_used_all_the_same(work: Path) -> None:
    """--unisolated allows, and does not ask for, a grade without."""
    strongest = json.loads(invoke("grade", "tiny-tally", work, "--json").stdout)["box"]
    if strongest.endswith("none"):
        pytest.skip("nothing here isolates")
    assert json.loads(invoke("grade", "tiny-tally", work, "--json", "--unisolated").stdout)["box"] == strongest


def test_what_a_submission_prints_cannot_drive_a_terminal(work: Path) -> None:
    """Nor can it go on without end."""
    print_much = 'for range 500 {\n\t\tprintln("\\x1b[2J\\x1b]0;owned\\x07noise")\n\t}\n\ttotal := 0\n'
    source = work / "repo" / "tally.go"
    source.write_text(source.read_text().replace("total := 0\n", print_much))
    done = invoke("grade", "tiny-tally", work)
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    assert "owned" not in done.output
    assert len(done.output.splitlines()) < 150
    assert "more lines" in done.output


def test_a_terminal_shows_progress_and_a_table(work: Path) -> None:
    """Readable at a width of 60; a pipe gets neither progress nor colours."""
    shown = on_terminal("grade", "tiny-tally", work, "--tasks", VALID, columns=60)
    assert shown.exit_code == 1
    assert "grading" in shown.text
    assert "outcome" in shown.text
    process = start("grade", "tiny-tally", work, "--tasks", VALID)
    stdout, stderr = process.communicate()
    assert (process.returncode, stderr) == (1, "")
    assert "\x1b" not in stdout


def test_ctrl_c_ends_a_grade_at_once(work: Path) -> None:
    """One line, exit status 130, and nothing left behind."""
    source = work / "repo" / "tally.go"
    source.write_text(source.read_text().replace("total := 0\n", "total := 0\n\tselect {}\n"))
    with tempfile.TemporaryDirectory(prefix="gb-") as folder:
        process = start("grade", "tiny-tally", work, "--tasks", VALID, env=variables(TMPDIR=folder))
        deadline = time.monotonic() + 60
        while not list(Path(folder).glob("go-debug-bench-*/*/*/box/work")):  # the suite runs, and hangs
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
        assert (process.returncode, stdout, stderr) == (130, "", "Error: interrupted\n")
        assert [
            path for base in Path(folder).glob("go-debug-bench-*") for path in base.iterdir() if path.is_dir()
        ] == []


def test_a_request_to_end_cleans_up(work: Path) -> None:
    """SIGTERM, as from a job that runs out of time."""
    source = work / "repo" / "tally.go"
    source.write_text(source.read_text().replace("total := 0\n", "total := 0\n\tselect {}\n"))
    with tempfile.TemporaryDirectory(prefix="gb-") as folder:
        process = start("grade", "tiny-tally", work, "--tasks", VALID, env=variables(TMPDIR=folder))
        deadline = time.monotonic() + 60
        while not list(Path(folder).glob("go-debug-bench-*/*/*/box/work")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.terminate()
        process.communicate(timeout=20)
        assert process.returncode == 128 + signal.SIGTERM
        assert [
            path for base in Path(folder).glob("go-debug-bench-*") for path in base.iterdir() if path.is_dir()
        ] == []
