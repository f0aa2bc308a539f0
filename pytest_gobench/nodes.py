"""Task folders as collectors, checks as items."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import os
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.checks import Check, Prover, checks_of
from go_debug_bench.errors import GobenchError, Problem, TaskError, ToolchainError
from go_debug_bench.exploits import NotHere
from go_debug_bench.grading import Grader
from go_debug_bench.once import Once
from go_debug_bench.task import Task, load_task
from go_debug_bench.tasks_dir import is_task_folder, task_folders
from go_debug_bench.text import one_line, printable
from go_debug_bench.toolchain import RELEASE, find_toolchain
from go_debug_bench.verdicts import VerdictCache
from go_debug_bench.workspace import Workspace
from pytest_gobench.facts import FACTS, Facts, Malformed, shown_folder
from pytest_gobench.sampling import OPTION, Plan
from pytest_gobench.selection import Selection
from pytest_gobench.summary import explain, marked

__all__ = ["CheckItem", "TaskCollection", "TaskFile", "TaskFolder"]

_NOTICE_SECONDS = 10
_REASON = 1_000  # characters; of a line that pytest prints as it is
_PROVERS = pytest.StashKey["_Provers"]()
_PLAN = pytest.StashKey[Plan]()
_ONCE = "gobench_once"


class TaskCollection:
    """The hooks of a run that has tasks."""

    def __init__(
        self, config: pytest.Config, selection: Selection, plan: Plan, verdicts: VerdictCache | None = None
    ) -> None:
        self.selection = selection
        self.plan = plan
        config.stash[_PLAN] = plan
        config.stash[_PROVERS] = _Provers(config, selection, verdicts)

    def pytest_report_header(self) -> list[str]:
        """Say where tasks are looked for, and which exploits are tried."""
        roots = ", ".join(sorted(_shown(root) for root in self.selection.roots))
        tasks = ": ".join(filter(None, (f"gobench: tasks in {roots}", self.selection.remark)))
        return [line for line in (tasks, self.plan.header()) if line]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send an xdist worker the plan, and the folder in which the workers keep what each tree has shown."""
        node.workerinput[OPTION] = self.plan.as_dict()
        node.workerinput[_ONCE] = str(node.config.stash[_PROVERS].once.folder)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Fail early, once and clearly, when only tasks were asked for and there are none or no Go."""
        if self.selection.alone and not hasattr(session.config, "workerinput"):
            _require_tasks(session.config)

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Take every task folder whatever its name, nothing below it, and with the flag nothing beside it."""
        if _is_ignored_by_option(collection_path, config):
            return True
        if self.selection.holds_task(collection_path) or collection_path in self.selection.roots:
            return False
        if self.selection.is_inside_task(collection_path):
            return True
        return True if self.selection.alone and collection_path.is_file() else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a task folder as one task, never as a package or a folder of Python files."""
        return TaskFolder.of(path, parent) if self.selection.holds_task(path) else None

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a ``task.json`` that is named by itself from outside of pytest's root."""
        if file_path.name == "task.json" and self.selection.holds_task(file_path.parent):
            return TaskFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Leave the problems of a malformed task with the report of its collection, which crosses xdist."""
        report = yield
        if isinstance(collector, TaskFile) and report.failed:
            problems = collector.problems or (Problem("task.json", "", report.longreprtext),)
            setattr(report, FACTS, Malformed(folder=collector.shown_folder, problems=problems).to_json())
        return report

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the run's tasks, so that the first check can warm the build cache for all."""
        tasks = {item.task.folder: item.task for item in session.items if isinstance(item, CheckItem)}
        session.config.stash[_PROVERS].tasks = tuple(tasks.values())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Have a check leave its facts with every report, also where it is skipped or breaks in its setup."""
        if isinstance(item, CheckItem):
            item.begin()

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Remove the temporary folders."""
        config.stash[_PROVERS].close()


def _require_tasks(config: pytest.Config) -> None:
    for argument in config.args:
        path = Path(argument.split("::")[0]).absolute()
        if path.name != "task.json" and not is_task_folder(path) and not task_folders(path):
            raise pytest.UsageError(f"no task in {printable(str(path))}: a task is a folder that holds a task.json")
    if not config.option.collectonly:
        try:
            config.stash[_PROVERS].require_go()
        except ToolchainError as error:
            raise pytest.UsageError(str(error)) from None


def _is_ignored_by_option(path: Path, config: pytest.Config) -> bool:
    """Whether ``--ignore`` or ``--ignore-glob`` names the path: what this plugin answers stops pytest from asking."""
    start = config.invocation_params.dir
    ignored = [start / name for name in config.getoption("ignore") or ()]
    globs = [str(start / pattern) for pattern in config.getoption("ignore_glob") or ()]
    return path in ignored or any(fnmatch.fnmatch(str(path), pattern) for pattern in globs)


class _Provers:
    """One prover per Go release, made when the first check needs it."""

    def __init__(self, config: pytest.Config, selection: Selection, verdicts: VerdictCache | None) -> None:
        self.strict = selection.strict
        self.tasks: Sequence[Task] = ()
        self.last_notice = 0.0
        self._config = config
        self._verdicts = verdicts
        self._provers: dict[str, Prover] = {}

    def require_go(self) -> None:
        """Find a Go for the release that the tasks are for; a task of another one looks for its own later."""
        find_toolchain(RELEASE, self._config.getoption("gobench_go"))

    def get(self, release: str) -> Prover:
        if release not in self._provers:
            self._provers[release] = self._make(release)
        return self._provers[release]

    @functools.cached_property
    def workspace(self) -> Workspace:
        return Workspace()

    @property
    def once(self) -> Once:
        """What the processes of the run tell each other; the controller's, if there is one."""
        workerinput = getattr(self._config, "workerinput", {})
        return Once(Path(workerinput[_ONCE]) if _ONCE in workerinput else self.workspace.folder / "once")

    def _make(self, release: str) -> Prover:
        toolchain = find_toolchain(release, self._config.getoption("gobench_go"))
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        parallelism = max(1, (os.cpu_count() or 1) // workers) if workers > 1 else None
        grader = Grader(toolchain, self.workspace, parallelism=parallelism, once=self.once)

        @functools.cache
        def warm() -> None:  # not in a run that kept verdicts answer
            imports = {path for task in self.tasks for path in task.imports}
            grader.warm(imports, lambda text: _say(self._config, text))

        keep = self._config.getoption("gobench_keep")
        return Prover(
            grader=grader,
            repeat=self._config.getoption("gobench_repeat"),
            keep=self._config.invocation_params.dir / keep if keep else None,
            verdicts=self._verdicts,
            warm=warm,
        )

    def close(self) -> None:
        if "workspace" in vars(self):
            self.workspace.close()


class TaskFolder(pytest.Collector):
    """A task's folder.

    No pytest.Directory: pytest loads the ``conftest.py`` of every Directory that it collects. And no pytest.File:
    ``--lf`` passes over the files that nothing failed in.
    """

    @classmethod
    def of(cls, path: Path, parent: pytest.Collector) -> TaskFolder:
        """The collector of the folder ``path``."""
        name = printable(path.name)  # pytest shows it as it is; what changes is no task's name
        nodeid = f"{parent.nodeid}/{name}" if parent.nodeid else name
        return cls.from_parent(parent, name=name, path=path, nodeid=nodeid)

    def collect(self) -> Iterator[pytest.Collector]:
        """Yield the task's ``task.json``, whose items are the checks."""
        nodeid = None if self.name == self.path.name else f"{self.nodeid}/task.json"
        yield TaskFile.from_parent(self, path=self.path / "task.json", nodeid=nodeid)


class TaskFile(pytest.File):
    """A ``task.json``; its items are the checks of the task."""

    problems: tuple[Problem, ...] = ()

    @property
    def shown_folder(self) -> str:
        """The task's folder as reports name it."""
        return shown_folder(self.path.parent, self.config.rootpath)

    def collect(self) -> Iterator[pytest.Item]:
        """Load the task, running no Go, and yield its checks. A malformed task is an error of this file alone."""
        self.add_marker("gobench")
        try:
            task = load_task(self.path.parent)
        except TaskError as error:
            self.problems = error.problems
            raise
        repeat, plan = self.config.getoption("gobench_repeat"), self.config.stash[_PLAN]
        for order, check in enumerate(checks_of(task, repeat=repeat, exploits=plan.names_for(task))):
            # Said as a string, which pytest parses: --lf finds a check with a name in brackets only so.
            nodeid = f"{self.nodeid}::{check.name}"
            yield CheckItem.from_parent(self, name=check.name, nodeid=nodeid, task=task, check=check, order=order)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Every problem of the task, without a traceback.

        With the file at the end: xdist passes over an error whose text it has seen, and two folders may hold the same.
        """
        if isinstance(excinfo.value, GobenchError):
            return f"{excinfo.value}\nin {self.nodeid}"
        return super().repr_failure(excinfo)


class ClaimFailed(Exception):
    """A claim does not hold."""


class CheckItem(pytest.Item):
    """One check of one task."""

    def __init__(self, *, task: Task, check: Check, order: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.task = task
        self.check = check
        self._order = order

    @functools.cached_property
    def _before(self) -> Facts:
        folder = shown_folder(self.task.folder, self.config.rootpath)
        facts = Facts.of(self.task, self.check, folder=folder, nodeid=self.nodeid, order=self._order)
        return facts.with_repeat(_options(self))

    def begin(self) -> None:
        """Leave what is known before it runs: not when it is collected, which would take half of that time."""
        self._leave(self._before)

    def _leave(self, facts: Facts) -> None:
        """Have every report of this item carry the facts, in place of those that it had."""
        self.facts = facts
        others = [(name, value) for name, value in self.user_properties if name != FACTS]
        self.user_properties[:] = [*others, (FACTS, facts.to_json())]

    def runtest(self) -> None:
        """Prove the claim, and leave the facts for the summary as built-in types."""
        self.begin()
        prover = self._prover()
        prover.notify = functools.partial(_notice, self, time.monotonic())
        try:
            verdict = prover.run(self.check, self.task)
        except NotHere as reason:
            pytest.skip(one_line(str(reason), _REASON))
        self._leave(self._before.with_verdict(verdict, prover.grader.toolchain, kept=self.check.folder))
        if not verdict.ok:
            raise ClaimFailed(verdict.found)

    def _prover(self) -> Prover:
        """The prover for this task's Go. Without Go the check is skipped, unless the run is strict."""
        provers = self.config.stash[_PROVERS]
        try:
            return provers.get(self.task.spec.go)
        except ToolchainError as error:
            # Not in setup(): pytest shows the failure of a setup with its whole traceback.
            if provers.strict:
                raise
            pytest.skip(one_line(str(error), _REASON))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What an author needs to mend the task, without a traceback."""
        error = excinfo.value
        if isinstance(error, ClaimFailed):
            return explain(self.facts)
        if isinstance(error, GobenchError):  # which may quote what a program printed
            first, *rest = str(error).split("\n")
            return "\n".join([first, *map(marked, rest)])
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The heading of a failure."""
        return self.path, None, f"{self.task.id}: {self.name}"


def _options(item: CheckItem) -> list[str]:
    """The options without which the item would not be collected again."""
    options = ["--gobench-tasks"] if item.config.getoption("gobench_tasks") else []
    if item.check.kind == "exploit":  # a sample is another one after the next commit
        options.append(f"{OPTION}={item.check.fix}")
    if item.check.kind == "stable":
        options.append(f"--gobench-repeat={item.config.getoption('gobench_repeat')}")
    return options


def _notice(item: CheckItem, begin: float, progress: str) -> None:
    """Say how far a long check is, every few seconds."""
    provers = item.config.stash[_PROVERS]
    now = time.monotonic()
    if now - max(begin, provers.last_notice) >= _NOTICE_SECONDS:
        provers.last_notice = now
        _say(item.config, f"{item.task.id} {item.name}: {progress}")


def _say(config: pytest.Config, text: str) -> None:
    """Print a line past pytest's capture; a worker's goes to the same terminal."""
    capture = config.pluginmanager.get_plugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
        print(f"\ngobench: {text}", file=sys.stderr, flush=True)


def _shown(path: Path) -> str:
    try:
        return printable(str(path.relative_to(Path.cwd())))
    except ValueError:
        return printable(str(path))
