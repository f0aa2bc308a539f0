"""What of a scaffold is left to write."""

from __future__ import annotations

from collections.abc import Iterator

from go_debug_bench.suite.finding import Finding, quoted
from go_debug_bench.task import Task
from go_debug_bench.tree import is_test_file

__all__ = ["PLACEHOLDER", "unwritten"]

PLACEHOLDER = "TODO(author)"
"""Stands in a scaffold wherever its author has something to write."""

# The order in which a task comes about: the idea, the code that has the defect, what sees it, the fixes, the words.
_IDEA = ("knowledge_gate", "family", "difficulty", "package")
_FIXES = ("fail_to_pass", "reference_fix", "alternative_fixes", "wrong_fixes", "equivalent_mutants")
_MEND = f"write what each place asks for, in this order, and take {PLACEHOLDER} out"


def unwritten(task: Task) -> list[Finding]:
    """The places that still hold the placeholder, in the order in which to write them."""
    fields = task.spec.model_dump(by_alias=True)
    rest = [name for name in fields if name not in (*_IDEA, *_FIXES)]
    code = [path for path in sorted(task.repo) if not is_test_file(path)]
    return [
        *_in_fields(fields, _IDEA),
        *(item for path in code for item in _in_file(f"repo/{path}", task.repo[path])),
        *(item for path in sorted(task.public_tests) for item in _in_file(f"repo/{path}", task.repo[path])),
        *(item for path in sorted(task.hidden) for item in _in_file(f"hidden/{path}", task.hidden[path])),
        *_in_fields(fields, (*_FIXES, *rest)),
    ]


def _in_fields(fields: dict[str, object], names: tuple[str, ...] | list[str]) -> Iterator[Finding]:
    for name in names:
        for place, text in _strings(name, fields[name]):
            for line in text.splitlines():
                if PLACEHOLDER in line:
                    yield Finding(place=f"task.json: {place}", what=_asked(line), mend=_MEND)


def _strings(place: str, value: object) -> Iterator[tuple[str, str]]:
    """Every string below a field, with its place as the model's own problems write it."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(f"{place}.{name}", inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _strings(f"{place}[{index}]", inner)


def _in_file(path: str, data: bytes) -> Iterator[Finding]:
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if PLACEHOLDER in line:
            yield Finding(place=f"{path}:{number}", what=_asked(line), mend=_MEND)


def _asked(line: str) -> str:
    """What the placeholder asks for, or the line that it stands in."""
    asked = line.partition(PLACEHOLDER)[2].lstrip(": ")
    return quoted(asked or line)
