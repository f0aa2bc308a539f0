"""What happens before anything is proved or graded: imports, the collection of many tasks, loading the environment.

All of it is one thread that waits for nothing, so the figures are processor time: that of other programs on the
machine does not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.copies import copied
from benchmarks.measure import Figure, Sample, alternate, median, process
from go_debug_bench.tasks_dir import task_folders, tasks_dir

__all__ = ["collecting", "environment", "startup"]

_TASKS = 200
_CHECKS = 23  # of a task of this repository, on average
_IMPORT = """\
import time{first}
wall, cpu = time.perf_counter(), time.process_time()
{what}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""
_ENVIRONMENT = """\
import sys, time
from pathlib import Path
import verifiers.v1
wall, cpu = time.perf_counter(), time.process_time()
from go_debug_bench.environment import taskset
taskset.tasks_dir = lambda: Path(sys.argv[1])
made = list(taskset.GoDebugTaskset(taskset.GoDebugConfig(image=None)).load())
assert len(made) == int(sys.argv[2])
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def startup(room: Path, *, rounds: int) -> Iterator[Figure]:
    """Figures of starting up."""
    for what, first, target in (("go_debug_bench", "", 10.0), ("pytest_gobench.plugin", ", pytest", 30.0)):
        program = _IMPORT.format(first=first, what=f"import {what}")
        _printed(program)  # compiles it
        samples = [_printed(program) for _ in range(2 * rounds + 1)]
        yield Figure(
            name=f"import {what}",
            value=1000 * median(samples, "cpu"),
            unit="ms",
            target=target,
            sides={"import": samples},
        )
    tasks = copied(task_folders(tasks_dir()), _TASKS, room / "many")
    plain = _plain(room / "plain")

    def plainly() -> Sample:
        return _collect(["--import-mode=importlib", "-p", "no:gobench", str(plain)], room)

    collecting(tasks, room, known=True)
    plainly()
    for name, known in (("first time", False), ("known tasks", True)):
        sides = alternate(
            {
                "tasks": lambda known=known: collecting(tasks, room, known=known),  # type: ignore[misc]
                "pytest": plainly,
            },
            rounds,
        )
        yield Figure(
            name=f"collect {_TASKS} tasks, {name}",
            value=median(sides["tasks"], "cpu") - median(sides["pytest"], "cpu"),
            unit="s more",
            target=0.5 if known else None,
            sides=sides,
            note=f"beyond pytest's collection of as many tests in {_TASKS} folders",
        )
    environment(tasks, _TASKS)
    samples = [environment(tasks, _TASKS) for _ in range(rounds)]
    yield Figure(
        name=f"environment of {_TASKS} tasks",
        value=1000 * median(samples, "cpu"),
        unit="ms more",
        target=200.0,
        sides={"load": samples},
        note="beyond importing verifiers",
    )


def _printed(program: str, *arguments: str) -> Sample:
    """The seconds that a program of its own prints: wall and processor time."""
    argv = [sys.executable, "-c", program, *arguments]
    printed = subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True).stdout
    wall, cpu = map(float, printed.split()[-2:])
    return Sample(wall=wall, cpu=cpu)


def collecting(tasks: Path, room: Path, *, known: bool) -> Sample:
    """``pytest --collect-only`` of a folder of tasks; those that are not ``known`` are judged for the first time."""
    memory = room / "memory"
    if not known:
        memory = room / f"memory-{os.urandom(4).hex()}"
    memory.mkdir(mode=0o700, exist_ok=True)
    return _collect(["--gobench-tasks", "--gobench-exploits=off", str(tasks)], room, GOBENCH_CACHE=str(memory))


def environment(tasks: Path, number: int) -> Sample:
    """Loading the taskset of verifiers with that many tasks, once verifiers itself is imported."""
    return _printed(_ENVIRONMENT, str(tasks), str(number))


def _collect(arguments: list[str], room: Path, **variables: str) -> Sample:
    argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-q", "-n", "0", "-p", "no:cacheprovider"]
    return process([*argv, *arguments], cwd=room, env={**os.environ, **variables})


def _plain(root: Path) -> Path:
    """As many tests as the tasks have checks, in as many folders."""
    for index in range(_TASKS):
        folder = root / f"part{index:03d}"
        folder.mkdir(parents=True)
        text = f"import pytest\n\n\n@pytest.mark.parametrize('n', range({_CHECKS}))\ndef test_it(n):\n    pass\n"
        (folder / "test_it.py").write_text(text, encoding="utf-8")
    return root
