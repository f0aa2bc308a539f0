"""A task to start from: valid from the first moment, with a placeholder wherever its author has something to write."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import string
import tempfile
from dataclasses import dataclass
from pathlib import Path

from go_debug_bench import tree
from go_debug_bench.errors import GobenchError, Problem
from go_debug_bench.model import SCHEMA_FILE, TaskSpec, json_schema, parse_spec
from go_debug_bench.suite.written import PLACEHOLDER
from go_debug_bench.task import load_task
from go_debug_bench.toolchain import RELEASE
from go_debug_bench.tree import Tree

__all__ = ["Wish", "problems", "render", "schema_reference", "write"]

_TEMPLATE = Path(__file__).parent / "template"
_LONGEST = 80  # characters of an id: it becomes the name of folders, and a part of others

_KEYWORDS = re.findall(
    r"\w+",
    """
    break case chan const continue default defer else fallthrough for func go goto if import interface map package range
    return select struct switch type var
    """,
)
_PREDECLARED = re.findall(
    r"\w+",
    """
    any append bool byte cap clear close comparable complex complex64 complex128 copy delete error false float32 float64
    imag int int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint
    uint8 uint16 uint32 uint64 uintptr
    """,
)
_TAKEN = {
    **dict.fromkeys(_KEYWORDS, "is a Go keyword"),
    **dict.fromkeys(_PREDECLARED, "is a predeclared name of Go"),
    **dict.fromkeys(("con", "prn", "aux", "nul"), "is a name that Windows keeps and no module path may have"),
    **dict.fromkeys(("main", "init"), "is a name that no test can import"),
    **dict.fromkeys(("testing", "slices", "sort"), "is a package that the scaffold itself imports"),
    **dict.fromkeys(("internal", "vendor", "testdata", "documentation"), "is a name that the go command treats apart"),
}
"""Names that Go or the go command gives a meaning: no package can be called so, or none that tests can import."""
_RESERVED = ("and", "or", "not")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the author asks for."""

    id: str
    package: str
    family: str
    difficulty: str


def problems(wish: Wish) -> list[Problem]:
    """What is wrong with a wish; the field is the wish's own."""
    found: list[Problem] = []
    spec = parse_spec(render(wish, schema="")["task.json"])
    if not isinstance(spec, TaskSpec):
        found += [
            Problem("", problem.field, f"{getattr(wish, problem.field, '')!r} {problem.message}") for problem in spec
        ]
    if wish.id in _RESERVED:
        found.append(Problem("", "id", f"{wish.id!r} is a word of pytest's -k expressions; choose another"))
    if len(wish.id) > _LONGEST:
        found.append(Problem("", "id", f"is longer than {_LONGEST} characters"))
    if wish.package in _TAKEN:
        found.append(Problem("", "package", f"{wish.package!r} {_TAKEN[wish.package]}; choose another"))
    elif wish.package.endswith("_test"):
        found.append(Problem("", "package", f"{wish.package!r} is the name of a package of tests; choose another"))
    return found


def render(wish: Wish, *, schema: str) -> Tree:
    """The files of the scaffold; ``schema`` is what ``$schema`` says."""
    values = {
        "id": wish.id,
        "package": wish.package,
        "family": wish.family,
        "difficulty": wish.difficulty,
        "go": RELEASE,
        "schema": schema,
        "todo": PLACEHOLDER,
    }
    # In JSON a value may hold no quote; the model judges the rest.
    values = {name: re.sub(r'["\\\x00-\x1f]', "?", value) for name, value in values.items()}
    return {
        path.removesuffix(".txt"): string.Template(data.decode()).substitute(values).encode()
        for path, data in tree.scan(_TEMPLATE).files.items()
    }


def schema_reference(root: Path) -> tuple[str, Path | None]:
    """What ``$schema`` says in a task of ``root``, and the file that must be made for it, if any.

    In a checkout of this project that is the schema which is kept there; elsewhere one beside the tasks.
    """
    if (root.resolve().parent / "go_debug_bench" / SCHEMA_FILE).is_file():
        return f"../../go_debug_bench/{SCHEMA_FILE}", None
    beside = root / SCHEMA_FILE
    return f"../{SCHEMA_FILE}", None if beside.exists() else beside


def write(wish: Wish, root: Path) -> Path:
    """Make the task's folder below ``root``, all of it or nothing; where it is.

    ``root`` is made if it is not there, and the schema if no editor would find one.

    Raises:
        GobenchError: there is such a folder already.
        OSError: it cannot be written.
    """
    target = root / wish.id
    if os.path.lexists(target):
        raise GobenchError(
            f"{target} is there already; choose another id, or remove it: rm -r {shlex.quote(str(target))}"
        )
    schema, to_make = schema_reference(root)
    with contextlib.ExitStack() as undo:
        if not root.is_dir():
            root.mkdir()
            undo.callback(root.rmdir)
        room = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
        try:
            made = room / wish.id
            tree.write(render(wish, schema=schema), made)
            load_task(made)  # what is written collects
            if to_make:
                undo.callback(to_make.unlink, missing_ok=True)
                (room / SCHEMA_FILE).write_text(json_schema(), encoding="utf-8")
                (room / SCHEMA_FILE).replace(to_make)
            made.rename(target)
        finally:
            shutil.rmtree(room, ignore_errors=True)
        undo.pop_all()
    return target
