"""Reports made of values, for the tests of what is written from them: no Go, no pytest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from go_debug_bench.report.balance import balance_of
from go_debug_bench.report.model import (
    FORMAT,
    VERSION,
    CheckReport,
    GradeReport,
    Machine,
    ProblemReport,
    Report,
    TaskReport,
)

REWARDS = {"reference-passes": 1.1, "alternative": 1.1, "non-compiling": 0.0}
PLAIN = ("vet-clean", "public-green", "unfixed-fails", "reference-passes", "delete-test-cheat", "non-compiling")


def check(name: str, task: str = "tiny-tally", **changes: Any) -> CheckReport:
    """A check that passed; ``changes`` replace fields."""
    kind, _, fix = name.partition("[")
    reward = None if kind in ("vet-clean", "public-green", "stable") else REWARDS.get(kind, 0.1)
    nodeid = f"tasks/{task}/task.json::{name}"
    grade = reward is not None and GradeReport(
        compiles=reward > 0,
        tampered=kind == "delete-test-cheat",
        hidden=reward > 1,
        reward=reward,
        code="passed" if reward > 1 else "tests-failed",
        seconds={"build and lint": 0.1, "run": 0.2},
        box="local, isolation root",
    )
    fields: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "fix": fix.removesuffix("]"),
        "nodeid": nodeid,
        "outcome": "passed",
        "cached": False,
        "seconds": 0.5,
        "claim": f"the claim of {name}",
        "found": "",
        "reason": "",
        "mend": "",
        "commands": (),
        "repeat": f"pytest --gobench-tasks '{nodeid}'",
        "excerpt": "",
        "grade": grade or None,
    }
    return CheckReport(**{**fields, **changes})


def failed(name: str, task: str = "tiny-tally", **changes: Any) -> CheckReport:
    """A check whose claim does not hold."""
    fields: dict[str, Any] = {
        "outcome": "failed",
        "found": "it earns 1.1: all 6 hidden and public tests pass",
        "mend": "add a hidden test for the clause of the contract that the fix breaks",
        "commands": (f"(cd /tmp/kept/{task}/{name} && TZ=UTC go test -v ./...)",),
        "excerpt": "--- FAIL: TestTotal (0.00s)\n    total_test.go:12: Total = 4, want 5",
    }
    return check(name, task, **{**fields, **changes})


def broke(name: str, task: str = "tiny-tally", **changes: Any) -> CheckReport:
    """A check whose machinery failed."""
    fields = {"outcome": "error", "claim": "", "grade": None, "reason": "no box could be started: no space left"}
    return check(name, task, **{**fields, **changes})


def skipped(name: str, task: str = "tiny-tally", **changes: Any) -> CheckReport:
    """A check that was not tried."""
    fields = {"outcome": "skipped", "claim": "", "grade": None, "reason": "nothing here keeps an exploit away"}
    return check(name, task, **{**fields, **changes})


def task(name: str = "tiny-tally", checks: Iterable[CheckReport] | None = None, **changes: Any) -> TaskReport:
    """A task; without ``checks`` it has the plain ones, two alternatives, two wrong fixes and an exploit."""
    if checks is None:
        names = (*PLAIN, "alternative[by-index]", "alternative[from-the-end]", "wrong[one-more]", "wrong[skip]")
        checks = [check(each, name) for each in (*names, "exploit[exit-early]")]
    fields: dict[str, Any] = {
        "id": name,
        "folder": f"tasks/{name}",
        "title": "Readings go missing from the total",
        "package": "tally",
        "family": "slices",
        "difficulty": "medium",
        "digest": "0" * 64,
        "problems": (),
        "checks": tuple(checks),
    }
    return TaskReport(**{**fields, **changes})


def malformed(name: str = "spoilt", **changes: Any) -> TaskReport:
    """A folder that is no valid task."""
    problem = ProblemReport(file="task.json", field="titel", message="unknown field; did you mean 'title'?")
    blank = dict.fromkeys(("title", "package", "family", "difficulty", "digest"), "")
    return task(name, [], **{**blank, "problems": (problem,), **changes})


def report(*tasks: TaskReport, **changes: Any) -> Report:
    """A report of a run of these tasks; by default of one that passes."""
    checks = [each for one in tasks for each in one.checks]
    bad = any(one.malformed for one in tasks) or any(each.outcome in ("failed", "error") for each in checks)
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "created": datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
        "package_version": "0.1.0",
        "go": "go1.24.11",
        "platform": "linux/amd64",
        "python": "3.11.7",
        "machine": Machine(system="Linux", architecture="x86_64", cores=2),
        "isolation": ("local, isolation root",),
        "workers": 1,
        "seconds": 12.5,
        "exit_status": int(bad),
        "interrupted": False,
        "selected": len(checks),
        "commit": "155ca42f4f064579d3b136e39c79e3abb9845d46",
        "exploits": "all",
        "options": {"--gobench-tasks": "True"},
        "tasks": tasks,
        "balance": balance_of(tasks),
    }
    return Report(**{**fields, **changes})
