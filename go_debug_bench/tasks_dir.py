"""Where the tasks of this package lie. A module of its own: looking them up loads nothing else."""

from __future__ import annotations

from pathlib import Path

__all__ = ["tasks_dir"]

_PACKAGED = Path(__file__).parent / "tasks"
_CHECKOUT = Path(__file__).parent.parent / "tasks"


def tasks_dir() -> Path:
    """The tasks that belong to this package: beside it in a wheel, else the checkout's, edits and all."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT
