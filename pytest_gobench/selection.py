"""Which folders hold tasks in this run, from the command line and the ini file. It looks at names only: no Go."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from go_debug_bench.errors import UnknownTaskError
from go_debug_bench.tasks_dir import is_task_folder, task_around, task_folders

__all__ = ["Selection", "code_inside_task", "default_roots", "named_tasks", "select", "with_value"]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The folders whose direct children are tasks; ``alone`` collects nothing but tasks.

    Without ``strict``, a missing Go skips the checks instead of failing them. ``remark`` is what the header says of the
    folders, if nobody has named them.
    """

    roots: frozenset[Path]
    alone: bool
    strict: bool
    remark: str = ""

    def holds_task(self, folder: Path) -> bool:
        """Whether ``folder`` is a task of this run."""
        return folder.parent in self.roots and is_task_folder(folder)

    def is_inside_task(self, path: Path) -> bool:
        """Whether ``path`` lies below a task folder."""
        return any(self.holds_task(parent) for parent in path.parents)


def select(
    *, flag: bool, strict: bool, ini_roots: Sequence[Path], arguments: Iterable[Path], remark: str = ""
) -> Selection | None:
    """The selection of a run, or None if the plugin has nothing to do.

    ``arguments`` are the paths of the command line. With the flag, each names a folder of tasks, a task, or its
    ``task.json``.
    """
    roots = set(ini_roots)
    if flag:
        for path in arguments:
            if path.name == "task.json":
                roots.add(path.parent.parent)
            else:
                roots.add(path.parent if is_task_folder(path) else path)
    elif not roots:
        return None
    return Selection(roots=frozenset(roots), alone=flag, strict=strict or flag, remark=remark)


def default_roots(ini_roots: Sequence[Path], start: Path, packaged: Path) -> tuple[list[Path], str]:
    """Where tasks are looked for when the command line names no path: the ini's folders, ./tasks, the package's.

    With a remark if it is the last, as a CI that proves the package's tasks has proved nothing of its own.
    """
    if ini_roots:
        return list(ini_roots), ""
    if (start / "tasks").is_dir():
        return [start / "tasks"], ""
    return [packaged], "those of the package, as there is no ./tasks and no gobench_tasks"


def named_tasks(names: Sequence[str], roots: Sequence[Path], packaged: Path) -> list[Path]:
    """The folders of the tasks with these ids below ``roots``, all of them if two have the same.

    Raises:
        UnknownTaskError: an id that no task has; its notes say where it was looked for, and of an id of a ``packaged``
            task that it is one.
    """
    known = [folder for root in roots for folder in task_folders(root)]
    if unknown := set(names) - {folder.name for folder in known}:
        error = UnknownTaskError(unknown, {folder.name for folder in known})
        error.add_note(f"looked in {', '.join(map(str, roots))}")
        for name in sorted(unknown & {folder.name for folder in task_folders(packaged)}):
            error.add_note(f"{name!r} is one of the packaged tasks: add --tasks packaged to 'go-debug-bench verify'")
        raise error
    return [folder for name in dict.fromkeys(names) for folder in known if folder.name == name]


def code_inside_task(config_file: Path | None, anchors: Iterable[Path]) -> Path | None:
    """A file of a task folder that would make pytest run code before collection, or None.

    That is pytest's configuration, if it was found in a task, and a ``conftest.py``: pytest loads the one of each
    argument's folder and its parents, and of its subfolders called ``test*``. What pytest imports before it loads any
    plugin, for ``-p`` or a warning filter of that configuration, cannot be stopped from here.
    """
    if config_file and _is_in_task(config_file.parent):
        return config_file
    for anchor in anchors:
        for folder in (anchor, *anchor.parents, *anchor.glob("test*")):
            conftest = folder / "conftest.py"
            if os.path.lexists(conftest) and _is_in_task(folder):
                return conftest
    return None


def _is_in_task(folder: Path) -> bool:
    return is_task_folder(folder) or task_around(folder) is not None


def with_value(arguments: Sequence[str], option: str, value: str) -> list[str]:
    """A command line on which an option that stands alone gets its value with =, so that it takes no path for it."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [f"{option}={value}" if text == option and i < end else text for i, text in enumerate(arguments)]
