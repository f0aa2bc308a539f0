"""What grading a rollout in a fresh container costs, against starting and stopping the container alone.

It needs docker, or podman under that name, with the image ``golang:1.24-bookworm``: ``.ci/containers/setup`` makes one.
Each grade stands beside a bare start and stop of the same container with the same network policy.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator

from benchmarks.measure import Figure, Sample, median
from go_debug_bench import fixes
from go_debug_bench.task import Task

__all__ = ["container", "has_engine"]

_IMAGE = "docker.io/library/golang:1.24-bookworm"


def has_engine() -> bool:
    """Whether a container engine answers and has the image."""
    if not shutil.which("docker"):
        return False
    try:
        argv = ["docker", "image", "inspect", _IMAGE]
        return subprocess.run(argv, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def container(task: Task, *, rounds: int) -> Iterator[Figure]:
    """The figure of a grade in a container."""
    sides = asyncio.run(_measure(task, rounds))
    yield Figure(
        name=f"grade {task.id} in a container",
        value=median(sides["grade"]) - median(sides["container"]),
        unit="s more",
        target=1.0,
        sides=sides,
        note="beyond starting and stopping the container",
    )


async def _measure(task: Task, rounds: int) -> dict[str, list[Sample]]:
    # Imported here: verifiers takes seconds.
    from verifiers.v1.runtimes import DockerConfig, provision_runtime

    from go_debug_bench.environment.rollout import REPO, desk, prepare

    config = DockerConfig(image=_IMAGE, allow=[])
    sides: dict[str, list[Sample]] = {"grade": [], "container": []}
    async with provision_runtime(config) as agent:
        await prepare(agent, task)
        for path, data in fixes.apply(task.spec.reference_fix, task.repo).items():
            await agent.write(f"{REPO}/{path}", data)
        await desk().facts(task, agent)  # makes the grader and warms the cache
        for _ in range(rounds):
            begin = time.perf_counter()
            async with provision_runtime(config) as empty:
                await empty.prepare_execution([])
            sides["container"].append(_wall(begin))
            begin = time.perf_counter()
            facts = await desk().facts(task, agent)
            sides["grade"].append(_wall(begin))
            if not facts["hidden_tests_pass"]:
                raise RuntimeError(f"the reference fix of {task.id} does not pass in a container: {facts['code']}")
    return sides


def _wall(begin: float) -> Sample:
    return Sample(wall=time.perf_counter() - begin, cpu=0.0)
