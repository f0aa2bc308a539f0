"""The schema of the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from docs.from_code.schema import described
from go_debug_bench.report.compare import MIN_RATIO, MIN_SECONDS
from go_debug_bench.report.model import VERSION, json_schema

__all__ = ["PARTS"]


def _fields() -> str:
    return described(json.loads(json_schema()), examples={}, prefix="report")


def _version() -> str:
    return f"This page describes version {VERSION}.\n"


def _speed() -> str:
    return (
        f"A task's speed has changed if it takes {MIN_RATIO:g} times as long as before, or as short, and differs by "
        f"{MIN_SECONDS:g} seconds or more: less is noise.\n"
    )


PARTS: Mapping[str, Callable[[], str]] = {
    "report-fields": _fields,
    "report-speed": _speed,
    "report-version": _version,
}
