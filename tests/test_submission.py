"""From an agent's folder to the clean room: what is read, what counts as tampering, what is built."""

import os
import shutil
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from go_debug_bench import tree
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.submission import Submission, collect, stage, tampering
from go_debug_bench.task import Task, load_task

EXAMPLES = Path(__file__).parent / "examples"


@pytest.fixture(scope="module")
def task() -> Task:
    """A task with two packages."""
    return load_task(EXAMPLES / "valid" / "build")


@pytest.fixture
def folder(task: Task, tmp_path: Path) -> Path:
    """The agent's folder as it starts."""
    tree.write(task.repo, tmp_path / "agent")
    return tmp_path / "agent"


def replace_by_symlink(path: Path) -> None:
    """Keep the bytes, lose the file."""
    kept = path.with_name("elsewhere.txt")
    path.rename(kept)
    path.symlink_to(kept)


TAMPERING: dict[str, tuple[Callable[[Path], object], str]] = {
    "edited": (lambda f: (f / "tally_test.go").write_text("package tally_test\n"), "tally_test.go was edited"),
    "one byte more": (
        lambda f: (f / "tally_test.go").write_bytes((f / "tally_test.go").read_bytes() + b"\n"),
        "tally_test.go was edited",
    ),
    "truncated": (lambda f: os.truncate(f / "tally_test.go", 0), "tally_test.go was edited"),
    "CRLF": (
        lambda f: (f / "tally_test.go").write_bytes((f / "tally_test.go").read_bytes().replace(b"\n", b"\r\n")),
        "tally_test.go was edited",
    ),
    "deleted": (lambda f: (f / "tally_test.go").unlink(), "tally_test.go was deleted"),
    "renamed": (
        lambda f: (f / "tally_test.go").rename(f / "renamed_test.go"),
        "tally_test.go was renamed to renamed_test.go",
    ),
    "renamed to no test": (
        lambda f: (f / "tally_test.go").rename(f / "tally_test.go.txt"),
        "tally_test.go was deleted",
    ),
    "folder deleted": (lambda f: shutil.rmtree(f / "report"), "report/report_test.go was deleted"),
    "replaced by a folder": (
        lambda f: ((f / "tally_test.go").unlink(), (f / "tally_test.go").mkdir()),
        "tally_test.go was replaced by a folder",
    ),
    "replaced by a symlink": (
        lambda f: replace_by_symlink(f / "tally_test.go"),
        "tally_test.go was replaced or damaged (a symlink)",
    ),
    "replaced by a FIFO": (
        lambda f: ((f / "tally_test.go").unlink(), os.mkfifo(f / "tally_test.go")),
        "tally_test.go was replaced or damaged (not a regular file)",
    ),
    "made unreadable": (
        lambda f: (f / "tally_test.go").chmod(0),
        "tally_test.go was replaced or damaged (unreadable)",
    ),
    "folder made a symlink": (
        lambda f: ((f / "report").rename(f / "r"), (f / "report").symlink_to("r")),
        "report/report_test.go was renamed to r/report_test.go",
    ),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_touching_a_public_test_is_tampering(task: Task, folder: Path, what: str) -> None:
    """Whatever is done to a test that the task came with, its fate is named."""
    change, expected = TAMPERING[what]
    change(folder)
    assert tampering(task, collect(folder)) == (expected,)


HONEST: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "an added test": lambda f: (f / "mine_test.go").write_text("package tally\n"),
    "an added test in a new folder": lambda f: tree.write({"new/x_test.go": b""}, f),
    "a moved file": lambda f: (f / "tally.go").rename(f / "moved.go"),
    "CRLF in a source": lambda f: (f / "tally.go").write_bytes(b"package tally\r\n"),
    "a touched test": lambda f: os.utime(f / "tally_test.go", (1, 1)),
    "a test made executable": lambda f: (f / "tally_test.go").chmod(0o755),
    "a deleted source": lambda f: (f / "tally.go").unlink(),
    "litter": lambda f: tree.write({".git/config": b"", "program": b"", "notes.md": b""}, f),
    "a symlinked source": lambda f: (f / "other.go").symlink_to("tally.go"),
}


@pytest.mark.parametrize("what", HONEST)
def test_honest_work_is_no_tampering(task: Task, folder: Path, what: str) -> None:
    """Only tests that the task came with are guarded."""
    HONEST[what](folder)
    assert tampering(task, collect(folder)) == ()


def test_added_tests_are_reported_and_never_staged(task: Task, folder: Path) -> None:
    """They are welcome; only the task's own tests decide."""
    tree.write({"mine_test.go": b"package tally\n", "report/mine_test.go": b"package report\n"}, folder)
    submission = collect(folder)
    assert submission.added_tests(task) == ("mine_test.go", "report/mine_test.go")
    assert stage(task, submission) == task.repo


def test_the_clean_room_takes_source_and_honest_deletions_only(task: Task, folder: Path) -> None:
    """What could steer the build or the suite comes from the pristine repo."""
    (folder / "report" / "report.go").unlink()
    hostile = {
        "go.mod": b"module evil\n\ngo 1.10\n",
        "go.sum": b"x\n",
        "go.work": b"go 1.24\n",
        "vendor/testing/testing.go": b"package testing\n",
        "testdata/x.go": b"package x\n",
        "report/testdata/readings.txt": b"0\n",
        ".hidden/x.go": b"package x\n",
        "_x.go": b"package x\n",
        "asm.s": b"TEXT main(SB),$0\n",
        "c.c": b"int x;\n",
        "obj_linux.syso": b"\x7fELF",
        "tally_test.go": b"package tally_test\n",
        "total_test.go": b"package tally_test\n",
    }
    tree.write(hostile, folder)
    tree.write({"deep/er/new.go": b"package er\n", "tally.go": b"package tally\r\n"}, folder)
    staged = stage(task, collect(folder))
    assert staged == {
        "go.mod": task.repo["go.mod"],
        "tally_test.go": task.repo["tally_test.go"],
        "report/report_test.go": task.repo["report/report_test.go"],
        "tally.go": b"package tally\r\n",
        "deep/er/new.go": b"package er\n",
    }


def test_a_folder_with_a_module_of_its_own_is_left_out(task: Task, folder: Path) -> None:
    """As Go itself does: a scratch module beside the code must not break the build, nor hide a package."""
    tree.write({"scratch/go.mod": b"module scratch\n", "scratch/main.go": b"not go", "scratch/a/b.go": b"x"}, folder)
    assert stage(task, collect(folder)) == task.repo
    tree.write({"report/go.mod": b"module report\n"}, folder)
    assert "report/report.go" not in stage(task, collect(folder))


def test_packages_that_only_tests_use_are_not_taken_from_a_submission(tmp_path: Path) -> None:
    """Through them a submission would decide what the hidden tests expect."""
    task = load_task(EXAMPLES / "shapes" / "helper")
    (helper,) = task.test_helpers
    path = next(path for path in task.repo if path.startswith(f"{helper}/"))
    tree.write({**task.repo, path: b"package poisoned\n", f"{helper}/more.go": b"package poisoned\n"}, tmp_path)
    assert stage(task, collect(tmp_path)) == task.repo


def test_what_breaks_a_limit_is_refused_with_a_reason(folder: Path) -> None:
    """The reason names the file; nothing raises."""
    with (folder / "huge.go").open("wb") as file:
        file.truncate(10 << 30)
    submission = collect(folder)
    assert submission == Submission(refused="huge.go is larger than 1048576 bytes")


def test_a_hundred_thousand_files_cost_neither_time_nor_memory(tmp_path: Path) -> None:
    """Under two seconds and far under 200 MB, whatever was left behind."""
    for number in range(100_000):
        os.close(os.open(tmp_path / f"{number}.go", os.O_CREAT))
    tracemalloc.start()
    begin = time.monotonic()
    submission = collect(tmp_path)
    seconds = time.monotonic() - begin
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert submission.refused == "more than 20000 files and folders"
    assert seconds < 2
    assert peak < 50 << 20


def test_a_submission_that_is_not_there_is_the_machines_fault(tmp_path: Path) -> None:
    """No folder, no grade."""
    with pytest.raises(InfrastructureError, match="cannot read the submission"):
        collect(tmp_path / "none")
