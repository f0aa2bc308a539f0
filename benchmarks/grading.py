"""What grades cost: one against the bare commands of the same tree, many at once, and a thousand one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from benchmarks.bare import Bare, written
from benchmarks.measure import Figure, Sample, alternate, median, timed
from go_debug_bench import fixes
from go_debug_bench.grading import Grader
from go_debug_bench.task import Task

__all__ = ["grading", "lasting"]

_AT_ONCE = 16


def grading(grader: Grader, tasks: Sequence[Task], room: Path, *, rounds: int, many: int) -> Iterator[Figure]:
    """Figures of single grades of each task, and of ``many`` of all tasks, sixteen at a time."""
    bare = Bare(grader.toolchain, room)
    pairs: list[tuple[Callable[[], object], Callable[[], object]]] = []
    for task in tasks:
        grader.warm(task.imports)
        reference = fixes.apply(task.spec.reference_fix, task.repo)
        agent = written(reference, room / task.id / "agent")
        tree = written({**reference, **task.hidden}, room / task.id / "bare")
        grade, floor = _bind(grader.grade, task, agent), _bind(bare.suite, task, tree)
        grade()
        floor()
        pairs.append((grade, floor))
        sides = alternate({"grade": _timing(grade), "go": _timing(floor)}, rounds)
        yield Figure(
            name=f"grade {task.id}",
            value=median(sides["grade"]) / median(sides["go"]),
            unit="x",
            target=1.25,
            sides=sides,
            note=f"{median(sides['grade'], 'cpu') / median(sides['go'], 'cpu'):.2f} x of processor time",
        )
    trees = [[written({**fixes.apply(task.spec.reference_fix, task.repo), **task.hidden}, room / f"{task.id}-{slot}")
              for task in tasks] for slot in range(_AT_ONCE)]  # fmt: skip

    def at_once(work: Callable[[int], object]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(work, range(many)))

    sides = alternate(
        {
            "grade": lambda: timed(lambda: at_once(lambda n: pairs[n % len(pairs)][0]())),
            # Each thread in folders of its own: sixteen do not share one binary.
            "go": lambda: timed(
                lambda: at_once(lambda n: bare.suite(tasks[n % len(tasks)], trees[n % _AT_ONCE][n % len(tasks)]))
            ),
        },
        1,
    )
    yield Figure(
        name=f"{many} grades, {_AT_ONCE} at a time",
        value=median(sides["grade"], "cpu") / median(sides["go"], "cpu"),
        unit="x cpu",
        target=1.15,
        sides=sides,
        note=f"{median(sides['grade']) / median(sides['go']):.2f} x of wall time",
    )


def _bind(call: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: call(*arguments)


def _timing(work: Callable[[], object]) -> Callable[[], Sample]:
    return lambda: timed(work)


def lasting(grader: Grader, task: Task, room: Path, *, grades: int) -> Iterator[Figure]:
    """What grows while one grader grades again and again, from the first tenth of the grades on."""
    agent = written(fixes.apply(task.spec.reference_fix, task.repo), room / "lasting")
    me = psutil.Process()  # type: ignore[no-untyped-call]

    def state() -> dict[str, float]:
        return {
            "memory": me.memory_info().rss / 2**20,
            "open files": me.num_fds(),  # type: ignore[no-untyped-call]
            "temporary folders": sum(1 for _ in grader.workspace.folder.iterdir()),
            "cache": sum(path.lstat().st_size for path in grader.cache.rglob("*") if path.is_file()) / 2**20,
        }

    def grade(number: int) -> None:
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda _: grader.grade(task, agent), range(number)))

    grade(max(grades // 10, 8))
    before = state()
    grade(grades)
    after = state()
    limits = {"memory": 8.0, "open files": 0.0, "temporary folders": 0.0, "cache": 1.0}
    for what, limit in limits.items():
        yield Figure(
            name=f"{what} after {grades} grades",
            value=after[what] - before[what],
            unit="MiB more" if what in ("memory", "cache") else "more",
            target=limit,
            note=f"from {before[what]:.0f} to {after[what]:.0f}",
        )
