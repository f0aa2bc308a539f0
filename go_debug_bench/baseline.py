"""What a task's reference fix shows through the grader, and how it is kept between runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Baseline", "read_baseline", "write_baseline"]


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What the reference fix shows through the same grader: every test's id, and whether all of them pass."""

    tests: frozenset[str]
    sound: bool
    reason: str


def read_baseline(path: Path) -> Baseline | None:
    """A kept baseline, or None if there is none or it is damaged."""
    try:
        kept = json.loads(path.read_bytes())
        tests, sound, reason = kept["tests"], kept["sound"], kept["reason"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    valid = isinstance(tests, list) and all(isinstance(name, str) for name in tests) and isinstance(sound, bool)
    return Baseline(tests=frozenset(tests), sound=sound, reason=str(reason)) if valid else None


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Keep a baseline; a reader sees all of it or nothing."""
    fresh = path.with_suffix(".new")
    kept = {"tests": sorted(baseline.tests), "sound": baseline.sound, "reason": baseline.reason}
    fresh.write_text(json.dumps(kept), encoding="utf-8")
    fresh.replace(path)
