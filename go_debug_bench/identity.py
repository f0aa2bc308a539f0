"""What the code of this package is, for the keys of what is kept between runs: contents, never times."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from collections.abc import Collection, Iterator
from importlib import metadata
from pathlib import Path

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.loaded import LOADED_NS
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.tree import Tree, digest

__all__ = [
    "NOT_THE_GRADER",
    "PACKAGE",
    "code_digest",
    "is_as_loaded",
    "own_files",
    "python_identity",
    "toolchain_identity",
]

PACKAGE = Path(__file__).parent
# What grading and checks do not import, and the tasks of a wheel, which have digests of their own.
NOT_THE_GRADER = frozenset({"cli", "report", "tasks", "__pycache__"})

_PARSERS = ("pydantic", "tree-sitter", "tree-sitter-go")  # they decide what is taken from a task or a submission
_TOOLS = ("asm", "compile", "link", "test2json", "vet")
_COARSE_CLOCK = 10_000_000  # nanoseconds that a file's time may be behind


def own_files(folder: Path, *, without: Collection[str] = ()) -> Tree:
    """The files of this package below one of its folders, by path. Links are followed: some installers only link.

    Raises:
        InfrastructureError: there are none, so nothing may be concluded from them.
    """
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(_paths(folder, without))}
    if not found:
        raise InfrastructureError(f"{folder} has no files: this installation of go-debug-bench is broken")
    return found


def _paths(folder: Path, without: Collection[str]) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name not in without]
        yield from (Path(place, name) for name in names)


@functools.cache
def code_digest(package: Path = PACKAGE) -> str:
    """SHA-256 (hex) of all code that grades stand on, in Python and in Go, as it was when first asked for."""
    return digest(own_files(package, without=NOT_THE_GRADER))


def is_as_loaded(package: Path = PACKAGE, since: int = LOADED_NS) -> bool:
    """Whether no file of the package was written to since it was loaded: else the digest may be of other code."""
    latest = max(path.stat().st_ctime_ns for path in _paths(package, NOT_THE_GRADER))
    return latest < since - _COARSE_CLOCK


@functools.cache
def python_identity() -> str:
    """The interpreter, and the libraries that parse."""
    return " ".join((platform.python_version(), *(f"{name} {metadata.version(name)}" for name in _PARSERS)))


@functools.cache
def toolchain_identity(toolchain: Toolchain) -> str:
    """Release, platform, and content of the programs that build and judge. The standard library's source is trusted."""
    tools = Path(toolchain.test2json).parent
    programs = (Path(toolchain.go), Path(toolchain.gofmt), *(tools / name for name in _TOOLS))
    contents = hashlib.sha256()
    for program in programs:
        if program.is_file():
            with program.open("rb") as file:
                contents.update(hashlib.file_digest(file, "sha256").digest())
        contents.update(program.name.encode())
    return f"{toolchain.version} {toolchain.goos}/{toolchain.goarch} {contents.hexdigest()}"
