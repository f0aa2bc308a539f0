"""The bare ``go`` commands of the same work, as the floor that everything is measured against."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from go_debug_bench import tree
from go_debug_bench.task import Task
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.tree import Tree
from go_debug_bench.workspace import cache_dir

__all__ = ["Bare", "timed", "written"]


class Bare:
    """Runs commands with the grader's flags and warm build cache, and nothing around them."""

    def __init__(self, toolchain: Toolchain, home: Path) -> None:
        self._go = toolchain.go
        self._env = environment(toolchain, home=home, cache=cache_dir() / "go-build")
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

    def _run(self, argv: Sequence[str], folder: Path, env: dict[str, str]) -> None:
        subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def written(files: Tree, folder: Path) -> Path:
    """The folder, with the files in it."""
    tree.write(files, folder)
    return folder


def timed(work: Callable[[], object]) -> float:
    """Wall seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
