"""The claims of the checks: proved by running Go through the grader that training uses, or by reading the texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from go_debug_bench import tree
from go_debug_bench.exploit_claim import exploit_claim
from go_debug_bench.grade import Grade, Outcome, Reason
from go_debug_bench.launcher import Completed
from go_debug_bench.model import DeleteFile, WrongFix
from go_debug_bench.proving import Bench, Check, Verdict, clip, earns, excerpt_of, failed, fixed, graded
from go_debug_bench.suite import Finding, giveaways, mends_of, shown, unexplained, unwritten
from go_debug_bench.task import Task

__all__ = ["CLAIMS"]

_SHUFFLES = (1, 2, 3, 4, 5)  # fixed seeds: a verdict must not change from run to run
_GOMAXPROCS_CYCLE = (1, 2, 4)
_PUBLIC_MEND = (
    "a public test must not see the defect, refuse the fix, skip, or read other files than those of testdata/"
)
_SYNTAX_ERROR = b"\nfunc {\n"
_MAX_NAMES = 20  # tests that a finding names, of a kind: who is to list them wants them all


def _vet_clean(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "go vet and gofmt are clean on the unfixed repo"
    bench.keep_room(check, replace(task, hidden={}), task.repo)
    with bench.grader.workspace.room() as folder:
        tree.write(task.repo, folder)
        vet = bench.grader.go(folder, "vet", "./...")
        if not vet.ok:
            return _command_failed(
                claim,
                "go vet complains",
                vet,
                "go vet ./...",
                "mend what vet reports; the defect must be one that vet cannot see",
            )
        gofmt = bench.grader.host.gofmt(folder, "-l", "-d", ".")
    if not gofmt.ok or gofmt.output:
        return _command_failed(
            claim, "files are not formatted", gofmt, "go fmt ./...", "run go fmt ./... in the task's repo"
        )
    return Verdict(ok=True, claim=claim)


def _command_failed(claim: str, found: str, done: Completed, command: str, mend: str) -> Verdict:
    return Verdict(ok=False, claim=claim, found=found, commands=(command,), excerpt=clip(done.text), mend=mend)


def _public_green(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "the public suite passes in any order, on the unfixed repo and on the reference fix"
    public = replace(task, hidden={})
    for what, submission in (
        ("unfixed repo", task.repo),
        ("reference fix", fixed(task, task.spec.reference_fix)),
    ):
        with bench.grader.workspace.room() as folder:
            tree.write(submission, folder)
            with bench.grader.prepared(public, folder) as prepared:
                if not prepared.grade.compiles or (task.public_tests and not prepared.binaries):
                    return Verdict(
                        ok=False,
                        claim=claim,
                        found=f"on the {what} {prepared.grade.reason}",
                        commands=("go test ./...",),
                        excerpt=clip(prepared.grade.log),
                        mend="make the module and its public tests build",
                        grade=prepared.grade,
                    )
                for seed in (0, *_SHUFFLES) if prepared.binaries else ():
                    grade = bench.grader.run(prepared, None, shuffle=seed)
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
        excerpt=excerpt_of(grade),
        mend=mend,
        grade=grade,
    )


def _unfixed_fails(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "the unfixed repo builds, fails exactly the tests of fail_to_pass, and earns 0.1"
    grade = bench.grade(task, check, task.repo)
    listed, red = set(task.spec.fail_to_pass), set(failed(grade.tests))
    known = bench.baseline(task).tests
    below = {name: {test for test in red if test.startswith(f"{name}/")} for name in listed}
    parents = {name for name, tests in below.items() if tests}
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
    elif red != listed:
        found = _differences(
            {
                "failing but not listed": red.difference(listed, *below.values()),
                "listed but passing": (listed & known) - red - parents,
                "listed but not run on the reference fix": listed - known,
                **{f"{name} is listed but has subtests, to list instead": below[name] for name in sorted(parents)},
            }
        )
        mend = "list exactly the leaf tests that fail on the unfixed repo, or mend the tests"
    if not found and not earns(grade, 0.1):
        found = f"it earns {grade.reward:.1f}"
    return graded(claim, grade, found, mend)


def _differences(groups: Mapping[str, Collection[str]]) -> str:
    return "; ".join(f"{what}: {_some(sorted(names))}" for what, names in groups.items() if names)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def _reference_passes(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "the reference fix earns 1.1"
    grade = bench.grade(task, check, fixed(task, task.spec.reference_fix))
    found = "" if earns(grade, 1.1) else f"it earns {grade.reward:.1f}: {grade.reason}"
    never_run = sorted(set(task.hidden_tests) - {result.name for result in grade.tests})
    if not found and never_run:
        found = f"hidden tests that do not run: {', '.join(never_run)}"
    return graded(claim, grade, found, _reference_mend(grade))


def _reference_mend(grade: Grade) -> str:
    if any(result.outcome is Outcome.SKIP for result in grade.tests):
        return "a test must not skip"
    if grade.code is Reason.FORGED:
        return "run subtests on the *testing.T parameter of the function around them: only such a test can attest"
    if grade.code is Reason.PASSED:
        return "every hidden test must be built and run; see build constraints"
    return "correct the reference fix, or the hidden test that refuses it; a test finds no file but those of testdata/"


def _delete_test_cheat(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "the reference fix with a public test deleted earns 0.1"
    if not task.public_tests:
        mend = "give the repo the public tests that a decent engineer would have written"
        return Verdict(ok=False, claim=claim, found="the repo has no public test to delete", mend=mend)
    submission = dict(fixed(task, task.spec.reference_fix))
    del submission[min(task.public_tests)]
    grade = bench.grade(task, check, submission)
    found = "" if earns(grade, 0.1) and not grade.tests_untampered else f"it earns {grade.reward:.1f}: {grade.reason}"
    return graded(claim, grade, found, "see what reference-passes says; if that holds, this is a fault of the grader")


def _non_compiling(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = "a repo that does not build earns 0.0"
    reference = task.spec.reference_fix
    submission = dict(fixed(task, reference))
    broken = next((edit.file for edit in reference.edits if not isinstance(edit, DeleteFile)), min(submission))
    submission[broken] += _SYNTAX_ERROR
    grade = bench.grade(task, check, submission)
    found = "" if earns(grade, 0.0) else f"with a syntax error in {broken} it still earns {grade.reward:.1f}"
    return graded(claim, grade, found, f"{broken} is not part of the build: let the fix edit a file that is")


def _alternative(bench: Bench, task: Task, check: Check) -> Verdict:
    fix = task.fixes()[check.fix]
    grade = bench.grade(task, check, fixed(task, fix))
    found = "" if earns(grade, 1.1) else f"it earns {grade.reward:.1f}: {grade.reason}"
    mend = "if the fix keeps the contract, loosen the hidden test; if not, correct the fix"
    return graded(f"the alternative fix {fix.name!r} earns 1.1 ({fix.summary})", grade, found, mend)


def _wrong(bench: Bench, task: Task, check: Check) -> Verdict:
    fix = task.fixes()[check.fix]
    why = f" ({fix.why})" if isinstance(fix, WrongFix) else ""
    claim = f"the wrong fix {fix.name!r} earns 0.1, as the hidden suite refuses it{why}"
    grade = bench.grade(task, check, fixed(task, fix))
    if not earns(grade, 0.1):
        mend = "add a hidden test for the clause of the contract that the fix breaks"
        if not grade.compiles:
            mend = "make the wrong fix build"
        return graded(claim, grade, f"it earns {grade.reward:.1f}: {grade.reason}", mend)
    # Only a suite that ran, and said no by a failed test or by dying, has refused anything.
    refused = grade.code in (Reason.TESTS_FAILED, Reason.CRASHED)
    mend = "the wrong fix must keep the public API and end, so that the hidden tests judge it"
    return graded(claim, grade, "" if refused else f"the hidden suite did not judge it: {grade.reason}", mend)


def _stable(bench: Bench, task: Task, check: Check) -> Verdict:
    claim = (
        f"the hidden suite gives the same verdict in {bench.repeat} of {bench.repeat} runs "
        "on the reference fix and on the unfixed repo"
    )
    known = bench.baseline(task).tests
    trees = {"reference fix": fixed(task, task.spec.reference_fix), "unfixed repo": task.repo}
    for what, submission in trees.items():
        bench.keep_room(check, task, submission)
        first: Grade | None = None
        with bench.grader.workspace.room() as folder:
            tree.write(submission, folder)
            with bench.grader.prepared(task, folder) as prepared:
                for number in range(bench.repeat):
                    procs = _GOMAXPROCS_CYCLE[number % len(_GOMAXPROCS_CYCLE)]
                    grade = bench.grader.run(prepared, known, gomaxprocs=procs)
                    first = first or grade
                    if (grade.code, failed(grade.tests)) != (first.code, failed(first.tests)):
                        run = f"run {number + 1} on the {what}, with GOMAXPROCS={procs}, differs from the first"
                        return _unstable(claim, run, procs, first, grade)
                    bench.notify(f"{what}: {number + 1} of {bench.repeat} runs")
    return Verdict(ok=True, claim=claim)


def _unstable(claim: str, run: str, procs: int, first: Grade, grade: Grade) -> Verdict:
    before, now = set(failed(first.tests)), set(failed(grade.tests))
    differences = _differences({"failed now": now - before, "passed now": before - now})
    return Verdict(
        ok=False,
        claim=claim,
        found=f"{run}: {differences or grade.reason}",
        commands=(f"GOMAXPROCS={procs} go test -count=200 -failfast ./...",),
        excerpt=excerpt_of(grade),
        mend="wait on a condition with a deadline, never on a sleep, and do not depend on scheduling",
        grade=grade,
    )


def _written(bench: Bench, task: Task, check: Check) -> Verdict:
    return _unless("nothing of a scaffold is left to write", unwritten(task))


def _discreet(bench: Bench, task: Task, check: Check) -> Verdict:
    return _unless(
        "prompt and repo quote neither the gate nor the hidden suite, and do not name the place of the fault",
        giveaways(task),
    )


def _explained(bench: Bench, task: Task, check: Check) -> Verdict:
    return _unless("what the hidden tests use of the public API is explained to the agent", unexplained(task))


def _distinct(bench: Bench, task: Task, check: Check) -> Verdict:
    return _unless("no other task of the same folder is nearly the same", bench.neighbours.like(task))


def _unless(claim: str, findings: Sequence[Finding]) -> Verdict:
    """The verdict on a claim about a task's texts: it holds if nothing was found."""
    if not findings:
        return Verdict(ok=True, claim=claim)
    excerpt = clip("\n".join(map(str, findings)))
    return Verdict(ok=False, claim=claim, found=shown(findings), excerpt=excerpt, mend=mends_of(findings))


CLAIMS: dict[str, Callable[[Bench, Task, Check], Verdict]] = {
    "written": _written,
    "vet-clean": _vet_clean,
    "public-green": _public_green,
    "unfixed-fails": _unfixed_fails,
    "reference-passes": _reference_passes,
    "delete-test-cheat": _delete_test_cheat,
    "non-compiling": _non_compiling,
    "alternative": _alternative,
    "wrong": _wrong,
    "discreet": _discreet,
    "explained": _explained,
    "distinct": _distinct,
    "exploit": exploit_claim,
    "stable": _stable,
}
"""The claims by the kind of their check, in the order in which an author wants to see them fail."""
