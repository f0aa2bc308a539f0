"""What validating the tasks costs, against the bare ``go`` commands that it cannot do without.

Run it as ``uv run python -m benchmarks.validate [ID ...] [--rounds N]``. Both sides work on the same trees with the
same Go, flags and warm build cache, one right after the other, ``rounds`` times. The floor, for each task: one
``go vet``, one public run each on the unfixed repo and the reference, and one build, one ``go test -c`` and one run
for each distinct tree that is graded; a tree whose tests were tampered with, or that does not build, needs its build
alone. No command is run twice. The measured side is ``pytest --gobench-tasks``.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bare import Bare, timed, written
from go_debug_bench import fixes
from go_debug_bench.task import Task, load_tasks
from go_debug_bench.tasks_dir import tasks_dir
from go_debug_bench.toolchain import RELEASE, find_toolchain
from go_debug_bench.workspace import Workspace


class Floor:
    """The commands of one task's checks, on trees that are written before the clock starts."""

    def __init__(self, bare: Bare, task: Task, room: Path) -> None:
        self._bare = bare
        self._task = task
        reference = fixes.apply(task.spec.reference_fix, task.repo)
        broken = {**reference, task.spec.reference_fix.edits[0].file: b"func {\n"}
        graded = [task.repo, *(fixes.apply(fix, task.repo) for fix in task.fixes().values())]
        self._public = [written(files, room / f"public{i}") for i, files in enumerate((task.repo, reference))]
        self._built = [written(files, room / f"built{i}") for i, files in enumerate((reference, broken))]
        self._graded = [written({**files, **task.hidden}, room / f"graded{i}") for i, files in enumerate(graded)]

    def run(self) -> None:
        """All commands, in turn."""
        self._bare.go(self._public[0], "vet", "./...")
        for room in self._public:
            self._bare.go(room, "test", "-count=1", "-vet=off", "./...")
        for room in self._built:
            self._bare.go(room, "build", "./...")
        for room in self._graded:
            self._bare.suite(self._task, room)


def validate(ids: Sequence[str], workers: str) -> None:
    """The checks, as a user runs them; exploits have a benchmark of their own."""
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "-q", "-n", workers, "-p", "no:cacheprovider"]
    argv.append("--gobench-exploits=off")
    argv += [str(tasks_dir() / name) for name in ids]
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)


def main() -> int:
    """Print the medians, the ratios and the peak memory."""
    parser = argparse.ArgumentParser(description="Time the validation of tasks against the bare go commands.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="task ids (default: all)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="measurements of each side (default 3)")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="exit with 1 if the ratio at -n 0 is above it")
    options = parser.parse_args()
    tasks = load_tasks(ids=options.ids or None)
    ids = [task.id for task in tasks]
    toolchain = find_toolchain(RELEASE)
    sides: dict[str, list[float]] = {"floor": [], "-n 0": [], "-n auto": []}
    with Workspace() as workspace, workspace.room() as room:
        floors = [Floor(Bare(toolchain, room), task, room / task.id) for task in tasks]
        for floor in floors:
            floor.run()  # warms the cache, which both sides share
        validate(ids, "0")
        for _ in range(options.rounds):
            sides["floor"].append(sum(timed(floor.run) for floor in floors))
            sides["-n 0"].append(timed(lambda: validate(ids, "0")))
            sides["-n auto"].append(timed(lambda: validate(ids, "auto")))
    base = statistics.median(sides["floor"])
    print(f"{len(tasks)} tasks, {toolchain.version}, {os.cpu_count()} cores, {options.rounds} rounds")
    for name, seconds in sides.items():
        middle = statistics.median(seconds)
        print(
            f"{name:<8} {middle:7.2f} s  (from {min(seconds):.2f} to {max(seconds):.2f})  {middle / base:.2f} x floor"
        )
    print(f"peak memory of one process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
    ratio = statistics.median(sides["-n 0"]) / base
    return 1 if options.limit and ratio > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
