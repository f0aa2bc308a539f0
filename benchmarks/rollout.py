"""What grading a rollout in a fresh container costs, against starting and stopping the container alone.

Run it as ``uv run python -m benchmarks.rollout [ID] [--grades N]`` where docker, or podman under that name, has the
image ``golang:1.24-bookworm``: ``.ci/containers/setup`` makes one. Each grade stands beside a bare start and stop of
the same container with the same network policy.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time

from verifiers.v1.runtimes import DockerConfig, provision_runtime

from go_debug_bench import fixes
from go_debug_bench.environment.rollout import REPO, desk, prepare
from go_debug_bench.task import Task, load_tasks

IMAGE = "docker.io/library/golang:1.24-bookworm"


async def measure(task: Task, grades: int) -> None:
    """Print one task's figures."""
    config = DockerConfig(image=IMAGE, allow=[])
    bare, graded = [], []
    async with provision_runtime(config) as agent:
        await prepare(agent, task)
        for path, data in fixes.apply(task.spec.reference_fix, task.repo).items():
            await agent.write(f"{REPO}/{path}", data)
        await desk().facts(task, agent)  # makes the grader and warms the cache
        for _ in range(grades):
            begin = time.perf_counter()
            async with provision_runtime(config) as empty:
                await empty.prepare_execution([])
            bare.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            facts = await desk().facts(task, agent)
            graded.append(time.perf_counter() - begin)
            assert facts["hidden_tests_pass"], facts["code"]
    base, middle = statistics.median(bare), statistics.median(graded)
    print(
        f"{task.id:<28} container {base * 1000:5.0f} ms   grade {middle * 1000:5.0f} ms   "
        f"{(middle - base) * 1000:+5.0f} ms   steps {facts['steps']}"
    )


def main() -> int:
    """Measure the named task."""
    parser = argparse.ArgumentParser(description="Time grades in containers against starting the container alone.")
    parser.add_argument("id", nargs="?", default="config-omitempty", metavar="ID", help="task id")
    parser.add_argument("--grades", type=int, default=10, metavar="N", help="grades (default 10)")
    options = parser.parse_args()
    (task,) = load_tasks(ids=[options.id])
    asyncio.run(measure(task, options.grades))
    return 0


if __name__ == "__main__":
    sys.exit(main())
