"""``doctor``: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import dataclasses

import click

from go_debug_bench.cli.folders import TaskFolders
from go_debug_bench.cli.options import CONTEXT, Examples, json_option, tasks_option
from go_debug_bench.cli.terminal import progress, say_json, table

__all__ = ["doctor"]

_FORMAT = "go-debug-bench doctor"
_VERSION = 1
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench doctor": "look at everything",
        "go-debug-bench doctor --json": "for programs, or for a bug report",
    },
)
@json_option
@tasks_option
def doctor(*, as_json: bool, tasks: TaskFolders) -> None:
    """Say what works on this machine: Go, caches, isolation, container engines, verifiers, the plugin, tasks.

    Exit status: 0 tasks can be proved and graded here, 1 something that this needs is missing.
    """
    with progress("looking around") as notify:
        from go_debug_bench.cli.machine import look

        findings = list(look(tasks, notify))
    sound = all(finding.status != "fail" for finding in findings)
    if as_json:
        checks = [dataclasses.asdict(finding) for finding in findings]
        say_json({"format": _FORMAT, "version": _VERSION, "ok": sound, "checks": checks})
    else:
        rows = [
            [finding.status, finding.name, "; ".join(filter(None, (finding.found, finding.mend)))]
            for finding in findings
        ]
        table(["", "what", "found, and what to do"], rows, styles=_STYLES)
    raise SystemExit(0 if sound else 1)
