"""The grader's guards, each with a way to switch it off: to show what it stops, and that it is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from go_debug_bench import box, grade, grading, submission
from go_debug_bench.attestation import attesting_module
from go_debug_bench.grade import Outcome, PackageRun, Reason, TestResult
from go_debug_bench.isolation import Jail
from go_debug_bench.submission import Submission
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree, is_test_file

__all__ = ["GUARDS"]

Patch = pytest.MonkeyPatch
Judgement = tuple[Reason, str, tuple[TestResult, ...]]
Judge = Callable[[Collection[str], Sequence[PackageRun]], Judgement]


def tamper_check(patch: Patch) -> None:
    """The digest of every public test is compared."""
    patch.setattr(grading, "tampering", lambda *_: ())


def clean_room(patch: Patch) -> None:
    """Nothing but Go source that is no test is taken from a submission."""
    patch.setattr(submission, "_is_wanted", lambda _: True)
    patch.setattr(submission, "_may_hold_source", lambda _: True)
    real = submission.stage

    def staged(task: Task, collected: Submission) -> Tree:
        others = {path: data for path, data in collected.files.items() if not is_test_file(path)}
        return {**real(task, collected), **others}

    patch.setattr(grading, "stage", staged)


def lint(patch: Patch) -> None:
    """What only a cheat needs is refused."""
    patch.setattr(grading.Grader, "_judge_code", lambda _, __, ___, found: found)


def attestation(patch: Patch) -> None:
    """A pass counts when its test attests it, not when it is printed."""

    def believed(name: str, printed: TestResult | None, _: Collection[str]) -> TestResult:
        return printed or TestResult(name=name, outcome=Outcome.LOST)

    patch.setattr(grade, "_proved", believed)


def printed_too(patch: Patch) -> None:
    """An attested test must be printed to pass as well."""

    def attested(name: str, _: TestResult | None, passed: Collection[str]) -> TestResult:
        return TestResult(name=name, outcome=Outcome.PASS if name in passed else Outcome.LOST)

    patch.setattr(grade, "_proved", attested)


def _judged(patch: Patch, change: Callable[[Judge, Collection[str], Sequence[PackageRun]], Judgement]) -> None:
    before: Judge = vars(grading)["judge"]  # of a pair of guards, the other may have been switched off already
    patch.setattr(grading, "judge", lambda expected, runs: change(before, expected, runs))


def every_expected_test(patch: Patch) -> None:
    """Every test that the reference fix reports has to pass, not only those that are seen."""

    def seen_only(real: Judge, expected: Collection[str], runs: Sequence[PackageRun]) -> Judgement:
        ended = {name for run in runs for name, result in run.tests.items() if result.outcome is not Outcome.LOST}
        return real(set(expected) & (ended | {name for run in runs for name in run.attested.passed}), runs)

    _judged(patch, seen_only)


def nothing_unexpected(patch: Patch) -> None:
    """No test may be reported that the suite does not have."""

    def known_only(real: Judge, expected: Collection[str], runs: Sequence[PackageRun]) -> Judgement:
        return real(expected, [_without(run, expected) for run in runs])

    _judged(patch, known_only)


def _without(run: PackageRun, expected: Collection[str]) -> PackageRun:
    tests = {name: result for name, result in run.tests.items() if name in expected}
    return replace(run, tests=tests, attested=replace(run.attested, unknown=frozenset()))


def exit_status(patch: Patch) -> None:
    """Every binary has to end by itself, with status 0."""

    def any_end(real: Judge, expected: Collection[str], runs: Sequence[PackageRun]) -> Judgement:
        return real(expected, [replace(run, exit_code=0, signal="", timed_out=False) for run in runs])

    _judged(patch, any_end)


def hardening(patch: Patch) -> None:
    """The process is closed to /proc/self/mem, and its code to being rewritten, before any other code runs."""
    real = attesting_module

    def soft(path: str) -> Tree:
        return {name: data.replace(b"\n\tharden()\n", b"\n") for name, data in real(path).items()}

    patch.setattr(grading, "attesting_module", soft)


def no_proc(patch: Patch) -> None:
    """A box has no /proc, through which a process reaches its own memory and binary."""
    # In the boxes of suites alone: the probe of what the machine offers must still find one without.
    patch.setattr(box, "Jail", partial(Jail, proc=True))


GUARDS: Mapping[str, Callable[[Patch], Any]] = {
    guard.__name__: guard
    for guard in (
        tamper_check,
        clean_room,
        lint,
        attestation,
        printed_too,
        every_expected_test,
        nothing_unexpected,
        exit_status,
        hardening,
        no_proc,
    )
}
"""Guards by name. A grader that is made after one was switched off lacks it.

Left out are those that cannot be switched off without letting hostile code onto this machine: the namespaces, the
limits, and that the build never sees the agent's environment.
"""
