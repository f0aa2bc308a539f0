"""Grade a submission: collect, stage, build here, run in a box, judge. One path for training and validation.

The hidden source never enters a box, and the build never sees the agent's environment. Bad submissions get a low
grade with a reason; broken machinery raises InfrastructureError.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from filelock import FileLock

from go_debug_bench import fixes, tree
from go_debug_bench.attestation import (
    ATTEST_FOLDER,
    Attested,
    attest_module,
    attesting_module,
    new_tokens,
    read_report,
    token_table,
)
from go_debug_bench.box import Box, LocalBox
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grade import Grade, PackageRun, Reason, judge, read_events
from go_debug_bench.isolation import Isolation, probe_isolation
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.lint import Finding, new_findings, parse_findings
from go_debug_bench.submission import collect, stage, tampering
from go_debug_bench.task import Task, test_id
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.tree import Tree, is_test_file
from go_debug_bench.workspace import Workspace, cache_dir

__all__ = ["Baseline", "Boxes", "Grader", "LocalBoxes", "Prepared"]

GOMAXPROCS = 2
"""Inside a box, unless a check asks otherwise: a grade must not depend on the machine's size."""

# Twice what the largest honest build was seen to need; a test binary has 3 to 20 MB.
_BUILD_LIMITS = Limits(seconds=180, output_bytes=1 << 20, memory_bytes=1 << 30, file_bytes=128 << 20)
_TOOL_LIMITS = Limits(seconds=60, output_bytes=64 << 20)
_SUITE_GRACE_SECONDS = 5  # Go's own -test.timeout comes first: it prints where every goroutine stands
_SUITE_OUTPUT = 4 << 20
_MAX_LOG = 20_000
_GO_PANIC = 2  # exit status of a Go program that panics
_GO_TIMED_OUT = b"panic: test timed out after "  # Go's own -test.timeout, which comes before the box's limit
_BASELINE_FORMAT = 2
_TEST_RUNTIME = ("testing", "testing/internal/testdeps")  # what the go command links into every test binary
_COULD_BE_THE_MACHINE = frozenset({Reason.BUILD_FAILED, Reason.SUITE_BUILD_FAILED, Reason.TIMED_OUT, Reason.CRASHED})
_SUITE_BUILD_FLAGS = ("-vet=off", "-ldflags=-s -w")


class Boxes(Protocol):
    """Where suites run: each run gets a fresh box of one platform."""

    @property
    def platform(self) -> tuple[str, str]:
        """GOOS and GOARCH of every box."""
        ...

    @property
    def isolated(self) -> bool:
        """Whether every box keeps a hostile program from the machine that holds it."""
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
    isolation: Isolation

    @property
    def isolated(self) -> bool:
        """Whether the boxes keep a hostile program from this machine."""
        return self.isolation is not Isolation.NONE

    @contextlib.contextmanager
    def open(self) -> Iterator[Box]:
        """A new empty box."""
        with self.workspace.room() as folder:
            yield LocalBox(folder, self.runner, self.platform, self.isolation)


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
        isolation: Isolation | None = None,
        parallelism: int | None = None,
    ) -> None:
        """Make a grader; ``boxes`` are by default local ones.

        ``isolation`` of local boxes is by default the strongest that works here. To grade submissions without any,
        say ``Isolation.NONE``: where nothing works and nothing was said, ``grade`` refuses.
        """
        self.toolchain = toolchain
        self.workspace = workspace
        self.cache = cache or cache_dir()
        self._build_cache = self.cache / "go-build"
        self._parallelism = parallelism
        self._baselines: dict[str, Baseline] = {}
        self.runner = Runner(launcher=self._tool("launch"))
        self._instrument = self._tool("instrument")
        self._lint = self._tool("lint")
        self._attest_module = attest_module(self.cache)
        self._unisolated_by_choice = isolation is Isolation.NONE
        self.boxes = boxes or self._local_boxes(isolation)
        self._suites: dict[str, Tree] = {}
        self._used: dict[str, frozenset[tuple[str, str]]] = {}

    @property
    def isolation(self) -> Isolation:
        """That of local boxes; a provider of other boxes answers for its own."""
        return self.boxes.isolation if isinstance(self.boxes, LocalBoxes) else Isolation.NONE

    def _tool(self, name: str) -> Path:
        return build_tool(name, self.toolchain, cache=self.cache, build_cache=self._build_cache)

    def _local_boxes(self, isolation: Isolation | None) -> LocalBoxes:
        if isolation is None:
            with self.workspace.room() as room:
                isolation = probe_isolation(self.runner, room)
        platform = (self.toolchain.goos, self.toolchain.goarch)
        return LocalBoxes(workspace=self.workspace, runner=self.runner, platform=platform, isolation=isolation)

    def warm(self, imports: Iterable[str], notify: Callable[[str], None] = lambda _: None) -> None:
        """Compile the standard packages among ``imports``, once for all processes that share the cache.

        Two processes that find the cache cold would compile the same packages side by side. ``notify`` is told when
        there is something to compile.
        """
        source = self.toolchain.goroot / "src"
        wanted = sorted({path for path in (*imports, *_TEST_RUNTIME) if (source / path).is_dir()})
        key = hashlib.sha256("\n".join([self.toolchain.version, *self.boxes.platform, *wanted]).encode()).hexdigest()
        stamp = self._build_cache / "warm" / key
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{stamp}.lock"):
            if not stamp.exists():
                notify(f"compiling Go's standard library, once ({self.toolchain.version})")
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
        if not self.boxes.isolated and not self._unisolated_by_choice:
            raise InfrastructureError(
                "nothing here keeps a hostile submission from this machine: run as root, allow user namespaces, "
                "or say isolation=Isolation.NONE for submissions that you trust"
            )
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
        """The tests that a full run of the task's suite reports, from the reference fix; kept in the cache if sound.

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
                    if not found.sound:
                        return found  # not kept: the next attempt may find the machine in a better state
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
            code=Reason.REFUSED if submission.refused else Reason.NOT_RUN,
            reason=f"the submission is refused: {submission.refused}" if submission.refused else "nothing was run",
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
                grade = self._build(task, clean, grade)
                clock.lap("build")
                if grade.compiles and grade.tests_untampered:
                    grade = self._judge_code(task, clean, grade)
                    clock.lap("lint")
                if grade.compiles and grade.tests_untampered and not grade.lint:
                    tree.write(self._suite(task), clean)
                    grade, binaries = self._compile(task, clean, room, grade)
                    clock.lap("compile")
            yield Prepared(task=task, grade=grade, binaries=binaries)

    def _build(self, task: Task, clean: Path, grade: Grade) -> Grade:
        # The packages with tests by name too: a pattern is content with none at all.
        built = self.go(clean, "build", "./...", *(f"./{package}" for package in task.test_packages))
        if not built.ok:
            return _not_built(grade, Reason.BUILD_FAILED, "the module does not build", built)
        if grade.tampering:
            reason = "; ".join(grade.tampering)
            return replace(grade, compiles=True, code=Reason.TAMPERED, reason=f"tests were tampered with: {reason}")
        return replace(grade, compiles=True)

    def _judge_code(self, task: Task, clean: Path, grade: Grade) -> Grade:
        """Refuse code that uses what only a cheat needs, and that the task itself does not use."""
        if task.digest not in self._used:
            trees = (task.repo, fixes.apply(task.spec.reference_fix, task.repo))
            self._used[task.digest] = frozenset(finding.key for files in trees for finding in self._lint_tree(files))
        findings = new_findings(self._lint_folder(clean), self._used[task.digest])
        if not findings:
            return grade
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        reason = f"the code does what a submission may not: {findings[0]}{more}"
        return replace(grade, code=Reason.FORBIDDEN, reason=reason, lint=tuple(map(str, findings)))

    def _lint_tree(self, files: Tree) -> tuple[Finding, ...]:
        with self.workspace.room() as room:
            tree.write(files, room)
            return self._lint_folder(room)

    def _lint_folder(self, folder: Path) -> tuple[Finding, ...]:
        done = self._host([str(self._lint), str(folder)], folder, _TOOL_LIMITS)
        if not done.ok:
            raise InfrastructureError(f"the lint failed: {done.text.strip()[-500:]}")
        return parse_findings(done.output)

    def _suite(self, task: Task) -> Tree:
        """The files that turn a clean room into the attesting suite: tests, testdata, and the module that attests."""
        if task.digest not in self._suites:
            suite = {**task.public_tests, **task.hidden}
            tests = sorted(path for path in suite if is_test_file(path))
            with self.workspace.room() as room:
                tree.write(suite, room)
                argv = [str(self._instrument), f"-module={self._attest_module}", *tests]
                done = self._host(argv, room, _TOOL_LIMITS)
                if not done.ok:
                    raise InfrastructureError(f"cannot instrument the tests of {task.id}: {done.text.strip()[-500:]}")
                suite |= {path: (room / path).read_bytes() for path in tests}
            suite |= attesting_module(self._attest_module)
            suite["go.mod"] = (
                task.repo["go.mod"]
                + (
                    f"\nrequire {self._attest_module} v0.0.0\n\nreplace {self._attest_module} => ./{ATTEST_FOLDER}\n"
                ).encode()
            )
            self._suites[task.digest] = suite
        return self._suites[task.digest]

    def _compile(self, task: Task, clean: Path, room: Path, grade: Grade) -> tuple[Grade, dict[str, Path]]:
        binaries: dict[str, Path] = {}
        for number, package in enumerate(task.test_packages):
            # Not called *.test: nothing about the name should tell a submission that it is under test.
            binary = room / f"suite{number}"
            done = self.go(clean, "test", "-c", *_SUITE_BUILD_FLAGS, "-o", str(binary), f"./{package}")
            if not done.ok or not binary.is_file():
                what = "the test suite does not compile against the code"
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
        runs: list[PackageRun] = []
        names: set[str] = set()
        for package, binary in prepared.binaries.items():
            # A box each: what one package's tests leave behind must not meet the next one's.
            with self.boxes.open() as box:
                names.add(box.name)
                tokens = new_tokens(_of_package(package, prepared.task, expected or ()))
                done = self._run_package(prepared.task, box, package, binary, gomaxprocs, shuffle, token_table(tokens))
            runs.append(self._read(package, done, tokens, learn=expected is None))
        clock.lap("run")
        if expected is None:
            expected = frozenset(test for run in runs for test in run.tests)
        code, reason, results = judge(expected, runs)
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
        self, task: Task, box: Box, package: str, binary: Path, gomaxprocs: int, shuffle: int, key: bytes
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
                processes=512,
            ),
            key=key,
        )

    def _read(self, package: str, done: Completed, tokens: Mapping[str, str], *, learn: bool) -> PackageRun:
        """What a run shows. To ``learn`` the tests of a trusted suite, reports without a token are believed."""
        lines = self._to_events(done.output)
        id_of = partial(test_id, package)
        attested = read_report(done.report, tokens)
        if learn:
            attested = Attested(passed=attested.unknown)
        return PackageRun(
            package=package,
            exit_code=done.exit_code,
            signal=done.signal,
            timed_out=done.timed_out or (done.exit_code == _GO_PANIC and _GO_TIMED_OUT in done.output),
            output_cut=done.output_cut,
            tests=read_events(lines, id_of),
            attested=Attested(
                passed=frozenset(map(id_of, attested.passed)), unknown=frozenset(map(id_of, attested.unknown))
            ),
            output=done.text,
        )

    def _to_events(self, log: bytes) -> bytes:
        """The log as test2json's lines.

        From standard input: as the parent of a command, the tool takes that command's good end for one of the test
        that was running last.
        """
        try:
            done = subprocess.run(
                [self.toolchain.test2json],
                input=log,
                capture_output=True,
                env={},
                timeout=_TOOL_LIMITS.seconds,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise InfrastructureError(f"test2json failed: {error}") from error
        return done.stdout


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


def _of_package(package: str, task: Task, tests: Iterable[str]) -> list[str]:
    """Those of the suite's tests that a package holds, by the name that Go knows them by."""
    others = [f"{other}." for other in task.test_packages if other]
    prefix = f"{package}." if package else ""
    return [
        test.removeprefix(prefix)
        for test in tests
        if (test.startswith(prefix) if package else not test.startswith(tuple(others)))
    ]


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
