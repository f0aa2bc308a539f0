"""Task folders as collectors, checks as items."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.checks import Check, Prover, Verdict, checks_of
from go_debug_bench.errors import GobenchError, ToolchainError
from go_debug_bench.exploits import NotHere
from go_debug_bench.grading import Grader
from go_debug_bench.task import Task, load_task
from go_debug_bench.tasks_dir import is_task_folder, task_folders
from go_debug_bench.toolchain import RELEASE, find_toolchain
from go_debug_bench.workspace import Workspace
from pytest_gobench.sampling import OPTION, Plan
from pytest_gobench.selection import Selection
from pytest_gobench.summary import FACTS, Facts

__all__ = ["CheckItem", "TaskCollection", "TaskFile", "TaskFolder"]

_NOTICE_SECONDS = 10
_PROVERS = pytest.StashKey["_Provers"]()
_PLAN = pytest.StashKey[Plan]()


class TaskCollection:
    """The hooks of a run that has tasks."""

    def __init__(self, config: pytest.Config, selection: Selection, plan: Plan) -> None:
        self.selection = selection
        self.plan = plan
        config.stash[_PLAN] = plan
        config.stash[_PROVERS] = _Provers(config, selection)

    def pytest_report_header(self) -> list[str]:
        """Say where tasks are looked for, and which exploits are tried."""
        roots = ", ".join(sorted(_shown(root) for root in self.selection.roots))
        return [line for line in (f"gobench: tasks in {roots}", self.plan.header()) if line]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send the plan to an xdist worker."""
        node.workerinput[OPTION] = self.plan.as_dict()

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

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what the run's tasks import, so that the first check can warm the build cache for all."""
        imports = {path for item in session.items if isinstance(item, CheckItem) for path in item.task.imports}
        session.config.stash[_PROVERS].imports = frozenset(imports)

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Remove the temporary folders."""
        config.stash[_PROVERS].close()


def _require_tasks(config: pytest.Config) -> None:
    for argument in config.args:
        path = Path(argument.split("::")[0]).absolute()
        if path.name != "task.json" and not is_task_folder(path) and not task_folders(path):
            raise pytest.UsageError(f"no task in {path}: a task is a folder that holds a task.json")
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

    def __init__(self, config: pytest.Config, selection: Selection) -> None:
        self.strict = selection.strict
        self.imports: frozenset[str] = frozenset()
        self.last_notice = 0.0
        self._config = config
        self._workspace: Workspace | None = None
        self._provers: dict[str, Prover] = {}

    def require_go(self) -> None:
        """Find a Go for the release that the tasks are for; a task of another one looks for its own later."""
        find_toolchain(RELEASE, self._config.getoption("gobench_go"))

    def get(self, release: str) -> Prover:
        if release not in self._provers:
            self._provers[release] = self._make(release)
        return self._provers[release]

    def _make(self, release: str) -> Prover:
        toolchain = find_toolchain(release, self._config.getoption("gobench_go"))
        self._workspace = self._workspace or Workspace()
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        parallelism = max(1, (os.cpu_count() or 1) // workers) if workers > 1 else None
        grader = Grader(toolchain, self._workspace, parallelism=parallelism)
        grader.warm(self.imports, lambda text: _say(self._config, text))
        keep = self._config.getoption("gobench_keep")
        return Prover(
            grader=grader,
            repeat=self._config.getoption("gobench_repeat"),
            keep=self._config.invocation_params.dir / keep if keep else None,
        )

    def close(self) -> None:
        if self._workspace:
            self._workspace.close()


class TaskFolder(pytest.Collector):
    """A task's folder.

    No pytest.Directory: pytest loads the ``conftest.py`` of every Directory that it collects. And no pytest.File:
    ``--lf`` passes over the files that nothing failed in.
    """

    @classmethod
    def of(cls, path: Path, parent: pytest.Collector) -> TaskFolder:
        """The collector of the folder ``path``."""
        nodeid = f"{parent.nodeid}/{path.name}" if parent.nodeid else path.name
        return cls.from_parent(parent, name=path.name, path=path, nodeid=nodeid)

    def collect(self) -> Iterator[pytest.Collector]:
        """Yield the task's ``task.json``, whose items are the checks."""
        yield TaskFile.from_parent(self, path=self.path / "task.json")


class TaskFile(pytest.File):
    """A ``task.json``; its items are the checks of the task."""

    def collect(self) -> Iterator[pytest.Item]:
        """Load the task, running no Go, and yield its checks. A malformed task is an error of this file alone."""
        task = load_task(self.path.parent)
        repeat, plan = self.config.getoption("gobench_repeat"), self.config.stash[_PLAN]
        for check in checks_of(task, repeat=repeat, exploits=plan.names_for(task)):
            # Said as a string, which pytest parses: --lf finds a check with a name in brackets only so.
            nodeid = f"{self.nodeid}::{check.name}"
            yield CheckItem.from_parent(self, name=check.name, nodeid=nodeid, task=task, check=check)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Every problem of the task, without a traceback."""
        return str(excinfo.value) if isinstance(excinfo.value, GobenchError) else super().repr_failure(excinfo)


class ClaimFailed(Exception):
    """A claim does not hold."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.found)
        self.verdict = verdict


class CheckItem(pytest.Item):
    """One check of one task."""

    def __init__(self, *, task: Task, check: Check, **rest: Any) -> None:
        super().__init__(**rest)
        self.task = task
        self.check = check
        self.add_marker("gobench")

    def runtest(self) -> None:
        """Prove the claim, and leave the facts for the summary as built-in types."""
        prover = self._prover()
        prover.notify = functools.partial(_notice, self, time.monotonic())
        try:
            verdict = prover.run(self.check, self.task)
        except NotHere as reason:
            pytest.skip(str(reason))
        self.user_properties.append((FACTS, json.dumps(Facts.of(self.task, self.check, verdict).as_dict())))
        if not verdict.ok:
            raise ClaimFailed(verdict)

    def _prover(self) -> Prover:
        """The prover for this task's Go. Without Go the check is skipped, unless the run is strict."""
        provers = self.config.stash[_PROVERS]
        try:
            return provers.get(self.task.spec.go)
        except ToolchainError as error:
            # Not in setup(): pytest shows the failure of a setup with its whole traceback.
            if provers.strict:
                raise
            pytest.skip(str(error))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What an author needs to mend the task, without a traceback."""
        error = excinfo.value
        if isinstance(error, ClaimFailed):
            return _explain(self, error.verdict)
        return str(error) if isinstance(error, GobenchError) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The heading of a failure."""
        return self.path, None, f"{self.task.id}: {self.name}"


def _explain(item: CheckItem, verdict: Verdict) -> str:
    kept = f"/tmp/kept/{item.task.id}/{item.check.folder}"  # noqa: S108  (a hint to read)
    lines = [("found", verdict.found), ("claim", verdict.claim)]
    if verdict.commands:
        lines.append(("repeat", f"pytest {_options(item)}'{item.nodeid}' --gobench-keep=/tmp/kept"))
        lines += [("", f"(cd {kept} && TZ=UTC {command})") for command in verdict.commands]
    lines.append(("mend", verdict.mend))
    text = "\n".join(f"{label:<8}{line}" for label, line in lines)
    return f"{text}\n\n{verdict.excerpt}" if verdict.excerpt else text


def _options(item: CheckItem) -> str:
    """The options without which the item would not be collected again."""
    flag = "--gobench-tasks " if item.config.getoption("gobench_tasks") else ""
    repeat = item.config.getoption("gobench_repeat")
    if item.check.kind == "exploit":  # a sample is another one after the next commit
        return f"{flag}{OPTION}={item.check.fix} "
    return flag + (f"--gobench-repeat={repeat} " if item.check.kind == "stable" else "")


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
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
