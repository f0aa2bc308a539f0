"""``--gobench-report`` through pytest: every end that a check can take reaches the document, however it is run."""

import dataclasses
import errno
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.report.model import CheckReport, Report, TaskReport, read_report
from go_debug_bench.text import printable
from pytest_gobench import reporting
from pytest_gobench.facts import FACTS, Facts, Gathered
from pytest_gobench.reporting import tasks_of, write_atomically

EXAMPLES = Path(__file__).parent / "examples"
INSIDE = "lies in the task folder tiny-tally, which *; name a file outside of it"
TIMES = {"created", "seconds", "workers"}
SPOIL = """
import os, pathlib, pytest, time  # a plugin: pytest asks no conftest.py about an item below a folder it did not walk

def pytest_runtest_setup(item):
    if item.name == "wrong[skip-the-first]":
        pytest.skip("not today")
    if item.name == "alternative[by-index]":
        raise RuntimeError("it broke")
    if item.name == "wrong[one-more]":
        pathlib.Path("waiting").touch()
        time.sleep(60)

def pytest_runtest_call(item):
    if item.name == "alternative[from-the-end]":
        os._exit(1)
"""


@pytest.fixture
def no_go(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose checks are all skipped, as there is no Go and it is not strict."""
    monkeypatch.setenv("GOBENCH_GO", "/nonexistent/go")
    add(pytester, "tasks", "valid/tiny-tally")
    pytester.makeini("[pytest]\ngobench_tasks = tasks\n")
    return pytester.path


def add(pytester: pytest.Pytester, folder: str, *names: str) -> None:
    """Copy examples into a folder of tasks."""
    for name in names:
        shutil.copytree(EXAMPLES / name, pytester.path / folder / Path(name).name)


def malform(folder: Path) -> None:
    """Make a folder that is no valid task."""
    folder.mkdir(parents=True)
    (folder / "task.json").write_text("{}")


def checks_by_id(report: Report) -> dict[str, CheckReport]:
    """Every check by task's folder and name."""
    return {f"{task.folder} {check.name}": check for task in report.tasks for check in task.checks}


def without_times(value: Any) -> Any:
    """A document without what differs from run to run."""
    if isinstance(value, dict):
        return {name: without_times(item) for name, item in value.items() if name not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def test_every_end_of_a_check_is_in_the_document_serial_and_parallel(pytester: pytest.Pytester) -> None:
    """Passed, failed, skipped, broken, malformed; two tasks of one id, and two that are malformed alike."""
    add(pytester, "tasks", "valid/tiny-tally", "broken/fails-wrong")
    add(pytester, "more", "valid/tiny-tally")
    for folder in ("tasks", "more"):
        malform(pytester.path / folder / "spoilt")
    pytester.makepyfile(spoil=SPOIL.partition('    if item.name == "wrong[one-more]"')[0])
    chosen = ["-k", "vet-clean or one-more or skip-the-first or by-index"]
    for workers in ("0", "2"):
        files = [f"--gobench-report=n{workers}.{suffix}" for suffix in ("json", "md", "html")]
        result = pytester.runpytest_subprocess(
            "--gobench-tasks", "tasks", "more", "-p", "spoil", "-n", workers, *chosen, *files
        )
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines([f"gobench: wrote *n{workers}.{suffix}" for suffix in ("json", "md", "html")])
        assert "# " in (pytester.path / f"n{workers}.md").read_text(encoding="utf-8")
        assert (pytester.path / f"n{workers}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    report = read_report(pytester.path / "n0.json")
    assert [(task.id, task.folder, len(task.problems) > 0) for task in report.tasks] == [
        ("fails-wrong", "tasks/fails-wrong", False),
        ("spoilt", "more/spoilt", True),
        ("spoilt", "tasks/spoilt", True),
        ("tiny-tally", "more/tiny-tally", False),
        ("tiny-tally", "tasks/tiny-tally", False),
    ]
    checks = checks_by_id(report)
    assert len(checks) == report.selected == 12
    assert {name: check.outcome for name, check in checks.items() if name.startswith("tasks/fails-wrong")} == {
        "tasks/fails-wrong vet-clean": "passed",
        "tasks/fails-wrong alternative[by-index]": "error",
        "tasks/fails-wrong wrong[one-more]": "failed",
        "tasks/fails-wrong wrong[skip-the-first]": "skipped",
    }
    assert (report.exit_status, report.interrupted) == (1, False)
    assert report.go.startswith("go1.24")
    failed = checks["tasks/fails-wrong wrong[one-more]"]
    assert failed.found == "it earns 1.1: all 6 hidden and public tests pass"
    assert failed.repeat == (
        "pytest --gobench-tasks 'tasks/fails-wrong/task.json::wrong[one-more]' --gobench-keep=/tmp/kept"
    )
    assert failed.commands == ("(cd /tmp/kept/fails-wrong/wrong-one-more && TZ=UTC go test -v ./...)",)
    assert failed.grade is not None
    assert failed.grade.reward == pytest.approx(1.1)
    assert checks["tasks/fails-wrong alternative[by-index]"].reason == "RuntimeError: it broke"
    assert checks["tasks/fails-wrong wrong[skip-the-first]"].reason == "not today"
    texts = [json.loads((pytester.path / f"n{workers}.json").read_text()) for workers in ("0", "2")]
    assert without_times(texts[0]) == without_times(texts[1])


def test_last_failed_reports_what_it_runs(pytester: pytest.Pytester) -> None:
    """And the report of the run before is replaced, also behind a link."""
    add(pytester, "tasks", "broken/fails-wrong")
    (pytester.path / "link.json").symlink_to("report.json")
    only = ["--gobench-tasks", "-k", "vet-clean or one-more", "--gobench-report=link.json"]
    pytester.runpytest(*only).assert_outcomes(passed=1, failed=1)
    assert len(checks_by_id(read_report(pytester.path / "report.json"))) == 2
    pytester.runpytest(*only, "--lf").assert_outcomes(failed=1)
    report = read_report(pytester.path / "report.json")
    assert list(checks_by_id(report)) == ["tasks/fails-wrong wrong[one-more]"]
    assert report.options == {"--gobench-tasks": "True", "-k": "vet-clean or one-more", "--lf": "True"}
    assert sorted(path.name for path in pytester.path.glob("*.json*")) == ["link.json", "report.json"]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_interrupted_run_writes_what_is_known(no_go: Path, pytester: pytest.Pytester, workers: str) -> None:
    """And says that it was interrupted, and how many checks were to run."""
    pytester.makepyfile(spoil=SPOIL.replace("os._exit(1)", "pass"))
    argv = [sys.executable, "-m", "pytest", "-p", "spoil", "-n", workers, "--gobench-report=out/report.json"]
    process = subprocess.Popen(
        ["env", "--default-signal=INT", *argv], cwd=no_go, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 60
        while not (no_go / "waiting").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.5)  # what the others have done is on its way
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(30) == pytest.ExitCode.INTERRUPTED
    finally:
        process.kill()
        process.wait()
    report = read_report(no_go / "out" / "report.json")
    checks = checks_by_id(report)
    assert (report.interrupted, report.exit_status) == (True, 2)
    assert "tasks/tiny-tally wrong[one-more]" not in checks
    assert checks["tasks/tiny-tally vet-clean"].outcome == "skipped"
    assert report.selected > len(checks)


def test_a_check_whose_worker_died_is_an_error(no_go: Path, pytester: pytest.Pytester) -> None:
    """With what is known of the check, and the others' ends."""
    pytester.makepyfile(spoil=SPOIL.replace("time.sleep(60)", "pass"))
    pytester.runpytest_subprocess("-p", "spoil", "-n", "2", "--gobench-report=report.json")
    report = read_report(no_go / "report.json")
    (task,) = report.tasks
    checks = checks_by_id(report)
    died = checks["tasks/tiny-tally alternative[from-the-end]"]
    assert died.outcome == "error"
    assert "crashed" in died.reason
    assert died.repeat.endswith("'tasks/tiny-tally/task.json::alternative[from-the-end]'")
    assert task.title
    assert len(checks) == report.selected


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("report.txt", "its suffix must be .json, .md, .html"),
        ("report", "its suffix must be .json, .md, .html"),
        ("folder.md", "cannot be written: it is a folder"),
        ("file/report.md", "cannot be written: *"),
        ("/proc/report.md", "cannot be written: *"),
        ("a\x1b[2J\nb/report.txt", "its suffix must be .json, .md, .html"),
        ("tasks/tiny-tally/report.md", INSIDE),
        ("tasks/tiny-tally/repo/new/report.md", INSIDE),
        ("link/repo/report.md", INSIDE),
    ],
)
def test_a_file_that_cannot_be_written_is_a_usage_error(
    no_go: Path, pytester: pytest.Pytester, file: str, message: str
) -> None:
    """At the start, before any check runs, and without a trace."""
    (no_go / "folder.md").mkdir()
    (no_go / "file").touch()
    (no_go / "link").symlink_to("tasks/tiny-tally")
    result = pytester.runpytest(
        "-p", "no:cacheprovider", "-n", "0", "--gobench-report=a.md", f"--gobench-report={file}"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --gobench-report={glob.escape(printable(file))}*{message}"])
    assert [path for path in no_go.rglob("*") if path.name in ("a.md", "report.md") or path.name.startswith(".")] == []
    assert not (no_go / "tasks" / "tiny-tally" / "repo" / "new").exists()


def test_a_usage_error_is_told_once_by_the_controller(no_go: Path, pytester: pytest.Pytester) -> None:
    """No worker is started for it."""
    result = pytester.runpytest_subprocess("-n", "2", "--gobench-report=report.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().count("its suffix must be") == 1
    assert result.outlines == []


def test_a_run_without_tasks_has_no_report(pytester: pytest.Pytester) -> None:
    """Whoever asks for one has forgotten to say where the tasks are."""
    pytester.makepyfile("def test_python(): pass")
    result = pytester.runpytest("--gobench-report=report.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--gobench-report: this run has no tasks; add --gobench-tasks, or set gobench_tasks"])


def test_a_run_that_only_collects_has_no_report(no_go: Path, pytester: pytest.Pytester) -> None:
    """It has shown nothing."""
    assert pytester.runpytest("--collect-only", "--gobench-report=report.json").ret == pytest.ExitCode.OK
    assert not (no_go / "report.json").exists()


def test_a_full_disk_at_the_end_is_told(
    no_go: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a line and by the exit status, while the other report is written."""

    def write(path: Path, text: str) -> None:
        if path.suffix == ".md":
            raise OSError(errno.ENOSPC, "No space left on device")
        write_atomically(path, text)

    monkeypatch.setattr(reporting, "write_atomically", write)
    result = pytester.runpytest_inprocess("-n", "0", "--gobench-report=a.md", "--gobench-report=b.json")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["gobench: cannot write *a.md: No space left on device", "gobench: wrote *b.json"])
    assert read_report(no_go / "b.json").tasks


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    """Whole, and nothing beside it."""
    path = tmp_path / "report.md"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \udcff")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_kept_verdict_is_marked(pytester: pytest.Pytester) -> None:
    """Its time says nothing."""
    add(pytester, "tasks", "valid/tiny-tally")
    for _ in range(2):
        pytester.runpytest(
            "--gobench-tasks", "--gobench-cache=on", "-k", "vet-clean", "--gobench-report=report.json"
        ).assert_outcomes(passed=1)
    (check,) = checks_by_id(read_report(pytester.path / "report.json")).values()
    assert check.cached


FACTS_OF_ONE = Facts(
    folder="tasks/a", task="a", nodeid="tasks/a/task.json::stable", order=3, check="stable", kind="stable"
)


def ended(outcome: Any, when: Any = "call", *, ok: bool | None = None, longrepr: Any = None) -> pytest.TestReport:
    """A report of one check, as pytest makes them."""
    facts = dataclasses.replace(FACTS_OF_ONE, ok=ok)
    left = [(FACTS, facts.to_json())]
    return pytest.TestReport(facts.nodeid, ("", None, ""), {}, outcome, longrepr, when, user_properties=left)


def outcome_after(*reports: pytest.TestReport) -> list[str]:
    """The outcomes of all checks after these reports."""
    gathered = Gathered()
    for report in reports:
        gathered.pytest_runtest_logreport(report)
    tasks: tuple[TaskReport, ...] = tasks_of(gathered.results, ())
    return [check.outcome for task in tasks for check in task.checks]


def test_the_last_end_of_a_check_that_runs_again_counts() -> None:
    """A plugin may run a failure again, and what is not yet an end is none."""
    assert outcome_after(ended("passed", "setup")) == []
    assert outcome_after(ended("rerun", ok=False)) == []
    assert outcome_after(ended("rerun", ok=False), ended("passed", ok=True)) == ["passed"]
    assert outcome_after(ended("failed", ok=False), ended("passed", ok=True)) == ["passed"]
    assert outcome_after(ended("passed", ok=True), ended("failed", ok=False)) == ["failed"]


def test_an_error_is_no_verdict() -> None:
    """Before, in, or after a check; but a claim that was refuted stays so."""
    assert outcome_after(ended("failed", "setup", longrepr="broke")) == ["error"]
    assert outcome_after(ended("failed", longrepr="broke")) == ["error"]
    assert outcome_after(ended("passed", ok=True), ended("failed", "teardown", longrepr="broke")) == ["error"]
    assert outcome_after(ended("failed", ok=False), ended("failed", "teardown", longrepr="broke")) == ["failed"]
    assert outcome_after(ended("passed", ok=True), ended("passed", "teardown")) == ["passed"]
    assert outcome_after(ended("skipped", "setup", longrepr=("x.py", 1, "Skipped: why"))) == ["skipped"]


def test_a_report_that_carries_no_facts_is_told_by_its_id() -> None:
    """As that of a worker which died before it had said anything; other tests are no checks."""
    gathered = Gathered()
    for nodeid in ("tasks/b/task.json::wrong[one]", "tests/test_x.py::test_y"):
        gathered.pytest_runtest_logreport(
            pytest.TestReport(nodeid, ("", None, ""), {}, "failed", "worker 'gw0' crashed", "???")  # type: ignore[arg-type]
        )
    (result,) = gathered.results
    assert (result.facts.task, result.facts.folder, result.facts.kind, result.facts.fix) == (
        "b",
        "tasks/b",
        "wrong",
        "one",
    )
    assert (result.outcome, result.reason) == ("error", "worker 'gw0' crashed")
