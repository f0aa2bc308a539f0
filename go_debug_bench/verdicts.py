"""Verdicts kept between runs, for as long as nothing that decides them has changed.

Only claims that hold, and that running Go has shown, are kept. The key is made of contents, never of a time: of the
task, the grader, Go, and what keeps programs from this machine. An entry is believed if this user alone can have
written it: whoever can write to the cache can also replace the tools that grade.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from go_debug_bench.grading import Grader
from go_debug_bench.identity import code_digest, is_as_loaded, python_identity, toolchain_identity
from go_debug_bench.kept import Distrusted, Kept
from go_debug_bench.proving import Check, Verdict
from go_debug_bench.task import Task

__all__ = ["KEPT", "RUN_GO", "Subject", "VerdictCache", "subject_of"]

KEPT = frozenset(
    {
        "vet-clean",
        "public-green",
        "unfixed-fails",
        "reference-passes",
        "delete-test-cheat",
        "non-compiling",
        "alternative",
        "wrong",
        "exploit",
    }
)
"""Kinds of checks whose verdicts are kept."""
RUN_GO = KEPT | {"stable"}
"""Kinds of checks that run Go; the others look at texts. ``stable`` looks for what differs from run to run."""

Subject = Mapping[str, str]
"""All that decides a verdict, by name."""

_FORMAT = "1"


@dataclass(frozen=True, kw_only=True)
class _Entry:
    subject: dict[str, str]
    verdict: Verdict


@dataclass(kw_only=True)
class VerdictCache:
    """One file for each verdict.

    ``hits`` counts the verdicts that were found, ``ignored`` the entries that were not believed, by reason.
    """

    kept: Kept
    hits: int = 0
    ignored: Counter[str] = field(default_factory=Counter)

    def find(self, subject: Subject) -> Verdict | None:
        """The kept verdict on a subject, or None. An entry that is not believed is counted and left to ``keep``."""
        try:
            data = self.kept.read(_name(subject))
            if data is None:
                return None
            verdict = _believed(data, subject)
        except Distrusted as reason:
            self.ignored[str(reason)] += 1
            return None
        self.hits += 1
        return replace(verdict, cached=True)

    def keep(self, subject: Subject, verdict: Verdict) -> None:
        """Keep the verdict on a claim that holds, unless the code that found it may be other code by now."""
        if not verdict.ok or not is_as_loaded():
            return
        grade = verdict.grade
        if grade:  # what tests print is of use where a claim fails
            grade = replace(grade, log="", tests=tuple(replace(test, output="") for test in grade.tests))
        entry = _Entry(subject=dict(subject), verdict=replace(verdict, grade=grade))
        body = _entries().dump_json(entry)
        try:
            self.kept.write(_name(subject), _sum(body) + b"\n" + body)
        except OSError as error:
            self.ignored[f"cannot be written ({error.strerror})"] += 1


@functools.cache
def _entries() -> TypeAdapter[_Entry]:
    return TypeAdapter(_Entry)


def _name(subject: Subject) -> str:
    return f"{_sum(json.dumps(dict(subject), sort_keys=True).encode()).decode()}.json"


def _sum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _believed(data: bytes, subject: Subject) -> Verdict:
    """The verdict of an entry. Raises Distrusted if the entry is not what ``keep`` writes for the subject."""
    told, _, body = data.partition(b"\n")
    if told != _sum(body):
        raise Distrusted("is cut or was edited")
    try:
        entry = _entries().validate_json(body, strict=True)
    except ValidationError:
        raise Distrusted("is no entry of this version") from None
    if entry.subject != subject:
        raise Distrusted("is about something else")
    if not entry.verdict.ok:
        raise Distrusted("holds no passed check")
    return entry.verdict


def subject_of(grader: Grader, task: Task, check: Check) -> Subject:
    """What decides the verdict of a check, apart from chance. The kernel counts where a check attacks the isolation."""
    return {
        "format": _FORMAT,
        "check": check.name,
        "task": task.digest,
        "grader": code_digest(),
        "python": python_identity(),
        "go": toolchain_identity(grader.toolchain),
        "boxes": "/".join(grader.boxes.platform),
        "isolation": str(grader.isolation),
        "kernel": platform.release() if check.kind == "exploit" else "",
    }
