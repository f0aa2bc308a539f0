"""The grader on real submissions: one path from a folder to a grade."""

import dataclasses
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench import fixes, tree
from go_debug_bench.baseline import Baseline
from go_debug_bench.box import Box, LocalBox, LocalBoxes
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grade import Grade, Outcome, Reason
from go_debug_bench.grading import Grader
from go_debug_bench.isolation import Isolation
from go_debug_bench.launcher import Completed, Limits
from go_debug_bench.task import Task, load_task
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.workspace import Workspace

EXAMPLES = Path(__file__).parent / "examples"


@pytest.fixture(scope="module")
def task() -> Task:
    """One small package."""
    return load_task(EXAMPLES / "valid" / "tiny-tally")


@pytest.fixture
def agent(task: Task, tmp_path: Path) -> Path:
    """An agent's folder that holds the reference fix."""
    tree.write(fixes.apply(task.spec.reference_fix, task.repo), tmp_path / "agent")
    return tmp_path / "agent"


@pytest.fixture
def unlinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lint, so that the guards behind it have to hold."""
    monkeypatch.setattr(Grader, "_judge_code", lambda _, __, ___, grade: grade)


def source(agent: Path, body: str, imports: str = "") -> None:
    """Give Total another body."""
    (agent / "tally.go").write_text(f"package tally\n{imports}\nfunc Total(readings []int) int {{\n{body}\n}}\n")


RIGHT = "total := 0\nfor _, r := range readings { total += r }\nreturn total"


def test_the_reference_fix_earns_everything(grader: Grader, task: Task, agent: Path) -> None:
    """And the grade says what was seen and where the time went."""
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(1.1)
    assert grade.code is Reason.PASSED
    assert {result.name for result in grade.tests} == {
        "TestTotalOfTwo",
        "TestTotalOfNone",
        "TestTotalOfMany",
        "TestTotalOfMany/three",
        "TestTotalOfMany/four",
        "TestTotalOfMany/five",
    }
    assert grade.box.startswith("local, isolation ")
    assert list(grade.seconds) == ["collect", "build and lint", "compile", "run"]
    assert all(0 <= seconds < 60 for seconds in grade.seconds.values())


def test_the_unfixed_repo_earns_the_build_alone(grader: Grader, task: Task, tmp_path: Path) -> None:
    """The reason names what failed, and the log says why."""
    tree.write(task.repo, tmp_path)
    grade = grader.grade(task, tmp_path)
    assert grade.reward == pytest.approx(0.1)
    assert grade.reason == "2 of 6 tests failed: TestTotalOfMany/five, TestTotalOfMany/four"
    assert "Total = 3, want 4" in grade.log
    assert grade.tests_untampered


def test_two_packages_with_testdata_are_graded_as_one_suite(grader: Grader, tmp_path: Path) -> None:
    """A failure in any of them counts, and their testdata is there."""
    task = load_task(EXAMPLES / "valid" / "build")
    tree.write(task.repo, tmp_path / "unfixed")
    grade = grader.grade(task, tmp_path / "unfixed")
    assert grade.reason.endswith("report.TestReportOfFile")
    tree.write(fixes.apply(task.spec.reference_fix, task.repo), tmp_path / "fixed")
    assert grader.grade(task, tmp_path / "fixed").reward == pytest.approx(1.1)


def test_tampering_earns_the_build_alone_whatever_the_fix(grader: Grader, task: Task, agent: Path) -> None:
    """The suite is not even run."""
    (agent / "tally_test.go").unlink()
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1)
    assert (grade.compiles, grade.tests_untampered, grade.code) == (True, False, Reason.TAMPERED)
    assert grade.reason == "tests were tampered with: tally_test.go was deleted"
    assert grade.tests == ()


def test_code_that_does_not_build_earns_nothing_and_is_told_the_first_error(
    grader: Grader, task: Task, agent: Path
) -> None:
    """As the compiler says it."""
    source(agent, "return readings")
    grade = grader.grade(task, agent)
    assert grade.reward == 0
    assert grade.code is Reason.BUILD_FAILED
    assert list(grade.seconds) == ["collect", "build and lint"]
    assert grade.reason.startswith("the module does not build: ./tally.go:4:8: cannot use readings")


def test_code_without_the_public_api_earns_the_build_alone(grader: Grader, task: Task, agent: Path) -> None:
    """The module builds; the suite does not compile against it."""
    (agent / "tally.go").write_text("package tally\n\nfunc Sum(readings []int) int { return 0 }\n")
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1)
    assert grade.code is Reason.SUITE_BUILD_FAILED
    assert "undefined: tally.Total" in grade.reason


def test_a_refused_submission_earns_nothing_and_says_why(grader: Grader, task: Task, agent: Path) -> None:
    """A broken limit is a low grade, never an error."""
    (agent / "huge.go").write_bytes(b"/" * ((1 << 20) + 1))
    grade = grader.grade(task, agent)
    assert grade.reward == 0
    assert grade.reason == "the submission is refused: huge.go is larger than 1048576 bytes"
    assert not grade.tests_untampered


@pytest.mark.usefixtures("unlinted")
@pytest.mark.parametrize(
    ("body", "imports", "code"),
    [
        ("os.Exit(0)\nreturn 0", 'import "os"', Reason.CRASHED),
        ("panic(1)", "", Reason.CRASHED),
        ("select {}", "", Reason.TIMED_OUT),
        (
            'fmt.Print("--- PASS: TestTotalOfMany/five\\n\\x16--- PASS: TestTotalOfMany/four (0.00s)\\n")\nreturn 0',
            'import "fmt"',
            Reason.TESTS_FAILED,
        ),
        ('for { fmt.Println("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") }', 'import "fmt"', Reason.FLOODED),
        ("var hog [][]byte\nfor { hog = append(hog, make([]byte, 1<<26)) }", "", Reason.CRASHED),
        ("for { }", "", Reason.TIMED_OUT),
        ("syscall.Kill(syscall.Getpid(), syscall.SIGABRT)\nreturn 0", 'import "syscall"', Reason.CRASHED),
    ],
)
def test_hostile_code_gets_a_low_grade_in_bounded_time(
    grader: Grader, task: Task, agent: Path, body: str, imports: str, code: Reason
) -> None:
    """An early exit, a panic, a deadlock, forged lines, a flood, a hog, a hang, a signal: none is paid, none raises."""
    source(agent, body, imports)
    quick = dataclasses.replace(task, spec=task.spec.model_copy(update={"timeout_seconds": 3}))
    grade = grader.grade(quick, agent)
    assert grade.reward == pytest.approx(0.1)
    assert grade.code is code
    assert grade.seconds["run"] < 15


@pytest.mark.usefixtures("unlinted")
@pytest.mark.parametrize("flags", ["syscall.PROT_EXEC, syscall.MAP_PRIVATE", "syscall.PROT_READ, syscall.MAP_SHARED"])
def test_code_can_neither_be_made_nor_memory_hidden_from_its_limit(
    grader: Grader, task: Task, agent: Path, flags: str
) -> None:
    """A box refuses executable and shared memory."""
    if not grader.boxes.isolated:
        pytest.skip("nothing here keeps a program from this machine")
    body = f"if _, err := syscall.Mmap(-1, 0, 4096, {flags}|syscall.MAP_ANON); err != syscall.EPERM {{ return 0 }}\n"
    source(agent, body + RIGHT, 'import "syscall"')
    assert grader.grade(task, agent).reason == "all 6 hidden and public tests pass"


def test_output_that_would_swell_is_a_flood(grader: Grader, task: Task, agent: Path) -> None:
    """test2json repeats a test's name with every line: a long name and many lines are refused, not read."""
    print_all = 'fmt.Print("\\x16=== RUN   Test", strings.Repeat("x", 4000), "\\n", strings.Repeat("\\n", 1<<21))\n'
    source(agent, print_all + RIGHT, 'import (\n\t"fmt"\n\t"strings"\n)')
    grade = grader.grade(task, agent)
    assert grade.code is Reason.FLOODED
    assert not grade.hidden_tests_pass


@pytest.mark.usefixtures("unlinted")
def test_an_exit_status_of_zero_proves_nothing(grader: Grader, task: Task, agent: Path) -> None:
    """Leaving early with success is caught by the tests that never ended."""
    source(agent, RIGHT, 'import "os"\n\nfunc init() { os.Exit(0) }')
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1)
    assert {result.outcome for result in grade.tests} == {Outcome.LOST}


@pytest.mark.usefixtures("unlinted")
@pytest.mark.parametrize("status", [0, 1])
def test_leaving_in_the_last_test_is_not_passing_it(grader: Grader, task: Task, agent: Path, status: int) -> None:
    """The test that was running when the process ended did not pass, whatever the status."""
    source(agent, f"if len(readings) == 5 {{ os.Exit({status}) }}\n" + RIGHT, 'import "os"')
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1)
    outcomes = {result.name: result.outcome for result in grade.tests}
    assert outcomes["TestTotalOfMany/five"] in (Outcome.LOST, Outcome.FAIL)


def test_what_only_a_cheat_needs_is_refused_and_named(grader: Grader, task: Task, agent: Path) -> None:
    """The build is paid, the suite is not run, and the reason says where and what."""
    source(agent, RIGHT, 'import "os"\n\nfunc init() { _ = os.Args }')
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1)
    assert (grade.code, grade.compiles, grade.tests) == (Reason.FORBIDDEN, True, ())
    assert grade.reason == "the code does what a submission may not: tally.go:4 uses os.Args"
    assert grade.lint == ("tally.go:4 uses os.Args",)


def test_what_the_task_does_itself_is_not_held_against_a_submission(grader: Grader, task: Task, agent: Path) -> None:
    """A module that uses a thing may use it in another place too."""
    own = {
        **task.repo,
        "own.go": b'package tally\n\nimport "os"\n\n// Name is how the program was called.\nvar Name = os.Args[0]\n',
    }
    liberal = dataclasses.replace(task, repo=own)
    source(agent, RIGHT, 'import "os"\n\nfunc init() { _ = os.Args }')
    assert grader.grade(liberal, agent).reward == pytest.approx(1.1)


def test_an_agents_own_tests_are_never_run(grader: Grader, task: Task, agent: Path) -> None:
    """Not even a TestMain that would decide the exit status; they are reported."""
    (agent / "main_test.go").write_text(
        'package tally_test\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(1) }\n'
    )
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(1.1)
    assert grade.added_tests == ("main_test.go",)


def test_nothing_of_the_callers_environment_reaches_build_or_run(
    grader: Grader, task: Task, agent: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Go reads dozens of variables; a grade must not depend on any of them."""
    hostile = {
        "GOFLAGS": "-run=^$ -exec=false",
        "GOROOT": "/nonexistent",
        "GOCACHE": str(tmp_path / "cache"),
        "GODEBUG": "gocacheverify=1",
        "GOENV": str(tmp_path / "env"),
        "GOMAXPROCS": "1",
        "GOWORK": str(tmp_path / "go.work"),
        "SECRET": "in-the-environment",
    }
    (tmp_path / "env").write_text("GOFLAGS=-tags=evil\n")
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    source(
        agent,
        'if os.Getenv("SECRET") != "" || runtime.GOMAXPROCS(0) != 2 || len(os.Environ()) != 6 { return 0 }\n' + RIGHT,
        'import (\n\t"os"\n\t"runtime"\n)\n',
    )
    assert grader.grade(task, agent).reason == "all 6 hidden and public tests pass"
    assert not (tmp_path / "cache").exists()


def test_the_box_holds_no_source(grader: Grader, task: Task, agent: Path) -> None:
    """Neither the hidden suite nor the module: a submission that looks around finds its own binary only."""
    source(
        agent,
        'for _, pattern := range []string{"*", "../*", "../../*", "../*/*"} {\n'
        "found, _ := filepath.Glob(pattern)\n"
        'for _, f := range found { if filepath.Ext(f) == ".go" { return 0 } }\n}\n' + RIGHT,
        'import "path/filepath"',
    )
    assert grader.grade(task, agent).reward == pytest.approx(1.1)


def test_code_may_talk_to_a_server_of_its_own(grader: Grader, task: Task, agent: Path) -> None:
    """A box has a loopback, and nothing beyond it."""
    dial = 'server, err := net.Listen("tcp", "127.0.0.1:0")\nif err != nil { return 0 }\ndefer server.Close()\n'
    dial += 'if _, err := net.Dial("tcp", server.Addr().String()); err != nil { return 0 }\n'
    source(agent, dial + RIGHT, 'import "net"')
    assert grader.grade(task, agent).reason == "all 6 hidden and public tests pass"


def test_a_box_of_an_empty_module_earns_nothing(grader: Grader, task: Task, tmp_path: Path) -> None:
    """With all sources gone, or none that is built, nothing compiles."""
    assert grader.grade(task, tmp_path).reward == 0
    (tmp_path / "tally.go").write_text("//go:build ignore\n\npackage tally\n")
    assert grader.grade(task, tmp_path).reward == 0


@pytest.mark.parametrize("path", ["total_test.go/x.go", "tally_test.go/x.go", "go.mod/x.go", "go.mod/tally.go"])
def test_folders_with_the_names_of_the_tasks_files_are_left_out(
    grader: Grader, task: Task, agent: Path, path: str
) -> None:
    """They cannot stand in the way of the clean room."""
    (agent / path.split("/")[0]).unlink(missing_ok=True)
    tree.write({path: b"package x\n"}, agent)
    grade = grader.grade(task, agent)
    assert grade.reward == pytest.approx(0.1 if path.startswith("tally_test") else 1.1)


def test_paths_longer_than_any_honest_one_are_refused(grader: Grader, task: Task, agent: Path) -> None:
    """Not an error of the machine."""
    tree.write({"/".join(["d" * 120] * 6) + "/x.go": b"package x\n"}, agent)
    grade = grader.grade(task, agent)
    assert (grade.code, grade.reward) == (Reason.REFUSED, 0)


def test_a_baseline_that_failed_is_not_kept(
    toolchain: Toolchain,
    workspace: Workspace,
    task: Task,
    grader: Grader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One bad moment of the machine must not refuse every later submission."""
    fresh = Grader(toolchain, workspace, cache=_cache_with_build(tmp_path, grader))
    real = fresh.grade_reference
    bad = Grade(
        task=task.id,
        compiles=True,
        tests_untampered=True,
        hidden_tests_pass=False,
        code=Reason.CRASHED,
        reason="killed",
    )
    monkeypatch.setattr(fresh, "grade_reference", lambda _: bad)
    assert not fresh.baseline(task).sound
    monkeypatch.setattr(fresh, "grade_reference", real)
    assert fresh.baseline(task).sound


def test_grades_of_many_threads_do_not_mix(grader: Grader, task: Task, tmp_path: Path) -> None:
    """One grader serves a whole training process."""
    trees = [task.repo, fixes.apply(task.spec.reference_fix, task.repo)] * 4

    def grade(number: int) -> float:
        tree.write(trees[number], tmp_path / str(number))
        return grader.grade(task, tmp_path / str(number)).reward

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(grade, range(8))) == pytest.approx([0.1, 1.1] * 4)


def test_nothing_is_left_in_the_workspace(grader: Grader, workspace: Workspace, task: Task, agent: Path) -> None:
    """Temporary folders go when the grade is known."""
    before = set(workspace.folder.iterdir())
    grader.grade(task, agent)
    assert set(workspace.folder.iterdir()) == before


class BrokenBoxes:
    """Boxes that cannot run anything."""

    def __init__(self, platform: tuple[str, str]) -> None:
        self.platform = platform
        self.isolated = True

    @contextmanager
    def open(self) -> Iterator[Box]:
        """Fail as a container engine that is gone does."""
        raise InfrastructureError("no box to be had")
        yield


def test_a_broken_box_is_an_exception_never_a_reward(
    toolchain: Toolchain, workspace: Workspace, task: Task, agent: Path, grader: Grader
) -> None:
    """Infrastructure noise must not become training signal."""
    platform = (toolchain.goos, toolchain.goarch)
    broken = Grader(toolchain, workspace, boxes=BrokenBoxes(platform))
    grader.baseline(task)
    with pytest.raises(InfrastructureError, match="no box to be had"):
        broken.grade(task, agent)


def test_a_failure_that_the_reference_shares_is_the_machines(
    toolchain: Toolchain, workspace: Workspace, task: Task, agent: Path, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills up after the baseline fails every build: no submission is to blame."""
    fresh = Grader(toolchain, workspace)
    fresh.baseline(task)
    real = fresh.host.go

    def full_disk(folder: Path, *arguments: str, **limits: Limits) -> Completed:
        done = real(folder, *arguments, **limits)
        return dataclasses.replace(done, exit_code=1, output=b"write: no space left on device\n")

    monkeypatch.setattr(fresh.host, "go", full_disk)
    with pytest.raises(InfrastructureError, match="ended with build-failed, and so does the reference fix"):
        fresh.grade(task, agent)


def test_a_machine_too_slow_for_the_reference_is_no_time_out_of_the_submission(
    toolchain: Toolchain, workspace: Workspace, task: Task, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference is run again before a time-out is held against anyone."""
    fresh = Grader(toolchain, workspace)
    fresh.baseline(task)
    real = LocalBox.run

    def starved(self: LocalBox, argv: list[str], **rest: Any) -> Completed:
        return dataclasses.replace(real(self, argv, **rest), timed_out=True)

    monkeypatch.setattr(LocalBox, "run", starved)
    with pytest.raises(InfrastructureError, match="ended with timed-out, and so does the reference fix"):
        fresh.grade(task, agent)


def test_a_task_whose_reference_fails_cannot_be_graded(grader: Grader, tmp_path: Path) -> None:
    """No submission pays for a broken task."""
    task = load_task(EXAMPLES / "broken" / "fails-reference-passes")
    tree.write(task.repo, tmp_path)
    with pytest.raises(InfrastructureError, match="the reference fix of fails-reference-passes does not pass here"):
        grader.grade(task, tmp_path)


@pytest.mark.parametrize("what", ["code_digest", "python_identity"])
def test_a_baseline_of_another_grader_is_not_taken(
    toolchain: Toolchain, workspace: Workspace, task: Task, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """With one whose limits were others, a right fix could be refused."""
    grader = Grader(toolchain, workspace)
    before = grader._baseline_path(task)
    assert Grader(toolchain, workspace)._baseline_path(task) == before
    assert Grader(toolchain, workspace, isolation=Isolation.NONE)._baseline_path(task) != before
    monkeypatch.setattr(f"go_debug_bench.grading.{what}", lambda: "another")
    assert grader._baseline_path(task) != before


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"tests": [1], "sound": true, "reason": ""}',
        b'{"tests": [], "sound": "yes", "reason": ""}',
        b"\xff",
    ],
)
def test_a_damaged_baseline_is_made_again(
    toolchain: Toolchain, workspace: Workspace, task: Task, grader: Grader, tmp_path: Path, damage: bytes
) -> None:
    """A corrupt cache entry is ignored, and replaced."""
    wanted = grader.baseline(task)
    fresh = Grader(toolchain, workspace, cache=_cache_with_build(tmp_path, grader))
    path = fresh._baseline_path(task)
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)
    assert fresh.baseline(task) == wanted
    assert set(json.loads(path.read_bytes())["tests"]) == wanted.tests


def _cache_with_build(folder: Path, grader: Grader) -> Path:
    """A cache of its own that shares what is slow to build."""
    for name in ("go-build", "tools"):
        (folder / name).symlink_to(grader.cache / name)
    return folder


def test_a_baseline_is_kept_and_read_back(
    toolchain: Toolchain, workspace: Workspace, task: Task, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process learns the expected tests without running the reference."""
    wanted = grader.baseline(task)
    second = Grader(toolchain, workspace)

    def refuse(_: Task) -> Grade:
        raise AssertionError("the reference was graded again")

    monkeypatch.setattr(second, "grade_reference", refuse)
    assert second.baseline(task) == wanted == Baseline(tests=wanted.tests, sound=True, reason=wanted.reason)


def test_boxes_are_fresh(grader: Grader, workspace: Workspace) -> None:
    """Each run gets a box that nothing was in before."""
    assert isinstance(grader.boxes, LocalBoxes)
    with grader.boxes.open() as first, grader.boxes.open() as second:
        first.write("x", b"1")
        assert second.read("x", cap=10) is None
    assert list(workspace.folder.iterdir()) == []
