"""The taskset of verifiers' v1 API, for 0.3.1 and 0.4.0 alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

import verifiers.v1 as vf
from pydantic import Field, field_validator
from verifiers.v1.runtimes import RuntimeConfig

from go_debug_bench.environment.boxes import config_of
from go_debug_bench.environment.record import note
from go_debug_bench.environment.rollout import METRICS, REPO, desk, prepare, prompt
from go_debug_bench.model import Difficulty, TaskSpec
from go_debug_bench.suite import Neighbours
from go_debug_bench.task import Task, load_specs, load_task, load_tasks
from go_debug_bench.tasks_dir import tasks_dir

__all__ = ["GoDebugConfig", "GoDebugData", "GoDebugTask", "GoDebugTaskConfig", "GoDebugTaskset"]

Trace = vf.Trace[Any, Any, Any]

IMAGE = "golang:1.24-bookworm"
INFO = "gobench"
"""Where a trace's ``info`` holds the facts of its grade."""


class GoDebugTaskConfig(vf.TaskConfig):
    """How submissions are graded: ``--env.taskset.task.*``."""

    grading: RuntimeConfig | None = None
    """Runtime for the hidden suite. By default a fresh one like the agent's, and for the subprocess runtime this
    machine's own isolation."""
    unisolated: bool = False
    """Run suites on this machine even if nothing here can isolate them: for submissions that you trust."""
    agent_user: str | None = None
    """User that owns the repo and, from verifiers 0.4 on, runs the agent's commands; made if the image has none."""


class GoDebugConfig(vf.TasksetConfig):
    """Which tasks, and the agent's box: ``--env.taskset.*``."""

    task: GoDebugTaskConfig = GoDebugTaskConfig()
    task_ids: list[str] | None = None
    """Ids of tasks, in this order. All by default."""
    difficulty: list[Difficulty] | Difficulty | None = None
    """Only tasks of one or more of these: medium, hard, expert."""
    families: list[str] | None = None
    """Only tasks of these families, such as channels or encoding."""
    image: str | None = IMAGE
    """Image of the agent's box, with Go, GNU tar and findutils. None for the subprocess runtime."""
    network: bool = False
    """Whether the agent reaches the network. The reference fixes are public, so by default it does not. Without an
    image there is no way to keep it from it."""
    setup_seconds: float = Field(600, gt=0)
    """Limit of a rollout's setup, in which the agent gets its repo."""
    agent_seconds: float | None = Field(None, gt=0)
    """Limit of the agent's work. By default the harness decides."""
    scoring_seconds: float = Field(900, gt=0)
    """Limit of a grade, with the start of its box."""
    cpu: float = Field(2, gt=0)
    """Cores of a container."""
    memory: float = Field(4, gt=0)
    """Gigabytes of a container."""
    tasks: Path | None = None
    """Folder of tasks to use in place of the packaged ones."""

    @field_validator("difficulty", mode="after")
    @classmethod
    def _as_list(cls, value: list[Difficulty] | Difficulty | None) -> list[Difficulty] | None:
        return value if value is None or isinstance(value, list) else [value]


class GoDebugData(vf.TaskData):
    """A task as a trace carries it: nothing of its hidden suite, its fixes or its gate."""

    difficulty: str
    family: str


class GoDebugTask(vf.Task[GoDebugData, vf.State, GoDebugTaskConfig]):
    """One debugging task: the agent edits a repo, and a hidden suite judges it in another box."""

    NEEDS_CONTAINER: ClassVar[bool] = False
    _root: Path = Path()

    @property
    def key(self) -> str:
        """The task's id, which stays when its text or its place among the tasks changes."""
        return str(self.data.name)

    @property
    def task(self) -> Task:
        """The task with its hidden suite, which the data must not hold."""
        return _task(self._root / self.key)

    @property
    def _settings(self) -> GoDebugTaskConfig:
        return cast("GoDebugTaskConfig", self.config)

    async def setup(self, trace: Trace, runtime: vf.Runtime) -> None:  # noqa: ARG002
        """Give the agent a clean repo of its own."""
        await prepare(runtime, self.task, user=self._settings.agent_user)

    @vf.metric
    async def grade(self, trace: Trace, runtime: vf.Runtime) -> Mapping[str, float]:
        """Grade once, before the rewards are asked for; they read what is kept here, without a runtime if need be."""
        found = await desk().facts(self.task, runtime, self._settings.grading, unisolated=self._settings.unisolated)
        trace.info[INFO] = found
        return {name: float(found[name]) for name in METRICS}

    @vf.reward(weight=1.0)
    async def hidden_tests_pass(self, trace: Trace) -> float:
        """The whole suite passes, and no test of the repo was touched."""
        return _fact(trace, "hidden_tests_pass")

    @vf.reward(weight=0.1)
    async def compiles(self, trace: Trace) -> float:
        """The module builds."""
        return _fact(trace, "compiles")

    @vf.reward(weight=0.0)
    async def tests_untampered(self, trace: Trace) -> float:
        """No test of the repo was changed, renamed or deleted; recorded only."""
        return _fact(trace, "tests_untampered")

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Prove every claim of the task, each grade in a fresh runtime like this one. What fails is in the record."""
        grader = await desk().grader(self._settings.grading or config_of(runtime), unisolated=self._settings.unisolated)
        from go_debug_bench.checks import Prover, checks_of  # a quarter of the imports, which no rollout needs

        prover = Prover(grader=grader, neighbours=_neighbours())

        def proved() -> bool:
            grader.warm(self.task.imports)
            verdicts = [(check, prover.run(check, self.task)) for check in checks_of(self.task)]
            failed = [f"{check.name}: {verdict.found}" for check, verdict in verdicts if not verdict.ok]
            if failed:
                note(self.key, "invalid", "\n".join(failed))
            return not failed

        return bool(await desk().run(proved))


def _fact(trace: Trace, name: str) -> float:
    return float(trace.info[INFO][name])


@cache
def _task(folder: Path) -> Task:
    return load_task(folder)


@cache
def _neighbours() -> Neighbours:
    return Neighbours()


class GoDebugTaskset(vf.Taskset[GoDebugTask, GoDebugConfig]):  # type: ignore[type-var]  # its variables are invariant
    """The debugging tasks of this package, or of a folder of your own."""

    def load(self) -> Iterable[GoDebugTask]:
        """The chosen tasks. Unknown ids are an error that names the nearest ones."""
        config = self.config
        desk()  # no fitting Go is an error now, not at the first grade
        root = config.tasks or tasks_dir()
        if config.tasks:
            load_tasks(root, config.task_ids)  # the packaged tasks are proved; of others every problem is said now
        for index, spec in enumerate(load_specs(root, config.task_ids)):
            if config.difficulty and spec.difficulty not in config.difficulty:
                continue
            if config.families and spec.family not in config.families:
                continue
            made = GoDebugTask(self._data(index, spec), config.task)
            made._root = root
            yield made

    def _data(self, index: int, spec: TaskSpec) -> GoDebugData:
        config = self.config
        fields: dict[str, Any] = {
            "idx": index,
            "name": spec.id,
            "description": spec.title,
            "prompt": prompt(spec),
            "difficulty": spec.difficulty,
            "family": spec.family,
            "timeout": vf.TaskTimeout(
                setup=config.setup_seconds, agent=config.agent_seconds, scoring=config.scoring_seconds
            ),
        }
        if config.image is not None:
            fields["image"] = config.image
            fields["resources"] = vf.TaskResources(cpu=config.cpu, memory=config.memory)
            # For the environments that score in a box of their own: what the agent leaves is all that they need.
            fields["artifacts"] = [vf.Artifact(source=REPO, required=False)]
            if not config.network:
                fields["network_allow"] = []
            if config.task.agent_user and "agent_user" in vf.TaskData.model_fields:
                fields["agent_user"] = config.task.agent_user
        return GoDebugData(**fields)
