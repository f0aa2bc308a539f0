"""Which folders hold tasks in this run, from the command line and the ini file. Pure path arithmetic: no Go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Selection", "conftest_inside_task", "default_root", "select"]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The folders whose direct children are tasks; ``alone`` collects nothing but tasks.

    Without ``strict``, a missing Go skips the checks instead of failing them.
    """

    roots: frozenset[Path]
    alone: bool
    strict: bool

    def holds_task(self, folder: Path) -> bool:
        """Whether ``folder`` is a task of this run."""
        return folder.parent in self.roots and _has_task_json(folder)

    def is_inside_task(self, path: Path) -> bool:
        """Whether ``path`` lies below a task folder."""
        return any(self.holds_task(parent) for parent in path.parents)


def select(*, flag: bool, strict: bool, ini_roots: Sequence[Path], arguments: Iterable[Path]) -> Selection | None:
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
                roots.add(path.parent if _has_task_json(path) else path)
    elif not roots:
        return None
    return Selection(roots=frozenset(roots), alone=flag, strict=strict or flag)


def default_root(ini_roots: Sequence[Path], start: Path, packaged: Path) -> list[Path]:
    """Where tasks are looked for when the command line names no path: the ini's folders, ./tasks, the package's."""
    if ini_roots:
        return list(ini_roots)
    return [start / "tasks" if (start / "tasks").is_dir() else packaged]


def conftest_inside_task(anchors: Iterable[Path]) -> Path | None:
    """A ``conftest.py`` of a task folder that pytest would run before collection, or None.

    Pytest loads the one of each argument's folder and its parents, and of its subfolders called ``test*``.
    """
    for anchor in anchors:
        for folder in (anchor, *anchor.parents, *anchor.glob("test*")):
            if any(_has_task_json(parent) for parent in (folder, *folder.parents)):
                conftest = folder / "conftest.py"
                if conftest.exists() or conftest.is_symlink():
                    return conftest
    return None


def _has_task_json(folder: Path) -> bool:
    path = folder / "task.json"
    return path.exists() or path.is_symlink()
