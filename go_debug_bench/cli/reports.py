"""``report``: what the reports of two runs have to say about each other."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from go_debug_bench.cli.options import CONTEXT, Examples, json_option
from go_debug_bench.cli.terminal import progress, say, say_json

__all__ = ["report"]

_FORMAT = "go-debug-bench comparison"
_VERSION = 1


class _Group(Examples, click.Group):
    """A group with examples."""


@click.group(
    cls=_Group,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench verify -- --gobench-report new.json": "write a report",
        "go-debug-bench report diff old.json new.json": "what changed since",
    },
)
def report() -> None:
    """Compare the reports of two runs."""


@report.command(
    "diff",
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench report diff old.json new.json": "what changed",
        "go-debug-bench report diff old.json new.json --json": "for programs",
    },
)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@json_option
def diff(*, old: Path, new: Path, as_json: bool) -> None:
    """Name the tasks whose verdict or speed changed between two reports that --gobench-report wrote as .json.

    Exit status: 0 no verdict got worse, 1 one did, 2 a file is no report. A slower task is told, and changes nothing.
    """
    from go_debug_bench.report.compare import compare, render_comparison
    from go_debug_bench.report.model import read_report

    with progress("reading reports"):
        changes = compare(read_report(old), read_report(new))
    if as_json:
        say_json({"format": _FORMAT, "version": _VERSION, "worse": changes.worse, **dataclasses.asdict(changes)})
    else:
        say(render_comparison(changes).rstrip("\n"))
    raise SystemExit(1 if changes.worse else 0)
