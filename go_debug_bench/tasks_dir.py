"""Where tasks lie. A module of its own: looking for them loads nothing else."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_task_folder", "task_around", "task_folders", "tasks_dir"]

_PACKAGED = Path(__file__).parent / "tasks"
_CHECKOUT = Path(__file__).parent.parent / "tasks"


def tasks_dir() -> Path:
    """The tasks that belong to this package: beside it in a wheel, else the checkout's, edits and all."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def is_task_folder(path: Path) -> bool:
    """Whether a folder holds a ``task.json``."""
    return os.path.lexists(path / "task.json")


def task_around(path: Path) -> Path | None:
    """The nearest task folder above ``path``, which is as it is given: no link is followed."""
    return next((folder for folder in path.parents if is_task_folder(folder)), None)


def task_folders(root: Path) -> list[Path]:
    """The task folders that are direct children of ``root``, by name."""
    return sorted(path for path in root.iterdir() if is_task_folder(path)) if root.is_dir() else []
