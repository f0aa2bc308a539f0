"""What proving a claim takes: the check that makes it, the verdict on it, and a bench that grades each tree once."""

from __future__ import annotations

import functools
import math
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from go_debug_bench import fixes, tree
from go_debug_bench.baseline import Baseline
from go_debug_bench.exploits import Agent
from go_debug_bench.grade import Grade, Outcome, Reason, TestResult, failed_leaves
from go_debug_bench.grading import Grader
from go_debug_bench.model import Fix
from go_debug_bench.submission import Submission, stage
from go_debug_bench.suite import Neighbours
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree

__all__ = ["Bench", "Check", "Verdict", "clip", "earns", "excerpt_of", "failed", "fixed", "graded"]

_MAX_EXCERPT_LINES = 40


@dataclass(frozen=True, kw_only=True)
class Check:
    """One claim about a task: ``name`` is unique in it, ``fix`` names the fix or exploit that it is about, if any."""

    kind: str
    fix: str = ""

    @property
    def name(self) -> str:
        """``vet-clean``, or ``wrong[fix-name]``."""
        return f"{self.kind}[{self.fix}]" if self.fix else self.kind

    @property
    def folder(self) -> str:
        """The name as a folder's: ``wrong-fix-name``."""
        return f"{self.kind}-{self.fix}" if self.fix else self.kind


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a claim holds, and for one that does not: what was found, how to repeat it, and the likely mend.

    ``commands`` repeat the finding inside the clean room that ``--gobench-keep`` writes. ``grade`` is that of the
    submission that the check is about, where there is one. ``cached`` if an earlier run has found it.
    """

    ok: bool
    claim: str
    found: str = ""
    commands: tuple[str, ...] = ()
    excerpt: str = ""
    mend: str = ""
    grade: Grade | None = None
    cached: bool = False


@dataclass(kw_only=True)
class Bench:
    """Where claims are proved. Grades are kept for the life of the bench, so that no tree is graded twice.

    So are baselines, sound or not: the grader keeps sound ones only, as training may find the machine better later.

    ``repeat`` is how often ``stable`` runs the hidden suite on each tree; ``keep`` a folder for the clean rooms;
    ``notify`` is told about the progress of long checks; ``neighbours`` are the tasks beside those that are checked.
    """

    grader: Grader
    repeat: int = 0
    keep: Path | None = None
    notify: Callable[[str], None] = lambda _: None
    neighbours: Neighbours = field(default_factory=Neighbours)
    _grades: dict[tuple[str, str], Grade] = field(default_factory=dict)
    _baselines: dict[str, Baseline] = field(default_factory=dict)

    def agent(self, room: Path) -> Agent:
        """Somebody who leaves submissions behind, with an empty folder for a box."""
        return Agent(self.grader.runner, self.grader.toolchain, self.grader.isolation, room)

    def baseline(self, task: Task) -> Baseline:
        """The tests of the suite, as the reference fix reports them."""
        if task.digest not in self._baselines:
            self._baselines[task.digest] = self._baseline_once(task)
        return self._baselines[task.digest]

    def _baseline_once(self, task: Task) -> Baseline:
        """The baseline, from another process of the run if that has found it."""
        if self.grader.once is None:
            return self.grader.baseline(task)
        told = self.grader.once.answer(
            f"baseline-{task.digest}", lambda: _baselines().dump_json(self.grader.baseline(task))
        )
        return _baselines().validate_json(told or b"")

    def keep_room(self, check: Check, task: Task, submission: Tree) -> None:
        """Write the clean room of a submission for a person to look at, if that was asked for."""
        if self.keep:
            shutil.rmtree(self.keep / task.id / check.folder, ignore_errors=True)
            room = {**stage(task, Submission(files=submission)), **task.hidden}
            tree.write(room, self.keep / task.id / check.folder)

    def grade(self, task: Task, check: Check, submission: Tree) -> Grade:
        """The grade of a submission that leaves ``submission`` behind."""
        self.keep_room(check, task, submission)
        key = (task.digest, tree.digest(submission))
        if key not in self._grades:
            self._grades[key] = self._graded_once(task, submission, "-".join(("grade", *key)))
        return self._grades[key]

    def _graded_once(self, task: Task, submission: Tree, key: str) -> Grade:
        """The grade of a tree, from another process of the run if that has graded it."""
        if self.grader.once is None:
            return self._grade(task, submission)
        told = self.grader.once.answer(key, lambda: _grades().dump_json(self._grade(task, submission)))
        return _grades().validate_json(told or b"")

    def _grade(self, task: Task, submission: Tree) -> Grade:
        with self.grader.workspace.room() as folder:
            tree.write(submission, folder)
            return self.grader.grade_against(self.baseline(task), task, folder)


@functools.cache
def _baselines() -> TypeAdapter[Baseline]:
    return TypeAdapter(Baseline)


@functools.cache
def _grades() -> TypeAdapter[Grade]:
    return TypeAdapter(Grade)


def fixed(task: Task, fix: Fix) -> Tree:
    """The task's repo with a fix applied."""
    return fixes.apply(fix, task.repo)


def earns(grade: Grade, reward: float) -> bool:
    """Whether a grade's reward is this one, but for rounding."""
    return math.isclose(grade.reward, reward, abs_tol=1e-9)


def failed(tests: Collection[TestResult]) -> list[str]:
    """Names of the leaf tests that did not pass, a skipped one among them."""
    return failed_leaves([result.name for result in tests if result.outcome is not Outcome.PASS])


def graded(claim: str, grade: Grade, found: str, mend: str) -> Verdict:
    """The verdict on a claim about a submission's grade: it holds if nothing was found."""
    if not found:
        return Verdict(ok=True, claim=claim, grade=grade)
    command = "go test -v ./..." if grade.compiles else "go build ./..."
    return Verdict(
        ok=False,
        claim=claim,
        found=found,
        commands=(command,),
        excerpt=excerpt_of(grade),
        mend=mend,
        grade=grade,
    )


def excerpt_of(grade: Grade) -> str:
    """The output of the tests that failed, or the tail of the log where none says why."""
    if grade.code is Reason.PASSED:
        return ""
    red = set(failed(grade.tests))
    text = "".join(result.output for result in grade.tests if result.name in red)
    return clip(text if text.strip() else grade.log)


def clip(text: str) -> str:
    """The first and the last lines of a text that is too long to show."""
    lines = text.strip().splitlines()
    if len(lines) <= _MAX_EXCERPT_LINES:
        return "\n".join(lines)
    half = _MAX_EXCERPT_LINES // 2
    more = len(lines) - 2 * half
    return "\n".join([*lines[:half], f"… {more} line{'s' if more > 1 else ''} …", *lines[-half:]])
