"""What validating the tasks costs, against the bare ``go`` commands that it cannot do without.

Run it as ``uv run python benchmarks/validate.py [ID ...] [--rounds N]``. Both sides work on the same trees with the
same Go, flags and warm build cache, one right after the other, ``rounds`` times. The floor is a plain script: for
each task one ``go vet``, one public run each on the unfixed repo and the reference, and one build, one
``go test -c`` and one run for each distinct tree that is graded; a tree whose tests were tampered with, or that does
not build, needs its build alone. No command is run twice. The measured side is ``pytest --gobench-tasks -n 0``.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from go_debug_bench import fixes, tree
from go_debug_bench.task import Task, load_tasks
from go_debug_bench.tasks_dir import tasks_dir
from go_debug_bench.toolchain import Toolchain, environment, find_toolchain
from go_debug_bench.workspace import Workspace, cache_dir


class Floor:
    """The bare commands, on trees that are written before the clock starts."""

    def __init__(self, toolchain: Toolchain, room: Path, tasks: Sequence[Task]) -> None:
        self._go = toolchain.go
        home = room / "home"
        home.mkdir()
        self._env = environment(toolchain, home=home, cache=cache_dir() / "go-build")
        self._tasks = [(task, self._write(task, room / task.id)) for task in tasks]

    def _write(self, task: Task, room: Path) -> dict[str, Path]:
        """Every tree that the checks of a task look at, by name."""
        reference = fixes.apply(task.spec.reference_fix, task.repo)
        broken = dict(reference)
        broken[task.spec.reference_fix.edits[0].file] = b"func {\n"
        trees = {"public-unfixed": task.repo, "public-reference": reference, "tampered": reference, "broken": broken}
        graded = {"unfixed": task.repo, **{name: fixes.apply(fix, task.repo) for name, fix in task.fixes().items()}}
        trees |= {f"graded-{name}": {**files, **task.hidden} for name, files in graded.items()}
        for name, files in trees.items():
            tree.write(files, room / name)
        return {name: room / name for name in trees}

    def run(self) -> None:
        """All commands, in turn."""
        for task, rooms in self._tasks:
            self._run(rooms["public-unfixed"], "go", "vet", "./...")
            for name, room in rooms.items():
                if name.startswith("public-"):
                    self._run(room, "go", "test", "-count=1", "-vet=off", "./...")
                    continue
                self._run(room, "go", "build", "./...")
                if name.startswith("graded-"):
                    self._suite(task, room)

    def _suite(self, task: Task, room: Path) -> None:
        for number, package in enumerate(task.test_packages):
            binary = room / f"suite{number}"
            self._run(room, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", str(binary), f"./{package}")
            self._run(room / package, str(binary), "-test.v=test2json", f"-test.timeout={task.spec.timeout_seconds}s")

    def _run(self, folder: Path, *argv: str) -> None:
        command = [self._go if argv[0] == "go" else argv[0], *argv[1:]]
        env = {**self._env, "GOMAXPROCS": "2"} if argv[0] != "go" else self._env
        subprocess.run(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def validate(ids: Sequence[str], workers: str) -> None:
    """The checks, as a user runs them."""
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "-q", "-n", workers, "-p", "no:cacheprovider"]
    argv += [str(tasks_dir() / name) for name in ids]
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True, env=dict(os.environ))


def timed(work: Callable[[], None]) -> float:
    """Wall seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main() -> int:
    """Print the medians, the ratio and the peak memory."""
    parser = argparse.ArgumentParser(description="Time the validation of tasks against the bare go commands.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="task ids (default: all)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="measurements of each side (default 3)")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="exit with 1 if the ratio at -n 0 is above it")
    options = parser.parse_args()
    tasks = load_tasks(ids=options.ids or None)
    ids = [task.id for task in tasks]
    toolchain = find_toolchain("1.24")
    with Workspace() as workspace, workspace.room() as room:
        floor = Floor(toolchain, room, tasks)
        validate(ids, "0")  # warms every cache, that of the floor too: it is the same one
        sides: dict[str, list[float]] = {"floor": [], "-n 0": [], "-n auto": []}
        for _ in range(options.rounds):
            sides["floor"].append(timed(floor.run))
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
