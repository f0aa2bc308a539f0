"""Which exploits win when a guard, or a pair of guards, is switched off.

Run it as ``uv run python -m benchmarks.guards [--pair-with GUARD] [--exploit NAME ...]``. It prints one line for each
set of guards whose absence pays an exploit, and writes the table as JSON with ``--json FILE``. Single guards, and the
pairs with one of them, take a quarter of an hour each. ``tests/test_guards.py`` repeats one line for each guard.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from go_debug_bench.checks import Check, Prover
from go_debug_bench.errors import GobenchError
from go_debug_bench.exploits import EXPLOITS, Exploit, NotHere, exploits_for, limits
from go_debug_bench.grading import Grader
from go_debug_bench.task import Task, load_task
from go_debug_bench.toolchain import find_toolchain
from go_debug_bench.workspace import Workspace
from tests.guard_switches import GUARDS

_TASK = Path(__file__).parent.parent / "tests" / "examples" / "valid" / "tiny-tally"


def winners(off: Sequence[str], names: Sequence[str], task: Task, workspace: Workspace) -> list[str]:
    """The exploits that are paid without the guards ``off``."""
    won = []
    with pytest.MonkeyPatch.context() as patch:
        for name in off:
            GUARDS[name](patch)
        prover = Prover(grader=Grader(find_toolchain(task.spec.go), workspace))
        for name in names:
            try:
                verdict = prover.run(Check(kind="exploit", fix=name), task)
            except (GobenchError, NotHere, OSError):  # without its guards, a grader may well fall over
                continue
            if verdict.grade and verdict.grade.hidden_tests_pass and not EXPLOITS[name].paid:
                won.append(name)
    return won


def _may_win(exploit: Exploit) -> bool:
    return (
        not exploit.honest and not exploit.seconds and exploit not in (*limits.EXPLOITS,) and exploit.compiles is True
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Show which exploits win without single guards, and without pairs.")
    parser.add_argument("--pair-with", choices=GUARDS, metavar="GUARD", help="pairs with this guard")
    parser.add_argument("--exploit", action="append", metavar="NAME", help="only these (default: all)")
    parser.add_argument("--task", type=Path, default=_TASK, metavar="DIR", help="the task to attack")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table")
    options = parser.parse_args()
    task = load_task(options.task)
    # Those that use up time or memory can only be stopped or not, and win nothing.
    names = options.exploit or [name for name in exploits_for(task) if _may_win(EXPLOITS[name])]
    sets: list[tuple[str, ...]] = [(), *((name,) for name in GUARDS)]
    if options.pair_with:
        sets = [(options.pair_with,), *((options.pair_with, other) for other in GUARDS if other != options.pair_with)]
    table: dict[str, list[str]] = {}
    with Workspace() as workspace:
        for off in sets:
            won = winners(off, names, task, workspace)
            alone = {name for part in off for name in table.get(part, [])} if len(off) > 1 else set()
            table["+".join(off)] = won
            if new := [name for name in won if name not in alone]:
                print(f"without {' and '.join(off) or 'nothing'}: {', '.join(new)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
