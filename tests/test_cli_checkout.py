"""``go-debug-bench checkout``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from go_debug_bench.cli import checkout
from go_debug_bench.prompt import prompt
from go_debug_bench.task import load_task
from go_debug_bench.tree import Tree, scan
from tests.commands import EXAMPLES, invoke

TASK = load_task(EXAMPLES / "valid" / "build")


def test_the_checkout_is_what_an_agent_sees(tmp_path: Path) -> None:
    """The repo and the prompt; nothing hidden, no history, no id."""
    done = invoke("checkout", "build", tmp_path / "work")
    assert done.exit_code == 0, done.output
    found = scan(tmp_path / "work")
    assert found.files == {
        "PROMPT.md": f"{prompt(TASK.spec)}\n".encode(),
        **{f"repo/{path}": data for path, data in TASK.repo.items()},
    }
    assert not found.odd
    assert f"go-debug-bench grade build {tmp_path / 'work'}" in done.output


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    """It stays the same folder: somebody may stand in it, or have mounted it."""
    before = tmp_path.stat().st_ino
    assert invoke("checkout", "build", tmp_path).exit_code == 0
    assert tmp_path.stat().st_ino == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["PROMPT.md", "repo"]


@pytest.mark.parametrize("name", [".git", "repo", "notes.txt"])
def test_a_folder_that_holds_something_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing in it is touched; the message names what is there."""
    (tmp_path / name).mkdir()
    done = invoke("checkout", "build", tmp_path)
    assert done.exit_code == 2
    assert f"{tmp_path} is not empty: it holds {name}" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    """What a link points to stays empty."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "file").touch()
    for name, said in {"link": "is a link", "dangling": "is a link", "file": "is a file"}.items():
        done = invoke("checkout", "build", tmp_path / name)
        assert done.exit_code == 2
        assert said in done.stderr
    assert list((tmp_path / "real").iterdir()) == []
    assert not (tmp_path / "nowhere").exists()


def test_a_place_that_cannot_be_is_a_usage_error(tmp_path: Path) -> None:
    """It names what is missing."""
    done = invoke("checkout", "build", tmp_path / "no" / "such" / "work")
    assert done.exit_code == 2
    assert f"there is no folder {tmp_path / 'no' / 'such'}" in done.stderr


@pytest.mark.parametrize(
    ("error", "status"),
    [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 3), (PermissionError(13, "no"), 2)],
)
@pytest.mark.parametrize("there", [True, False])
def test_what_is_half_written_is_removed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    there: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    """On Ctrl-C and on a full disk: an empty folder is empty again, a new one is gone."""
    write = checkout._write
    target = tmp_path / "work"
    if there:
        target.mkdir()

    def torn(files: Tree, folder: int) -> None:
        write(dict(list(files.items())[:3]), folder)
        assert (target / "repo").is_dir()
        raise error

    monkeypatch.setattr(checkout, "_write", torn)
    done = invoke("checkout", "build", target)
    assert done.exit_code == status
    assert len(done.stderr.strip().splitlines()[-1:]) == 1
    assert target.exists() == there
    assert not there or list(target.iterdir()) == []


def test_nobody_can_lead_the_writing_elsewhere(tmp_path: Path) -> None:
    """A link that appears in the folder meanwhile is not written through."""
    target, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    for folder in (target, elsewhere):
        folder.mkdir()
    descriptor = os.open(target, os.O_RDONLY)
    try:
        (target / "repo").symlink_to(elsewhere)
        with pytest.raises(FileExistsError):
            checkout._write({"repo/a.go": b"package a\n"}, descriptor)
        (elsewhere / "PROMPT.md").touch()
        (target / "PROMPT.md").symlink_to(elsewhere / "PROMPT.md")
        with pytest.raises(FileExistsError):
            checkout._write({"PROMPT.md": b"text"}, descriptor)
    finally:
        os.close(descriptor)
    assert (elsewhere / "PROMPT.md").read_bytes() == b""
    assert [path.name for path in elsewhere.iterdir()] == ["PROMPT.md"]


def test_a_place_in_a_task_folder_is_refused(tmp_path: Path) -> None:
    """The task would be malformed by it."""
    task = tmp_path / "build"
    shutil.copytree(EXAMPLES / "valid" / "build", task)
    before = scan(task).files
    done = invoke("checkout", "build", task / "work")
    assert done.exit_code == 2
    assert "lies in the task folder build" in done.stderr
    assert scan(task).files == before
    assert not (task / "work").exists()
