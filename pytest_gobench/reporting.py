"""``--gobench-report``: the facts of a run, written at its end as the documents that were asked for."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pytest

from go_debug_bench.report.balance import balance_of
from go_debug_bench.report.html import render_html
from go_debug_bench.report.markdown import render_markdown
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
from go_debug_bench.tasks_dir import task_around
from go_debug_bench.text import printable
from pytest_gobench.facts import Gathered, Malformed, Result
from pytest_gobench.sampling import Plan, commit_of

__all__ = ["ReportWriter", "tasks_of", "write_atomically"]

_RENDERERS: Mapping[str, Callable[[Report], str]] = {
    ".json": Report.to_json,
    ".md": render_markdown,
    ".html": render_html,
}
# Options that decide which checks there are or how they are made, and which hold no path of this machine.
_OPTIONS = {
    "gobench_tasks": "--gobench-tasks",
    "gobench_repeat": "--gobench-repeat",
    "gobench_exploits": "--gobench-exploits",
    "gobench_cache": "--gobench-cache",
    "keyword": "-k",
    "markexpr": "-m",
    "lf": "--lf",
    "maxfail": "--maxfail",
}


class ReportWriter:
    """Writes the reports of a run; in a run with workers, the controller does. One that only collects has none.

    ``files`` are as the command line gives them, relative to ``start``.

    Raises:
        UsageError: a file has no known suffix, lies in a task folder, or cannot be written.
    """

    def __init__(self, files: Sequence[str], start: Path, gathered: Gathered, plan: Plan) -> None:
        # Resolved once, here: what takes the place of a file must not take that of a link to it, and no link that a
        # check puts there later is followed.
        self._paths = list(dict.fromkeys(_writable((start / file).resolve(), file) for file in files))
        self._gathered = gathered
        self._plan = plan
        self._begin = time.monotonic()
        self._notes: list[str] = []

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write what is known, also of a run that was interrupted."""
        if session.config.option.collectonly:
            return
        report = report_of(
            self._gathered,
            self._plan,
            session.config,
            exit_status=int(exitstatus),
            seconds=time.monotonic() - self._begin,
        )
        for path in self._paths:
            try:
                write_atomically(path, _RENDERERS[path.suffix](report))
                self._notes.append(f"wrote {printable(str(path))}")
            except OSError as error:
                self._notes.append(f"cannot write {printable(str(path))}: {error.strerror}")
                if session.exitstatus == pytest.ExitCode.OK:
                    session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was written."""
        for note in self._notes:
            terminalreporter.write_line(f"gobench: {note}")


def _writable(path: Path, given: str) -> Path:
    option = f"--gobench-report={printable(given)}"
    if path.suffix not in _RENDERERS:
        raise pytest.UsageError(f"{option}: its suffix must be {', '.join(_RENDERERS)}")
    if task := task_around(path):
        raise pytest.UsageError(
            f"{option} lies in the task folder {printable(task.name)}, which a report would make malformed; "
            "name a file outside of it"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with _beside(path) as temporary:
            temporary.touch(exist_ok=False)
    except OSError as error:
        raise pytest.UsageError(f"{option} cannot be written: {error.strerror}") from None
    return path


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A name in the folder of ``path`` that nobody guesses; what is left there is removed."""
    temporary = path.with_name(f".gobench-{secrets.token_hex(16)}")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that whoever reads it sees the old one or the whole new one. A link in its place is replaced."""
    with _beside(path) as temporary:
        # Makes a file, with the mode that the umask gives, or fails.
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        temporary.replace(path)


def report_of(gathered: Gathered, plan: Plan, config: pytest.Config, *, exit_status: int, seconds: float) -> Report:
    """The document of a run; ``seconds`` is its wall time."""
    results = gathered.results
    tasks = tasks_of(results, gathered.malformed.values())
    return Report(
        format=FORMAT,
        version=VERSION,
        created=datetime.now(UTC).replace(microsecond=0),
        package_version=metadata.version("go-debug-bench"),
        go=_all(result.facts.go for result in results),
        platform=_all(result.facts.platform for result in results),
        python=platform.python_version(),
        machine=Machine(system=platform.system(), architecture=platform.machine(), cores=os.cpu_count() or 0),
        isolation=tuple(sorted({result.facts.box for result in results if result.facts.box})),
        workers=max(1, len(config.getoption("tx", None) or ())),
        seconds=round(seconds, 3),
        exit_status=exit_status,
        interrupted=exit_status == pytest.ExitCode.INTERRUPTED,
        selected=gathered.selected,
        commit=commit_of(config.rootpath),
        exploits=plan.header().removeprefix("gobench: exploits: "),
        options=_options(config),
        tasks=tasks,
        balance=balance_of(tasks),
    )


def _all(values: Iterable[str]) -> str:
    return ", ".join(sorted({value for value in values if value}))


def _options(config: pytest.Config) -> dict[str, str]:
    values = {name: config.getoption(option, None) for option, name in _OPTIONS.items()}
    return {name: str(value) for name, value in values.items() if value}


def tasks_of(results: Iterable[Result], malformed: Iterable[Malformed]) -> tuple[TaskReport, ...]:
    """The tasks of a run, by id and folder: two folders may hold tasks of one id."""
    folders: dict[str, list[Result]] = {}
    for result in results:
        folders.setdefault(result.facts.folder, []).append(result)
    tasks = [_task(group) for group in folders.values()]
    tasks += [_malformed(task) for task in malformed]
    return tuple(sorted(tasks, key=lambda task: (task.id, task.folder)))


def _task(results: Sequence[Result]) -> TaskReport:
    # What a worker that died had not told is empty: the others' facts say more.
    facts = max((result.facts for result in results), key=lambda facts: bool(facts.digest))
    return TaskReport(
        id=facts.task,
        folder=facts.folder,
        title=facts.title,
        package=facts.package,
        family=facts.family,
        difficulty=facts.difficulty,
        digest=facts.digest,
        problems=(),
        checks=tuple(_check(result) for result in results),
    )


def _malformed(task: Malformed) -> TaskReport:
    return TaskReport(
        id=task.folder.rpartition("/")[2],
        folder=task.folder,
        title="",
        package="",
        family="",
        difficulty="",
        digest="",
        problems=tuple(
            ProblemReport(
                file=printable(problem.file),  # a name that is refused for what cannot be seen stays recognisable
                field=printable(problem.field),
                message=problem.message,
            )
            for problem in task.problems
        ),
        checks=(),
    )


def _check(result: Result) -> CheckReport:
    facts = result.facts
    return CheckReport(
        name=facts.check,
        kind=facts.kind,
        fix=facts.fix,
        nodeid=facts.nodeid,
        outcome=result.outcome,
        cached=facts.cached,
        seconds=round(result.seconds, 3),
        claim=facts.claim,
        found=facts.found,
        reason=result.reason,
        mend=facts.mend,
        commands=facts.commands,
        repeat=facts.repeat,
        excerpt=facts.excerpt,
        grade=_grade(result),
    )


def _grade(result: Result) -> GradeReport | None:
    facts = result.facts
    if facts.compiles is None or facts.tampered is None or facts.hidden is None or facts.reward is None:
        return None
    return GradeReport(
        compiles=facts.compiles,
        tampered=facts.tampered,
        hidden=facts.hidden,
        reward=facts.reward,
        code=facts.code,
        seconds={step: round(seconds, 3) for step, seconds in facts.steps.items()},
        box=facts.box,
    )
