"""Measurements: wall and processor time of a piece of work, and figures that set one side beside another."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Figure", "Sample", "alternate", "keep_bytecode", "median", "process", "timed"]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What one piece of work took: seconds of wall time, of processor time with all children, and peak bytes."""

    wall: float
    cpu: float
    peak: int = 0


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One line of the table.

    ``value`` is what is held against the ``target`` (at most, or at least if it is ``more_is_better``); ``sides``
    holds all samples behind it, this project's first.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    more_is_better: bool = False
    sides: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.more_is_better else self.value <= self.target


def keep_bytecode(folder: Path) -> None:
    """Have the processes that are measured start from compiled Python, as they do where it is installed by pip.

    Where nothing may be compiled, or everything was just installed, half of a start is Python's compiler.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def timed(work: Callable[[], object]) -> Sample:
    """Run a piece of work in this process."""
    before, begin = _cpu(), time.perf_counter()
    work()
    return Sample(wall=time.perf_counter() - begin, cpu=_cpu() - before)


def _cpu() -> float:
    """Seconds of processor time of this process and of all children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def process(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, check: bool = True) -> Sample:
    """Run a program to its end; its own peak memory, and its time with that of all its children."""
    begin = time.perf_counter()
    with subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as started:
        output = started.stdout.read() if started.stdout else b""
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if check and started.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)} failed:\n{output.decode('utf-8', 'replace')[-3000:]}")
    return Sample(wall=time.perf_counter() - begin, cpu=usage.ru_utime + usage.ru_stime, peak=usage.ru_maxrss << 10)


def alternate(sides: Mapping[str, Callable[[], Sample]], rounds: int) -> dict[str, list[Sample]]:
    """Samples of each side, taken in turn: what else runs on the machine meets them all."""
    samples: dict[str, list[Sample]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            samples[name].append(side())
    return samples


def median(samples: Sequence[Sample], of: str = "wall") -> float:
    """The median wall or processor time."""
    return float(statistics.median(getattr(sample, of) for sample in samples))
