"""Grade a submission: collect, stage, build here, run in a box, judge. One path for training and validation.

The hidden source never enters a box, and the build never sees the agent's environment. Bad submissions get a low
grade with a reason; broken machinery raises InfrastructureError.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock

from go_debug_bench import fixes, tree
from go_debug_bench.attestation import Attested, new_tokens, read_report, token_table
from go_debug_bench.baseline import Baseline, read_baseline, write_baseline
from go_debug_bench.box import Box, Boxes, LocalBoxes
from go_debug_bench.compiling import Compiler
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grade import Grade, PackageRun, Reason, judge, read_events
from go_debug_bench.host import BUILD_LIMITS, Host
from go_debug_bench.identity import code_digest, python_identity
from go_debug_bench.isolation import Isolation, probe_isolation
from go_debug_bench.launcher import Completed, Limits
from go_debug_bench.lint import Finding, new_findings
from go_debug_bench.once import Once
from go_debug_bench.submission import Submission, collect, stage, tampering
from go_debug_bench.task import Task, test_id
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.tree import Tree
from go_debug_bench.workspace import Workspace, cache_dir

__all__ = ["Grader", "Prepared"]

GOMAXPROCS = 2
"""Inside a box, unless a check asks otherwise: a grade must not depend on the machine's size."""

_SUITE_GRACE_SECONDS = 5  # Go's own -test.timeout comes first: it prints where every goroutine stands
_SUITE_OUTPUT = 4 << 20
_MAX_LOG = 20_000
_GO_PANIC = 2  # exit status of a Go program that panics
_GO_TIMED_OUT = b"panic: test timed out after "  # Go's own -test.timeout, which comes before the box's limit
_COULD_BE_THE_MACHINE = frozenset({Reason.BUILD_FAILED, Reason.SUITE_BUILD_FAILED, Reason.TIMED_OUT, Reason.CRASHED})


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
        once: Once | None = None,
    ) -> None:
        """Make a grader; ``boxes`` are by default local ones.

        ``once`` remembers which trees build, for as long as it lives: for checks, which grade the same tree in several
        ways. Training has none, as its trees never end.

        ``isolation`` of local boxes is by default the strongest that works here. To grade submissions without any,
        say ``Isolation.NONE``: where nothing works and nothing was said, ``grade`` refuses.
        """
        self.toolchain = toolchain
        self.workspace = workspace
        self.cache = cache or cache_dir()
        self.host = Host(toolchain, workspace, self.cache, parallelism=parallelism)
        self.runner = self.host.runner
        self.once = once
        self._baselines: dict[str, Baseline] = {}
        self.compiler = Compiler(self.host, self.cache, once)
        self._unisolated_by_choice = isolation is Isolation.NONE
        self.boxes = boxes or self._local_boxes(isolation)
        self.host.platform = self.boxes.platform
        self._used: dict[str, frozenset[tuple[str, str]]] = {}

    @property
    def isolation(self) -> Isolation:
        """That of local boxes; a provider of other boxes answers for its own."""
        return self.boxes.isolation if isinstance(self.boxes, LocalBoxes) else Isolation.NONE

    def _local_boxes(self, isolation: Isolation | None) -> LocalBoxes:
        if isolation is None:
            with self.workspace.room() as room:
                isolation = probe_isolation(self.runner, room)
        platform = (self.toolchain.goos, self.toolchain.goarch)
        return LocalBoxes(workspace=self.workspace, runner=self.runner, platform=platform, isolation=isolation)

    def warm(self, imports: Iterable[str], notify: Callable[[str], None] = lambda _: None) -> None:
        """Compile the standard packages among ``imports``, once for all processes that share the cache."""
        self.host.warm(imports, notify)

    def go(self, folder: Path, *arguments: str) -> Completed:
        """Run a go command in a module's folder, in the grader's own environment."""
        return self.host.go(folder, *arguments)

    def grade(self, task: Task, left: Path | Submission) -> Grade:
        """Grade the folder that an agent leaves behind, or what was collected from it.

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
        return self.grade_against(baseline, task, left)

    def grade_against(self, baseline: Baseline, task: Task, left: Path | Submission) -> Grade:
        """``grade`` with a known baseline, sound or not: for checks, which judge the reference fix itself too."""
        with self.prepared(task, left) as prepared:
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
                found = read_baseline(path)
                if found is None:
                    grade = self.grade_reference(task)
                    tests = [result.name for result in grade.tests]
                    found = Baseline(tests=frozenset(tests), sound=grade.hidden_tests_pass, reason=grade.reason)
                    if not found.sound:
                        return found  # not kept: the next attempt may find the machine in a better state
                    write_baseline(path, found)
            self._baselines[task.digest] = found
        return self._baselines[task.digest]

    def _baseline_path(self, task: Task) -> Path:
        # All that decides which tests pass: with a baseline of another grader a right fix could be refused.
        code = (code_digest(), python_identity(), self.toolchain.version)
        place = (type(self.boxes).__name__, *self.boxes.platform, str(self.isolation))
        key = hashlib.sha256("\n".join((*code, *place, task.digest)).encode()).hexdigest()
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
    def prepared(self, task: Task, left: Path | Submission) -> Iterator[Prepared]:
        """Everything up to the run of the hidden suite; the binaries live as long as the context."""
        clock = _Clock()
        submission = left if isinstance(left, Submission) else collect(left)
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
                staged = stage(task, submission)
                tree.write(staged, clean)
                # The lint beside the build: it costs a tenth of a small grade otherwise.
                with ThreadPoolExecutor(1) as beside:
                    findings = beside.submit(self.host.lint_folder, clean)
                    if grade.tests_untampered:
                        binaries = self.compiler.build_and_compile(task, staged, room)
                    grade = replace(grade, compiles=True) if binaries else self._build(task, staged, clean, grade)
                    if grade.compiles and grade.tests_untampered:
                        grade = self._judge_code(task, findings.result(), grade)
                clock.lap("build and lint")
                if grade.compiles and grade.tests_untampered and not grade.lint:
                    if not binaries:
                        grade, binaries = self._compile(task, clean, room, grade)
                    clock.lap("compile")
            yield Prepared(task=task, grade=grade, binaries={} if grade.lint else binaries)

    def _build(self, task: Task, staged: Tree, clean: Path, grade: Grade) -> Grade:
        failed = self.compiler.failed_build(task, staged, clean)
        if failed:
            return _not_built(grade, Reason.BUILD_FAILED, "the module does not build", failed)
        if grade.tampering:
            reason = "; ".join(grade.tampering)
            return replace(grade, compiles=True, code=Reason.TAMPERED, reason=f"tests were tampered with: {reason}")
        return replace(grade, compiles=True)

    def _judge_code(self, task: Task, findings: Collection[Finding], grade: Grade) -> Grade:
        """Refuse code that uses what only a cheat needs, and that the task itself does not use."""
        if task.digest not in self._used:
            trees = (task.repo, fixes.apply(task.spec.reference_fix, task.repo))
            self._used[task.digest] = frozenset(finding.key for files in trees for finding in self.host.lint(files))
        new = new_findings(findings, self._used[task.digest])
        if not new:
            return grade
        more = f" and {len(new) - 1} more" if len(new) > 1 else ""
        reason = f"the code does what a submission may not: {new[0]}{more}"
        return replace(grade, code=Reason.FORBIDDEN, reason=reason, lint=tuple(map(str, new)))

    def _compile(self, task: Task, clean: Path, room: Path, grade: Grade) -> tuple[Grade, dict[str, Path]]:
        binaries, failed = self.compiler.compile(task, clean, room)
        if failed:
            what = "the test suite does not compile against the code"
            grade = _not_built(grade, Reason.SUITE_BUILD_FAILED, what, failed)
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
        program, folder = "suite", "work"  # not *.test: no name should tell a submission that it is under test
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
        lines = self.host.to_events(done.output)
        id_of = partial(test_id, package)
        attested = read_report(done.report, tokens)
        if learn:
            attested = Attested(passed=attested.unknown)
        return PackageRun(
            package=package,
            exit_code=done.exit_code,
            signal=done.signal,
            timed_out=done.timed_out or (done.exit_code == _GO_PANIC and _GO_TIMED_OUT in done.output),
            output_cut=done.output_cut or lines is None,
            tests=read_events(lines or b"", id_of),
            attested=Attested(
                passed=frozenset(map(id_of, attested.passed)), unknown=frozenset(map(id_of, attested.unknown))
            ),
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
        what = f"{what}: it took longer than {BUILD_LIMITS.seconds:.0f} s"
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
