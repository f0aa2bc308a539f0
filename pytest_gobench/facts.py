"""What a check leaves behind: facts in built-in types that cross processes, gathered from all workers of a run."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from go_debug_bench.checks import Check, Verdict
from go_debug_bench.errors import Problem
from go_debug_bench.task import Task
from go_debug_bench.text import one_line, plain, printable
from go_debug_bench.toolchain import Toolchain

__all__ = ["FACTS", "Facts", "Gathered", "Malformed", "Outcome", "Result", "shown_folder"]

FACTS = "gobench"
"""Name of the user property that carries a check's facts, as JSON: it crosses xdist and stays readable in junit.

A collection report of a malformed task carries its problems in an attribute of the same name.
"""

Outcome = Literal["passed", "failed", "skipped", "error"]

_KEPT = "/tmp/kept"  # noqa: S108  (a hint to read)
_MAX_LINE = 1_000
_MAX_TEXT = 8_000


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What one check is and what it showed. ``ok`` is None until there is a verdict.

    The grade's fields, from ``compiles`` on, are None or empty where nothing was graded. ``folder`` is as people read
    it, ``order`` the check's place among those of its task. Text is bounded and free of control characters.
    """

    folder: str
    task: str
    title: str = ""
    package: str = ""
    family: str = ""
    difficulty: str = ""
    digest: str = ""
    nodeid: str
    order: int
    check: str
    kind: str
    fix: str = ""
    ok: bool | None = None
    cached: bool = False
    claim: str = ""
    found: str = ""
    mend: str = ""
    repeat: str = ""
    commands: tuple[str, ...] = ()
    excerpt: str = ""
    go: str = ""
    platform: str = ""
    compiles: bool | None = None
    tampered: bool | None = None
    hidden: bool | None = None
    reward: float | None = None
    code: str = ""
    steps: Mapping[str, float] = field(default_factory=dict)
    box: str = ""

    @classmethod
    def of(cls, task: Task, check: Check, *, folder: str, nodeid: str, order: int) -> Facts:
        """What is known of a check before it runs."""
        return cls(
            folder=folder,
            task=task.id,
            title=one_line(task.spec.title, _MAX_LINE),
            package=printable(task.spec.package),
            family=one_line(task.spec.family, _MAX_LINE),
            difficulty=task.spec.difficulty,
            digest=task.digest,
            nodeid=nodeid,
            order=order,
            check=check.name,
            kind=check.kind,
            fix=check.fix,
        )

    def with_repeat(self, options: Sequence[str]) -> Facts:
        """With the pytest command that runs the check again; ``options`` are those that it would not exist without."""
        return dataclasses.replace(self, repeat=" ".join(["pytest", *options, shlex.quote(self.nodeid)]))

    def with_verdict(self, verdict: Verdict, toolchain: Toolchain, *, kept: str) -> Facts:
        """With what the check showed. ``kept`` is the folder in which its tree is kept, below that of its task."""
        grade = verdict.grade
        folder = shlex.quote(f"{_KEPT}/{self.task}/{kept}")
        return dataclasses.replace(
            self,
            ok=verdict.ok,
            cached=verdict.cached,
            claim=one_line(verdict.claim, _MAX_LINE),
            found=one_line(verdict.found, _MAX_LINE),
            mend=one_line(verdict.mend, _MAX_LINE),
            repeat=f"{self.repeat} --gobench-keep={_KEPT}" if verdict.commands else self.repeat,
            commands=tuple(printable(f"(cd {folder} && TZ=UTC {command})", _MAX_TEXT) for command in verdict.commands),
            excerpt=plain(verdict.excerpt, _MAX_TEXT),
            go=toolchain.version,
            platform=f"{toolchain.goos}/{toolchain.goarch}",
            compiles=grade.compiles if grade else None,
            tampered=not grade.tests_untampered if grade else None,
            hidden=grade.hidden_tests_pass if grade else None,
            reward=round(grade.reward, 6) if grade else None,
            code=str(grade.code) if grade else "",
            steps=dict(grade.seconds) if grade else {},
            box=grade.box if grade else "",
        )

    def to_json(self) -> str:
        """The facts in built-in types, for another process."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def of_json(cls, text: str) -> Facts:
        """The facts that ``to_json`` gave."""
        values = json.loads(text)
        return cls(**{**values, "commands": tuple(values["commands"])})


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a check ended. ``reason`` says why it was skipped or what broke; ``seconds`` is wall time."""

    facts: Facts
    outcome: Outcome
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Malformed:
    """A folder that is no valid task."""

    folder: str
    problems: tuple[Problem, ...]

    def to_json(self) -> str:
        """The problems in built-in types, for another process."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def of_json(cls, text: str) -> Malformed:
        """What ``to_json`` gave."""
        values = json.loads(text)
        return cls(folder=values["folder"], problems=tuple(Problem(**problem) for problem in values["problems"]))


class Gathered:
    """The facts of a run, from all its workers; of a check that ran more than once, those of the last time."""

    def __init__(self) -> None:
        self.selected = 0
        self.malformed: dict[str, Malformed] = {}
        self._results: dict[tuple[str, str], Result] = {}
        self._known: dict[str, Facts] = {}

    @property
    def results(self) -> list[Result]:
        """By task, folder and the suite's order, however the workers shared them."""
        return sorted(
            self._results.values(),
            key=lambda result: (result.facts.task, result.facts.folder, result.facts.order, result.facts.check),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take the problems of a malformed task."""
        text = getattr(report, FACTS, None)
        if isinstance(text, str):
            malformed = Malformed.of_json(text)
            self.malformed[malformed.folder] = malformed

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks that are to be run in this process."""
        self._count(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Count the checks that are to be run by workers: each of them has collected all."""
        self._count(ids)

    def _count(self, nodeids: Iterable[str]) -> None:
        self.selected = sum(_is_check(nodeid) for nodeid in nodeids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a check left, and how it ended."""
        facts = self._facts(report)
        if facts is None:
            return
        self._known[report.nodeid] = facts
        key = (facts.folder, facts.check)
        if report.when == "teardown" and key in self._results:
            if report.failed and self._results[key].outcome != "failed":
                self._results[key] = dataclasses.replace(
                    self._results[key], outcome="error", reason=_what_broke(report)
                )
        elif report.when == "call" or report.failed or report.skipped:
            result = _result(facts, report)
            if result:
                self._results[key] = result

    def _facts(self, report: pytest.TestReport) -> Facts | None:
        left = [str(value) for name, value in report.user_properties if name == FACTS]
        if left:
            return Facts.of_json(left[-1])
        if report.nodeid in self._known:  # a worker that died leaves nothing with its last report
            return self._known[report.nodeid]
        return _nameless(report.nodeid) if report.failed and _is_check(report.nodeid) else None


def _result(facts: Facts, report: pytest.TestReport) -> Result | None:
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        reason = plain(str(reason).removeprefix("Skipped: "), _MAX_TEXT)
        return Result(facts=facts, outcome="skipped", seconds=report.duration, reason=reason)
    if report.passed:
        return Result(facts=facts, outcome="passed", seconds=report.duration)
    if not report.failed:
        return None  # another plugin's outcome, such as a failure that is run again
    if facts.ok is False:
        return Result(facts=facts, outcome="failed", seconds=report.duration)
    return Result(facts=facts, outcome="error", seconds=report.duration, reason=_what_broke(report))


def _what_broke(report: pytest.TestReport) -> str:
    """The message of an unexpected exception, without the traceback that pytest shows; or what pytest shows."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return plain(str(crash.message) if crash else report.longreprtext, _MAX_TEXT)


def _is_check(nodeid: str) -> bool:
    return "/task.json::" in f"/{nodeid}"


def _nameless(nodeid: str) -> Facts:
    """What an id alone tells of a check."""
    path, _, check = nodeid.partition("::")
    folder = path.rpartition("/")[0]
    kind, _, fix = check.partition("[")
    return Facts(
        folder=folder,
        task=folder.rpartition("/")[2],
        nodeid=nodeid,
        order=0,
        check=check,
        kind=kind,
        fix=fix.removesuffix("]"),
    )


def shown_folder(folder: Path, root: Path) -> str:
    """A folder as reports name it: in one printable line, and relative to pytest's root if it lies below it."""
    return printable(folder.relative_to(root).as_posix() if folder.is_relative_to(root) else folder.as_posix())
