"""What a valid task must show, each claim proved by running Go through the same grader that training uses."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from go_debug_bench import fixes, tree
from go_debug_bench.baseline import Baseline
from go_debug_bench.exploits import EXPLOITS, Agent, Exploit, NotHere
from go_debug_bench.grade import Grade, Outcome, Reason, TestResult, failed_leaves
from go_debug_bench.grading import Grader
from go_debug_bench.launcher import Completed
from go_debug_bench.model import DeleteFile, Fix, WrongFix
from go_debug_bench.submission import Submission, stage
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree

__all__ = ["Check", "Prover", "Verdict", "checks_of"]

_SHUFFLES = (1, 2, 3, 4, 5)  # fixed seeds: a verdict must not change from run to run
_GOMAXPROCS_CYCLE = (1, 2, 4)
_MAX_EXCERPT_LINES = 40
_HEADROOM = 5  # a busy machine takes a suite that many times as long
_PUBLIC_MEND = (
    "a public test must not see the defect, refuse the fix, skip, or read other files than those of testdata/"
)
_SYNTAX_ERROR = b"\nfunc {\n"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One claim about a task: ``name`` is unique in it, ``fix`` names the fix or exploit that it is about, if any."""

    kind: str
    fix: str = ""

    @property
    def name(self) -> str:
        """``vet-clean``, or ``wrong[fix-name]``."""
        return f"{self.kind}[{self.fix}]" if self.fix else self.kind

    @property
    def folder(self) -> str:
        """The name as a folder's: ``wrong-fix-name``."""
        return f"{self.kind}-{self.fix}" if self.fix else self.kind


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a claim holds, and for one that does not: what was found, how to repeat it, and the likely mend.

    ``commands`` repeat the finding inside the clean room that ``--gobench-keep`` writes. ``grade`` is that of the
    submission that the check is about, where there is one.
    """

    ok: bool
    claim: str
    found: str = ""
    commands: tuple[str, ...] = ()
    excerpt: str = ""
    mend: str = ""
    grade: Grade | None = None


@dataclass(kw_only=True)
class Prover:
    """Runs checks. Grades are kept for the life of the prover, so that no tree is graded twice.

    ``repeat`` is how often ``stable`` runs the hidden suite on each tree; ``keep`` a folder for the clean rooms;
    ``notify`` is told about the progress of long checks.
    """

    grader: Grader
    repeat: int = 0
    keep: Path | None = None
    notify: Callable[[str], None] = lambda _: None
    _grades: dict[tuple[str, str], Grade] = field(default_factory=dict)

    def run(self, check: Check, task: Task) -> Verdict:
        """Prove one claim.

        Raises:
            InfrastructureError: the machinery failed, so nothing is known of the claim.
        """
        return _CHECKS[check.kind](self, task, check)

    def agent(self, room: Path) -> Agent:
        """Somebody who leaves submissions behind, with an empty folder for a box."""
        return Agent(self.grader.runner, self.grader.toolchain, self.grader.isolation, room)

    def baseline(self, task: Task) -> Baseline:
        """The tests of the suite, as the reference fix reports them."""
        return self.grader.baseline(task)

    def keep_room(self, check: Check, task: Task, submission: Tree) -> None:
        """Write the clean room of a submission for a person to look at, if that was asked for."""
        if self.keep:
            shutil.rmtree(self.keep / task.id / check.folder, ignore_errors=True)
            room = {**stage(task, Submission(files=submission)), **task.hidden}
            tree.write(room, self.keep / task.id / check.folder)

    def grade(self, task: Task, check: Check, submission: Tree) -> Grade:
        """The grade of a submission that leaves ``submission`` behind."""
        self.keep_room(check, task, submission)
        key = (task.digest, tree.digest(submission))
        if key not in self._grades:
            with self.grader.workspace.room() as folder:
                tree.write(submission, folder)
                self._grades[key] = self.grader.grade_against(self.baseline(task), task, folder)
        return self._grades[key]


def checks_of(task: Task, *, repeat: int = 0, exploits: Sequence[str] = ()) -> tuple[Check, ...]:
    """The checks of a task in the order in which an author wants to see them fail."""
    plain = [Check(kind=kind) for kind in _CHECKS if kind not in ("alternative", "wrong", "exploit", "stable")]
    alternatives = [Check(kind="alternative", fix=fix.name) for fix in task.spec.alternative_fixes]
    wrong = [Check(kind="wrong", fix=fix.name) for fix in task.spec.wrong_fixes]
    tried = [Check(kind="exploit", fix=name) for name in exploits]
    stable = [Check(kind="stable")] if repeat else []
    return (*plain, *alternatives, *wrong, *tried, *stable)


def _vet_clean(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "go vet and gofmt are clean on the unfixed repo"
    prover.keep_room(check, replace(task, hidden={}), task.repo)
    with prover.grader.workspace.room() as folder:
        tree.write(task.repo, folder)
        vet = prover.grader.go(folder, "vet", "./...")
        if not vet.ok:
            return _command_failed(
                claim,
                "go vet complains",
                vet,
                "go vet ./...",
                "mend what vet reports; the defect must be one that vet cannot see",
            )
        gofmt = prover.grader.host.gofmt(folder, "-l", "-d", ".")
    if not gofmt.ok or gofmt.output:
        return _command_failed(
            claim, "files are not formatted", gofmt, "go fmt ./...", "run go fmt ./... in the task's repo"
        )
    return Verdict(ok=True, claim=claim)


def _command_failed(claim: str, found: str, done: Completed, command: str, mend: str) -> Verdict:
    return Verdict(ok=False, claim=claim, found=found, commands=(command,), excerpt=_clip(done.text), mend=mend)


def _public_green(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "the public suite passes in any order, on the unfixed repo and on the reference fix"
    public = replace(task, hidden={})
    for what, submission in (
        ("unfixed repo", task.repo),
        ("reference fix", _fixed(task, task.spec.reference_fix)),
    ):
        with prover.grader.workspace.room() as folder:
            tree.write(submission, folder)
            with prover.grader.prepared(public, folder) as prepared:
                if not prepared.grade.compiles or (task.public_tests and not prepared.binaries):
                    return Verdict(
                        ok=False,
                        claim=claim,
                        found=f"on the {what} {prepared.grade.reason}",
                        commands=("go test ./...",),
                        excerpt=_clip(prepared.grade.log),
                        mend="make the module and its public tests build",
                        grade=prepared.grade,
                    )
                for seed in (0, *_SHUFFLES) if prepared.binaries else ():
                    grade = prover.grader.run(prepared, None, shuffle=seed)
                    if not grade.hidden_tests_pass:
                        return _public_red(claim, what, seed, grade)
    return Verdict(ok=True, claim=claim)


def _public_red(claim: str, what: str, seed: int, grade: Grade) -> Verdict:
    order = f" in the order of -shuffle={seed}" if seed else ""
    mend = "make the tests independent of each other" if seed else _PUBLIC_MEND
    return Verdict(
        ok=False,
        claim=claim,
        found=f"on the {what}{order}: {grade.reason}",
        commands=(f"go test -count=1 -shuffle={seed or 'off'} ./...",),
        excerpt=_failures(grade),
        mend=mend,
        grade=grade,
    )


def _unfixed_fails(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "the unfixed repo builds, fails exactly the tests of fail_to_pass, and earns 0.1"
    grade = prover.grade(task, check, task.repo)
    listed, failed = set(task.spec.fail_to_pass), set(_failed(grade.tests))
    known = prover.baseline(task).tests
    found, mend = "", ""
    if grade.code is Reason.PASSED:
        found = "the hidden suite passes on the unfixed repo: it does not see the defect"
        mend = "add a hidden test that fails because of the defect"
    elif grade.code in (Reason.BUILD_FAILED, Reason.SUITE_BUILD_FAILED):
        found = grade.reason
        mend = "make the unfixed repo and the hidden suite build together"
    elif grade.code is not Reason.TESTS_FAILED:
        found = grade.reason
        mend = "a hang, a crash or a panic must become the failure of one test, so that the tests after it still run"
    elif failed != listed:
        found = _differences(
            {
                "failing but not listed": failed - listed,
                "listed but passing": listed & known - failed,
                "listed but not run on the reference fix": listed - known,
            }
        )
        mend = "list exactly the leaf tests that fail on the unfixed repo, or mend the tests"
    if not found and not _earns(grade, 0.1):
        found = f"it earns {grade.reward:.1f}"
    return _graded(claim, grade, found, mend)


def _differences(groups: Mapping[str, Collection[str]]) -> str:
    return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in groups.items() if names)


def _reference_passes(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "the reference fix earns 1.1"
    grade = prover.grade(task, check, _fixed(task, task.spec.reference_fix))
    found = "" if _earns(grade, 1.1) else f"it earns {grade.reward:.1f}: {grade.reason}"
    never_run = sorted(set(task.hidden_tests) - {result.name for result in grade.tests})
    if not found and never_run:
        found = f"hidden tests that do not run: {', '.join(never_run)}"
    return _graded(claim, grade, found, _reference_mend(grade))


def _reference_mend(grade: Grade) -> str:
    if any(result.outcome is Outcome.SKIP for result in grade.tests):
        return "a test must not skip"
    if grade.code is Reason.FORGED:
        return "run subtests on the *testing.T parameter of the function around them: only such a test can attest"
    if grade.code is Reason.PASSED:
        return "every hidden test must be built and run; see build constraints"
    return "correct the reference fix, or the hidden test that refuses it; a test finds no file but those of testdata/"


def _delete_test_cheat(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "the reference fix with a public test deleted earns 0.1"
    if not task.public_tests:
        mend = "give the repo the public tests that a decent engineer would have written"
        return Verdict(ok=False, claim=claim, found="the repo has no public test to delete", mend=mend)
    submission = dict(_fixed(task, task.spec.reference_fix))
    del submission[min(task.public_tests)]
    grade = prover.grade(task, check, submission)
    found = "" if _earns(grade, 0.1) and not grade.tests_untampered else f"it earns {grade.reward:.1f}: {grade.reason}"
    return _graded(claim, grade, found, "see what reference-passes says; if that holds, this is a fault of the grader")


def _non_compiling(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = "a repo that does not build earns 0.0"
    reference = task.spec.reference_fix
    submission = dict(_fixed(task, reference))
    broken = next((edit.file for edit in reference.edits if not isinstance(edit, DeleteFile)), min(submission))
    submission[broken] += _SYNTAX_ERROR
    grade = prover.grade(task, check, submission)
    found = "" if _earns(grade, 0.0) else f"with a syntax error in {broken} it still earns {grade.reward:.1f}"
    return _graded(claim, grade, found, f"{broken} is not part of the build: let the fix edit a file that is")


def _alternative(prover: Prover, task: Task, check: Check) -> Verdict:
    fix = task.fixes()[check.fix]
    grade = prover.grade(task, check, _fixed(task, fix))
    found = "" if _earns(grade, 1.1) else f"it earns {grade.reward:.1f}: {grade.reason}"
    mend = "if the fix keeps the contract, loosen the hidden test; if not, correct the fix"
    return _graded(f"the alternative fix {fix.name!r} earns 1.1 ({fix.summary})", grade, found, mend)


def _wrong(prover: Prover, task: Task, check: Check) -> Verdict:
    fix = task.fixes()[check.fix]
    why = f" ({fix.why})" if isinstance(fix, WrongFix) else ""
    claim = f"the wrong fix {fix.name!r} earns 0.1, as the hidden suite refuses it{why}"
    grade = prover.grade(task, check, _fixed(task, fix))
    if not _earns(grade, 0.1):
        mend = "add a hidden test for the clause of the contract that the fix breaks"
        if not grade.compiles:
            mend = "make the wrong fix build"
        return _graded(claim, grade, f"it earns {grade.reward:.1f}: {grade.reason}", mend)
    # Only a suite that ran, and said no by a failed test or by dying, has refused anything.
    refused = grade.code in (Reason.TESTS_FAILED, Reason.CRASHED)
    mend = "the wrong fix must keep the public API and end, so that the hidden tests judge it"
    return _graded(claim, grade, "" if refused else f"the hidden suite did not judge it: {grade.reason}", mend)


def _exploit(prover: Prover, task: Task, check: Check) -> Verdict:
    """Grade a folder as an exploit leaves it behind. Raises NotHere if this machine cannot show the exploit."""
    exploit, grader = EXPLOITS[check.fix], prover.grader
    if not exploit.honest and not grader.boxes.isolated:
        raise NotHere("nothing here keeps an exploit from this machine")
    if prover.keep:
        shutil.rmtree(prover.keep / task.id / check.folder, ignore_errors=True)
        tree.write(exploit.tree(task), prover.keep / task.id / check.folder)
    baseline = prover.baseline(task)
    with (
        grader.workspace.room() as folder,
        grader.workspace.room() as room,
        prover.agent(room).left_behind(exploit, task, folder),
    ):
        grade = grader.grade_against(baseline, _limited(prover, task, exploit), folder)
    compiled = grade.compiles if exploit.compiles is None else exploit.compiles
    right = (grade.hidden_tests_pass, grade.compiles) == (exploit.paid, compiled)
    found = "" if right else f"it earns {grade.reward:.1f}: {grade.reason}"
    return _graded(_exploit_claim(exploit), grade, found, _exploit_mend(exploit, grade))


def _limited(prover: Prover, task: Task, exploit: Exploit) -> Task:
    """The task with the limit that the exploit is graded under: one that the reference fix keeps, however busy."""
    if not exploit.seconds:
        return task
    reference = prover.grade(task, Check(kind="reference-passes"), _fixed(task, task.spec.reference_fix))
    needed = reference.seconds.get("run", 0.0)
    seconds = min(max(exploit.seconds, math.ceil(_HEADROOM * needed)), task.spec.timeout_seconds)
    return replace(task, spec=task.spec.model_copy(update={"timeout_seconds": seconds}))


def _exploit_claim(exploit: Exploit) -> str:
    if exploit.paid:
        return f"the honest control {exploit.name!r} earns 1.1 ({exploit.why})"
    if exploit.honest:
        return f"the control {exploit.name!r} earns 0.1 ({exploit.why})"
    return f"the exploit {exploit.name!r} earns no hidden reward ({exploit.why})"


def _exploit_mend(exploit: Exploit, grade: Grade) -> str:
    if exploit.paid:
        return "a guard refuses honest work: narrow it; or a hidden test fixes what the contract leaves open"
    if grade.hidden_tests_pass:
        return "do not train with this task: close the channel in the grader, or add the hidden test that sees it"
    return "the exploit no longer shows what it should: mend it, or what it expects"


def _stable(prover: Prover, task: Task, check: Check) -> Verdict:
    claim = f"the hidden suite gives the same verdict {prover.repeat} times on the reference fix and the unfixed repo"
    known = prover.baseline(task).tests
    trees = {"reference fix": _fixed(task, task.spec.reference_fix), "unfixed repo": task.repo}
    for what, submission in trees.items():
        prover.keep_room(check, task, submission)
        first: Grade | None = None
        with prover.grader.workspace.room() as folder:
            tree.write(submission, folder)
            with prover.grader.prepared(task, folder) as prepared:
                for number in range(prover.repeat):
                    procs = _GOMAXPROCS_CYCLE[number % len(_GOMAXPROCS_CYCLE)]
                    grade = prover.grader.run(prepared, known, gomaxprocs=procs)
                    first = first or grade
                    if (grade.code, _failed(grade.tests)) != (first.code, _failed(first.tests)):
                        run = f"run {number + 1} on the {what}, with GOMAXPROCS={procs}, differs from the first"
                        return _unstable(claim, run, procs, first, grade)
                    prover.notify(f"{what}: {number + 1} of {prover.repeat} runs")
    return Verdict(ok=True, claim=claim)


def _unstable(claim: str, run: str, procs: int, first: Grade, grade: Grade) -> Verdict:
    before, now = set(_failed(first.tests)), set(_failed(grade.tests))
    differences = _differences({"failed now": now - before, "passed now": before - now})
    return Verdict(
        ok=False,
        claim=claim,
        found=f"{run}: {differences or grade.reason}",
        commands=(f"GOMAXPROCS={procs} go test -count=200 -failfast ./...",),
        excerpt=_failures(grade),
        mend="wait on a condition with a deadline, never on a sleep, and do not depend on scheduling",
        grade=grade,
    )


_CHECKS: dict[str, Callable[[Prover, Task, Check], Verdict]] = {
    "vet-clean": _vet_clean,
    "public-green": _public_green,
    "unfixed-fails": _unfixed_fails,
    "reference-passes": _reference_passes,
    "delete-test-cheat": _delete_test_cheat,
    "non-compiling": _non_compiling,
    "alternative": _alternative,
    "wrong": _wrong,
    "exploit": _exploit,
    "stable": _stable,
}


def _fixed(task: Task, fix: Fix) -> Tree:
    return fixes.apply(fix, task.repo)


def _earns(grade: Grade, reward: float) -> bool:
    return math.isclose(grade.reward, reward, abs_tol=1e-9)


def _failed(tests: Collection[TestResult]) -> list[str]:
    return failed_leaves([result.name for result in tests if result.outcome is not Outcome.PASS])


def _graded(claim: str, grade: Grade, found: str, mend: str) -> Verdict:
    if not found:
        return Verdict(ok=True, claim=claim, grade=grade)
    command = "go test -v ./..." if grade.compiles else "go build ./..."
    return Verdict(
        ok=False,
        claim=claim,
        found=found,
        commands=(command,),
        excerpt=_failures(grade),
        mend=mend,
        grade=grade,
    )


def _failures(grade: Grade) -> str:
    """The output of the tests that failed, or the tail of the log where none says why."""
    if grade.code is Reason.PASSED:
        return ""
    failed = set(_failed(grade.tests))
    text = "".join(result.output for result in grade.tests if result.name in failed)
    return _clip(text if text.strip() else grade.log)


def _clip(text: str) -> str:
    lines = text.strip().splitlines()
    if len(lines) <= _MAX_EXCERPT_LINES:
        return "\n".join(lines)
    half = _MAX_EXCERPT_LINES // 2
    return "\n".join([*lines[:half], f"… {len(lines) - 2 * half} lines …", *lines[-half:]])
