"""What changed between two reports: which tasks, which verdicts, and which speeds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from go_debug_bench.report.model import CheckReport, Report, TaskReport

__all__ = [
    "MIN_RATIO",
    "MIN_SECONDS",
    "Comparison",
    "OutcomeChange",
    "SpeedChange",
    "compare",
    "render_comparison",
]

MIN_RATIO = 1.5
"""A task's speed changed if its time is this many times as long or as short, …"""
MIN_SECONDS = 2.0
"""… and differs by at least so many seconds: less is noise."""

_MALFORMED = "malformed"
_ABSENT = "not run"
# A claim that is no longer tried is no longer proved. A check that was not run at all says nothing.
_RANKS = {"passed": 0, "skipped": 1, "error": 2, "failed": 2, _MALFORMED: 2}


@dataclass(frozen=True, kw_only=True)
class OutcomeChange:
    """A check that ended otherwise than before; ``check`` is ``task.json`` where the task itself was malformed."""

    task: str
    check: str
    before: str
    after: str
    found: str = ""

    @property
    def worse(self) -> bool:
        """Whether less is proved than before: a check that was not run before counts if it fails."""
        before = _RANKS.get(self.before)
        after = _RANKS.get(self.after, 0)
        return after == max(_RANKS.values()) if before is None else after > before


@dataclass(frozen=True, kw_only=True)
class SpeedChange:
    """A task that takes another time than before, in seconds, over the checks that ran uncached in both reports."""

    task: str
    before: float
    after: float

    @property
    def slower(self) -> bool:
        """Whether it takes longer."""
        return self.after > self.before

    @property
    def ratio(self) -> float:
        """How many times as long or, if it is faster, as short."""
        longer, shorter = max(self.before, self.after), min(self.before, self.after)
        return longer / shorter if shorter else float("inf")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What changed. ``outcomes`` has what got worse first; ``notes`` says what makes the reports hard to compare."""

    added: Sequence[str] = ()
    removed: Sequence[str] = ()
    outcomes: Sequence[OutcomeChange] = ()
    content: Sequence[str] = ()
    speed: Sequence[SpeedChange] = ()
    notes: Sequence[str] = ()

    @property
    def worse(self) -> bool:
        """Whether less is proved than before. Neither a removed task nor a slower one counts: machines differ."""
        return any(change.worse for change in self.outcomes)

    @property
    def nothing(self) -> bool:
        """Whether nothing worth naming changed."""
        return not (self.added or self.removed or self.outcomes or self.content or self.speed)


def compare(old: Report, new: Report, *, min_ratio: float = MIN_RATIO, min_seconds: float = MIN_SECONDS) -> Comparison:
    """The changes from one report to another. Checks that only one of them has are no change, unless they fail."""
    before, after = _by_key(old, new)
    both = [key for key in after if key in before]
    outcomes = [change for key in after for change in _outcomes(key, before.get(key), after[key])]
    speed = [change for key in both if (change := _speed(key, before[key], after[key], min_ratio, min_seconds))]
    return Comparison(
        added=tuple(key for key in after if key not in before),
        removed=tuple(key for key in before if key not in after),
        outcomes=tuple(sorted(outcomes, key=lambda change: (not change.worse, change.task))),
        content=tuple(
            key for key in both if before[key].digest and after[key].digest and before[key].digest != after[key].digest
        ),
        speed=tuple(sorted(speed, key=lambda change: (not change.slower, -change.ratio, change.task))),
        notes=tuple(_notes(old, new)),
    )


def _by_key(old: Report, new: Report) -> tuple[dict[str, TaskReport], dict[str, TaskReport]]:
    """Tasks by id; by id and folder where a report has two of one id."""
    counts = (Counter(task.id for task in report.tasks) for report in (old, new))
    ambiguous = {name for count in counts for name, number in count.items() if number > 1}

    def key(task: TaskReport) -> str:
        return f"{task.id} ({task.folder})" if task.id in ambiguous else task.id

    return {key(task): task for task in old.tasks}, {key(task): task for task in new.tasks}


def _outcomes(key: str, before: TaskReport | None, after: TaskReport) -> Iterator[OutcomeChange]:
    was_malformed = before is not None and before.malformed
    if after.malformed and not was_malformed:
        found = "; ".join(f"{problem.file}: {problem.message}" for problem in after.problems[:1])
        earlier = _ABSENT if before is None else "well-formed"
        yield OutcomeChange(task=key, check="task.json", before=earlier, after=_MALFORMED, found=found)
    if was_malformed and not after.malformed:
        yield OutcomeChange(task=key, check="task.json", before=_MALFORMED, after="well-formed")
    earlier_checks: Mapping[str, CheckReport] = {check.name: check for check in before.checks} if before else {}
    for check in after.checks:
        outcome = earlier_checks[check.name].outcome if check.name in earlier_checks else _ABSENT
        change = OutcomeChange(
            task=key, check=check.name, before=outcome, after=check.outcome, found=check.found or check.reason
        )
        if change.worse or (outcome != _ABSENT and outcome != check.outcome):
            yield change


def _speed(key: str, before: TaskReport, after: TaskReport, min_ratio: float, min_seconds: float) -> SpeedChange | None:
    earlier, later = _timed(before), _timed(after)
    shared = earlier.keys() & later.keys()
    change = SpeedChange(
        task=key,
        before=sum(earlier[name] for name in shared),
        after=sum(later[name] for name in shared),
    )
    apart = abs(change.after - change.before) >= min_seconds
    return change if apart and change.ratio >= min_ratio else None


def _timed(task: TaskReport) -> dict[str, float]:
    return {
        check.name: check.seconds for check in task.checks if not check.cached and check.outcome in ("passed", "failed")
    }


def _notes(old: Report, new: Report) -> Iterator[str]:
    for name, report in (("old", old), ("new", new)):
        if report.interrupted:
            yield f"the {name} run was interrupted: tasks and checks of it are missing"
    differences: dict[str, tuple[object, object]] = {
        "Go": (old.go, new.go),
        "platform": (old.platform, new.platform),
        "machine": (tuple(old.machine.model_dump().values()), tuple(new.machine.model_dump().values())),
        "isolation": (old.isolation, new.isolation),
        "number of workers": (old.workers, new.workers),
    }
    for what, (before, after) in differences.items():
        if before != after and before and after:
            yield f"another {what}, which changes times: {_shown(before)}, now {_shown(after)}"


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def render_comparison(changes: Comparison) -> str:
    """The changes as text for a terminal or a log, with a final newline."""
    blocks = [
        _section("worse", (_outcome_line(change) for change in changes.outcomes if change.worse)),
        _section("changed", (_outcome_line(change) for change in changes.outcomes if not change.worse)),
        _section("tasks added", changes.added),
        _section("tasks removed", changes.removed),
        _section("tasks with another content", changes.content),
        _section("slower", (_speed_line(change) for change in changes.speed if change.slower)),
        _section("faster", (_speed_line(change) for change in changes.speed if not change.slower)),
        _section("note", changes.notes),
    ]
    text = "\n".join(block for block in blocks if block)
    return f"no change\n{text}" if changes.nothing else text


def _section(title: str, lines: Iterable[str]) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"{title}:\n{body}" if body else ""


def _outcome_line(change: OutcomeChange) -> str:
    found = f": {' '.join(change.found.split())[:200]}" if change.found and change.worse else ""
    return f"{change.task} {change.check}: {change.before} -> {change.after}{found}"


def _speed_line(change: SpeedChange) -> str:
    ratio = f" ({change.ratio:.1f}x)" if math.isfinite(change.ratio) else ""
    return f"{change.task}: {change.before:.1f} s -> {change.after:.1f} s{ratio}"
