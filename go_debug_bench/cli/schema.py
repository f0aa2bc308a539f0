"""``schema``: the JSON Schemas of what is read and written."""

from __future__ import annotations

import importlib

import click

from go_debug_bench.cli.options import CONTEXT, Examples

__all__ = ["schema"]

_MODULES = {
    "task": "go_debug_bench.model",
    "grade": "go_debug_bench.cli.grade_document",
    "report": "go_debug_bench.report.model",
}


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench schema > tasks/task.schema.json": "for an editor",
        "go-debug-bench schema report": "of a report",
        "go-debug-bench schema grade": "of a grade",
    },
)
@click.argument("document", type=click.Choice(list(_MODULES)), default="task")
def schema(*, document: str) -> None:
    """Print a JSON Schema: of task.json (the default), of a grade, or of a report."""
    click.echo(importlib.import_module(_MODULES[document]).json_schema(), nl=False)
