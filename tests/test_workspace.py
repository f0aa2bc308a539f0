"""Temporary folders are removed by every road, and nobody else may write to what grades depend on."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.workspace import Workspace, cache_dir

# A process that has a workspace until its input ends.
OWNER = """
import sys
from go_debug_bench.workspace import Workspace
with Workspace() as workspace:
    (workspace.folder / "litter").mkdir()
    print(workspace.folder, flush=True)
    sys.stdin.read()
"""

# Leaves folders without access in a room. Root needs no access, so root becomes somebody else for it.
HOSTILE = """
import os, sys, tempfile
from pathlib import Path
from go_debug_bench.workspace import Workspace
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
tempfile.tempdir = sys.argv[1]
with Workspace() as workspace:
    with workspace.room() as room:
        for mode in (0o000, 0o500, 0o300):
            inner = room / f"{mode:o}" / "inner"
            inner.mkdir(parents=True)
            (inner / "file").write_text("x")
            inner.chmod(mode)
            inner.parent.chmod(mode)
        (room / "loop").symlink_to(room)
        room.chmod(0o000)
    assert not room.exists(), "the room is still there"
    kept = Path(sys.argv[1], "kept")
    kept.mkdir()
    kept.chmod(0o500)
    with workspace.room() as room:
        (room / "shut").mkdir()
        (room / "shut" / "link").symlink_to(kept)
        (room / "shut").chmod(0o500)
    assert not room.exists(), "the room with a link is still there"
    assert kept.stat().st_mode & 0o777 == 0o500, "access changed through a link"
assert not list(workspace.folder.parent.iterdir()), "the workspace is still there"
"""

Owner = Callable[[], tuple[subprocess.Popen[str], Path]]


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this user's workspaces, below a temporary folder of the test's own; not made yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"go-debug-bench-{os.getuid()}"


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    """Starts a process that has a workspace, and says which."""
    started: list[subprocess.Popen[str]] = []

    def start() -> tuple[subprocess.Popen[str], Path]:
        process = subprocess.Popen(
            [sys.executable, "-c", OWNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        started.append(process)
        assert process.stdout
        return process, Path(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_folder_is_private_and_empty(base: Path) -> None:
    """Nobody else may look into a workspace."""
    with Workspace() as workspace:
        assert workspace.folder.parent == base
        assert list(workspace.folder.iterdir()) == []
        for folder in (base, workspace.folder):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_end_of_the_context_leaves_nothing(base: Path) -> None:
    """The folder, its content and its lock are gone."""
    with Workspace() as workspace:
        (workspace.folder / "deep" / "er").mkdir(parents=True)
        (workspace.folder / "deep" / "file").write_text("x")
    assert list(base.iterdir()) == []


def test_exception_in_the_context_leaves_nothing(base: Path) -> None:
    """A failing owner cleans up too, and its exception comes through."""
    with pytest.raises(KeyError, match="mine"), Workspace():
        raise KeyError("mine")
    assert list(base.iterdir()) == []


def test_close_leaves_nothing_and_may_be_repeated(base: Path) -> None:
    """Closing twice is not an error."""
    workspace = Workspace()
    workspace.close()
    workspace.close()
    assert list(base.iterdir()) == []


def test_second_close_leaves_the_next_workspace_alone(base: Path) -> None:
    """A closed workspace owns nothing any more."""
    first = Workspace()
    first.close()
    with Workspace() as second:
        first.close()
        assert second.folder.is_dir()


def test_rooms_are_new_empty_folders_of_the_workspace(base: Path) -> None:
    """Two rooms at once are different, and both are inside."""
    with Workspace() as workspace, workspace.room() as one, workspace.room() as two:
        assert one != two
        assert [list(room.iterdir()) for room in (one, two)] == [[], []]
        assert one.parent == two.parent == workspace.folder


def test_room_is_removed_at_its_end(base: Path) -> None:
    """A room does not wait for the end of the workspace."""
    with Workspace() as workspace:
        with workspace.room() as room:
            (room / "file").write_text("x")
        assert list(workspace.folder.iterdir()) == []


def test_room_is_removed_after_an_exception(base: Path) -> None:
    """The exception comes through, and the room is gone."""
    with Workspace() as workspace:
        with pytest.raises(KeyError, match="mine"), workspace.room():
            raise KeyError("mine")
        assert list(workspace.folder.iterdir()) == []


def test_room_that_its_user_removed_is_no_error(base: Path) -> None:
    """There may be nothing left to remove."""
    with Workspace() as workspace, workspace.room() as room:
        room.rmdir()


def test_room_is_removed_whatever_access_its_parts_have() -> None:
    """Folders that may not be listed, entered or changed are removed too, and no link is followed."""
    with tempfile.TemporaryDirectory(dir="/tmp") as public:
        Path(public).chmod(0o777)
        done = subprocess.run([sys.executable, "-c", HOSTILE, public], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_folder_of_a_killed_process_is_swept_by_the_next_workspace(base: Path, owner: Owner) -> None:
    """Kill -9 leaves a folder behind, but not for long."""
    process, folder = owner()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (folder / "litter").is_dir()
    with Workspace() as workspace:
        assert not folder.exists()
        assert {path.stem for path in base.iterdir()} == {workspace.folder.name}


def test_folder_of_a_living_process_is_kept(base: Path, owner: Owner) -> None:
    """A workspace in use is nobody else's to sweep, and its owner removes it."""
    process, folder = owner()
    with Workspace():
        assert (folder / "litter").is_dir()
    assert (folder / "litter").is_dir()
    process.communicate(input="")
    assert process.returncode == 0
    assert list(base.iterdir()) == []


def test_two_workspaces_of_one_process_are_independent(base: Path) -> None:
    """Opening and closing one leaves the other as it is."""
    with Workspace() as outer:
        (outer.folder / "file").write_text("mine")
        with Workspace() as inner:
            assert inner.folder != outer.folder
        assert (outer.folder / "file").read_text() == "mine"


def test_folder_that_could_not_be_removed_is_left_to_the_next_sweep(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Litter that resists is no error, and not forgotten."""
    with monkeypatch.context() as patch:
        patch.setattr("go_debug_bench.workspace._remove", lambda _: None)
        with Workspace() as workspace:
            pass
        assert workspace.folder.is_dir()
    with Workspace():
        assert not workspace.folder.exists()
    assert list(base.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_base_that_others_may_write_to_is_refused(base: Path, mode: int) -> None:
    """The message names the folder and what to do, and nothing is put into it."""
    base.mkdir()
    base.chmod(mode)
    with pytest.raises(InfrastructureError, match=rf"{base} must be a folder that only you can write to; set TMPDIR"):
        Workspace()
    assert list(base.iterdir()) == []


def test_base_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that somebody made in our name is theirs to change."""
    somebody = os.getuid() + 1
    base = tmp_path / f"go-debug-bench-{somebody}"
    base.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    with pytest.raises(InfrastructureError, match=rf"{base} must be a folder that only you can write to; set TMPDIR"):
        Workspace()


def test_base_that_is_a_link_is_refused(base: Path, tmp_path: Path) -> None:
    """A link may be somebody's way to have us write and delete elsewhere."""
    (tmp_path / "target").mkdir(mode=0o700)
    base.symlink_to(tmp_path / "target")
    with pytest.raises(InfrastructureError, match="must be a folder"):
        Workspace()


def test_base_that_is_a_file_is_refused(base: Path) -> None:
    """The message says what is in the way."""
    base.write_text("")
    with pytest.raises(InfrastructureError, match=rf"cannot make {base}: File exists; set TMPDIR"):
        Workspace()


# The cache


def test_cache_is_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GOBENCH_CACHE is made if it is not there, for its owner alone."""
    monkeypatch.setenv("GOBENCH_CACHE", str(tmp_path / "new" / "cache"))
    assert cache_dir() == tmp_path / "new" / "cache"
    assert stat.S_IMODE(cache_dir().stat().st_mode) == 0o700


def test_relative_cache_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go takes no relative cache, and commands run in other folders."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOBENCH_CACHE", "cache")
    assert cache_dir() == tmp_path / "cache"


@pytest.mark.parametrize("value", [None, ""])
def test_cache_is_the_user_s_without_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    """An unset and an empty variable mean the platform's cache folder."""
    if value is None:
        monkeypatch.delenv("GOBENCH_CACHE", raising=False)
    else:
        monkeypatch.setenv("GOBENCH_CACHE", value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir() == platformdirs.user_cache_path("go-debug-bench")
    assert cache_dir().is_relative_to(tmp_path)


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_cache_that_others_may_write_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    """Whoever writes to the cache decides grades."""
    tmp_path.chmod(mode)
    monkeypatch.setenv("GOBENCH_CACHE", str(tmp_path))
    with pytest.raises(InfrastructureError, match=rf"{tmp_path} must be .* only you can write to; set GOBENCH_CACHE"):
        cache_dir()


def test_cache_that_others_may_read_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading decides nothing."""
    tmp_path.chmod(0o755)
    monkeypatch.setenv("GOBENCH_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path


def test_folders_deeper_than_python_can_recurse_are_removed(base: Path) -> None:
    """A submission may nest as deep as it likes; nothing of it reaches the next run."""
    with Workspace() as workspace:
        with workspace.room() as room:
            descriptor = os.open(room, os.O_RDONLY)
            for _ in range(3000):
                os.mkdir("d", dir_fd=descriptor)
                below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            os.close(descriptor)
        assert not room.exists()
    assert list(base.iterdir()) == []
