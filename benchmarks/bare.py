"""The bare ``go`` commands of the same work, as the floor that everything is measured against."""

from __future__ import annotations

import subprocess
from pathlib import Path

from go_debug_bench import fixes, tree
from go_debug_bench.task import Task
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.tree import Tree
from go_debug_bench.workspace import cache_dir

__all__ = ["Bare", "Floor", "written"]


class Bare:
    """Runs commands with the grader's flags and a build cache, and nothing around them."""

    def __init__(self, toolchain: Toolchain, home: Path, cache: Path | None = None) -> None:
        self._go = toolchain.go
        self._env = environment(toolchain, home=home, cache=cache or cache_dir() / "go-build")
        self._box_env = {"GOMAXPROCS": "2", "TZ": "UTC", "HOME": str(home), "TMPDIR": str(home)}

    def go(self, folder: Path, *arguments: str) -> None:
        """A go command; whether it succeeds is not asked."""
        self._run([self._go, *arguments], folder, self._env)

    def suite(self, task: Task, folder: Path) -> None:
        """Build, compile and run the whole suite of a tree that holds the hidden tests."""
        self.go(folder, "build", "./...")
        for number, package in enumerate(task.test_packages):
            binary = str(folder / f"suite{number}")
            # Left from the round before, it would be found up to date, and nothing be linked.
            Path(binary).unlink(missing_ok=True)
            self.go(folder, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, f"./{package}")
            argv = [binary, "-test.v=test2json", f"-test.timeout={task.spec.timeout_seconds}s"]
            self._run(argv, folder / package, self._box_env)

    def _run(self, argv: list[str], folder: Path, env: dict[str, str]) -> None:
        subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


class Floor:
    """The commands that one task's checks cannot do without, on trees that are written before the clock starts.

    One ``go vet``; one public run each on the unfixed repo and the reference; one build, one ``go test -c`` and one
    run for each distinct tree that is graded, and for one that does not build its build alone. The reference with a
    deleted test is no tree of its own: the test comes back before it is built.
    """

    def __init__(self, bare: Bare, task: Task, room: Path) -> None:
        self._bare = bare
        self._task = task
        reference = fixes.apply(task.spec.reference_fix, task.repo)
        broken = {**reference, task.spec.reference_fix.edits[0].file: b"func {\n"}
        graded = [task.repo, *(fixes.apply(fix, task.repo) for fix in task.fixes().values())]
        self._public = [written(files, room / f"public{i}") for i, files in enumerate((task.repo, reference))]
        self._broken = written(broken, room / "broken")
        self._graded = [written({**files, **task.hidden}, room / f"graded{i}") for i, files in enumerate(graded)]

    def compile(self, bare: Bare) -> None:
        """Compile every tree's packages and those of its tests with another cache, and link none."""
        for room in (*self._public, *self._graded):
            bare.go(room, "list", "-export", "-test", "./...")

    def run(self) -> None:
        """All commands, in turn."""
        self._bare.go(self._public[0], "vet", "./...")
        for room in self._public:
            self._bare.go(room, "test", "-count=1", "-vet=off", "./...")
        self._bare.go(self._broken, "build", "./...")
        for room in self._graded:
            self._bare.suite(self._task, room)


def written(files: Tree, folder: Path) -> Path:
    """The folder, with the files in it."""
    tree.write(files, folder)
    return folder
