"""Drives whole rollouts against the fake model server, in this process or through the commands of verifiers.

Everything here works alike on verifiers 0.3.1 and 0.4.0, whichever the running environment has. The agent is always
``scripted_harness``. The commands of verifiers exit with 0 even if every rollout failed: judge what is returned.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import gc
import importlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import verifiers.v1 as vf

from tests.rollout.model_server import PREFIX, ModelServer

Config = Mapping[str, Any]

HAS_CLASSIC: Final = importlib.metadata.version("verifiers").startswith("0.3.")
"""Whether this release still has the classic API: its v1 commands then have names without ``vf-``."""

HARNESS: Final = "scripted_harness"
PLUGINS: Final = Path(__file__).parent / "plugins"
SUBPROCESS: Final[Config] = {"type": "subprocess"}
KEY_VARIABLE: Final = "SCRIPTED_MODEL_KEY"  # not set; only Prime's variable would make verifiers read a user's account


class CommandFailed(Exception):
    """A command of verifiers that did not exit with 0, with all that it printed."""


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """What a rollout came to, read from its record."""

    task: str
    """The task's key."""
    reward: float
    """The sum of score times weight; 0 for what was never scored."""
    scores: Mapping[str, float | None]
    metrics: Mapping[str, float | None]
    info: Mapping[str, Any]
    turns: int
    stop: str | None
    ok: bool
    errors: tuple[str, ...]
    """Each as ``Type: message``; those of the episode first."""
    record: Mapping[str, Any]
    """The trace as the record has it; empty if the episode ended before it had one."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A finished run of the evaluating command."""

    folder: Path
    rollouts: list[Rollout]
    output: str


@dataclass(frozen=True, kw_only=True)
class Validation:
    """A finished run of the validating command, with a row for each task in the taskset's order."""

    folder: Path
    rows: list[Mapping[str, Any]]
    summary: Mapping[str, Any]
    output: str


def run_rollouts(
    taskset: Config,
    *,
    script: str,
    server: ModelServer,
    runtime: Config = SUBPROCESS,
    n: int = 1,
    agent: Config | None = None,
    env: Config | None = None,
    folders: Sequence[Path] = (),
) -> list[Rollout]:
    """Run ``n`` rollouts of every task of a taskset in this process, all at once, in the taskset's order.

    ``agent`` adds to the agent's config (``max_turns``, ``timeout``), ``env`` to the environment's (``id``), and
    modules are found in ``folders`` too.
    """
    episodes = run_episodes(
        taskset, script=script, server=server, runtime=runtime, n=n, agent=agent, env=env, folders=folders
    )
    return [rollout for episode in episodes for rollout in read_episode(episode.to_record())]


def run_episodes(
    taskset: Config,
    *,
    script: str,
    server: ModelServer,
    runtime: Config = SUBPROCESS,
    n: int = 1,
    agent: Config | None = None,
    env: Config | None = None,
    folders: Sequence[Path] = (),
) -> list[vf.Episode[Any, Any, Any]]:
    """The same, with the live episodes and their traces."""

    async def run() -> list[vf.Episode[Any, Any, Any]]:
        environment = vf.load_environment(vf.resolve_env_config(_env_config(taskset, runtime, agent, env)))
        context = vf.ModelContext(
            model=PREFIX + script,
            client=vf.EvalClientConfig(base_url=server.url, api_key_var=KEY_VARIABLE),
            sampling=vf.SamplingConfig(),
        )
        async with environment.serving():
            slots = [slot for task in environment.taskset for slot in environment.slots(task, n)]
            episodes = await asyncio.gather(*(environment.run_slot(slot, context) for slot in slots))
        await _reap()
        return episodes

    with importable(PLUGINS, *folders):
        return asyncio.run(run())


def run_eval(
    taskset: Config,
    *,
    script: str,
    server: ModelServer,
    output: Path,
    runtime: Config = SUBPROCESS,
    n: int = 1,
    agent: Config | None = None,
    env: Config | None = None,
    folders: Sequence[Path] = (),
    flags: Sequence[str] = ("--no-serve",) if HAS_CLASSIC else (),
    seconds: float = 300,
) -> Evaluation:
    """Run the evaluating command, ``eval`` or ``vf-eval``, and read the folder that it writes.

    Give no ``flags`` to have 0.3.1 run the rollouts as prime-rl does, in a pool of worker processes.
    """
    output.mkdir(parents=True, exist_ok=True)
    config = output / "eval-config.json"
    config.write_text(json.dumps({"env": _env_config(taskset, runtime, agent, env)}))
    printed = _command(
        "eval" if HAS_CLASSIC else "vf-eval",
        *("@", str(config), "--model", PREFIX + script, "--client.base-url", server.url),
        *("--client.api-key-var", KEY_VARIABLE, "--num-rollouts", str(n), "--no-push", "--no-rich"),
        *("--output-dir", str(output), "--run.name", "eval", *flags),
        folders=folders,
        seconds=seconds,
    )
    folder = output / "eval"
    return Evaluation(folder=folder, rollouts=read_run(folder), output=printed)


def run_validate(
    taskset: Config,
    *,
    output: Path,
    runtime: Config = SUBPROCESS,
    folders: Sequence[Path] = (),
    flags: Sequence[str] = (),
    seconds: float = 300,
) -> Validation:
    """Run the validating command, ``validate`` or ``vf-validate``, and read the folder that it writes.

    Every row has a ``gold`` row in it, and a ``setup`` row on 0.3.1 or a ``noop`` row on 0.4.0, unless a flag
    such as ``--only-gold`` asks for one of them.
    """
    output.mkdir(parents=True, exist_ok=True)
    config = output / "validate-config.json"
    config.write_text(json.dumps({"taskset": taskset, "runtime": runtime}))
    printed = _command(
        "validate" if HAS_CLASSIC else "vf-validate",
        *("@", str(config), "--no-rich", "--output-dir", str(output), "--run.name", "validate", *flags),
        folders=folders,
        seconds=seconds,
    )
    folder = output / "validate"
    rows = sorted(_json_lines(folder / "results.jsonl"), key=lambda row: int(row["task_position"]))
    summary = json.loads((folder / "summary.json").read_text())
    return Validation(folder=folder, rows=rows, summary=summary, output=printed)


def read_run(folder: Path) -> list[Rollout]:
    """The rollouts of an evaluation's folder, sorted by task."""
    rollouts = [rollout for row in _json_lines(folder / "traces.jsonl") for rollout in read_episode(row)]
    return sorted(rollouts, key=lambda rollout: rollout.task)


def read_episode(record: Mapping[str, Any]) -> list[Rollout]:
    """The rollouts of an episode's record: one for each trace, and one for an episode that has none."""
    return [_rollout(record, trace) for trace in record.get("traces") or [{}]]


def _rollout(episode: Mapping[str, Any], trace: Mapping[str, Any]) -> Rollout:
    rewards = trace.get("rewards", {})
    errors = [*episode.get("errors", ()), *trace.get("errors", ())]
    return Rollout(
        task=episode["task"]["key"],
        reward=sum(reward["score"] * reward["weight"] for reward in rewards.values() if reward is not None),
        scores={name: reward and reward["score"] for name, reward in rewards.items()},
        metrics=trace.get("metrics", {}),
        info=trace.get("info", {}),
        turns=sum(bool(node.get("sampled")) for node in trace.get("nodes", ())),
        stop=trace.get("stop_condition"),
        ok=bool(episode.get("ok") and trace.get("ok")),
        errors=tuple(f"{error['type']}: {error['message']}" for error in errors),
        record=trace,
    )


def _env_config(taskset: Config, runtime: Config, agent: Config | None, env: Config | None) -> dict[str, Any]:
    return {
        **(env or {}),
        "taskset": dict(taskset),
        "agent": {"harness": {"id": HARNESS}, "runtime": dict(runtime), **(agent or {})},
    }


def _command(name: str, *arguments: str, folders: Sequence[Path], seconds: float) -> str:
    """What a command of this environment prints.

    :raises CommandFailed: if it does not exit with 0.
    :raises subprocess.TimeoutExpired: if it takes too long.
    """
    path = [str(PLUGINS), *map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [Path(sys.executable).parent / name, *arguments],
        env={
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPATH": os.pathsep.join(path),
            "PYTHONPYCACHEPREFIX": _bytecode(),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    if done.returncode != 0:
        raise CommandFailed(f"{name} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


@functools.cache
def _bytecode() -> str:
    """A folder for what commands compile, until this process ends.

    verifiers and what it imports take 9 s to compile and 2 s to load, and the environment may keep no bytecode.
    """
    folder = tempfile.mkdtemp(prefix="gb-bytecode-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


async def _reap() -> None:
    """Wait until all processes of the event loop have ended, for five seconds at most.

    verifiers kills a command that a timeout cancels and does not wait for it: a loop that is closed at once leaks it.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(5):
            while any(
                issubclass(type(item), asyncio.SubprocessTransport) and not item.is_closing()
                for item in gc.get_objects()
            ):
                await asyncio.sleep(0.02)


@contextlib.contextmanager
def importable(*folders: Path) -> Iterator[None]:
    """Modules of these folders can be imported by their names."""
    before = sys.path[:]
    sys.path[:0] = map(str, folders)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def _json_lines(path: Path) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
