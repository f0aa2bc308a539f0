"""What an agent reads and where it finds itself. Neither verifiers nor pydantic is loaded for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from go_debug_bench.model import TaskSpec

__all__ = ["REPO", "prompt"]

REPO = "repo"
"""The agent's copy of a task's repo, in the working folder of its box. No task id: some of them name the gate."""


def prompt(spec: TaskSpec) -> str:
    """What the agent reads: the task's prompt, and where it finds itself."""
    return (
        f"{spec.prompt}\n\nThe module is in the folder `{REPO}` of your working directory; Go {spec.go} is "
        "installed, and there is nothing to download. Your change is judged by tests that you do not see; do not edit "
        "or delete the tests that are there."
    )
