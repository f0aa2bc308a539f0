"""Run programs through the small Go launcher: with limits, a capped output, and nothing left behind.

The launcher's own source says what it guarantees (``gotools/launch``). It is built once per toolchain and kept in
the cache under the digest of its source.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from filelock import FileLock

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.guarded import run_guarded
from go_debug_bench.identity import own_files
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.tree import digest

__all__ = ["Completed", "Limits", "Runner", "build_tool", "launch_command", "read_status"]

_SOURCE = Path(__file__).parent / "gotools"
_BUILD_SECONDS = 300
_GRACE_SECONDS = 30  # the launcher kills for up to ten seconds before it reports


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a program may use; ``None`` leaves a resource alone.

    ``processes`` counts threads too. Without isolation it is not set: it would count all that the caller runs. Nor
    does the kernel ever bound root, which ``Isolation.USER`` stays when root asks for it.

    ``memory_bytes`` bounds private writable memory per process (RLIMIT_DATA): the address space itself must stay
    unbounded, as Go reserves far more than it uses.
    """

    seconds: float
    output_bytes: int = 1 << 20
    memory_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Completed:
    """How a program ended. A failing program is a value; ``seconds`` are wall time, ``peak_bytes`` resident memory.

    ``report`` is what it wrote to its report descriptor, which only a program with a key has.
    """

    exit_code: int
    signal: str
    timed_out: bool
    output_cut: bool
    leftovers: int
    output: bytes
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    report: bytes = b""

    @property
    def ok(self) -> bool:
        """It ended by itself, with exit status 0."""
        return self.exit_code == 0 and not self.timed_out and not self.output_cut

    @property
    def text(self) -> str:
        """Standard output and error as text; whatever is not UTF-8 is replaced."""
        return self.output.decode("utf-8", "replace")


@dataclass(frozen=True, kw_only=True)
class Runner:
    """Runs programs through one built launcher."""

    launcher: Path

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        options: Sequence[str] = (),
    ) -> Completed:
        """Run a program to its end and kill what is left of it.

        When this process dies or is interrupted, the program and all its descendants die with it. ``options`` are
        further options of the launcher: for a jail, or a key.

        Raises:
            InfrastructureError: the launcher itself failed, so nothing is known of the program.
        """
        command = launch_command(self.launcher, argv, limits, [f"-parent={os.getpid()}", *options])
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                close_fds=False,  # the launcher keeps them from the program; what it starts ran a tenth slower else
            )
        except OSError as error:
            raise InfrastructureError(f"cannot start {argv[0]}: {error}") from error
        try:
            output, report = process.communicate(timeout=limits.seconds + _GRACE_SECONDS)
        except BaseException as error:
            _stop(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise InfrastructureError(f"the launcher did not stop {argv[0]} in time") from error
            raise
        return read_status(argv[0], process.returncode, output, report)


def launch_command(
    launcher: Path | PurePosixPath, argv: Sequence[str], limits: Limits, options: Sequence[str] = ()
) -> list[str]:
    """The launcher's command line, here or on another machine."""
    return [
        str(launcher),
        f"-timeout={limits.seconds}s",
        f"-output={limits.output_bytes}",
        f"-data={limits.memory_bytes or 0}",
        f"-file={limits.file_bytes or 0}",
        f"-files={limits.open_files or 0}",
        f"-processes={limits.processes or 0}",
        *options,
        "--",
        *argv,
    ]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a launcher, giving it the time to kill its program first."""
    process.terminate()
    try:
        process.communicate(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def read_status(program: str, code: int, output: bytes, report: bytes) -> Completed:
    """What became of a program, from how its launcher ended and what that wrote.

    Raises:
        InfrastructureError: the launcher failed, so nothing is known of the program.
    """
    try:
        facts = json.loads(report) if code == 0 else None
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        said = report.decode("utf-8", "replace").strip()[-500:]
        raise InfrastructureError(f"the launcher failed on {program} (exit status {code}): {said}")
    if facts["interrupted"]:
        raise InfrastructureError(f"{program} was interrupted from outside")
    return Completed(
        exit_code=facts["exit"],
        signal=facts["signal"],
        timed_out=facts["timed_out"],
        output_cut=facts["output_cut"],
        leftovers=facts["leftovers"],
        output=output,
        seconds=facts["seconds"],
        cpu_seconds=facts["cpu_seconds"],
        peak_bytes=facts["max_rss"],
        report=base64.b64decode(facts["report"] or ""),
    )


def build_tool(
    name: str, toolchain: Toolchain, *, cache: Path, build_cache: Path, platform: tuple[str, str] | None = None
) -> Path:
    """The binary of ``gotools/<name>``, built if the cache does not hold it yet; for this machine, or a ``platform``.

    Raises:
        InfrastructureError: it does not build.
    """
    goos, goarch = platform or (toolchain.goos, toolchain.goarch)
    source = own_files(_SOURCE)
    folder = cache / "tools" / f"{toolchain.version}-{goos}-{goarch}-{digest(source)[:16]}"
    binary = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{name}.lock"):
            if not _is_program(binary):
                # Under the tool's lock: whatever has its prefix was left by a build that was killed.
                for stale in folder.glob(f"{name}-*"):
                    shutil.rmtree(stale, ignore_errors=True)
                with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=folder) as home:
                    env = environment(toolchain, home=Path(home), cache=build_cache, goos=goos, goarch=goarch)
                    _build_tool(name, toolchain, env, Path(home) / name)
                    (Path(home) / name).replace(binary)
    except OSError as error:
        hint = "delete it, or set GOBENCH_CACHE to another folder"
        raise InfrastructureError(f"the cache {cache} cannot be used: {error}; {hint}") from error
    return binary


def _is_program(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0 and os.access(path, os.X_OK)


def _build_tool(name: str, toolchain: Toolchain, env: Mapping[str, str], binary: Path) -> None:
    try:
        done = run_guarded(
            [toolchain.go, "build", "-ldflags=-s -w", "-o", str(binary), f"./{name}"],
            cwd=_SOURCE,
            env=env,
            seconds=_BUILD_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"cannot build {name}: {error}") from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip()[-2000:]
        raise InfrastructureError(f"cannot build {name} with {toolchain.version}: {said}")
