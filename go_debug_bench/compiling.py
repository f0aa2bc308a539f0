"""From a clean room to the test binaries of the attesting suite. Nothing of a submission is run for it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from go_debug_bench import tree
from go_debug_bench.attestation import ATTEST_FOLDER, attest_module, attesting_module
from go_debug_bench.gosource import parse_go
from go_debug_bench.host import BUILD_LIMITS, Host
from go_debug_bench.once import Once
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree, is_test_file

if TYPE_CHECKING:
    from go_debug_bench.launcher import Completed

__all__ = ["Compiler"]

_BUILDS = b""
_FLAGS = ("-vet=off", "-ldflags=-s -w")
# Who needs more is told so by the two commands, which have all the time of a build.
_LIMITS = replace(BUILD_LIMITS, seconds=BUILD_LIMITS.seconds / 3)
# A program, which is linked too; a package that its tests may join; a reader of the files beside it.
_BUILT_OTHERWISE = re.compile(rb"\bmain\b|_test\b|go:embed")
_VERSION = re.compile(r"/v\d+\Z")


class Compiler:
    """Go commands on trees that are staged for a task. ``once`` remembers which of them build."""

    def __init__(self, host: Host, cache: Path, once: Once | None = None) -> None:
        self._host = host
        self._once = once
        self._attest_module = attest_module(cache)
        self._suites: dict[str, Tree] = {}
        self._external: dict[str, bool] = {}

    def build_and_compile(self, task: Task, staged: Tree, room: Path) -> dict[str, Path]:
        """The suite's binaries by package, if that many packages compile that the module builds for certain.

        One command in place of ``failed_build`` and ``compile``, which find out what is wrong where this finds none:
        where something does not compile, or the suite could compile against a module that does not build.
        """
        if not self._builds_if_it_compiles(task, staged):
            return {}
        folder, found = room / "suite", room / "binaries"
        tree.write({**staged, **self.suite(task)}, folder)
        found.mkdir()
        wanted = ("-o", f"{found}/", "./...", *_patterns(task))
        done = self._host.go(folder, "test", "-c", *_FLAGS, *wanted, limits=_LIMITS)
        binaries = {package: found / f"{name}.test" for package, name in _names(task).items()}
        # As many, and no others: the names are a guess, which two packages may share.
        if not done.ok or sorted(binaries.values()) != sorted(found.iterdir()):
            return {}
        if self._once:
            self._once.answer(self._key(task, staged), lambda: _BUILDS)
        return binaries

    def _builds_if_it_compiles(self, task: Task, staged: Tree) -> bool:
        """Whether a tree builds for certain if its suite compiles: by the task, and by the code."""
        if task.digest not in self._external:
            self._external[task.digest] = _is_external(task)
        code = (data for path, data in staged.items() if path.endswith(".go") and not is_test_file(path))
        return self._external[task.digest] and not any(map(_BUILT_OTHERWISE.search, code))

    def failed_build(self, task: Task, staged: Tree, clean: Path) -> Completed | None:
        """How the build of a tree failed, or None where it did not, now or before; ``clean`` is where it lies."""
        failed: list[Completed] = []

        def build() -> bytes | None:
            # The packages with tests by name too: a pattern is content with none at all.
            built = self._host.go(clean, "build", "./...", *_patterns(task))
            if built.ok:
                return _BUILDS
            failed.append(built)
            return None

        if self._once:
            self._once.answer(self._key(task, staged), build)
        else:
            build()
        return failed[0] if failed else None

    def _key(self, task: Task, staged: Tree) -> str:
        parts = "\n".join((*self._host.platform, *task.test_packages, tree.digest(staged)))
        return f"build-{hashlib.sha256(parts.encode()).hexdigest()}"

    def compile(self, task: Task, clean: Path, room: Path) -> tuple[dict[str, Path], Completed | None]:
        """The suite's binaries by package, or how the first of them failed that did."""
        tree.write(self.suite(task), clean)
        binaries: dict[str, Path] = {}
        for number, package in enumerate(task.test_packages):
            binary = room / f"suite{number}"
            done = self._host.go(clean, "test", "-c", *_FLAGS, "-o", str(binary), f"./{package}")
            if not done.ok or not binary.is_file():
                return {}, done
            binaries[package] = binary
        return binaries, None

    def suite(self, task: Task) -> Tree:
        """The files that turn a clean room into the attesting suite: tests, testdata, and the module that attests."""
        if task.digest not in self._suites:
            suite = {**task.public_tests, **task.hidden}
            tests = sorted(path for path in suite if is_test_file(path))
            suite |= self._host.instrument(suite, tests, self._attest_module)
            suite |= attesting_module(self._attest_module)
            suite["go.mod"] = (
                task.repo["go.mod"]
                + (
                    f"\nrequire {self._attest_module} v0.0.0\n\nreplace {self._attest_module} => ./{ATTEST_FOLDER}\n"
                ).encode()
            )
            self._suites[task.digest] = suite
        return self._suites[task.digest]


def _is_external(task: Task) -> bool:
    """Whether the suite leaves every package as it is, needs each that it tests, and brings none that code may use.

    Tests within a package may bring what its own code lacks, and those that do not import it compile without it.
    """
    suite = {path: data for path, data in {**task.public_tests, **task.hidden}.items() if path.endswith(".go")}
    read = {path: parse_go(data) for path, data in suite.items()}
    needed = {
        folder
        for path, file in read.items()
        if task.import_path(folder := path.rpartition("/")[0]) in file.imports and not file.constrained
    }
    external = all(is_test_file(path) and file.package.endswith("_test") for path, file in read.items())
    return external and needed.issuperset(task.test_packages)


def _patterns(task: Task) -> list[str]:
    return [f"./{package}" for package in task.test_packages]


def _names(task: Task) -> Mapping[str, str]:
    """What the go command calls the test binary of each package, without its suffix."""
    return {package: _VERSION.sub("", task.import_path(package)).rpartition("/")[2] for package in task.test_packages}
