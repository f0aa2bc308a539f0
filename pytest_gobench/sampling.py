"""Which exploits a run tries on which task: none, all, those that are named, or a sample that a digest chooses."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from go_debug_bench.exploits import EXPLOITS, exploits_for
from go_debug_bench.task import Task
from go_debug_bench.tasks_dir import task_folders
from pytest_gobench.selection import Selection

__all__ = ["OPTION", "SAMPLE_SIZE", "Plan", "commit_of", "plan", "plan_of"]

OPTION = "--gobench-exploits"
ALL = "all"
SAMPLE_SIZE = 6
"""Exploits in the sample of each task but one, which is tried with all of them."""

Mode = Literal["off", "sample", "all", "named"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run tries. The controller makes it, and its workers take it over: they must collect the same items.

    ``whole`` is the task that a sample tries everything on; ``commit`` decides the sample.
    """

    mode: Mode
    names: tuple[str, ...] = ()
    commit: str = ""
    whole: str = ""

    def names_for(self, task: Task) -> tuple[str, ...]:
        """The exploits to try on a task, in the suite's order."""
        if self.mode == "off":
            return ()
        fit = exploits_for(task)
        if self.mode == "all" or task.id == self.whole:
            return fit
        if self.mode == "named":
            return tuple(name for name in fit if name in self.names)
        drawn = sorted(fit, key=lambda name: _digest(self.commit, task.id, name))[:SAMPLE_SIZE]
        return tuple(name for name in fit if name in drawn)

    def header(self) -> str:
        """One line that says what is tried, or nothing."""
        if self.mode == "off":
            return ""
        if self.mode == "sample":
            return (
                f"gobench: exploits: a sample by commit {self.commit[:12] or '(none)'}: "
                f"all on {self.whole or '(no task)'}, {SAMPLE_SIZE} on each other task"
            )
        return f"gobench: exploits: {'all' if self.mode == 'all' else ', '.join(self.names)}"

    def as_dict(self) -> dict[str, Any]:
        """The plan in built-in types, for workers."""
        return {**asdict(self), "names": list(self.names)}

    @classmethod
    def of(cls, values: dict[str, Any]) -> Plan:
        """The plan that ``as_dict`` gave."""
        return cls(**{**values, "names": tuple(values["names"])})


def plan(*, chosen: str | None, ini: str, tasks: Iterable[str], commit: str) -> Plan:
    """The plan of a run: ``chosen`` is the option's value, or None where it is not given and the ini value counts.

    Either is ``off``, ``sample``, ``all``, or names of exploits with commas between them.
    """
    value = ini if chosen is None else chosen
    if value in ("", "off"):
        return Plan(mode="off")
    if value == ALL:
        return Plan(mode="all")
    if value == "sample":
        ids = sorted(tasks, key=lambda task: _digest(commit, task, ""))
        return Plan(mode="sample", commit=commit, whole=ids[0] if ids else "")
    return Plan(mode="named", names=tuple(dict.fromkeys(value.split(","))))


def plan_of(config: pytest.Config, selection: Selection) -> Plan:
    """The plan of a run; a worker takes over what its controller has made.

    Raises:
        UsageError: an exploit is named that there is none of.
    """
    workerinput = getattr(config, "workerinput", {})
    if OPTION in workerinput:
        return Plan.of(workerinput[OPTION])
    made = plan(
        chosen=config.getoption("gobench_exploits"),
        ini=config.getini("gobench_exploits"),
        tasks=[folder.name for root in selection.roots for folder in task_folders(root)],
        commit=commit_of(config.rootpath),
    )
    if problems := [_unknown(name) for name in made.names if name not in EXPLOITS]:
        raise pytest.UsageError("; ".join(problems))
    return made


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, [*EXPLOITS, ALL, "sample", "off"], n=3, cutoff=0.5)
    return f"no exploit {name!r}" + (f": did you mean {' or '.join(near)}?" if near else "")


def _digest(commit: str, task: str, name: str) -> str:
    return hashlib.sha256("\n".join((commit, task, name)).encode()).hexdigest()


def commit_of(folder: Path) -> str:
    """The commit that a checkout is at, read from its files; "" where there is none.

    No git is run: a checkout's configuration may name commands.
    """
    try:
        git = folder / ".git"
        if git.is_file():  # a worktree or submodule names its folder
            git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        common = git / (git / "commondir").read_text(encoding="utf-8").strip() if (git / "commondir").exists() else git
        if (common / name).is_file():
            return (common / name).read_text(encoding="utf-8").strip()
        packed = (common / "packed-refs").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", packed, re.MULTILINE)
    return found[1] if found else ""
