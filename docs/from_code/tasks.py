"""The format of ``task.json``, the tasks there are, and the exploits they are tried with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from docs.from_code.markdown import code, escaped, table
from docs.from_code.schema import described
from go_debug_bench.exploits import EXPLOITS, Exploit
from go_debug_bench.model import json_schema
from go_debug_bench.task import load_specs
from go_debug_bench.tasks_dir import tasks_dir

__all__ = ["PARTS"]

_EXAMPLE = Path(__file__).parent.parent.parent / "tests" / "examples" / "valid" / "tiny-tally" / "task.json"


def _fields() -> str:
    example = json.loads(_EXAMPLE.read_text(encoding="utf-8"))
    return described(json.loads(json_schema()), examples=example, prefix="task")


def _tasks() -> str:
    # No gate: whoever is to solve a task may read this page.
    rows = [(code(spec.id), spec.family, spec.difficulty, spec.go) for spec in load_specs(tasks_dir())]
    return table(("task", "family", "difficulty", "Go"), rows)


def _exploits() -> str:
    """A table for each theme, in the order in which they are run."""
    sections: dict[str, list[tuple[str, str, str]]] = {}
    for theme in ("honest", "staging", "build", "process", "forging", "memory", "patching", "limits", "semantics"):
        module = import_module(f"go_debug_bench.exploits.{theme}")
        heading, _, more = (module.__doc__ or theme).strip().splitlines()[0].rstrip(".").partition(": ")
        sections[f"{heading}\n\n{more[:1].upper()}{more[1:]}." if more else heading] = [
            (code(exploit.name), escaped(exploit.why), _earning(exploit)) for exploit in module.EXPLOITS
        ]
    listed = sum(map(len, sections.values()))
    assert listed == len(EXPLOITS), f"{listed} exploits are listed, and there are {len(EXPLOITS)}"
    return "\n".join(
        f"\n## {heading}\n{table(('name', 'what it tries', 'must earn'), rows)}" for heading, rows in sections.items()
    )


def _earning(exploit: Exploit) -> str:
    return "1.1" if exploit.paid else "0.1" if exploit.honest else "nothing hidden"


PARTS: Mapping[str, Callable[[], str]] = {"task-fields": _fields, "tasks": _tasks, "exploits": _exploits}
