"""What one grade costs, against the bare build, compile and run of the same tree.

Run it as ``uv run python -m benchmarks.grade [ID ...] [--grades N]``. Every grade stands between two measurements of
the bare commands in the same process, with the same warm build cache. Then ``at once`` grades run in threads, and
are compared with the same number one after another.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.bare import Bare, timed, written
from go_debug_bench import fixes
from go_debug_bench.grading import Grader
from go_debug_bench.task import Task, load_tasks
from go_debug_bench.toolchain import RELEASE, find_toolchain
from go_debug_bench.workspace import Workspace


def measure(grader: Grader, bare: Bare, task: Task, room: Path, *, grades: int, at_once: int) -> None:
    """Print one task's figures."""
    reference = fixes.apply(task.spec.reference_fix, task.repo)
    agent = written(reference, room / "agent")
    tree = written({**reference, **task.hidden}, room / "bare")
    for work in (lambda: bare.suite(task, tree), lambda: grader.grade(task, agent)):
        work()
    floor, graded = [], []
    for _ in range(grades):
        floor.append(timed(lambda: bare.suite(task, tree)))
        graded.append(timed(lambda: grader.grade(task, agent)))
    serial = timed(lambda: [grader.grade(task, agent) for _ in range(at_once)])
    with ThreadPoolExecutor(at_once) as pool:
        parallel = timed(lambda: list(pool.map(lambda _: grader.grade(task, agent), range(at_once))))
    middle, base = statistics.median(graded), statistics.median(floor)
    spread = statistics.quantiles(graded, n=10)
    print(
        f"{task.id:<20} bare {base * 1000:5.0f} ms   grade {middle * 1000:5.0f} ms "
        f"(p10 {spread[0] * 1000:.0f}, p90 {spread[-1] * 1000:.0f})   {middle / base:.2f} x   "
        f"{at_once} at once: {parallel / serial:.2f} x serial"
    )


def main() -> int:
    """Measure the named tasks, or all."""
    parser = argparse.ArgumentParser(description="Time one grade against the bare go commands of the same tree.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="task ids (default: all)")
    parser.add_argument("--grades", type=int, default=30, metavar="N", help="grades per task (default 30)")
    parser.add_argument("--at-once", type=int, default=16, metavar="N", help="grades in parallel (default 16)")
    options = parser.parse_args()
    toolchain = find_toolchain(RELEASE)
    with Workspace() as workspace, workspace.room() as room:
        grader = Grader(toolchain, workspace)
        print(f"{toolchain.version}, {os.cpu_count()} cores, {options.grades} grades per task")
        for task in load_tasks(ids=options.ids or None):
            grader.warm(task.imports)
            with workspace.room() as task_room:
                bare = Bare(toolchain, room)
                measure(grader, bare, task, task_room, grades=options.grades, at_once=options.at_once)
    children, own = (
        resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    print(f"peak memory: {own} MiB in this process, {children} MiB in the largest child")
    return 0


if __name__ == "__main__":
    sys.exit(main())
