"""What the pages show of a report: counts, failures first, tables. Values only; how they look is the pages' own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from go_debug_bench.report.model import CheckReport, Outcome, Report, TaskReport

__all__ = [
    "OUTCOMES",
    "Cell",
    "Failure",
    "Overview",
    "Timed",
    "headline",
    "overview_of",
    "seconds_text",
    "worst",
]

OUTCOMES: tuple[Outcome, ...] = ("failed", "error", "skipped", "passed")
"""The worst first."""

_SLOWEST = 12
_MINUTE = 60


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A claim that does not hold or could not be tried because something broke."""

    task: TaskReport
    name: str
    check: CheckReport


@dataclass(frozen=True, kw_only=True)
class Timed:
    """How long something took, in seconds, in which task."""

    task: TaskReport
    name: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Cell:
    """All checks of one kind in one task: one check, or as many as it has fixes or exploits of that kind."""

    kind: str
    outcomes: Mapping[str, int]
    several: bool

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(self.outcomes.values())

    @property
    def passed(self) -> int:
        """Number of those whose claim holds."""
        return self.outcomes.get("passed", 0)

    @property
    def worst(self) -> Outcome:
        """The worst outcome among them."""
        return worst(self.outcomes)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A report, read for people.

    ``names`` shows each task as short as is unambiguous, by folder. ``kinds`` are the kinds of checks in the suite's
    order, ``exploits`` the names of those that were tried, sorted. What was cached is not timed.
    """

    report: Report
    names: Mapping[str, str]
    malformed: Sequence[TaskReport]
    failures: Sequence[Failure]
    outcomes: Mapping[str, int]
    kinds: Sequence[str]
    exploits: Sequence[str]
    exploit_outcomes: Mapping[str, int]
    slow_tasks: Sequence[Timed]
    slow_checks: Sequence[Timed]
    cached: int

    @property
    def total(self) -> int:
        """Number of checks that ran."""
        return sum(self.outcomes.values())

    @property
    def missing(self) -> int:
        """Number of checks that were selected but have no outcome, as the run ended before."""
        return max(0, self.report.selected - self.total)

    @property
    def holds(self) -> bool:
        """Whether at least one claim was proved, and nothing failed, broke, is malformed or is missing."""
        proved = self.outcomes.get("passed", 0) > 0
        return proved and not (self.failures or self.malformed or self.missing or self.report.exit_status)

    def cells(self, task: TaskReport) -> dict[str, Cell]:
        """The checks of a task by kind."""
        groups: dict[str, list[CheckReport]] = {}
        for check in task.checks:
            groups.setdefault(check.kind, []).append(check)
        return {
            kind: Cell(kind=kind, outcomes=Counter(check.outcome for check in group), several=bool(group[0].fix))
            for kind, group in groups.items()
        }


def worst(outcomes: Mapping[str, int]) -> Outcome:
    """The worst outcome that is counted at all."""
    return next((outcome for outcome in OUTCOMES if outcomes.get(outcome)), "passed")


def overview_of(report: Report) -> Overview:
    """What the pages show."""
    ids = Counter(task.id for task in report.tasks)
    names = {task.folder: task.id if ids[task.id] == 1 else f"{task.id} ({task.folder})" for task in report.tasks}
    checks = [(task, check) for task in report.tasks for check in task.checks]
    failures = [
        Failure(task=task, name=names[task.folder], check=check)
        for outcome in ("failed", "error")
        for task, check in checks
        if check.outcome == outcome
    ]
    timed = [(task, check) for task, check in checks if not check.cached and check.outcome != "skipped"]
    by_task: dict[str, float] = {}
    for task, check in timed:
        by_task[task.folder] = by_task.get(task.folder, 0.0) + check.seconds
    return Overview(
        report=report,
        names=names,
        malformed=[task for task in report.tasks if task.malformed],
        failures=failures,
        outcomes=Counter(check.outcome for _, check in checks),
        kinds=_kinds(report.tasks),
        exploits=sorted({check.fix for _, check in checks if check.kind == "exploit"}),
        exploit_outcomes=Counter(check.outcome for _, check in checks if check.kind == "exploit"),
        slow_tasks=_slowest(
            Timed(task=task, name=names[task.folder], seconds=by_task[task.folder])
            for task in report.tasks
            if task.folder in by_task
        ),
        slow_checks=_slowest(
            Timed(task=task, name=f"{names[task.folder]} {check.name}", seconds=check.seconds) for task, check in timed
        ),
        cached=sum(check.cached for _, check in checks),
    )


def _slowest(times: Iterable[Timed]) -> list[Timed]:
    return sorted(times, key=lambda timed: (-timed.seconds, timed.name))[:_SLOWEST]


def _kinds(tasks: Sequence[TaskReport]) -> list[str]:
    """Every kind of check, in the order of the task that has the most of them, then whatever only others have."""
    orders = [list(dict.fromkeys(check.kind for check in task.checks)) for task in tasks]
    orders.sort(key=len, reverse=True)
    return list(dict.fromkeys(kind for order in orders for kind in order))


def headline(overview: Overview) -> str:
    """The verdict on the run, in one sentence."""
    report, problems = overview.report, []
    counts = (
        (overview.outcomes.get("failed", 0), "claim does not hold", "claims do not hold"),
        (overview.outcomes.get("error", 0), "check broke", "checks broke"),
        (len(overview.malformed), "task is malformed", "tasks are malformed"),
    )
    problems = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
    checks = "check" if overview.missing == 1 else "checks"
    if report.interrupted:
        problems.append(f"the run was interrupted with {overview.missing} {checks} to go")
    elif overview.missing:
        problems.append(f"the run ended before {overview.missing} of its checks")
    if problems:
        text = ", ".join(problems)
        return text[:1].upper() + text[1:]
    if not overview.outcomes.get("passed"):
        return "Nothing was proved"
    if report.exit_status:
        return f"Every claim holds, but the run failed (exit status {report.exit_status})"
    return "Every claim holds"


def seconds_text(seconds: float) -> str:
    """A time as people read it: 0.42 s, 12.3 s, 3 min 5 s."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // _MINUTE} min {int(seconds) % _MINUTE} s"
