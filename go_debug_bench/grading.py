"""Grade a submission: collect, stage, build here, run in a box, judge. One path for training and validation.

The hidden source never enters a box, and the build never sees the agent's environment. Bad submissions get a low
grade with a reason; broken machinery raises InfrastructureError.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from filelock import FileLock

from go_debug_bench import fixes, tree
from go_debug_bench.box import Box, LocalBox
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grade import Grade, PackageRun, Reason, judge, read_events
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.submission import collect, stage, tampering
from go_debug_bench.task import Task, test_id
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.workspace import Workspace, cache_dir

__all__ = ["Baseline", "Boxes", "Grader", "LocalBoxes", "Prepared"]

GOMAXPROCS = 2
"""Inside a box, unless a check asks otherwise: a grade must not depend on the machine's size."""

_BUILD_LIMITS = Limits(seconds=180, output_bytes=1 << 20, memory_bytes=4 << 30)
_TOOL_LIMITS = Limits(seconds=60, output_bytes=64 << 20)
_SUITE_GRACE_SECONDS = 5  # Go's own -test.timeout comes first: it prints where every goroutine stands
_SUITE_OUTPUT = 4 << 20
_MAX_LOG = 20_000
_BASELINE_FORMAT = 1
_TEST_RUNTIME = ("testing", "testing/internal/testdeps")  # what the go command links into every test binary
_COULD_BE_THE_MACHINE = frozenset({Reason.BUILD_FAILED, Reason.SUITE_BUILD_FAILED, Reason.TIMED_OUT, Reason.CRASHED})
_SUITE_BUILD_FLAGS = ("-vet=off", "-ldflags=-s -w")


class Boxes(Protocol):
    """Where suites run: each run gets a fresh box of one platform."""

    @property
    def platform(self) -> tuple[str, str]:
        """GOOS and GOARCH of every box."""
        ...

    def open(self) -> contextlib.AbstractContextManager[Box]:
        """A box that no agent process was ever in, destroyed afterwards."""
        ...


@dataclass(frozen=True, kw_only=True)
class LocalBoxes:
    """Boxes on this machine, each a folder of the workspace."""

    workspace: Workspace
    runner: Runner
    platform: tuple[str, str]

    @contextlib.contextmanager
    def open(self) -> Iterator[Box]:
        """A new empty box."""
        with self.workspace.room() as folder:
            yield LocalBox(folder, self.runner, self.platform)


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What the reference fix shows through the same grader: every test's id, and whether all of them pass."""

    tests: frozenset[str]
    sound: bool
    reason: str


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A submission up to the run of its suite: what was found so far, and one test binary per package.

    With no binaries the grade is decided already.
    """

    task: Task
    grade: Grade
    binaries: Mapping[str, Path] = field(default_factory=dict)


class Grader:
    """Grades submissions with one toolchain and one build cache, which no submission ever writes to."""

    def __init__(
        self,
        toolchain: Toolchain,
        workspace: Workspace,
        *,
        cache: Path | None = None,
        boxes: Boxes | None = None,
        parallelism: int | None = None,
    ) -> None:
        self.toolchain = toolchain
        self.workspace = workspace
        self.cache = cache or cache_dir()
        self._build_cache = self.cache / "go-build"
        self._parallelism = parallelism
        self._baselines: dict[str, Baseline] = {}
        launcher = build_tool("launch", toolchain, cache=self.cache, build_cache=self._build_cache)
        self.runner = Runner(launcher=launcher)
        platform = (toolchain.goos, toolchain.goarch)
        self.boxes = boxes or LocalBoxes(workspace=workspace, runner=self.runner, platform=platform)

    def warm(self, imports: Iterable[str]) -> None:
        """Compile the standard packages among ``imports``, once for all processes that share the cache.

        Two processes that find the cache cold would compile the same packages side by side.
        """
        source = self.toolchain.goroot / "src"
        wanted = sorted({path for path in (*imports, *_TEST_RUNTIME) if (source / path).is_dir()})
        key = hashlib.sha256("\n".join([self.toolchain.version, *self.boxes.platform, *wanted]).encode()).hexdigest()
        stamp = self._build_cache / "warm" / key
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{stamp}.lock"):
            if not stamp.exists():
                with self.workspace.room() as room:
                    (room / "go.mod").write_text("module warm\n")
                    built = self.go(room, "build", *wanted)
                if not built.ok:
                    raise InfrastructureError(f"cannot compile the standard library: {built.text.strip()[-500:]}")
                stamp.touch()

    def go(self, folder: Path, *arguments: str) -> Completed:
        """Run a go command in a module's folder, in the grader's own environment."""
        return self._host([self.toolchain.go, *arguments], folder, _BUILD_LIMITS)

    def gofmt(self, folder: Path, *arguments: str) -> Completed:
        """Run gofmt in a folder."""
        return self._host([self.toolchain.gofmt, *arguments], folder, _BUILD_LIMITS)

    def _host(self, argv: Sequence[str], folder: Path, limits: Limits) -> Completed:
        goos, goarch = self.boxes.platform
        with self.workspace.room() as home:
            env = environment(
                self.toolchain,
                home=home,
                cache=self._build_cache,
                goos=goos,
                goarch=goarch,
                parallelism=self._parallelism,
            )
            return self.runner.run(argv, cwd=folder, env=env, limits=limits)

    def grade(self, task: Task, folder: Path) -> Grade:
        """Grade the folder that an agent leaves behind.

        Raises:
            InfrastructureError: the machinery failed, or the reference fix does not pass here.
        """
        baseline = self.baseline(task)
        if not baseline.sound:
            raise InfrastructureError(f"the reference fix of {task.id} does not pass here: {baseline.reason}")
        return self.grade_against(baseline, task, folder)

    def grade_against(self, baseline: Baseline, task: Task, folder: Path) -> Grade:
        """``grade`` with a known baseline, sound or not: for checks, which judge the reference fix itself too."""
        with self.prepared(task, folder) as prepared:
            grade = self.run(prepared, baseline.tests)
        if baseline.sound and grade.code in _COULD_BE_THE_MACHINE:
            self._confirm(task, grade)
        return grade

    def _confirm(self, task: Task, grade: Grade) -> None:
        """Blame the submission only if the reference fix still does what the submission did not.

        A full disk or a starved machine looks like a bad submission.
        """
        with self._reference(task) as folder:
            if grade.code is Reason.BUILD_FAILED:
                good = self.go(folder, "build", "./...").ok
            else:
                with self.prepared(task, folder) as control:
                    good = self.run(control, None).hidden_tests_pass
        if not good:
            raise InfrastructureError(
                f"a submission to {task.id} ended with {grade.code}, and so does the reference fix"
            )

    def baseline(self, task: Task) -> Baseline:
        """The tests that a full run of the task's suite reports, from the reference fix; kept in the cache.

        Raises:
            InfrastructureError: the machinery failed.
        """
        if task.digest not in self._baselines:
            path = self._baseline_path(task)
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock"):
                found = _read_baseline(path)
                if found is None:
                    grade = self.grade_reference(task)
                    tests = [result.name for result in grade.tests]
                    found = Baseline(tests=frozenset(tests), sound=grade.hidden_tests_pass, reason=grade.reason)
                    _write_baseline(path, found)
            self._baselines[task.digest] = found
        return self._baselines[task.digest]

    def _baseline_path(self, task: Task) -> Path:
        parts = (str(_BASELINE_FORMAT), self.toolchain.version, *self.boxes.platform, task.digest)
        key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return self.cache / "baselines" / f"{key}.json"

    def grade_reference(self, task: Task) -> Grade:
        """Grade the reference fix against the tests that it reports itself."""
        with self._reference(task) as folder, self.prepared(task, folder) as prepared:
            return self.run(prepared, None)

    @contextlib.contextmanager
    def _reference(self, task: Task) -> Iterator[Path]:
        with self.workspace.room() as folder:
            tree.write(fixes.apply(task.spec.reference_fix, task.repo), folder)
            yield folder

    @contextlib.contextmanager
    def prepared(self, task: Task, folder: Path) -> Iterator[Prepared]:
        """Everything up to the run of the hidden suite; the binaries live as long as the context."""
        clock = _Clock()
        submission = collect(folder)
        touched = tampering(task, submission)
        grade = Grade(
            task=task.id,
            compiles=False,
            tests_untampered=not touched and not submission.refused,
            hidden_tests_pass=False,
            code=Reason.REFUSED,
            reason=f"the submission is refused: {submission.refused}",
            tampering=touched,
            added_tests=submission.added_tests(task),
            seconds=clock.laps,
        )
        clock.lap("collect")
        with self.workspace.room() as room:
            binaries: dict[str, Path] = {}
            if not submission.refused:
                clean = room / "clean"
                tree.write(stage(task, submission), clean)
                grade = self._build(clean, grade)
                clock.lap("build")
                if grade.compiles and grade.tests_untampered:
                    tree.write(task.hidden, clean)
                    grade, binaries = self._compile(task, clean, room, grade)
                    clock.lap("compile")
            yield Prepared(task=task, grade=grade, binaries=binaries)

    def _build(self, clean: Path, grade: Grade) -> Grade:
        built = self.go(clean, "build", "./...")
        if not built.ok:
            return _not_built(grade, Reason.BUILD_FAILED, "the module does not build", built)
        if grade.tampering:
            reason = "; ".join(grade.tampering)
            return replace(grade, compiles=True, code=Reason.TAMPERED, reason=f"tests were tampered with: {reason}")
        return replace(grade, compiles=True)

    def _compile(self, task: Task, clean: Path, room: Path, grade: Grade) -> tuple[Grade, dict[str, Path]]:
        binaries: dict[str, Path] = {}
        for number, package in enumerate(task.test_packages):
            # Not called *.test: nothing about the name should tell a submission that it is under test.
            binary = room / f"suite{number}"
            done = self.go(clean, "test", "-c", *_SUITE_BUILD_FLAGS, "-o", str(binary), f"./{package}")
            if not done.ok or not binary.is_file():
                what = "the hidden suite does not compile against the submission"
                return _not_built(grade, Reason.SUITE_BUILD_FAILED, what, done), {}
            binaries[package] = binary
        return grade, binaries

    def run(
        self,
        prepared: Prepared,
        expected: frozenset[str] | None,
        *,
        gomaxprocs: int = GOMAXPROCS,
        shuffle: int = 0,
    ) -> Grade:
        """Run a prepared suite once, in a fresh box, and judge it against the ``expected`` tests.

        ``None`` expects what is reported, which only trusted code may be judged by: it tells the suite's tests.
        ``shuffle`` is the seed of a random order; 0 keeps the order of the source.
        """
        if not prepared.binaries:
            return prepared.grade
        clock = _Clock(prepared.grade.seconds)
        done: dict[str, Completed] = {}
        names: set[str] = set()
        for package, binary in prepared.binaries.items():
            # A box each: what one package's tests leave behind must not meet the next one's.
            with self.boxes.open() as box:
                names.add(box.name)
                done[package] = self._run_package(prepared.task, box, package, binary, gomaxprocs, shuffle)
        clock.lap("run")
        runs = [self._read(package, completed) for package, completed in done.items()]
        if expected is None:
            expected = frozenset(test for run in runs for test in run.tests)
        code, reason, results = judge(expected, runs)
        clock.lap("judge")
        return replace(
            prepared.grade,
            hidden_tests_pass=code is Reason.PASSED,
            code=code,
            reason=reason,
            tests=results,
            seconds=clock.laps,
            box=", ".join(sorted(names)),
            log="\n".join(run.output for run in runs)[-_MAX_LOG:],
        )

    def _run_package(
        self, task: Task, box: Box, package: str, binary: Path, gomaxprocs: int, shuffle: int
    ) -> Completed:
        program, folder = "suite", "work"
        box.write(program, binary.read_bytes(), executable=True)
        prefix = f"{package}/testdata/" if package else "testdata/"
        for path, data in {**task.repo, **task.hidden}.items():
            if path.startswith(prefix):
                box.write(f"{folder}/testdata/{path.removeprefix(prefix)}", data)
        seconds = task.spec.timeout_seconds
        return box.run(
            [
                program,
                "-test.v=test2json",
                "-test.paniconexit0",
                f"-test.timeout={seconds}s",
                f"-test.shuffle={shuffle or 'off'}",
            ],
            folder=folder,
            env={"GOMAXPROCS": str(gomaxprocs), "PATH": "/nonexistent", "LC_ALL": "C"},
            limits=Limits(
                seconds=seconds + _SUITE_GRACE_SECONDS,
                output_bytes=_SUITE_OUTPUT,
                memory_bytes=2 << 30,
                file_bytes=64 << 20,
                open_files=1024,
            ),
        )

    def _read(self, package: str, done: Completed) -> PackageRun:
        with self.workspace.room() as room:
            (room / "log").write_bytes(done.output)
            lines = self._host([self.toolchain.test2json, "/bin/cat", "log"], room, _TOOL_LIMITS)
        if not lines.ok:
            raise InfrastructureError(f"test2json failed: {lines.text[-500:]}")
        return PackageRun(
            package=package,
            exit_code=done.exit_code,
            signal=done.signal,
            timed_out=done.timed_out,
            output_cut=done.output_cut,
            tests=read_events(lines.output, partial(test_id, package)),
            output=done.text,
        )


class _Clock:
    """Wall seconds by step."""

    def __init__(self, laps: Mapping[str, float] = MappingProxyType({})) -> None:
        self.laps = dict(laps)
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.laps[step] = now - self._last
        self._last = now


def _not_built(grade: Grade, code: Reason, what: str, done: Completed) -> Grade:
    if done.timed_out:
        what = f"{what}: it took longer than {_BUILD_LIMITS.seconds:.0f} s"
    elif errors := [line for line in done.text.splitlines() if line and not line.startswith("#")]:
        what = f"{what}: {errors[0].strip()[:200]}"
    return replace(grade, code=code, reason=what, log=done.text[-_MAX_LOG:])


def _read_baseline(path: Path) -> Baseline | None:
    """A kept baseline, or None if there is none or it is damaged."""
    try:
        kept = json.loads(path.read_bytes())
        tests, sound, reason = kept["tests"], kept["sound"], kept["reason"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    valid = isinstance(tests, list) and all(isinstance(name, str) for name in tests) and isinstance(sound, bool)
    return Baseline(tests=frozenset(tests), sound=sound, reason=str(reason)) if valid else None


def _write_baseline(path: Path, baseline: Baseline) -> None:
    fresh = path.with_suffix(".new")
    kept = {"tests": sorted(baseline.tests), "sound": baseline.sound, "reason": baseline.reason}
    fresh.write_text(json.dumps(kept), encoding="utf-8")
    fresh.replace(path)
