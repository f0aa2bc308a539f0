"""Reading folders with bounds, and packing them to the same bytes everywhere."""

import hashlib
import io
import os
import socket
import tarfile
import time
from pathlib import Path

import pytest

from go_debug_bench.tree import Limits, TreeRefused, digest, is_test_file, pack, scan, write

TREE = {"go.mod": b"module x\n", "b/z.go": b"package b\n", "b.go": b"\xff\x00"}


def test_the_digest_and_the_packed_bytes_are_pinned() -> None:
    """A task has one digest on every machine; a change of the encoding shows here."""
    assert digest(TREE) == "2e0bf41c26f8be138a82741fb5108aae6594f472ab0602f83f8c6dc33ef3a0c5"
    assert hashlib.sha256(pack(TREE)).hexdigest() == "ab7571db7ef81303a2d4fa6646f70e90e0d4dfcb89c47e618febe794eb9e95ee"


def test_the_order_of_a_mapping_does_not_change_digest_or_package() -> None:
    """Only paths and contents count."""
    backwards = dict(reversed(TREE.items()))
    assert digest(backwards) == digest(TREE)
    assert pack(backwards) == pack(TREE)


@pytest.mark.parametrize(
    "other",
    [
        {**TREE, "b.go": b"\xff"},
        {**TREE, "c.go": b""},
        {"go.mod": b"module x\n", "b/z.go": b"package b\n", "B.go": b"\xff\x00"},
        {"a": b"1 b 1 2"},
    ],
)
def test_another_tree_has_another_digest(other: dict[str, bytes]) -> None:
    """No path or byte is left out, and none can pose as another."""
    assert digest(other) != digest(TREE)


def test_modes_and_times_do_not_reach_the_package(tmp_path: Path) -> None:
    """Two checkouts differ in modes and times only."""
    packages = []
    for name, mode, when in (("one", 0o644, 1), ("two", 0o755, 2_000_000_000)):
        write(TREE, tmp_path / name)
        for path in (tmp_path / name).rglob("*"):
            if path.is_file():
                path.chmod(mode)
            os.utime(path, (when, when))
        packages.append(pack(scan(tmp_path / name).files))
    assert packages[0] == packages[1]


def test_a_package_unpacks_to_the_tree() -> None:
    """The tar is an ordinary one."""
    with tarfile.open(fileobj=io.BytesIO(pack(TREE))) as archive:
        unpacked = {member.name: file.read() for member in archive if (file := archive.extractfile(member))}
    assert unpacked == TREE


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """Writing and scanning are inverse."""
    write(TREE, tmp_path / "new")
    found = scan(tmp_path / "new")
    assert found.files == TREE
    assert found.folders == {"b"}
    assert found.odd == {}


def test_only_regular_files_are_read_and_the_rest_is_named(tmp_path: Path) -> None:
    """A symlink, a FIFO, a socket, a device or a name that is not UTF-8 neither blocks nor leads anywhere."""
    (tmp_path / "good.go").write_bytes(b"package a\n")
    (tmp_path / "link.go").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "fifo.go")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.go"))
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.go")).write_bytes(b"")
    locked = tmp_path / "locked.go"
    locked.write_bytes(b"secret")
    locked.chmod(0)
    found = scan(tmp_path)
    assert found.files == {"good.go": b"package a\n"}
    assert found.odd == {
        "link.go": "a symlink",
        "loop": "a symlink",
        "fifo.go": "not a regular file",
        "s.go": "not a regular file",
        "\N{REPLACEMENT CHARACTER}.go": "not UTF-8",
        "locked.go": "unreadable",
    }


def test_a_fifo_that_takes_a_files_place_while_it_is_read_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is opened without blocking and without following a link, and judged by what was opened."""
    (tmp_path / "a.go").write_bytes(b"")
    (tmp_path / "b.go").write_bytes(b"")
    real = os.stat

    def swap(path: str, **options: object) -> os.stat_result:
        result = real(path, **options)  # type: ignore[arg-type]
        if path in ("a.go", "b.go"):
            (tmp_path / path).unlink()
            os.mkfifo(tmp_path / path) if path == "a.go" else (tmp_path / path).symlink_to("/etc/passwd")
        return result

    monkeypatch.setattr(os, "stat", swap)
    found = scan(tmp_path)
    assert found.files == {}
    assert found.odd == {"a.go": "unreadable", "b.go": "unreadable"}


def test_a_folder_swapped_for_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are opened relative to their parent, and not through a link."""
    (tmp_path / "pkg").mkdir()
    real = os.stat

    def swap(path: str, **options: object) -> os.stat_result:
        result = real(path, **options)  # type: ignore[arg-type]
        if path == "pkg":
            (tmp_path / "pkg").rmdir()
            (tmp_path / "pkg").symlink_to("/etc")
        return result

    monkeypatch.setattr(os, "stat", swap)
    found = scan(tmp_path)
    assert found.files == {}
    assert found.odd == {"pkg": "a folder that cannot be read"}


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(entries=9), "more than 9 files and folders"),
        (Limits(files=9), "more than 9 files to read"),
        (Limits(file_bytes=99), "0.go is larger than 99 bytes"),
        (Limits(total_bytes=999), "more than 999 bytes in all"),
    ],
)
def test_each_limit_is_exact(tmp_path: Path, limits: Limits, message: str) -> None:
    """A folder just at a limit is read; one beyond it is refused, and told which limit."""
    for number in range(10):
        (tmp_path / f"{number}.go").write_bytes(bytes(100))
    exact = Limits(entries=10, files=10, file_bytes=100, total_bytes=1000)
    assert len(scan(tmp_path, limits=exact).files) == 10
    with pytest.raises(TreeRefused, match=message):
        scan(tmp_path, limits=limits)


def test_depth_is_limited(tmp_path: Path) -> None:
    """A folder at the limit is read, one below it is refused."""
    (tmp_path / "a/b/c").mkdir(parents=True)
    assert scan(tmp_path, limits=Limits(depth=3)).folders == {"a", "a/b", "a/b/c"}
    with pytest.raises(TreeRefused, match="nested deeper than 2: a/b/c"):
        scan(tmp_path, limits=Limits(depth=2))


def test_a_huge_sparse_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    """Its size alone is enough."""
    with (tmp_path / "huge.go").open("wb") as file:
        file.truncate(10 << 30)
    begin = time.monotonic()
    with pytest.raises(TreeRefused, match="huge"):
        scan(tmp_path)
    assert time.monotonic() - begin < 1


def test_files_that_are_not_wanted_cost_nothing(tmp_path: Path) -> None:
    """A compiled program or a cache beside the source is no reason to refuse."""
    with (tmp_path / "program").open("wb") as file:
        file.truncate(10 << 30)
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "x.go").write_bytes(b"")
    found = scan(tmp_path, enter=lambda path: not path.startswith("."), want=lambda path: path.endswith(".go"))
    assert found.files == {}


def test_what_go_calls_a_test_file() -> None:
    """The suffix decides, in any folder."""
    assert is_test_file("a/b_test.go")
    assert not is_test_file("a/b_test.go.txt")
    assert not is_test_file("a/btest.go")
