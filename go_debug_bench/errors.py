"""What can go wrong, as exceptions that say which file, which field, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from go_debug_bench.text import plain, printable

__all__ = [
    "GobenchError",
    "InfrastructureError",
    "Problem",
    "TaskError",
    "ToolchainError",
    "UnknownTaskError",
]


_LONGEST = 1 << 20  # characters; no message comes near


class GobenchError(Exception):
    """Base of every error that this package raises on purpose.

    Whatever a message quotes, it steers no terminal. It may have several lines.
    """

    def __str__(self) -> str:
        return plain(super().__str__(), _LONGEST)


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong with a task: where, and how to mend it. As text it is one printable line."""

    file: str
    field: str
    message: str

    def __str__(self) -> str:
        parts = (self.file, self.field, self.message) if self.field else (self.file, self.message)
        return ": ".join(map(printable, parts))


class TaskError(GobenchError, ValueError):
    """A task folder is malformed. ``problems`` holds every problem found, not only the first."""

    def __init__(self, task: str, problems: Sequence[Problem]) -> None:
        self.task = task
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"task {task!r} is malformed ({count}):", *(f"  {p}" for p in self.problems)]))


class UnknownTaskError(GobenchError, LookupError):
    """A task id that no task has. The message names the nearest known ids, or all of them."""

    def __init__(self, unknown: Iterable[str], known: Iterable[str]) -> None:
        self.unknown = tuple(sorted(unknown))
        self.known = tuple(sorted(map(printable, known)))
        super().__init__("; ".join(self._explain(name) for name in self.unknown))

    def _explain(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        if near:
            return f"no task {name!r}: did you mean {' or '.join(near)}?"
        return f"no task {name!r}: the tasks are {', '.join(self.known) or '(none)'}"


class ToolchainError(GobenchError):
    """No Go of the version that a task needs. The message says where it was looked for and what to do."""


class InfrastructureError(GobenchError):
    """The machinery failed, not the submission: never a reward of 0, always this exception."""
