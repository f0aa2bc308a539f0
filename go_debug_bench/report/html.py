"""A report as one page that needs nothing else: no script to be read, no network, light or dark as its reader likes."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from go_debug_bench.report.model import CheckReport, Outcome, Report, TaskReport
from go_debug_bench.report.overview import OUTCOMES, Overview, Timed, headline, overview_of, seconds_text, worst

__all__ = ["render_html"]

_MAX_FAILURES = 300  # what is shown in full; the tables name the rest
_MAX_EXCERPTS = 100
_MAX_EXCERPT = 4_000
_GLYPHS: Mapping[Outcome, str] = {"passed": "✓", "failed": "✕", "error": "!", "skipped": "–"}  # noqa: RUF001  (a dash)


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A number that matters: how many of which claims hold."""

    label: str
    passed: int
    total: int
    skipped: int

    @property
    def good(self) -> bool:
        """Whether all of them hold."""
        return self.passed == self.total

    @property
    def note(self) -> str:
        """What is not among those that hold."""
        short = self.total - self.passed
        parts = [f"{short} {'does' if short == 1 else 'do'} not" if short else ""]
        parts.append(f"{self.skipped} skipped" if self.skipped else "")
        return ", ".join(part for part in parts if part) or "all of them"

    @property
    def width(self) -> float:
        """Of the bar, of 100: one of a thousand that does not hold is seen, too."""
        share = 100 * self.passed / self.total if self.total else 0
        return round(share if self.good else min(97, share), 2)


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """A task as the page lists it: ``rows`` are its checks, ``in_grid`` counts those that only the grid names."""

    task: TaskReport
    name: str
    outcome: Outcome
    passed: int
    seconds: str
    rows: Sequence[CheckReport]
    in_grid: int


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A row of a chart: ``width`` is of 100."""

    label: str
    text: str
    width: float


def render_html(report: Report) -> str:
    """The page."""
    overview = overview_of(report)
    style, script = _asset("page.css"), _asset("page.js")
    rows = [_task_row(overview, task) for task in report.tasks]
    return (
        _environment()
        .get_template("page.html")
        .render(
            overview=overview,
            report=report,
            headline=headline(overview),
            tiles=_tiles(overview),
            rows=rows,
            failures=overview.failures[:_MAX_FAILURES],
            excerpts=_MAX_EXCERPTS,
            excerpt_length=_MAX_EXCERPT,
            rows_by_folder={row.task.folder: row for row in rows},
            grid=_grid(report),
            skipped=_skipped(report),
            slow_tasks=_timed(overview.slow_tasks),
            slow_checks=_timed(overview.slow_checks),
            families=_counted(report.balance.families),
            difficulties=_counted(report.balance.difficulties),
            style=Markup(style),  # noqa: S704  (this package's own file)
            script=Markup(script),  # noqa: S704  (this package's own file)
            policy=_policy(style, script),
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("go_debug_bench.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(glyphs=_GLYPHS, outcomes=OUTCOMES)
    environment.filters.update(seconds=seconds_text)
    return environment


def _asset(name: str) -> str:
    return resources.files("go_debug_bench.report").joinpath("page", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy under which nothing runs or loads but this page's own style and script."""
    sources = {
        "default-src": "'none'",
        "style-src": _digest(style),
        "script-src": _digest(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in sources.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _tiles(overview: Overview) -> list[Tile]:
    groups = (
        ("Claims proved", None),
        ("Right fixes paid", ("reference-passes", "alternative")),
        ("Wrong fixes refused", ("wrong",)),
        ("Cheats and controls judged right", ("delete-test-cheat", "exploit")),
    )
    tiles = []
    for label, kinds in groups:
        checks = [
            check for task in overview.report.tasks for check in task.checks if kinds is None or check.kind in kinds
        ]
        outcomes = Counter(check.outcome for check in checks)
        tried = len(checks) - outcomes["skipped"]
        if checks:
            tiles.append(Tile(label=label, passed=outcomes["passed"], total=tried, skipped=outcomes["skipped"]))
    return tiles


def _task_row(overview: Overview, task: TaskReport) -> TaskRow:
    outcomes = Counter[str](check.outcome for check in task.checks)
    in_grid = [check for check in task.checks if check.kind == "exploit" and check.outcome == "passed"]
    timed = [check.seconds for check in task.checks if not check.cached]
    return TaskRow(
        task=task,
        name=overview.names[task.folder],
        outcome="failed" if task.malformed else worst(outcomes),
        passed=outcomes["passed"],
        seconds=seconds_text(sum(timed)) if timed else "cached",
        rows=[check for check in task.checks if check not in in_grid],
        in_grid=len(in_grid),
    )


def _grid(report: Report) -> list[tuple[TaskReport, dict[str, Outcome]]]:
    """The outcome of each exploit by task, for the tasks on which any was tried."""
    rows = [
        (task, {check.fix: check.outcome for check in task.checks if check.kind == "exploit"}) for task in report.tasks
    ]
    return [row for row in rows if row[1]]


def _skipped(report: Report) -> list[tuple[str, int]]:
    """Why checks were skipped, and how many of them."""
    reasons = Counter(
        check.reason.partition("\n")[0] or "no reason given"
        for task in report.tasks
        for check in task.checks
        if check.outcome == "skipped"
    )
    return reasons.most_common(20)


def _timed(times: Sequence[Timed]) -> list[Bar]:
    """Bars that are compared with the longest."""
    longest = max((timed.seconds for timed in times), default=0) or 1
    return [
        Bar(label=timed.name, text=seconds_text(timed.seconds), width=round(100 * timed.seconds / longest, 2))
        for timed in times
    ]


def _counted(counts: Mapping[str, int]) -> list[Bar]:
    """Bars that are shares of the whole."""
    total = sum(counts.values()) or 1
    return [Bar(label=name, text=str(count), width=round(100 * count / total, 2)) for name, count in counts.items()]
