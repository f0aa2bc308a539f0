"""How much work the checks of a task are, in numbers that depend on no machine: they fail when work comes back.

The programs are counted where they are started: this Go's commands are wrapped by a script that notes each start, so
that those of xdist's workers are counted too.
"""

import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from go_debug_bench import tree
from go_debug_bench.checks import Prover, checks_of
from go_debug_bench.grading import Grader
from go_debug_bench.once import Once
from go_debug_bench.task import Task, load_task
from go_debug_bench.toolchain import Toolchain, find_toolchain
from go_debug_bench.verdicts import KEPT
from go_debug_bench.workspace import Workspace

TALLY = Path(__file__).parent / "examples" / "valid" / "tiny-tally"

# `go vet`, `go test -c`, which builds the module too, and runs of a test binary, each of which test2json reads the
# output of. The binary of a tree with two packages of tests would be two.
COUNTS = {
    "vet-clean": {"vet": 1, "gofmt": 1},
    "public-green": {"test": 2, "test2json": 12},  # unfixed and reference, in six orders each
    "unfixed-fails": {"test": 1, "test2json": 1},
    "reference-passes": {"test": 1, "test2json": 1},
    # delete-test-cheat: nothing; its clean room has the test back, and is that of the reference
    "non-compiling": {"test": 1, "build": 2},  # and the reference: is it the machine that does not build?
    "alternative[by-index]": {"test": 1, "test2json": 1},
    "alternative[from-the-end]": {"test": 1, "test2json": 1},
    "wrong[one-more]": {"test": 1, "test2json": 1},
    "wrong[skip-the-first]": {"test": 1, "test2json": 1},
}
FILES = {"read": 19, "hashed": 60, "written": 204}
"""Files of a submission that are read, of trees that are hashed, and of clean rooms and boxes that are written."""
TOTAL = sum(map(Counter, COUNTS.values()), Counter())


@dataclass(frozen=True)
class CountingGo:
    """A Go whose programs note that they start."""

    command: Path
    log: Path

    def taken(self) -> dict[str, int]:
        """How often each program was started since this was last asked."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return dict(Counter(line for line in lines if line not in ("env", "version")))


@pytest.fixture(scope="module")
def counting_go(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> CountingGo:
    """The Go of this machine in a GOROOT of links, with scripts in place of the three commands that checks start."""
    goroot = tmp_path_factory.mktemp("goroot")
    log = goroot / "started"
    tools = Path(toolchain.test2json).parent.relative_to(toolchain.goroot)
    for folder, left_out in (("", {"bin", "pkg"}), ("bin", {"go", "gofmt"}), (tools, {"test2json"})):
        (goroot / folder).mkdir(parents=True, exist_ok=True)
        for path in (toolchain.goroot / folder).iterdir():
            if path.name not in left_out:
                (goroot / folder / path.name).symlink_to(path)
    (goroot / "pkg" / "include").symlink_to(toolchain.goroot / "pkg" / "include")
    for real, name in ((toolchain.go, "$1"), (toolchain.gofmt, "gofmt"), (toolchain.test2json, "test2json")):
        script = goroot / Path(real).relative_to(toolchain.goroot)
        script.write_text(f'#!/bin/sh\necho "{name}" >>"{log}"\nGOROOT="{goroot}" exec "{real}" "$@"\n')
        script.chmod(0o755)
    return CountingGo(goroot / "bin" / "go", log)


@pytest.fixture(scope="module")
def task() -> Task:
    """The smallest valid task."""
    return load_task(TALLY)


@pytest.fixture(scope="module")
def counting_grader(counting_go: CountingGo, task: Task, workspace: Workspace) -> Iterator[Grader]:
    """A grader of a run of checks, that knows the task's baseline, with warm caches."""
    with workspace.room() as room:
        grader = Grader(find_toolchain("1.24", str(counting_go.command)), workspace, once=Once(room))
        grader.warm(task.imports)
        grader.baseline(task)
        counting_go.taken()
        yield grader


def test_each_check_starts_these_programs(counting_grader: Grader, counting_go: CountingGo, task: Task) -> None:
    """In the order of the suite; what an earlier check has built or graded, a later one does not."""
    prover = Prover(grader=counting_grader)
    found = {}
    for check in checks_of(task):
        assert prover.run(check, task).ok
        found[check.name] = counting_go.taken()
    assert {name: counts for name, counts in found.items() if counts} == COUNTS


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """The task in a project of its own."""
    shutil.copytree(TALLY, pytester.path / "tasks" / "tiny-tally")
    return pytester.path


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("mode", ["load", "worksteal"])
def test_a_task_takes_the_same_programs_however_it_is_shared(
    pytester: pytest.Pytester,
    project: Path,
    counting_grader: Grader,
    counting_go: CountingGo,
    workers: str,
    mode: str,
) -> None:
    """Each distinct tree is built once and graded once, whichever worker asks first."""
    result = pytester.runpytest_subprocess(
        "--gobench-tasks", "-n", workers, "--dist", mode, f"--gobench-go={counting_go.command}"
    )
    assert result.ret == pytest.ExitCode.OK
    assert counting_go.taken() == TOTAL


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_reference_is_graded_once_for_whoever_measures_by_it(
    pytester: pytest.Pytester, project: Path, counting_grader: Grader, counting_go: CountingGo, workers: str
) -> None:
    """An exploit that uses up time is held to a limit that the reference fix keeps: its grade is asked for again."""
    result = pytester.runpytest_subprocess(
        "--gobench-tasks", "-n", workers, f"--gobench-go={counting_go.command}",
        "--gobench-exploits=init-hang", "-k", "reference-passes or exploit",
    )  # fmt: skip
    result.assert_outcomes(passed=2)
    # The reference, the exploit, and the reference as its control: is it the machine that takes so long?
    assert counting_go.taken() == {"test": 3, "test2json": 3}


def test_a_task_takes_these_files(
    counting_grader: Grader, counting_go: CountingGo, task: Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Read from submissions, hashed, and written to clean rooms and boxes."""
    counts: Counter[str] = Counter()

    def count(
        what: str, real: Callable[..., object], number: Callable[..., int] = lambda *_: 1
    ) -> Callable[..., object]:
        def counted(*arguments: object, **named: object) -> object:
            counts[what] += number(*arguments)
            return real(*arguments, **named)

        return counted

    monkeypatch.setattr(Path, "write_bytes", count("written", Path.write_bytes))
    monkeypatch.setattr(tree, "_read_regular", count("read", tree._read_regular))
    real = tree.digest
    hashed = count("hashed", real, len)
    for module in [module for name, module in sys.modules.items() if name.startswith("go_debug_bench.")]:
        if getattr(module, "digest", None) is real:
            monkeypatch.setattr(module, "digest", hashed)
    grader = Grader(counting_grader.toolchain, counting_grader.workspace, once=Once(tmp_path))
    prover = Prover(grader=grader)
    fresh = load_task(TALLY)
    counts.clear()
    for check in checks_of(fresh):
        if check.kind in KEPT:  # the others look at texts
            assert prover.run(check, fresh).ok
    assert counts == FILES


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")
def test_many_grades_leave_nothing_behind(grader: Grader, task: Task, tmp_path: Path) -> None:
    """No open file, no temporary folder and nothing remembered: training makes hundreds of thousands."""
    tree.write(task.repo, tmp_path / "agent")

    def state() -> dict[str, object]:
        return {
            "open files": len(list(Path("/proc/self/fd").iterdir())),
            "folders": sorted(path.name for path in grader.workspace.folder.iterdir()),
            "threads": threading.active_count(),
            "remembered": {name: len(value) for name, value in vars(grader).items() if isinstance(value, dict)},
        }

    def grade_many(number: int) -> None:
        with ThreadPoolExecutor(4) as pool:
            codes = set(pool.map(lambda _: grader.grade(task, tmp_path / "agent").code, range(number)))
        assert codes == {"tests-failed"}

    grade_many(4)
    before = state()
    grade_many(20)
    assert state() == before
