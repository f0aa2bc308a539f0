"""How cost grows from 1 to 200 tasks, as a plot: ``uv run python -m benchmarks.growth [--out FILE]``.

The tasks are copies of this repository's under new ids, each with a comment of its own, so that no cache takes two for
one. Collection and the environment's loading are processor time of one process. Validation is the wall time of two
checks of each task, ``vet-clean`` and ``unfixed-fails``, by ``-n auto``, and again from kept verdicts.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.copies import copied
from benchmarks.measure import Sample, keep_bytecode, process
from benchmarks.startup import collecting, environment
from go_debug_bench.tasks_dir import task_folders, tasks_dir
from go_debug_bench.workspace import Workspace

_SIZES = (1, 5, 20, 50, 100, 200)
_OUT = Path(__file__).parent.parent / "docs" / "images" / "growth.svg"
_GREY = "#8b949e"  # readable on white and on black
_COLOURS = ("#2f81f7", "#d29922", "#3fb950", "#db61a2")


def measure(sizes: Sequence[int], validated: int, room: Path, progress: Console) -> dict[str, dict[int, float]]:
    """Seconds by line of the plot and number of tasks."""
    names = ("collect, known tasks", "load the environment", "validate, two checks", "validate, kept verdicts")
    found: dict[str, dict[int, float]] = {name: {} for name in names}
    for size in sizes:
        tasks = copied(task_folders(tasks_dir()), size, room / f"tasks{size}")
        collecting(tasks, room, known=True)
        environment(tasks, size)
        found["collect, known tasks"][size] = collecting(tasks, room, known=True).cpu
        found["load the environment"][size] = environment(tasks, size).cpu
        if size <= validated:
            found["validate, two checks"][size] = _validate(tasks, room).wall
            found["validate, kept verdicts"][size] = _validate(tasks, room).wall
        progress.print(
            f"{size} tasks: " + ", ".join(f"{name} {of[size]:.2f} s" for name, of in found.items() if size in of)
        )
    return found


def _validate(tasks: Path, room: Path) -> Sample:
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "-q", "-n", "auto", "-p", "no:cacheprovider"]
    argv += ["--gobench-exploits=off", "--gobench-cache=on", "-k", "vet-clean or unfixed-fails", str(tasks)]
    return process(argv, cwd=room, env=dict(os.environ))


def draw(found: Mapping[str, Mapping[int, float]], out: Path) -> None:
    """Write the plot, without a background, so that it reads on a light and on a dark page."""
    # Imported here: matplotlib takes a second.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "growth", "font.family": "sans-serif"})
    figure = Figure(figsize=(7.2, 4.2))
    axes = figure.subplots()
    for (name, seconds), colour in zip(found.items(), _COLOURS, strict=True):
        sizes = sorted(seconds)
        axes.plot(sizes, [seconds[size] for size in sizes], marker="o", color=colour, linewidth=2)
        ends = sizes[-1] < _SIZES[-1]  # before the others: its name stands above it, and theirs beside them
        axes.annotate(
            name,
            (sizes[-1], seconds[sizes[-1]]),
            xytext=(0, 9) if ends else (8, 0),
            textcoords="offset points",
            color=colour,
            ha="center" if ends else "left",
            va="baseline" if ends else "center",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(_SIZES, [str(size) for size in _SIZES])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel("tasks", color=_GREY)
    axes.set_ylabel("seconds", color=_GREY)
    axes.tick_params(colors=_GREY)
    axes.grid(color=_GREY, alpha=0.3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_GREY)
    out.parent.mkdir(parents=True, exist_ok=True)
    # Without a date the same figures give the same file.
    figure.savefig(
        out, transparent=True, bbox_inches="tight", metadata={"Date": None} if out.suffix == ".svg" else None
    )


def main() -> int:
    """Measure and draw."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--out", type=Path, default=_OUT, metavar="FILE", help="an .svg or .png file")
    parser.add_argument("--most", type=int, default=_SIZES[-1], metavar="N", help="tasks at the most (default 200)")
    parser.add_argument("--validated", type=int, default=50, metavar="N",
                        help="tasks at the most that are validated: half a second each (default 50)")  # fmt: skip
    options = parser.parse_args()
    with Workspace() as workspace, workspace.room() as room, workspace.room() as bytecode:
        keep_bytecode(bytecode)
        sizes = [size for size in _SIZES if size <= options.most]
        draw(measure(sizes, options.validated, room, Console(stderr=True)), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
