"""What a rollout needs on either API: the agent's view of a task in its box, its submission, and the grade."""

from __future__ import annotations

import asyncio
import atexit
import base64
import contextlib
import io
import os
import signal
import tarfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from verifiers.v1.errors import SandboxError
from verifiers.v1.runtimes import Runtime, RuntimeConfig, SubprocessConfig

from go_debug_bench import tree
from go_debug_bench.environment.boxes import RuntimeBoxes, config_of, fresh_config, platform_of, provisioned
from go_debug_bench.environment.record import note, record
from go_debug_bench.errors import GobenchError, InfrastructureError
from go_debug_bench.grade import Grade, Outcome
from go_debug_bench.grading import Grader
from go_debug_bench.host import Host
from go_debug_bench.isolation import Isolation
from go_debug_bench.prompt import REPO, prompt
from go_debug_bench.submission import Submission, collect
from go_debug_bench.task import Task
from go_debug_bench.toolchain import RELEASE, Toolchain, find_toolchain
from go_debug_bench.workspace import Workspace, cache_dir

__all__ = ["METRICS", "REPO", "Desk", "desk", "prepare", "prompt", "submission_of", "sweep"]

METRICS = ("hidden_pass_fraction", "lint_findings", "added_tests", "grade_seconds")
"""Facts of a grade that are numbers without being rewards."""

_MAX_ARCHIVE = 24 << 20  # bytes: more headers than the entries that a submission may have
_READ_SECONDS = 60.0
_DONE = "end of submission"

_PLACE = """
set -e
mkdir -p "$1"
tar -xf "$1.tar" -C "$1"
rm "$1.tar"
test -z "$2" || {
    id -u "$2" >/dev/null 2>&1 || useradd --create-home "$2"
    chown -R "$2" "$1"
}
"""

# In the background, as whoever runs the agent's commands: compiling the standard library is half a minute that the
# agent's first `go test` need not take.
_WARM = """
cd "$1"
warm='go test -count=1 -run "^$" ./... </dev/null >/dev/null 2>&1'
if test -n "$2"; then
    (setsid su "$2" -c "PATH=$PATH; $warm" </dev/null >/dev/null 2>&1 &)
else
    (setsid sh -c "$warm" </dev/null >/dev/null 2>&1 &)
fi
"""

# What decides a grade, and what stands in its way: Go source, folders, and whatever is not a regular file.
_COLLECT = f"""
cd "$1" || exit 3
find . -mindepth 1 \\( -type d \\( -name '.*' -o -name vendor -o -name testdata \\) -prune \\) -o \\
    \\( -type d -o ! -type f -o -name '*.go' -o -name go.mod \\) -print0 2>/dev/null |
    tar --null --no-recursion -T - -cf - 2>/dev/null | head -c {_MAX_ARCHIVE} | base64 -w 0
echo
echo "{_DONE}"
"""


async def prepare(runtime: Runtime, task: Task, *, user: str | None = None) -> None:
    """Put the agent's view of a task into its box: the repo without a history, owned by the agent's ``user``.

    Raises:
        InfrastructureError: the box does not take it.
    """
    await runtime.write(f"{REPO}.tar", tree.pack(task.repo))
    result = await runtime.run(["sh", "-c", _PLACE, "place", REPO, user or ""], {})
    if result.exit_code != 0:
        said = (result.stderr or result.stdout).strip()[-300:]
        raise InfrastructureError(f"cannot set up the {runtime.type} runtime: {said}")
    if not isinstance(config_of(runtime), SubprocessConfig):  # there, the cache is the machine's own
        await runtime.run(["sh", "-c", _WARM, "warm", REPO, user or ""], {})


async def submission_of(runtime: Runtime, workspace: Workspace) -> Submission:
    """Collect what an agent leaves in its box, all of which may be hostile.

    Raises:
        InfrastructureError: the box is gone.
    """
    for _ in range(2):  # once more: a machine that stalls looks like an agent that has replaced tar
        try:
            async with asyncio.timeout(_READ_SECONDS):
                result = await runtime.run(["sh", "-c", _COLLECT, "collect", REPO], {})
        except TimeoutError:
            await _check_alive(runtime)
        except Exception as error:
            raise InfrastructureError(f"the agent's box is gone: {error}") from error
        else:
            break
    else:
        return Submission(refused=f"it cannot be read within {_READ_SECONDS:.0f} s")
    text, _, end = result.stdout.rstrip().rpartition("\n")
    if end != _DONE:
        await _check_alive(runtime)
        return Submission(refused=f"there is no folder {REPO} that can be read")
    return await asyncio.to_thread(_unpacked, text, workspace)


async def _check_alive(runtime: Runtime) -> None:
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_READ_SECONDS):
            # An agent may have removed the program; that too is an answer.
            if (await runtime.run(["true"], {})).exit_code in (0, 126, 127):
                return
    raise InfrastructureError("the agent's box is gone")


def _unpacked(text: str, workspace: Workspace) -> Submission:
    """The submission in an archive that a hostile box has made: read by the rules for a folder, from a copy here."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return Submission(refused="what its box sends is no archive")
    if len(data) >= _MAX_ARCHIVE:
        return Submission(refused=f"more than {_MAX_ARCHIVE} bytes in all")
    with workspace.room() as room:
        try:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
                end = 0
                for member in archive:
                    # Some releases of tarfile walk backwards over a negative size, for ever.
                    if member.size < 0 or member.offset < end or member.issparse():
                        raise tarfile.ReadError(f"an entry that tar does not write: {member.name[:80]}")
                    end = member.offset + 1
                    _unpack(archive, member, room)
        except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
            return Submission(refused=f"what its box sends is no archive: {str(error)[:200]}")
        return collect(room)


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, room: Path) -> None:
    # Names that leave the folder are an error. The filter opens every mode, which decides whether a file is read.
    readable = bool(member.mode & 0o400)
    is_plain = member.isreg() or member.isdir()
    member = tarfile.data_filter(member.replace(deep=False), str(room)) if is_plain else member
    path = room / member.name
    try:
        if not is_plain:
            # Links, devices, pipes: one pipe stands for each, which no rule takes.
            path = path.resolve()
            if not path.is_relative_to(room.resolve()):
                return
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            return
        if os.path.lexists(path):
            raise tarfile.ReadError(f"{member.name[:80]} stands there twice")
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_plain:
            content = archive.extractfile(member)
            path.write_bytes(content.read() if content else b"")
            path.chmod(0o600 if readable else 0o200)
        else:
            os.mkfifo(path, 0o600)
    except (OSError, ValueError) as error:
        raise tarfile.ReadError(f"{member.name[:80]}: {error}") from error


async def sweep(runtime: Runtime) -> None:
    """End what an agent has left running on this machine: a container ends with what runs in it, a folder does not."""
    if isinstance(config_of(runtime), SubprocessConfig) and runtime.info.id:
        await asyncio.to_thread(_kill_below, Path(runtime.info.id))


def _kill_below(folder: Path) -> None:
    """Kill the processes that work in a folder or were started there."""
    inside = os.fsencode(folder)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            place = os.fsencode((process / "cwd").readlink())
            if place.startswith(inside) or b"PWD=" + inside in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


@dataclass(kw_only=True)
class Desk:
    """What the rollouts of a process share: toolchain, workspace, threads, and a grader for each kind of box."""

    toolchain: Toolchain
    _graders: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Future[Grader]]] = field(
        default_factory=WeakKeyDictionary
    )

    @cached_property
    def workspace(self) -> Workspace:
        """Removed when the process ends."""
        workspace = Workspace()
        atexit.register(workspace.close)
        return workspace

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        # A grade in a container mostly waits for that; one here is bound by the processors.
        return ThreadPoolExecutor(max_workers=4 * (os.cpu_count() or 1), thread_name_prefix="gobench")

    async def facts(
        self, task: Task, runtime: Runtime, grading: RuntimeConfig | None = None, *, unisolated: bool = False
    ) -> dict[str, Any]:
        """Grade what an agent left in ``runtime``, in a fresh one like it or as ``grading`` says.

        What comes back may be seen with the rollout: numbers, codes and opaque indices. Names and logs go to the record
        on this machine, and so does what an error says.

        Raises:
            SandboxError: a box or the machinery failed, and nothing is known of the submission.
        """
        begin = time.perf_counter()
        try:
            grader = await self.grader(grading or config_of(runtime), unisolated=unisolated)
            boxes = grader.boxes
            async with boxes.ahead() if isinstance(boxes, RuntimeBoxes) else contextlib.nullcontext():
                submission = await submission_of(runtime, self.workspace)
                await sweep(runtime)
                grade: Grade = await self.run(partial(_graded, grader, task, submission))
        except (GobenchError, OSError) as error:
            identity = note(task.id, "infrastructure failed", f"{error}\n{traceback.format_exc()}")
            raise SandboxError(f"the grade failed, and that is no fault of the submission: record {identity}") from None
        outcomes = _hidden_outcomes(task, grade)
        return {
            "record": record(grade),
            "code": str(grade.code),
            "compiles": grade.compiles,
            "tests_untampered": grade.tests_untampered,
            "hidden_tests_pass": grade.hidden_tests_pass,
            "hidden_outcomes": outcomes,
            "hidden_pass_fraction": outcomes.count(Outcome.PASS) / len(outcomes) if outcomes else 0.0,
            "lint_findings": len(grade.lint),
            "added_tests": len(grade.added_tests),
            "grade_seconds": round(time.perf_counter() - begin, 3),
            "steps": {name: round(seconds, 3) for name, seconds in grade.seconds.items()},
            "box": grade.box,
        }

    async def run(self, work: Callable[[], Any]) -> Any:
        """Do blocking work in a thread of the desk."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def grader(self, config: RuntimeConfig, *, unisolated: bool = False) -> Grader:
        """The grader for boxes of a configuration, on the loop that runs; made once.

        Raises:
            InfrastructureError: such a box does not start, or no suite of ours would run in it.
        """
        loop = asyncio.get_running_loop()
        graders = self._graders.setdefault(loop, {})
        key = f"{unisolated} {config.type} {config.model_dump_json()}"
        known = graders.get(key)
        if known is None or (known.done() and (known.cancelled() or known.exception())):
            graders[key] = asyncio.ensure_future(self._make_grader(config, loop, unisolated=unisolated))
        return await asyncio.shield(graders[key])

    async def _make_grader(self, config: RuntimeConfig, loop: asyncio.AbstractEventLoop, *, unisolated: bool) -> Grader:
        if isinstance(config, SubprocessConfig):
            isolation = Isolation.NONE if unisolated else None
            local: Grader = await self.run(partial(Grader, self.toolchain, self.workspace, isolation=isolation))
            return local
        fresh = fresh_config(config)
        async with provisioned(fresh, "probe") as runtime:
            platform = await platform_of(runtime)

        def made() -> Grader:
            launcher = Host(self.toolchain, self.workspace, cache_dir()).tool("launch", platform).read_bytes()
            boxes = RuntimeBoxes(config=fresh, platform=platform, launcher=launcher, loop=loop)
            return Grader(self.toolchain, self.workspace, boxes=boxes)

        remote: Grader = await self.run(made)
        return remote


def _graded(grader: Grader, task: Task, submission: Submission) -> Grade:
    grader.warm(task.imports)
    return grader.grade(task, submission)


def _hidden_outcomes(task: Task, grade: Grade) -> list[str]:
    """In the order of the names: an index says which test it is to whoever has the suite."""
    results = sorted(grade.tests, key=lambda result: result.name)
    return [str(result.outcome) for result in results if result.name.partition("/")[0] in task.hidden_tests]


@cache
def desk() -> Desk:
    """The desk of this process: one workspace and one set of threads, however many environments are loaded.

    Raises:
        ToolchainError: there is no Go to build with.
    """
    return Desk(toolchain=find_toolchain(RELEASE))
