"""What the terminal shows of a run's facts: the matrix of each task, and the explanation of a failed claim."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

import pytest

from pytest_gobench.facts import Facts, Gathered

__all__ = ["SINK", "MatrixSummary", "explain", "marked", "matrix"]

SINK = pytest.StashKey[Callable[[str], None]]()
"""Where the matrix goes, line by line, instead of the terminal report."""

_PROPERTIES = {
    "vet-clean": "go vet clean",
    "public-green": "public suite passes",
    "stable": "hidden suite is stable",
}
_STRATEGIES = {
    "unfixed-fails": "unfixed",
    "reference-passes": "reference fix",
    "delete-test-cheat": "cheat: delete a test",
    "non-compiling": "broken: does not compile",
}


class MatrixSummary:
    """Prints the matrix at the end of a run."""

    def __init__(self, gathered: Gathered) -> None:
        self._gathered = gathered

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print the matrix."""
        lines = matrix(result.facts for result in self._gathered.results)
        if not lines:
            return
        write = config.stash.get(SINK, None)
        if write is None:
            terminalreporter.section("tasks")
            write = terminalreporter.write_line
        for line in lines:
            write(line)


def matrix(facts: Iterable[Facts]) -> list[str]:
    """One block per task, by id, then one line per claim that failed. What has no verdict is left out."""
    tasks: dict[tuple[str, str], dict[str, Facts]] = {}
    for fact in facts:
        if fact.ok is not None:
            tasks.setdefault((fact.task, fact.folder), {})[fact.check] = fact
    lines: list[str] = []
    for task in sorted(tasks):
        lines += [*_block(tasks[task]), ""]
    failed = [fact for task in sorted(tasks) for fact in tasks[task].values() if not fact.ok]
    lines += [f"FAIL {fact.task} {fact.check}: {fact.found}" for fact in failed]
    return lines if failed else lines[:-1]


def explain(facts: Facts) -> str:
    """What an author needs to mend a task after a failed claim: the finding, the claim, how to repeat it, the mend."""
    lines = [("found", facts.found), ("claim", facts.claim)]
    if facts.commands:
        lines += [("repeat", facts.repeat), *(("", command) for command in facts.commands)]
    lines.append(("mend", facts.mend))
    text = "\n".join(f"{label:<8}{line}" for label, line in lines)
    return f"{text}\n\n{marked(facts.excerpt)}" if facts.excerpt else text


def marked(text: str) -> str:
    """Lines of somebody else's, each marked as such: none of them passes for a line of pytest's, or commands a CI."""
    return textwrap.indent(text, "| ", lambda _: True)


def _block(checks: dict[str, Facts]) -> list[str]:
    first = next(iter(checks.values()))
    lines = [f"=== {first.task}  (package {first.package}, {first.difficulty}) ==="]
    lines += [
        f"    {'ok  ' if checks[check].ok else 'FAIL'} {title}"
        for check, title in _PROPERTIES.items()
        if check in checks
    ]
    graded = [(title, checks[check]) for check, title in _STRATEGIES.items() if check in checks]
    if graded:
        lines.append(f"    {'strategy':<26}{'build':>7}{'tamper':>8}{'hidden':>8}{'reward':>8}")
    for title, fact in graded:
        reward = "-" if fact.reward is None else f"{fact.reward:.1f}"
        lines.append(
            f"    {title:<26}{_cell(fact.compiles):>7}{_cell(fact.tampered):>8}{_cell(fact.hidden):>8}{reward:>8}"
        )
    return lines


def _cell(value: bool | None) -> str:  # noqa: FBT001  (a cell of a table)
    return "-" if value is None else str(value)
