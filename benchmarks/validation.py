"""What the checks of tasks cost, against the bare ``go`` commands that they cannot do without."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.bare import Bare, Floor
from benchmarks.measure import Figure, Sample, alternate, median, process, timed
from go_debug_bench.task import Task
from go_debug_bench.toolchain import Toolchain

__all__ = ["validation"]

_TOOLS = Path(__file__).parent.parent / "go_debug_bench" / "gotools"


def validation(toolchain: Toolchain, tasks: Sequence[Task], room: Path, *, rounds: int, cold: bool) -> Iterator[Figure]:
    """Figures of all checks of the tasks, warm, from an empty cache if ``cold``, and from kept verdicts."""
    floors = [Floor(Bare(toolchain, room), task, room / task.id) for task in tasks]
    folders = [task.folder for task in tasks]
    for floor in floors:
        floor.run()  # warms the cache, which both sides share
    _checks(folders, room, "0")

    def run_floors() -> None:
        for floor in floors:
            floor.run()

    sides = alternate(
        {
            "-n 0": lambda: _checks(folders, room, "0"),
            "-n auto": lambda: _checks(folders, room, "auto"),
            "go": lambda: timed(run_floors),
        },
        rounds,
    )
    warm, shared, base = (median(sides[name]) for name in ("-n 0", "-n auto", "go"))
    busy = {name: median(sides[name], "cpu") / median(sides[name]) for name in sides}
    many = f"{len(tasks)} tasks"
    yield Figure(
        name=f"validate {many}, -n 0",
        value=warm / base,
        unit="x",
        target=1.3,
        sides={name: sides[name] for name in ("-n 0", "go")},
        note=f"{median(sides['-n 0'], 'cpu') / median(sides['go'], 'cpu'):.2f} x of processor time",
    )
    yield Figure(
        name=f"validate {many}, -n auto",
        value=warm / shared,
        unit="x faster",
        target=1.7,
        more_is_better=True,
        sides={name: sides[name] for name in ("-n auto", "-n 0")},
        note=f"of {os.cpu_count()} cores {busy['-n 0']:.2f} are busy at -n 0 and {busy['-n auto']:.2f} at -n auto",
    )
    yield _kept(folders, room, rounds)
    if cold:
        yield _cold(toolchain, tasks, floors, room, warm)


def _kept(folders: Sequence[Path], room: Path, rounds: int) -> Figure:
    _checks(folders, room, "0", "--gobench-cache=on")
    samples = [_checks(folders, room, "0", "--gobench-cache=on") for _ in range(rounds)]
    return Figure(
        name=f"validate {len(folders)} tasks, kept verdicts", value=median(samples), unit="s", sides={"-n 0": samples}
    )


def _cold(toolchain: Toolchain, tasks: Sequence[Task], floors: Sequence[Floor], room: Path, warm: float) -> Figure:
    """The first run on a machine, against one cold build of the same packages and the warm time.

    The packages are the standard library's, those of the grader's tools, and those of each tree with its tests.
    """
    bare = Bare(toolchain, room, cache=room / "cold-go-build")
    source = toolchain.goroot / "src"
    imports = {path for task in tasks for path in task.imports if (source / path).is_dir()}
    module = room / "cold-module"
    module.mkdir()
    (module / "go.mod").write_text("module cold\n")

    def build() -> None:
        bare.go(_TOOLS, "build", "./...")
        bare.go(module, "build", *sorted(imports), "testing", "testing/internal/testdeps")
        for floor in floors:
            floor.compile(bare)

    built = timed(build)
    cache = room / "cold-cache"
    cache.mkdir(mode=0o700)
    first = _checks([task.folder for task in tasks], room, "0", GOBENCH_CACHE=str(cache))
    return Figure(
        name=f"validate {len(tasks)} tasks, empty cache",
        value=first.wall / (built.wall + warm),
        unit="x",
        target=1.1,
        sides={"-n 0": [first], "go build": [built]},
        note=f"{first.wall:.0f} s, against {built.wall:.0f} s to compile the same packages and {warm:.0f} s warm",
    )


def _checks(folders: Sequence[Path], room: Path, workers: str, *more: str, **variables: str) -> Sample:
    """The checks, as a user runs them; exploits have a benchmark of their own."""
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "-q", "-n", workers, "-p", "no:cacheprovider"]
    argv += ["--gobench-exploits=off", "--gobench-cache=off", *more, *map(str, folders)]
    return process(argv, cwd=room, env={**os.environ, **variables})
