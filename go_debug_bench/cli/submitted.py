"""Where a task's module lies in a folder that is to be graded, and of which task a folder seems to be a checkout."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click

from go_debug_bench import tree
from go_debug_bench.cli.folders import TaskFolders, all_tasks, with_tasks
from go_debug_bench.prompt import REPO
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree

__all__ = ["module_folder"]

_MODULE = re.compile(rb"(?m)^module[ \t]+(\S+)")


def module_folder(task: Task, folder: Path, tasks: TaskFolders) -> Path:
    """The folder of the module in a checkout of ``task``: ``folder`` itself, or its ``repo``.

    An agent may have changed or deleted anything, so that one of the task's Go files is enough.

    Raises:
        UsageError: there is none of them, or more speaks for another one of ``tasks``.
    """
    if not folder.is_dir():
        what = "is a file" if os.path.lexists(folder) else "is not there"
        raise _wrong(f"{folder} {what}; make a checkout with '{_checkout(task.id, tasks)}'")
    places = [folder]
    if (folder / REPO).is_dir() and not (folder / REPO).is_symlink():
        places.insert(0, folder / REPO)
    found = max(places, key=lambda place: _present(task.repo, place))
    present = _present(task.repo, found)
    if not present or _module(found) != _MODULE.findall(task.repo["go.mod"]):
        other = _seems_to_be(places, tasks, task.id, more_than=present)
        if other:
            command = with_tasks(f"go-debug-bench grade {other} {shlex.quote(str(folder))}", tasks)
            raise _wrong(f"{folder} seems to be a checkout of {other}, not of {task.id}; try '{command}'")
    if not present:
        files = ", ".join(sorted(path for path in task.repo if path.endswith(".go"))[:3])
        raise _wrong(
            f"{folder} is no checkout of {task.id}: it holds none of its Go files ({files}, …); "
            f"make one with '{_checkout(task.id, tasks)}'"
        )
    return found


def _seems_to_be(places: list[Path], tasks: TaskFolders, task_id: str, *, more_than: int) -> str:
    """The other task whose module is in one of the places, with more Go files than ``more_than``, or an empty text."""
    present = {}
    for other in all_tasks(tasks):
        module = other / REPO
        same = [place for place in places if _module(place) == _module(module)]
        if same and other.name != task_id:
            present[other.name] = max(_present(_go_files(module), place) for place in same)
    best = max(present, key=lambda name: present[name], default="")
    return best if best and present[best] > more_than else ""


def _go_files(folder: Path) -> Tree:
    try:
        return tree.scan(folder, want=lambda path: path.endswith(".go")).files
    except (tree.TreeRefused, OSError):
        return {}


def _present(files: Tree, folder: Path) -> int:
    """How many of the Go files a folder has."""
    return sum(path.endswith(".go") and os.path.lexists(folder / path) for path in files)


def _module(folder: Path) -> list[bytes]:
    """What the ``go.mod`` of a folder, which may be hostile, calls the module."""
    try:
        found = tree.scan(folder, enter=lambda _: False, want=lambda path: path == "go.mod")
    except (tree.TreeRefused, OSError):
        return []
    return _MODULE.findall(found.files.get("go.mod", b""))


def _checkout(task_id: str, tasks: TaskFolders) -> str:
    return with_tasks(f"go-debug-bench checkout {task_id} NEW-DIR", tasks)


def _wrong(message: str) -> click.UsageError:
    return click.BadParameter(message, param_hint="DIR")
