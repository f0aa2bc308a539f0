"""Whether two tasks of a folder are nearly the same."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from go_debug_bench.model import TaskSpec, parse_spec
from go_debug_bench.suite.finding import Finding, quoted
from go_debug_bench.suite.written import PLACEHOLDER
from go_debug_bench.task import Task
from go_debug_bench.tasks_dir import task_folders
from go_debug_bench.tree import Tree, TreeRefused, scan

__all__ = ["Neighbours"]

_ROW = 5
"""Lines of code, or words of a prompt, that are compared as one."""
_SAMPLE = 4
"""One in so many rows of code is kept, chosen by its first line's checksum: two tasks keep the same ones."""

# The shares of the smaller one's rows that two tasks may have in common. The nearest two of this package's 18 share
# 3.2 % of their code and 4.0 % of their prompts; a copy with new names, all.
_SAME_CODE = 0.15
_SAME_PROMPT = 0.25
# Fewer common rows, or words of a gate, are chance, or all that there is of a toy.
_LEAST_CODE = 10
_LEAST_PROMPT = 20
_LEAST_GATE = 8

# What is not closed ends with the line or the file: a pattern that fails there would try again from every place.
_COMMENT_OR_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|`[^`]*`?|"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?""", re.DOTALL
)
_NAME = re.compile(
    r"\b(?!(?:break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|map"
    r"|package|range|return|select|struct|switch|type|var|nil|true|false|len|cap|append|make|new|error|string|int|bool"
    r"|byte|any)\b)\w+"
)


@dataclass(frozen=True)
class _Rows:
    """Checksums of rows, each with the file that has it."""

    files: Mapping[int, str]
    keys: frozenset[int]

    @classmethod
    def of(cls, texts: Mapping[str, Sequence[str]], sample: int = 1) -> _Rows:
        """The rows of files or fields, given as their lines or words."""
        found: dict[int, str] = {}
        for path, parts in texts.items():
            sums = [zlib.crc32(part.encode("utf-8", "replace")) for part in parts]
            for at in range(len(parts) - _ROW + 1):
                if sums[at] % sample == 0:
                    found.setdefault(hash(tuple(sums[at : at + _ROW])), path)
        return cls(found, frozenset(found))

    def share(self, other: _Rows, least: int) -> float:
        """How much of the smaller one is in the other; nothing if that is fewer than ``least`` rows."""
        common = len(self.keys & other.keys)
        return common / min(len(self.keys), len(other.keys)) if common >= least else 0.0

    def nearest(self, other: _Rows) -> tuple[str, str]:
        """The file of each that have most in common."""
        pairs = Counter((self.files[key], other.files[key]) for key in sorted(self.keys & other.keys))
        return pairs.most_common(1)[0][0]


@dataclass(frozen=True)
class _Print:
    """What of a task is compared: its code without names, its prompt and its gate."""

    id: str
    code: _Rows
    prompt: _Rows
    gate: tuple[str, ...]

    @classmethod
    def of(cls, spec: TaskSpec, files: Tree) -> _Print:
        """The print of a task folder's files."""
        code = {path: _lines(data.decode("utf-8", "replace")) for path, data in files.items() if path.endswith(".go")}
        return cls(
            spec.id,
            code=_Rows.of(code, _SAMPLE),
            prompt=_Rows.of({"task.json": _written_words(spec.prompt)}),
            gate=tuple(_written_words(spec.knowledge_gate)),
        )


def _lines(source: str) -> list[str]:
    """The lines of code that hold a word, without white space, and with all names, numbers and texts the same."""
    code = _NAME.sub("x", _COMMENT_OR_TEXT.sub(_levelled, source))
    lines = ("".join(line.split()) for line in code.split("\n"))
    return [line for line in lines if re.search(r"\w", line)]


def _levelled(match: re.Match[str]) -> str:
    """What stands for a comment or a text: a comment over several lines ends one, as the compiler has it."""
    if match[0].startswith("//"):
        return ""
    if match[0].startswith("/*"):
        return "\n" if "\n" in match[0] else " "
    return "x"


def _written_words(text: str) -> list[str]:
    """The words of a text; a scaffold's is not written yet, and is the same for all."""
    return [] if PLACEHOLDER in text else re.findall(r"\w+", text.casefold())


@dataclass
class Neighbours:
    """The tasks that lie beside others. Each is read once in the life of this object; what is no task is passed by.

    Safe for several threads.
    """

    _prints: dict[Path, dict[str, _Print]] = field(default_factory=dict)
    _reading: Lock = field(default_factory=Lock)

    def like(self, task: Task) -> list[Finding]:
        """The tasks beside this one, on disk, that are nearly the same."""
        beside = self._beside(task.folder.parent)
        own = beside.get(task.folder.name)
        if own is None:
            return []
        return [finding for other in beside.values() if other is not own for finding in _likeness(own, other)]

    def _beside(self, root: Path) -> dict[str, _Print]:
        with self._reading:
            if root not in self._prints:
                self._prints[root] = {made.id: made for made in map(_read, _folders(root)) if made}
            return self._prints[root]


def _folders(root: Path) -> list[Path]:
    try:
        return task_folders(root)
    except OSError:  # a folder whose tasks are known by name alone
        return []


def _read(folder: Path) -> _Print | None:
    try:
        files = scan(folder).files
    except (OSError, TreeRefused):
        return None
    spec = parse_spec(files.get("task.json", b""))
    return _Print.of(spec, files) if isinstance(spec, TaskSpec) and spec.id == folder.name else None


def _likeness(own: _Print, other: _Print) -> Iterator[Finding]:
    share = own.code.share(other.code, _LEAST_CODE)
    if share >= _SAME_CODE:
        here, there = own.code.nearest(other.code)
        yield Finding(
            place=here,
            what=f"the task shares {share:.0%} of its code, names aside, with {other.id}, most with its {there}",
            mend="build another module around the gate, or keep one of the two tasks",
        )
    share = own.prompt.share(other.prompt, _LEAST_PROMPT)
    if share >= _SAME_PROMPT:
        yield Finding(
            place="task.json: prompt",
            what=f"shares {share:.0%} of its text with that of {other.id}",
            mend="tell the story of other users",
        )
    if own.gate == other.gate and len(own.gate) >= _LEAST_GATE:
        yield Finding(
            place="task.json: knowledge_gate",
            what=f"is that of {other.id}: {quoted(' '.join(own.gate))}",
            mend="say what this task's fault is hidden behind; if that is the same, keep one of the two tasks",
        )
