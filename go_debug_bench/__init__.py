"""Go debugging tasks for RL training and agent evaluation.

Importing this package costs milliseconds: it loads neither pydantic nor verifiers nor pytest. The parts:
``task`` (load and validate), ``grading`` (grade a submission), ``checks`` (prove a task), ``environment`` (rollouts).
verifiers finds the taskset and the environment by the names that are exported here.
"""

from __future__ import annotations

from go_debug_bench import loaded as _loaded  # noqa: F401 - it notes the time

TYPE_CHECKING = False  # as type checkers read it: to import typing takes five times as long as all else here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from go_debug_bench.environment.taskset import GoDebugTaskset

__all__ = ["GoDebugTaskset", "load_environment"]

__version__ = "0.1.0"


def load_environment(
    task_ids: Sequence[str] | None = None,
    max_turns: int = 40,
    sandbox: str = "docker",
    difficulty: str | Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    image: str | None = None,
    *,
    network: bool = False,
    **options: Any,
) -> Any:
    """The environment of verifiers: the classic one where there is such an API (0.3), and a v1 ``Env`` where not.

    ``task_ids`` are all tasks by default; ``difficulty`` and ``families`` choose among them. ``sandbox`` is where the
    agent works: ``docker``, ``podman`` (from verifiers 0.4 on), ``prime``, ``modal``, or ``subprocess``, which shares
    this machine with it and is for development alone. ``image`` is by default that of the taskset. What else is given
    goes to the classic ``Environment``, or as settings to the v1 taskset.

    Raises:
        UnknownTaskError: an id that no task has; the message names the nearest ones.
        GobenchError: a sandbox that is not known or not there, or no Go to build with.
    """
    from go_debug_bench.environment import loading

    return loading.load(
        task_ids=task_ids,
        max_turns=max_turns,
        sandbox=sandbox,
        difficulty=difficulty,
        families=families,
        image=image,
        network=network,
        **options,
    )


def __getattr__(name: str) -> Any:
    """Load the taskset when somebody asks for it: verifiers alone takes seconds."""
    if name == "GoDebugTaskset":
        from go_debug_bench.environment.taskset import GoDebugTaskset

        return GoDebugTaskset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
