"""How evenly a suite is spread over families and difficulties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import get_args

from go_debug_bench.model import Difficulty
from go_debug_bench.report.model import Balance, TaskReport

__all__ = ["FEW_TASKS", "balance_of"]

FEW_TASKS = 5
"""Below so many tasks nothing is said to be out of balance: one of four is a quarter by necessity."""

_DIFFICULTIES: tuple[str, ...] = get_args(Difficulty)


def balance_of(tasks: Iterable[TaskReport]) -> Balance:
    """The counts over well-formed tasks, with a note for what more than half of them share, and for what none has."""
    valid = [task for task in tasks if not task.malformed and task.difficulty]
    families = Counter(task.family for task in valid)
    difficulties = Counter(dict.fromkeys(_DIFFICULTIES, 0))
    difficulties.update(task.difficulty for task in valid)
    notes: list[str] = []
    if len(valid) >= FEW_TASKS:
        for what, counts in (("family", families), ("difficulty", difficulties)):
            notes += [
                f"more than half of the tasks have the {what} {name}: {count} of {len(valid)}"
                for name, count in counts.items()
                if 2 * count > len(valid)
            ]
        notes += [f"no task is {name}" for name in _DIFFICULTIES if not difficulties[name]]
    return Balance(
        families=dict(sorted(families.items(), key=lambda item: (-item[1], item[0]))),
        difficulties=dict(difficulties),
        notes=tuple(notes),
    )
