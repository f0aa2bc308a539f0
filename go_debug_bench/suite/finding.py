"""What a rule about a task's texts found: where, what, and the mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Finding", "mends_of", "printable", "quoted", "shown"]

_SHOWN = 3
_QUOTED = 60
_LONGEST = 400  # characters of one finding


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One place that breaks a rule: ``place`` is a file and a line, or ``task.json`` and a field."""

    place: str
    what: str
    mend: str

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.what}")


def quoted(text: str, limit: int = _QUOTED) -> str:
    """A text of somebody else's as one short, printable line in quotes."""
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else f"{line[: limit - 1]}…")


def printable(text: str) -> str:
    """One line of bounded length, with a mark for what a terminal should not be given."""
    line = "".join(mark if mark.isprintable() else "\ufffd" for mark in text[:_LONGEST])
    return line if len(text) <= _LONGEST else f"{line}…"


def shown(findings: Sequence[Finding]) -> str:
    """The first findings, and how many more there are."""
    more = len(findings) - _SHOWN
    return "; ".join([*map(str, findings[:_SHOWN]), *([f"and {more} more"] if more > 0 else [])])


def mends_of(findings: Sequence[Finding]) -> str:
    """What to do about them, each mend once."""
    return "; ".join(dict.fromkeys(finding.mend for finding in findings))
