"""The environment of verifiers' classic API, which 0.3.1 has: a bash tool in one of verifiers' own runtimes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import verifiers as vf
from datasets import Dataset  # type: ignore[attr-defined]
from verifiers.v1.runtimes import Runtime, RuntimeConfig, make_runtime

from go_debug_bench.environment.rollout import METRICS, REPO, desk, prepare, prompt
from go_debug_bench.grade import REWARDS
from go_debug_bench.task import Task

__all__ = ["GoDebugEnv"]

INFO = "grade"
"""Where a rollout's ``info`` holds the facts of its grade."""

_RUNTIME = "gobench_runtime"
_MAX_OUTPUT = 16_000  # characters of one command's output that the agent sees: the beginning and the end

# With limits of its own, and nobody to answer: an agent that starts a server or an editor gets its turn back.
_COMMAND = 'cd "$1" 2>/dev/null; timeout --kill-after=5 "$2" bash -c "$3" </dev/null 2>&1 | head -c 1000000'


class GoDebugEnv(vf.StatefulToolEnv):
    """Debugging tasks: the agent edits a repo with a ``bash`` tool, and a hidden suite judges it in another box.

    A rollout whose box fails has an ``error``, and no reward that means anything.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        runtime: Callable[[], RuntimeConfig],
        *,
        max_turns: int,
        command_seconds: int = 120,
        grading: RuntimeConfig | None = None,
        unisolated: bool = False,
        **options: Any,
    ) -> None:
        """Make the environment; ``options`` are those of verifiers' ``Environment``."""
        self._tasks = {task.id: task for task in tasks}
        self._config = runtime
        self._command_seconds = command_seconds
        self._grading = grading
        self._unisolated = unisolated
        self._running: set[Runtime] = set()
        rows = [
            {
                "prompt": [{"role": "user", "content": prompt(task.spec)}],
                "answer": "",
                "info": {"id": task.id, "difficulty": task.spec.difficulty, "family": task.spec.family},
            }
            for task in tasks
        ]
        rubric = vf.Rubric(
            funcs=[*map(_reward, [reward.name for reward in REWARDS]), *map(_reward, METRICS)],
            weights=[*(reward.weight for reward in REWARDS), *(0.0 for _ in METRICS)],
        )
        super().__init__(dataset=Dataset.from_list(rows), rubric=rubric, max_turns=max_turns, **options)
        self.add_tool(self.bash, args_to_skip=["runtime"])

    async def setup_state(self, state: vf.State, **_: Any) -> vf.State:
        """Start the agent's box and put the repo into it."""
        task = self._tasks[state["info"]["id"]]
        runtime = make_runtime(self._config())
        self._running.add(runtime)
        state[_RUNTIME] = runtime
        try:
            await runtime.start()
            await prepare(runtime, task)
            await runtime.prepare_execution([])
        except Exception as error:
            raise vf.SandboxError(f"the agent's box does not start: {error}") from error
        return state

    def update_tool_args(
        self,
        tool_name: str,  # noqa: ARG002 - there is one tool
        tool_args: dict[str, Any],
        messages: Any,  # noqa: ARG002
        state: vf.State,
        **_: Any,
    ) -> dict[str, Any]:
        """Give the tool the rollout's own box."""
        return {**tool_args, "runtime": state[_RUNTIME]}

    async def bash(self, command: str, runtime: Any) -> str:
        """Run a command with bash in the root of the repository and get its output.

        Args:
            command: what to run, such as `go test ./...` or `sed -n 1,80p file.go`; it starts afresh in each call
            runtime: the rollout's box, which the agent does not see
        """
        argv = ["bash", "-o", "pipefail", "-c", _COMMAND, "bash", REPO, str(self._command_seconds), command]
        try:
            async with asyncio.timeout(self._command_seconds + 60):
                result = await runtime.run(argv, {})
        except TimeoutError:
            return "the command was ended: it took too long"
        except Exception as error:
            raise vf.SandboxError(f"the agent's box failed: {error}") from error
        text = _clipped(result.stdout)
        if result.exit_code in (124, 137):
            return f"{text}\n[ended after {self._command_seconds} s]"
        return text if result.exit_code == 0 else f"{text}\n[exit status {result.exit_code}]"

    @vf.cleanup
    async def grade(self, state: vf.State) -> None:
        """Grade what is in the box, before the rubric looks, and end the box."""
        runtime = state.pop(_RUNTIME, None)
        if runtime is None:
            return
        task = self._tasks[state["info"]["id"]]
        try:
            if state.get("error") is None:
                found = await desk().facts(task, runtime, self._grading, unisolated=self._unisolated)
                state["info"] = {**state["info"], INFO: found}
        except Exception as error:  # an error of this rollout: raised, it would end all of them
            state["error"] = vf.SandboxError(str(error))
        finally:
            self._running.discard(runtime)
            with contextlib.suppress(Exception):
                await runtime.stop()

    @vf.teardown
    async def stop_boxes(self) -> None:
        """End the boxes of rollouts that were interrupted."""
        for runtime in list(self._running):
            with contextlib.suppress(Exception):
                await runtime.stop()


def _reward(name: str) -> Callable[..., Any]:
    async def read(state: vf.State) -> float:
        return float(state["info"].get(INFO, {}).get(name, 0.0))

    read.__name__ = name
    return read


def _clipped(text: str) -> str:
    if len(text) <= _MAX_OUTPUT:
        return text
    half = _MAX_OUTPUT // 2
    return f"{text[:half]}\n[{len(text) - _MAX_OUTPUT} characters left out]\n{text[-half:]}"
