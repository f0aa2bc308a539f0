"""Boxes for hidden suites in fresh runtimes of verifiers: containers and sandboxes, here or far away.

A grade is made by blocking code in a thread; the runtime lives on the event loop that the rollout runs on.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import shlex
import tarfile
import uuid
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from verifiers.v1.configs.runtime import NetworkPolicyConfig
from verifiers.v1.runtimes import Runtime, RuntimeConfig, make_runtime

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.isolation import Isolation, Jail
from go_debug_bench.launcher import Completed, Limits, launch_command, read_status

__all__ = ["RuntimeBox", "RuntimeBoxes", "config_of", "fresh_config", "platform_of", "provisioned"]

T = TypeVar("T")

_START_SECONDS = 600  # an image may have to be pulled, and a sandbox be scheduled
_COMMAND_SECONDS = 120  # to move files into a box; the suite has its own limit
_KEY = "key"

_DELIVER = """
set -e
umask 022
mkdir -p "$1/tmp" "$1/$2"
tar -xpf "$1.tar" -C "$1"
rm "$1.tar"
chmod 1777 "$1/tmp"
shift 2
exec "$@"
"""

# Users that no image has. Each run has its own: the kernel counts what a user runs across all containers of a machine.
_USERS = range(20_000, 60_000)

_GOOS = {"Linux": "linux"}
_GOARCH = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def config_of(runtime: Runtime) -> RuntimeConfig:
    """What a runtime was made from: every kind has it, though their base class does not say so."""
    return cast("RuntimeConfig", vars(runtime)["config"])


def fresh_config(config: RuntimeConfig) -> RuntimeConfig:
    """The configuration of a runtime like another, for a suite: without a way out to the network where it has a say."""
    if not isinstance(config, NetworkPolicyConfig):
        return config
    try:
        closed = type(config).model_validate({**config.model_dump(), "allow": [], "block": ["*"]})
    except ValidationError as error:
        said = error.errors()[0]["msg"]
        raise InfrastructureError(f"no suite runs in this {config.type} runtime: {said}; set task.grading") from error
    return cast("RuntimeConfig", closed)


@contextlib.asynccontextmanager
async def provisioned(config: RuntimeConfig, purpose: str) -> AsyncIterator[Runtime]:
    """A fresh runtime, stopped afterwards whatever happens.

    Raises:
        InfrastructureError: it does not start.
    """
    runtime = make_runtime(config, f"gobench-{purpose}-{uuid.uuid4().hex[:12]}")
    try:
        try:
            async with asyncio.timeout(_START_SECONDS):
                await runtime.start()
                await runtime.prepare_execution([])
        except Exception as error:
            raise InfrastructureError(f"the {config.type} runtime does not start: {_said(error)}") from error
        yield runtime
    finally:
        await runtime.stop()


async def platform_of(runtime: Runtime) -> tuple[str, str]:
    """GOOS and GOARCH of a runtime that no agent was in.

    Raises:
        InfrastructureError: there is no saying, or Go programs of this project do not run there.
    """
    result = await runtime.run(["uname", "-sm"], {})
    system, _, machine = result.stdout.strip().partition(" ")
    if result.exit_code != 0 or system not in _GOOS or machine not in _GOARCH:
        said = (result.stdout + result.stderr).strip()[:200]
        raise InfrastructureError(f"suites run on Linux on x86-64 or arm64, and the {runtime.type} runtime is {said!r}")
    return _GOOS[system], _GOARCH[machine]


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500] if str(error) else type(error).__name__


class RuntimeBox:
    """A running runtime that no agent was ever in.

    Files are kept here until a program runs: one transfer and one command for all of them, as each of either costs
    a tenth of a second in a container, and more far away.
    """

    isolated = True

    def __init__(
        self, runtime: Runtime, platform: tuple[str, str], launcher: bytes, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.name = f"a fresh {runtime.type} runtime"
        self.platform = platform
        self._runtime = runtime
        self._loop = loop
        self._root = PurePosixPath(f"/tmp/box-{uuid.uuid4().hex}")  # noqa: S108 - of the box, in which nobody else is
        self._waiting: dict[str, tuple[bytes, int]] = {"launch": (launcher, 0o755)}

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Put a file into the box, when the next program runs."""
        self._waiting[path] = (data, 0o755 if executable else 0o644)

    def read(self, path: str, *, cap: int) -> bytes | None:
        """Content of a regular file, or None if there is none or it is longer than ``cap`` bytes."""
        quoted = shlex.quote(str(self._root / path))
        script = f"test -f {quoted} && ! test -L {quoted} && test $(wc -c <{quoted}) -le {cap}"
        if self._deliver("", ["sh", "-c", script])[0] != 0:
            return None
        data: bytes = self._await(self._runtime.read(str(self._root / path), max_bytes=cap), _COMMAND_SECONDS)
        return data

    def run(
        self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], limits: Limits, key: bytes | None = None
    ) -> Completed:
        """Run a program of the box. Raises InfrastructureError when the runtime or the launcher fails."""
        program, *arguments = argv
        jail = Jail(
            isolation=Isolation.CONTAINER, root=Path(self._root), folder=str(self._root / folder), strict=True
        ).arguments()
        options = [*jail, f"-user={random.choice(_USERS)}"]  # noqa: S311 - only to differ from others
        if key is not None:
            self._waiting[_KEY] = (key, 0o400)
            options.append(f"-key={self._root / _KEY}")
        temporary = str(self._root / "tmp")
        command = launch_command(self._root / "launch", [str(self._root / program), *arguments], limits, options)
        variables = {**env, "HOME": temporary, "TMPDIR": temporary, "TZ": "UTC"}
        # The launcher passes its own environment on, and that of an image is not for a suite to see.
        words = ["env", "-i", *(f"{name}={value}" for name, value in variables.items()), *command]
        code, output, errors = self._deliver(folder, words, seconds=limits.seconds + _COMMAND_SECONDS)
        return read_status(program, code, output.encode(), errors.encode())

    def _deliver(self, folder: str, argv: Sequence[str], seconds: float = _COMMAND_SECONDS) -> tuple[int, str, str]:
        """Move the waiting files over, make what is not there yet, and run a command."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for path, (data, mode) in self._waiting.items():
                member = tarfile.TarInfo(path)
                member.size, member.mode = len(data), mode
                archive.addfile(member, io.BytesIO(data))
        self._waiting.clear()
        archive_path = f"{self._root}.tar"
        self._await(self._runtime.write(archive_path, buffer.getvalue()), _COMMAND_SECONDS)
        script = ["sh", "-c", _DELIVER, "deliver", str(self._root), folder, *argv]
        result = self._await(self._runtime.run(script, {}), seconds)
        return result.exit_code, result.stdout, result.stderr

    def _await(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        return wait_on(self._loop, work, seconds, self.name)


def wait_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], seconds: float, name: str) -> T:
    """Have a loop of another thread do some work, and wait for it here.

    Raises:
        InfrastructureError: it fails, takes too long, or is cancelled with the loop.
    """

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await work

    try:
        future = asyncio.run_coroutine_threadsafe(bounded(), loop)
    except RuntimeError as error:  # the loop is closed: the run was interrupted
        work.close()
        raise InfrastructureError(f"{name} is gone: {error}") from error
    while True:
        try:
            return future.result(timeout=1)
        except InfrastructureError:
            raise
        except Exception as error:
            if not isinstance(error, TimeoutError) or future.done():
                raise InfrastructureError(f"{name} failed: {_said(error)}") from error
            if not loop.is_running():  # what it was given last is never done
                raise InfrastructureError(f"{name} is gone: the run was interrupted") from error


_Started = tuple[contextlib.AbstractAsyncContextManager[Runtime], Runtime]


@dataclass(frozen=True, kw_only=True)
class RuntimeBoxes:
    """Opens a fresh runtime of one configuration for each run; to be used from threads other than the loop's."""

    config: RuntimeConfig
    platform: tuple[str, str]
    launcher: bytes
    loop: asyncio.AbstractEventLoop
    isolated: bool = True
    _ahead: deque[asyncio.Task[_Started]] = field(default_factory=deque)

    @contextlib.contextmanager
    def open(self) -> Iterator[RuntimeBox]:
        """A box in a runtime of its own."""
        context, runtime = wait_on(self.loop, self._take(), _START_SECONDS, f"the {self.config.type} runtime")
        try:
            yield RuntimeBox(runtime, self.platform, self.launcher, self.loop)
        finally:
            try:
                wait_on(self.loop, context.__aexit__(None, None, None), _COMMAND_SECONDS, "stopping the runtime")
            finally:
                if not self.loop.is_running():
                    runtime.cleanup()

    @contextlib.asynccontextmanager
    async def ahead(self) -> AsyncIterator[None]:
        """Have a runtime start while a submission is collected and built, which takes about as long.

        To be entered on the loop. What is not opened by the end is stopped.
        """
        self._ahead.append(asyncio.ensure_future(self._start()))
        try:
            yield
        finally:
            if self._ahead:
                with contextlib.suppress(InfrastructureError):
                    context, _ = await self._ahead.pop()
                    await context.__aexit__(None, None, None)

    async def _take(self) -> _Started:
        return await (self._ahead.popleft() if self._ahead else self._start())

    async def _start(self) -> _Started:
        context = provisioned(self.config, "grade")
        return context, await context.__aenter__()
