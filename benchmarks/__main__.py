"""Measure what this project costs beside the bare go commands: ``python -m benchmarks [ID ...]``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.container import container, has_engine
from benchmarks.grading import grading, lasting
from benchmarks.measure import Figure, keep_bytecode
from benchmarks.startup import startup
from benchmarks.validation import validation
from go_debug_bench.grading import Grader
from go_debug_bench.task import Task, load_task, load_tasks
from go_debug_bench.toolchain import RELEASE, Toolchain, find_toolchain
from go_debug_bench.workspace import Workspace

_SMALL = Path(__file__).parent.parent / "tests" / "examples" / "valid" / "tiny-tally"
_SAMPLE = ("config-omitempty", "eventbus-aliasing", "promoted-writeto-bypass")  # the last is the dearest to grade
_PARTS = ("startup", "grading", "lasting", "validation", "container")


def figures(options: argparse.Namespace, toolchain: Toolchain, workspace: Workspace) -> Iterator[Figure]:
    """All figures that were asked for, as they are measured."""
    quick: bool = options.quick
    parts: Sequence[str] = options.only or _PARTS
    tasks: list[Task] = load_tasks(ids=options.ids or (_SAMPLE[:1] if quick else _SAMPLE))
    grader = Grader(toolchain, workspace)
    with workspace.room() as room:
        if "startup" in parts:
            yield from startup(room / "startup", rounds=1 if quick else 5)
        if "grading" in parts:
            yield from grading(grader, tasks, room / "grading", rounds=5 if quick else 15, many=32 if quick else 100)
        if "lasting" in parts:
            yield from lasting(grader, load_task(_SMALL), room / "lasting", grades=40 if quick else options.grades)
        if "validation" in parts:
            yield from validation(toolchain, tasks, room / "validation", rounds=1 if quick else 3, cold=not quick)
        if "container" in parts and has_engine():
            yield from container(tasks[0], rounds=3 if quick else 10)


def table(found: Sequence[Figure]) -> Table:
    """The figures as people read them: each side's median, and its spread from the least to the most."""
    shown = Table(title="what it costs, beside the bare go commands")
    for name, justify in (("", "left"), ("here", "right"), ("beside", "right"), ("figure", "right"),
                          ("target", "right"), ("", "left"), ("peak", "right"), ("", "left")):  # fmt: skip
        shown.add_column(name, justify=justify)  # type: ignore[arg-type]
    for figure in found:
        sides = [*figure.sides.values(), [], []][:2]
        walls = ([sample.wall for sample in side] for side in sides)
        texts = [f"{_seconds(statistics.median(wall))} ({_seconds(min(wall))} to {_seconds(max(wall))})" if wall else ""
                 for wall in walls]  # fmt: skip
        peak = max((sample.peak for sample in sides[0]), default=0)
        sign = "≥" if figure.more_is_better else "≤"
        target = "" if figure.target is None else f"{sign} {figure.target:g}"
        verdict = {None: "", True: "ok", False: "above" if not figure.more_is_better else "below"}[figure.ok]
        value = f"{figure.value:.2f} {figure.unit}"
        shown.add_row(figure.name, *texts, value, target, verdict, f"{peak >> 20} MiB" if peak else "", figure.note)
    return shown


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def document(found: Sequence[Figure], toolchain: Toolchain, seconds: float) -> dict[str, object]:
    """The figures with all their samples, and the machine, for JSON."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "machine": {
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "system": platform.system(),
            "load": os.getloadavg()[0],
            "python": platform.python_version(),
            "go": toolchain.version,
        },
        "peak_bytes": {
            "this process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
            "largest child": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10,
        },
        "figures": [{**dataclasses.asdict(figure), "ok": figure.ok} for figure in found],
    }


def main() -> int:
    """Measure, print the table, and write JSON if asked; 1 if a target is missed and ``--strict`` was said."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"tasks to grade and validate (default: {_SAMPLE})")
    parser.add_argument("--quick", action="store_true", help="few rounds on one task, in under two minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples")
    parser.add_argument(
        "--only", action="append", choices=_PARTS, metavar="PART", help=f"again for several: {', '.join(_PARTS)}"
    )
    parser.add_argument("--grades", type=int, default=1000, metavar="N", help="grades that must leave nothing behind")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args()
    toolchain = find_toolchain(RELEASE)
    progress, begin, found = Console(stderr=True), time.perf_counter(), []
    with Workspace() as workspace, workspace.room() as bytecode, progress.status("measuring"):
        keep_bytecode(bytecode)
        for figure in figures(options, toolchain, workspace):
            found.append(figure)
            progress.print(f"{time.perf_counter() - begin:4.0f} s  {figure.name}: {figure.value:.2f} {figure.unit}")
    console = Console(width=None if sys.stdout.isatty() else 170)
    console.print(table(found))
    made = document(found, toolchain, time.perf_counter() - begin)
    console.print(
        f"{made['when']}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {toolchain.version}, "
        f"Python {platform.python_version()}; {made['seconds']} s; peak memory of this process and of its largest "
        f"child: {' and '.join(f'{size >> 20} MiB' for size in made['peak_bytes'].values())}"  # type: ignore[attr-defined]
    )
    if options.json:
        options.json.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    return 1 if options.strict and any(figure.ok is False for figure in found) else 0


if __name__ == "__main__":
    sys.exit(main())
