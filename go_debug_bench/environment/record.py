"""The record of grades on the grader's machine: the reasons, names and logs that no agent and no trace may hold."""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from functools import cache
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from go_debug_bench.grade import Grade
from go_debug_bench.workspace import cache_dir

__all__ = ["note", "record", "record_folder"]

_FILE_BYTES = 32 << 20
_KEPT_DAYS = 14


def record_folder() -> Path:
    """Where the records lie: ``grades`` in the cache folder, one JSON line for each grade."""
    return cache_dir() / "grades"


def record(grade: Grade) -> str:
    """Keep all of a grade, and say under which id. Records are bounded by size and age."""
    return _keep(
        {
            "task": grade.task,
            "reward": grade.reward,
            "code": str(grade.code),
            "reason": grade.reason,
            "tests": {result.name: str(result.outcome) for result in grade.tests},
            "tampering": grade.tampering,
            "added_tests": grade.added_tests,
            "lint": grade.lint,
            "seconds": dict(grade.seconds),
            "box": grade.box,
            "log": grade.log,
        }
    )


def note(task: str, what: str, text: str) -> str:
    """Keep what else a trace must not hold, and say under which id."""
    return _keep({"task": task, "code": what, "log": text})


def _keep(facts: dict[str, Any]) -> str:
    identity = uuid.uuid4().hex
    line = json.dumps({"id": identity, "time": time.time(), **facts})
    _writer(os.getpid()).emit(logging.makeLogRecord({"msg": line}))
    return identity


@cache
def _writer(process: int) -> RotatingFileHandler:
    # A file for each process: they cannot share one that is turned over.
    folder = record_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.stat().st_mtime < time.time() - _KEPT_DAYS * 86_400:
            path.unlink(missing_ok=True)
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{process}.jsonl"
    return RotatingFileHandler(folder / name, maxBytes=_FILE_BYTES, backupCount=1, encoding="utf-8")
