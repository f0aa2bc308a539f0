"""One command builds the module and compiles the suite, and no grade tells that from two."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from go_debug_bench import fixes
from go_debug_bench.compiling import Compiler
from go_debug_bench.grade import Reason
from go_debug_bench.grading import Grader
from go_debug_bench.host import BUILD_LIMITS
from go_debug_bench.launcher import Completed, Limits
from go_debug_bench.submission import Submission, stage
from go_debug_bench.task import Task, load_task, load_tasks
from go_debug_bench.workspace import Workspace

EXAMPLES = Path(__file__).parent / "examples" / "valid"
REST = b"""
// Total returns the sum of the readings.
func Total(readings []int) int {
\ttotal := 0
\tfor _, reading := range readings {
\t\ttotal += reading
\t}
\treturn total
}
"""
NOT_LINKED = b"""package main

import _ "unsafe"

//go:linkname absent example.com/nowhere.absent
func absent()

func main() { absent() }
"""
HELPER = b"package tally\n\nfunc plus(a, b int) int { return a + b }\n"
HELPER_OF_TESTS = b"package extra_test\n\nfunc plus(a, b int) int { return a + b }\n"


@pytest.fixture(scope="module")
def task() -> Task:
    """One small package, with external tests."""
    return load_task(EXAMPLES / "tiny-tally")


def with_repo(task: Task, more: Mapping[str, bytes]) -> Task:
    """The task with more files in its repo."""
    return replace(task, repo={**task.repo, **more})


def left(task: Task, **files: bytes) -> Submission:
    """The task's repo with the reference fix, and other files by path, slashes written as two underscores."""
    own = {path.replace("__", "/") + ".go": data for path, data in files.items()}
    return Submission(files={**fixes.apply(task.spec.reference_fix, task.repo), **own})


def compiled(compiler: Compiler, task: Task, submission: Submission, workspace: Workspace) -> set[str]:
    """The packages whose tests are compiled at once."""
    with workspace.room() as room:
        return set(compiler.build_and_compile(task, stage(task, submission), room))


@pytest.mark.parametrize("example", ["tiny-tally", "build"])
def test_a_suite_of_external_tests_is_compiled_at_once(grader: Grader, workspace: Workspace, example: str) -> None:
    """Whether it has one package or several."""
    task = load_task(EXAMPLES / example)
    assert compiled(grader.compiler, task, left(task), workspace) == set(task.test_packages)


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_every_task_of_this_package_is_compiled_at_once(grader: Grader, workspace: Workspace, task: Task) -> None:
    """Its reference fix is; what a submission adds may need two commands."""
    assert compiled(grader.compiler, task, left(task), workspace) == set(task.test_packages)


def test_a_later_version_of_a_module_is_no_other_program(grader: Grader, task: Task, workspace: Workspace) -> None:
    """Go calls the binary of example.com/tally/v2 as that of example.com/tally."""
    later = {path: data.replace(b"example.com/tally", b"example.com/tally/v2") for path, data in task.repo.items()}
    hidden = {path: data.replace(b"example.com/tally", b"example.com/tally/v2") for path, data in task.hidden.items()}
    other = replace(task, repo=later, hidden=hidden)
    assert compiled(grader.compiler, other, left(other), workspace) == {""}


def test_a_program_that_does_not_link_does_not_build(grader: Grader, task: Task) -> None:
    """To compile it is not enough, and no test needs it."""
    grade = grader.grade(task, left(task, cmd__tool__main=NOT_LINKED))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)
    assert "not defined" in grade.reason or "not defined" in grade.log


def test_code_that_only_its_tests_complete_does_not_build(grader: Grader, task: Task) -> None:
    """What a test file of the same package declares is no part of the module."""
    inner = with_repo(task, {"plus_test.go": HELPER})
    assert grader.grade(inner, left(inner)).code is Reason.PASSED
    grade = grader.grade(
        inner, left(inner, tally=b"package tally\n" + REST.replace(b"+= reading", b"= plus(total, reading)"))
    )
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)
    assert "undefined: plus" in grade.reason


def test_a_package_that_joins_its_external_tests_does_not_build(grader: Grader, task: Task) -> None:
    """With the name of theirs, it would be one package with them."""
    outer = with_repo(task, {"extra/extra.go": b"package extra\n", "extra/extra_test.go": HELPER_OF_TESTS})
    joined = b"package extra_test\n\nvar Sum = plus(1, 2)\n"
    grade = grader.grade(outer, left(outer, extra__extra=joined))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)
    assert "undefined: plus" in grade.reason


def test_a_hidden_file_is_not_there_when_the_module_is_built(grader: Grader, task: Task) -> None:
    """What embeds one does not build, as it does not for the agent."""
    embeds = b'package tally\n\nimport _ "embed"\n\n//go:embed total*.go\nvar hidden string\n' + REST
    grade = grader.grade(task, left(task, tally=embeds))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)
    assert "no matching files found" in grade.reason


def test_a_package_without_tests_has_to_build(grader: Grader, task: Task) -> None:
    """The suite compiles without it."""
    grade = grader.grade(task, left(task, extra__extra=b"package extra\n\nvar Sum int = nil\n"))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)
    assert "extra/extra.go" in grade.reason


GONE = {"deleted": None, "constrained": b"//go:build ignore\n\npackage extra\n", "ignored": b"package documentation\n"}


@pytest.mark.parametrize("extra", GONE.values(), ids=GONE.keys())
def test_a_package_that_its_tests_do_not_import_has_to_be_there(
    grader: Grader, task: Task, extra: bytes | None
) -> None:
    """A folder that holds external tests alone can be tested, and not be built."""
    tests = b'package extra_test\n\nimport "testing"\n\nfunc TestExtra(t *testing.T) {}\n'
    never = b'//go:build never\n\npackage extra_test\n\nimport _ "example.com/tally/extra"\n'
    lonely = with_repo(
        task, {"extra/extra.go": b"package extra\n", "extra/extra_test.go": tests, "extra/never_test.go": never}
    )
    submission = left(lonely)
    files = {path: data for path, data in submission.files.items() if path != "extra/extra.go"}
    grade = grader.grade(lonely, Submission(files=files if extra is None else {**files, "extra/extra.go": extra}))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)


def test_go_code_of_the_hidden_suite_is_not_there_when_the_module_is_built(grader: Grader, task: Task) -> None:
    """A package in its testdata could be imported."""
    knowing = replace(task, hidden={**task.hidden, "testdata/want/want.go": b"package want\n\nconst Answer = 5\n"})
    guess = b'package tally\n\nimport "example.com/tally/testdata/want"\n\nvar Hidden = want.Answer\n'
    grade = grader.grade(knowing, left(knowing, more=guess))
    assert (grade.compiles, grade.code) == (False, Reason.BUILD_FAILED)


@pytest.mark.parametrize("folder", ["v0", "v01", "v1", "v2", "v10"])
def test_packages_that_look_like_versions_have_their_own_tests(grader: Grader, task: Task, folder: str) -> None:
    """Go leaves v2 and later out of a binary's name, and no other."""
    version = b"package version\n\n// F is one.\nfunc F() int { return 1 }\n"
    tests = (
        f'package version_test\n\nimport (\n\t"testing"\n\n\t"example.com/tally/{folder}"\n)\n\n'
        'func TestF(t *testing.T) {\n\tif version.F() != 1 {\n\t\tt.Error("not one")\n\t}\n}\n'
    ).encode()
    versioned = with_repo(task, {f"{folder}/f.go": version, f"{folder}/f_test.go": tests})
    assert grader.grade(versioned, left(versioned)).code is Reason.PASSED
    wrong = {**left(versioned).files, f"{folder}/f.go": version.replace(b"1", b"2")}
    grade = grader.grade(versioned, Submission(files=wrong))
    assert grade.reason.endswith(f"{folder}.TestF")


def test_who_needs_more_time_has_that_of_a_build(
    grader: Grader, task: Task, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first command has a part of it; that it was too slow decides nothing."""
    real, asked = grader.host.go, []

    def slow(folder: Path, *arguments: str, limits: Limits = BUILD_LIMITS) -> Completed:
        asked.append((arguments[0], limits.seconds))
        if limits.seconds < BUILD_LIMITS.seconds:
            return replace(real(folder, "version"), exit_code=-1, timed_out=True)
        return real(folder, *arguments, limits=limits)

    grader.baseline(task)
    monkeypatch.setattr(grader.host, "go", slow)
    assert grader.grade(task, left(task)).code is Reason.PASSED
    assert asked == [("test", 60), ("build", 180), ("test", 180)]
