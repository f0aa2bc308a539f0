"""A report as Markdown that fits the step summary of a CI: failures first, then tables, and never too large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from go_debug_bench.report.model import Report
from go_debug_bench.report.overview import Cell, Failure, Overview, headline, overview_of, seconds_text

__all__ = ["MAX_BYTES", "render_markdown"]

MAX_BYTES = 900_000
"""Bound of the document: GitHub shows no step summary of more than 1 MiB."""

_MAX_FAILURES = 100
_MAX_EXCERPT = 3_000
_MARKS = {"passed": "✅", "failed": "❌", "error": "💥", "skipped": "⏭️"}
# What Markdown or GitHub gives a meaning inside of a line: emphasis, code, links, HTML, tables, formulas, mentions,
# references to issues, emoji and bare addresses.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&@$:^{}!])")


def render_markdown(report: Report) -> str:
    """The document."""
    overview = overview_of(report)
    page = _Page(MAX_BYTES)
    page.add([f"## {_MARKS['passed' if overview.holds else 'failed']} go-debug-bench: {headline(overview)}", ""])
    page.add(_summary(overview))
    for title, blocks in (("Malformed tasks", _malformed(overview)), ("Failing claims", _failures(overview))):
        page.add_section(title, blocks)
    page.add_section("Tasks", _task_table(overview), also=_LEGEND)
    page.add_section("Slowest checks", _slowest(overview))
    page.add_section("Balance", _balance(overview))
    page.add([_made_by(report)])
    return page.text


class _Page:
    """Lines up to a bound; what does not fit is counted instead."""

    def __init__(self, limit: int) -> None:
        self._lines: list[str] = []
        self._room = limit - 1_000  # for the lines that say what was left out

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def add(self, block: Iterable[str]) -> bool:
        lines = list(block)
        size = sum(len(line.encode()) + 1 for line in lines)
        if size > self._room:
            return False
        self._room -= size
        self._lines += lines
        return True

    def add_section(self, title: str, blocks: Iterable[Sequence[str]], *, also: str = "") -> None:
        entries = list(blocks)
        if not entries or not self.add([f"### {title}", ""]):
            return
        left = next((len(entries) - at for at, block in enumerate(entries) if not self.add(block)), 0)
        self._lines += ["", f"… and {left} more, which do not fit in here"] if left else []
        self._lines += ["", also, ""] if also else [""]


_LEGEND = "✅ holds · ❌ does not · 💥 broke · ⏭️ skipped · n/m: n of m hold"


def _summary(overview: Overview) -> Iterator[str]:
    report, outcomes = overview.report, overview.outcomes
    counts = [f"{outcomes[name]} {name}" for name in ("passed", "failed", "error", "skipped") if outcomes.get(name)]
    parts = [
        _count(len(report.tasks), "task"),
        _count(overview.total, "check") + (f" ({', '.join(counts)})" if counts else ""),
        f"{overview.cached} of them from the cache" if overview.cached else "",
        seconds_text(report.seconds),
        _text(f"{report.go} {report.platform}".strip()),
        _text("; ".join(report.isolation)),
        f"exploits {_text(report.exploits)}" if report.exploits else "",
    ]
    yield " · ".join(part for part in parts if part)
    yield ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _malformed(overview: Overview) -> Iterator[list[str]]:
    for task in overview.malformed:
        yield [f"**{_text(overview.names[task.folder])}** in {_code(task.folder)}", ""]
        for problem in task.problems[:_MAX_FAILURES]:
            where = f"{problem.file}: {problem.field}" if problem.field else problem.file
            yield [f"- {_text(f'{where}: {problem.message}')}"]
        yield [""]


def _failures(overview: Overview) -> Iterator[list[str]]:
    for failure in overview.failures[:_MAX_FAILURES]:
        yield list(_failure(failure))
    if len(overview.failures) > _MAX_FAILURES:
        yield [f"… and {len(overview.failures) - _MAX_FAILURES} more; the tables name them"]


def _failure(failure: Failure) -> Iterator[str]:
    check = failure.check
    yield f"#### {_MARKS[check.outcome]} {_text(failure.name)} {_text(check.name)}"
    yield ""
    if check.outcome == "error":
        yield "The machinery failed, so nothing is known of the claim:"
        yield from ["", *_block(check.reason, ""), ""]
    else:
        for label, text in (("Found", check.found), ("Claim", check.claim), ("Mend", check.mend)):
            if text:
                yield f"- **{label}:** {_text(text)}"
        yield ""
    commands = [command for command in (check.repeat, *check.commands) if command]
    if commands:
        yield from [*_block("\n".join(commands), "sh"), ""]
    if check.excerpt:
        yield from ["<details><summary>Details</summary>", ""]
        yield from [*_block(check.excerpt[:_MAX_EXCERPT], "text"), "", "</details>", ""]


def _task_table(overview: Overview) -> Iterator[list[str]]:
    if not overview.total:
        return
    kinds = overview.kinds
    for row in (["task", "difficulty", *kinds], ["---"] * 2 + [":-:"] * len(kinds)):
        yield [f"| {' | '.join(cell if set(cell) <= set(':-') else _text(cell) for cell in row)} |"]
    for task in overview.report.tasks:
        cells = overview.cells(task)
        row = [_text(overview.names[task.folder]), _text(task.difficulty or "malformed")]
        row += [_cell(cells[kind]) if kind in cells else "" for kind in kinds]
        yield [f"| {' | '.join(row)} |"]


def _cell(cell: Cell) -> str:
    return f"{_MARKS[cell.worst]} {cell.passed}/{cell.total}" if cell.several else _MARKS[cell.worst]


def _slowest(overview: Overview) -> Iterator[list[str]]:
    if overview.slow_checks:
        yield ["| check | time |", "| --- | --: |"]
    for timed in overview.slow_checks:
        yield [f"| {_text(timed.name)} | {seconds_text(timed.seconds)} |"]


def _balance(overview: Overview) -> Iterator[list[str]]:
    balance = overview.report.balance
    for what, counts in (("Difficulties", balance.difficulties), ("Families", balance.families)):
        if any(counts.values()):
            yield [f"- {what}: {', '.join(f'{_text(name)} {count}' for name, count in counts.items())}"]
    for note in balance.notes:
        yield [f"- ⚠️ {_text(note)}"]


def _made_by(report: Report) -> str:
    commit = f" at {_code(report.commit[:12])}" if report.commit else ""
    made = f"{report.created:%Y-%m-%d %H:%M} UTC"
    return f"<sub>go-debug-bench {_text(report.package_version)}, {made}{commit}</sub>"


def _text(text: str) -> str:
    """Text that means nothing to Markdown, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("www.", "www\\.")


def _code(text: str) -> str:
    """Text as code in a line."""
    fence = "`" * (_longest_run(text) + 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{' '.join(text.split())}{space}{fence}"


def _block(text: str, language: str) -> list[str]:
    """Text as a block of code, whose fence no line of the text can close."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return [f"{fence}{language}", *text.split("\n"), fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
