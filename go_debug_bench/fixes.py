"""Apply a fix's edits to a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from go_debug_bench.errors import Problem
from go_debug_bench.model import CreateFile, DeleteFile, Fix, ReplaceText
from go_debug_bench.tree import Tree, is_test_file

__all__ = ["apply", "apply_all", "is_built", "is_source"]

_QUOTED = 60  # characters of a text that is not found


def is_built(path: str) -> bool:
    """Whether the go command looks at a Go file: not in testdata, vendor, or a dot or underscore name."""
    *folders, name = path.split("/")
    return (
        name.endswith(".go")
        and not any(part.startswith((".", "_")) for part in (*folders, name))
        and not any(folder in ("vendor", "testdata") for folder in folders)
    )


def is_source(path: str) -> bool:
    """Whether a submission may change the file: Go source that is built and is no test.

    What it leaves out (go.mod, tests, testdata, vendor, dot and underscore folders, assembly, C) always comes
    from the pristine repo when a submission is graded.
    """
    return is_built(path) and not is_test_file(path)


def apply(fix: Fix, repo: Tree) -> Tree:
    """The repo with the fix applied.

    Raises:
        ValueError: the fix does not apply; ``apply_all`` says why.
    """
    fixed, problems = apply_all(fix, repo)
    if problems:
        raise ValueError("; ".join(map(str, problems)))
    return fixed


def apply_all(fix: Fix, repo: Tree, field: str = "") -> tuple[Tree, list[Problem]]:
    """The repo with the fix applied as far as it applies, and every problem of its edits below ``field``."""
    fixed = dict(repo)
    problems = [
        Problem("task.json", f"{field}.edits[{index}]", message) for index, message in _apply_edits(fix.edits, fixed)
    ]
    if not problems and fixed == repo:
        problems.append(Problem("task.json", f"{field}.edits", "change nothing"))
    return fixed, problems


def _apply_edits(
    edits: Sequence[ReplaceText | CreateFile | DeleteFile], files: dict[str, bytes]
) -> Iterator[tuple[int, str]]:
    for index, edit in enumerate(edits):
        path = edit.file
        if is_test_file(path):
            yield index, f"touches a test, {path}: a fix changes no test"
        elif not is_source(path):
            yield index, f"{path} is not a Go source file that grading takes from a submission"
        elif isinstance(edit, CreateFile):
            if path in files:
                yield index, f"creates {path}, which is there already"
            elif any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in files):
                yield index, f"creates {path}, where a file stands in the place of a folder"
            files[path] = (edit.create if edit.create.endswith("\n") else f"{edit.create}\n").encode()
        elif path not in files:
            yield index, f"{path} is not in the repo"
        elif isinstance(edit, DeleteFile):
            del files[path]
        else:
            find = edit.find.encode()
            count = files[path].count(find)
            if count != 1:
                near = "" if count else _near(find, files[path])
                yield index, f"find occurs {count} times in {path}, not exactly once: {_visible(edit.find)}{near}"
            else:
                files[path] = files[path].replace(find, edit.replace.encode())


def _visible(text: str) -> str:
    """The beginning of a text with its white space to be seen."""
    return repr(text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…")


def _near(find: bytes, data: bytes) -> str:
    """Where a text that does not occur would, but for its white space."""
    bare, found = (b"".join(text.split()) for text in (find, data))
    if found.count(bare) != 1:
        return ""
    start = [match.start() for match in re.finditer(rb"\S", data)][found.index(bare)]
    line = data.count(b"\n", 0, start) + 1
    crlf = r", and the file's lines end in CRLF (\r\n)" if b"\r\n" in data else ""
    return f"; it occurs with other white space in line {line}{crlf}"
