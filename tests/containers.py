"""Runtimes of verifiers in tests: an event loop of their own, and the container engine of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Coroutine, Iterator
from functools import cache
from typing import Any, TypeVar

import pytest
from verifiers.v1.runtimes import RuntimeConfig

__all__ = ["IMAGE", "Loop", "container_config", "engine", "running_loop"]

T = TypeVar("T")

IMAGE = "docker.io/library/golang:1.24-bookworm"
"""What ``.ci/containers/setup`` makes a look-alike of."""

REQUIRED = "GOBENCH_CONTAINERS"
"""Set where tests in containers must run, as in CI: there, a machine without an engine is a failure and no skip."""


@cache
def _answers() -> bool:
    if not shutil.which("docker"):
        return False
    return subprocess.run(["docker", "version"], capture_output=True, timeout=30, check=False).returncode == 0


def engine() -> str:
    """The container engine to test with; skips where there is none, and fails where there must be one."""
    if _answers():
        return "docker"
    if os.environ.get(REQUIRED):
        pytest.fail(f"{REQUIRED} is set, and no docker answers: source the env of .ci/containers/setup")
    pytest.skip("no container engine here: run .ci/containers/setup DIR, source DIR/env, and set GOBENCH_CONTAINERS=1")


def container_config(**settings: Any) -> RuntimeConfig:
    """The configuration of a container without a network."""
    from verifiers.v1.runtimes import DockerConfig

    engine()
    return DockerConfig(image=IMAGE, allow=[], **settings)


class Loop:
    """An event loop that runs in a thread, and a way to wait for its work."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, T], seconds: float = 120) -> T:
        """What the work returns."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def close(self) -> None:
        """End the loop and its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


@contextlib.contextmanager
def running_loop() -> Iterator[Loop]:
    """A loop for a test."""
    loop = Loop()
    try:
        yield loop
    finally:
        loop.close()
