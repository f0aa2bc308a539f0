"""The trusted side: Go commands and the tools of ``gotools``, run here in an environment made from nothing."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from filelock import FileLock

from go_debug_bench import tree
from go_debug_bench.buildcache import BuildCache
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.lint import Finding, parse_findings
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.tree import Tree
from go_debug_bench.workspace import Workspace

__all__ = ["BUILD_LIMITS", "Host"]

# Twice what the largest honest build was seen to need; a test binary has 3 to 20 MB.
BUILD_LIMITS = Limits(seconds=180, output_bytes=1 << 20, memory_bytes=1 << 30, file_bytes=128 << 20)
_TOOL_LIMITS = Limits(seconds=60, output_bytes=64 << 20)
_LINT_LIMITS = Limits(seconds=20, output_bytes=4 << 20, memory_bytes=1 << 30)
_MAX_EVENTS = 32 << 20  # bytes of test2json's output: it repeats a test's name with every line that the test prints
_TEST_RUNTIME = ("testing", "testing/internal/testdeps")  # what the go command links into every test binary


class Host:
    """Commands with one toolchain, for one platform, with a build cache that no submission ever writes to."""

    def __init__(
        self, toolchain: Toolchain, workspace: Workspace, cache: Path, *, parallelism: int | None = None
    ) -> None:
        self.toolchain = toolchain
        self.workspace = workspace
        self.platform = (toolchain.goos, toolchain.goarch)
        self._cache = cache
        self._build_cache = BuildCache(cache / "go-build")
        self._warmed: set[tuple[str, ...]] = set()
        self._parallelism = parallelism
        self.runner = Runner(launcher=self.tool("launch"))
        self._instrument = self.tool("instrument")
        self._lint = self.tool("lint")

    def tool(self, name: str, platform: tuple[str, str] | None = None) -> Path:
        """The binary of a tool of ``gotools``, for this machine or for another platform."""
        with self._build_cache.used() as folder:
            return build_tool(name, self.toolchain, cache=self._cache, build_cache=folder, platform=platform)

    def run(self, argv: Sequence[str], folder: Path, limits: Limits) -> Completed:
        """Run a trusted program in a folder."""
        goos, goarch = self.platform
        with self.workspace.room() as home:
            # In a home that is new to it, the go command begins to count what it does, and starts a process for that.
            telemetry = home / ".config" / "go" / "telemetry"
            telemetry.mkdir(parents=True)
            (telemetry / "mode").write_text("off")
            env = environment(
                self.toolchain,
                home=home,
                cache=self._build_cache.folder,
                goos=goos,
                goarch=goarch,
                parallelism=self._parallelism,
            )
            return self.runner.run(argv, cwd=folder, env=env, limits=limits)

    def go(self, folder: Path, *arguments: str, limits: Limits = BUILD_LIMITS) -> Completed:
        """Run a go command in a module's folder."""
        with self._build_cache.used():
            done = self.run([self.toolchain.go, *arguments], folder, limits)
        if self._build_cache.bound(done.seconds):
            for wanted in self._warmed:
                self._warm(wanted, lambda _: None)
        return done

    def gofmt(self, folder: Path, *arguments: str) -> Completed:
        """Run gofmt in a folder."""
        return self.run([self.toolchain.gofmt, *arguments], folder, BUILD_LIMITS)

    def warm(self, imports: Iterable[str], notify: Callable[[str], None] = lambda _: None) -> None:
        """Compile the standard packages among ``imports``, once for all processes that share the cache.

        Two processes that find the cache cold would compile the same packages side by side. ``notify`` is told when
        there is something to compile.
        """
        source = self.toolchain.goroot / "src"
        wanted = tuple(sorted({path for path in (*imports, *_TEST_RUNTIME) if (source / path).is_dir()}))
        self._warmed.add(wanted)
        self._warm(wanted, notify)

    def _warm(self, wanted: Sequence[str], notify: Callable[[str], None]) -> None:
        key = hashlib.sha256("\n".join([self.toolchain.version, *self.platform, *wanted]).encode()).hexdigest()
        stamp = self._build_cache.folder / "warm" / key
        with FileLock(self._cache / f"warm-{key[:16]}.lock"), self._build_cache.used(), self.workspace.room() as room:
            if stamp.exists():
                return
            notify(f"compiling Go's standard library, once ({self.toolchain.version})")
            (room / "go.mod").write_text("module warm\n")
            built = self.run([self.toolchain.go, "build", *wanted], room, BUILD_LIMITS)
            if not built.ok:
                raise InfrastructureError(f"cannot compile the standard library: {built.text.strip()[-500:]}")
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()

    def lint(self, files: Tree) -> tuple[Finding, ...]:
        """What the code of a module does that only a cheat needs."""
        with self.workspace.room() as room:
            tree.write(files, room)
            return self.lint_folder(room)

    def lint_folder(self, folder: Path) -> tuple[Finding, ...]:
        """``lint`` for a module that is on disk."""
        done = self.run([str(self._lint), str(folder)], folder, _LINT_LIMITS)
        if done.timed_out or done.output_cut:
            return (Finding(file=".", line=0, rule="unreadable", detail="more than it can read in time"),)
        if not done.ok:
            raise InfrastructureError(f"the lint failed: {done.text.strip()[-500:]}")
        return parse_findings(done.output)

    def instrument(self, files: Tree, tests: Sequence[str], module: str) -> Mapping[str, bytes]:
        """The ``tests`` among the files, made to attest through a module."""
        with self.workspace.room() as room:
            tree.write(files, room)
            done = self.run([str(self._instrument), f"-module={module}", *tests], room, _TOOL_LIMITS)
            if not done.ok:
                raise InfrastructureError(f"cannot instrument the tests: {done.text.strip()[-500:]}")
            return {path: (room / path).read_bytes() for path in tests}

    def to_events(self, log: bytes) -> bytes | None:
        """The log as test2json's lines, or None if that would be too much.

        From standard input: as the parent of a command, the tool takes that command's good end for one of the test
        that was running last. Without the launcher, which gives a program no input and would cost more than the tool:
        it only reads a file of bounded length, and ends with whoever reads what it writes.
        """
        with tempfile.TemporaryFile(dir=self.workspace.folder) as file, contextlib.ExitStack() as cleanup:
            file.write(log)
            file.seek(0)
            try:
                tool = subprocess.Popen(
                    [self.toolchain.test2json], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
                )
            except OSError as error:
                raise InfrastructureError(f"cannot start {self.toolchain.test2json}: {error}") from error
            cleanup.enter_context(tool)
            cleanup.callback(tool.kill)
            deadline = threading.Timer(_TOOL_LIMITS.seconds, tool.kill)
            cleanup.callback(deadline.cancel)
            deadline.start()
            lines = bytes(tool.stdout.read(_MAX_EVENTS + 1)) if tool.stdout else b""
            if len(lines) > _MAX_EVENTS:
                return None
            if tool.wait() != 0:
                raise InfrastructureError(f"test2json failed with exit status {tool.returncode}")
        return lines
