"""The matrix: what each task showed, as facts that cross processes and as the table that people read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

import pytest

from go_debug_bench.checks import Check, Verdict
from go_debug_bench.task import Task

__all__ = ["FACTS", "SINK", "Facts", "MatrixSummary", "matrix"]

FACTS = "gobench"
"""Name of the user property that carries a check's facts, as JSON: it crosses xdist and stays readable in junit."""
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


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What one check showed, in built-in types. The grade's fields are None where nothing was graded."""

    folder: str
    task: str
    package: str
    difficulty: str
    check: str
    ok: bool
    claim: str
    found: str
    compiles: bool | None = None
    tampered: bool | None = None
    hidden: bool | None = None
    reward: float | None = None

    @classmethod
    def of(cls, task: Task, check: Check, verdict: Verdict) -> Facts:
        """The facts of a verdict."""
        grade = verdict.grade
        return cls(
            folder=str(task.folder),
            task=task.id,
            package=task.spec.package,
            difficulty=task.spec.difficulty,
            check=check.name,
            ok=verdict.ok,
            claim=verdict.claim,
            found=verdict.found,
            compiles=grade.compiles if grade else None,
            tampered=not grade.tests_untampered if grade else None,
            hidden=grade.hidden_tests_pass if grade else None,
            reward=round(grade.reward, 6) if grade else None,
        )

    def as_dict(self) -> dict[str, object]:
        """The facts by name, ready for JSON."""
        return asdict(self)


class MatrixSummary:
    """Gathers the facts of a run, from all workers, and prints the matrix at its end."""

    def __init__(self) -> None:
        self.facts: list[Facts] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the facts that a check left."""
        if report.when == "call":
            self.facts += [Facts(**json.loads(str(value))) for name, value in report.user_properties if name == FACTS]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print the matrix."""
        if not self.facts:
            return
        write = config.stash.get(SINK, None)
        if write is None:
            terminalreporter.section("tasks")
            write = terminalreporter.write_line
        for line in matrix(self.facts):
            write(line)


def matrix(facts: Iterable[Facts]) -> list[str]:
    """One block per task, by id, then one line per claim that failed."""
    tasks: dict[tuple[str, str], dict[str, Facts]] = {}
    for fact in facts:
        tasks.setdefault((fact.task, fact.folder), {})[fact.check] = fact
    lines: list[str] = []
    for task in sorted(tasks):
        lines += [*_block(tasks[task]), ""]
    failed = [fact for task in sorted(tasks) for fact in tasks[task].values() if not fact.ok]
    lines += [f"FAIL {fact.task} {fact.check}: {fact.found}" for fact in failed]
    return lines if failed else lines[:-1]


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
