"""What every box promises. A new kind of box is one more line in ``BOXES``."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from go_debug_bench.box import Box
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.launcher import Completed, Limits

BOXES = ["none", "root", "user", "user-as-root", "container"]
MIB = 1 << 20

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to the launcher")


@pytest.fixture(params=BOXES)
def box(
    request: pytest.FixtureRequest, open_box: Callable[[str], Box], container: Callable[[], Box], act: bytes
) -> Box:
    """A fresh box of every kind that works here, with the program ``act`` in it."""
    opened = container() if request.param == "container" else open_box(request.param)
    opened.write("bin/act", act, executable=True)
    return opened


def run(
    box: Box, *what: str, key: bytes | None = None, folder: str = "work", seconds: float = 30, **limits: int
) -> Completed:
    """Have the program in the box do something."""
    return box.run(["bin/act", *what], folder=folder, env={}, limits=Limits(seconds=seconds, **limits), key=key)


def kind(box: Box) -> str:
    """The isolation of a box on this machine."""
    return box.name.rpartition(" ")[2]


def test_box_says_what_it_is(box: Box) -> None:
    """A grade names the box, and only a box that isolates says that it does."""
    goos, goarch = box.platform
    assert goos in {"linux", "darwin"}
    assert goarch
    assert box.isolated == (kind(box) != "none")


def test_program_built_for_the_platform_runs(box: Box) -> None:
    """A Go binary for the box's platform runs in it, and the box needs no Go."""
    assert run(box, "platform").text.split() == list(box.platform)


# Files


def test_written_file_is_read_back(box: Box) -> None:
    """Folders are made, bytes are kept, and writing again replaces."""
    box.write("a/b/c.bin", b"first, and longer")
    box.write("a/b/c.bin", b"\x00\xff\n")
    assert box.read("a/b/c.bin", cap=100) == b"\x00\xff\n"


def test_file_at_the_top_is_written_and_read(box: Box) -> None:
    """A file needs no folder."""
    box.write("top", b"1")
    assert box.read("top", cap=1) == b"1"


def test_empty_file_is_not_a_missing_one(box: Box) -> None:
    """An empty file is empty bytes, no None."""
    box.write("empty", b"")
    assert box.read("empty", cap=0) == b""


def test_file_is_read_up_to_the_cap_only(box: Box) -> None:
    """A file as long as the cap is read; one byte more, and there is nothing."""
    box.write("file", b"12345")
    assert box.read("file", cap=5) == b"12345"
    assert box.read("file", cap=4) is None


def test_one_file_is_read_whatever_lies_beside_it(box: Box) -> None:
    """The cap is on the file alone."""
    box.write("work/large", bytes(1000))
    box.write("work/sub/large", bytes(1000))
    box.write("work/file", b"1")
    assert box.read("work/file", cap=1) == b"1"


def test_missing_file_is_none(box: Box) -> None:
    """Neither a missing file, nor one in a missing folder, nor one below a file, nor a folder is an error."""
    box.write("folder/file", b"")
    paths = ("none", "no/folder", "folder/file/below", "folder", "../box/folder/file", "")
    assert [box.read(path, cap=10) for path in paths] == [None] * len(paths)


def test_file_that_cannot_be_written_is_a_broken_box(box: Box) -> None:
    """A write that fails is not passed over, at the latest when a program runs."""

    def write_below_a_file() -> None:
        box.write("file", b"")
        box.write("file/below", b"")
        run(box, "exit", "0")

    with pytest.raises(InfrastructureError):
        write_below_a_file()


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("work/link", ("link", "../bin/act", "link")),
        ("work/absolute", ("link", "/etc/passwd", "absolute")),
        ("work/folder", ("mkdir", "folder")),
        ("work/pipe", ("fifo", "pipe")),
        ("work/etc/passwd", ("link", "/etc", "etc")),
    ],
)
def test_only_a_regular_file_is_read(box: Box, path: str, what: tuple[str, ...]) -> None:
    """Whatever else a program leaves at the path is None, at once, and no link leads out of the box."""
    run(box, *what)  # where the program may not write there, nothing is left at all
    assert box.read(path, cap=64 * MIB) is None


def test_program_sees_what_was_written(box: Box) -> None:
    """Whatever the mode of files on the host is, the program can read its own."""
    box.write("work/testdata/deep/file", b"content")
    done = run(box, "read", "testdata/deep/file")
    assert (done.ok, done.output) == (True, b"content")


def test_a_caller_s_umask_takes_nothing_away(box: Box) -> None:
    """The grader may be run by somebody who lets nobody else read files."""
    before = os.umask(0o077)
    try:
        box.write("work/testdata/file", b"content")
        assert run(box, "read", "testdata/file").output == b"content"
        assert run(box, "read", "/dev/null").ok
    finally:
        os.umask(before)


# Programs


def test_arguments_and_folder_reach_the_program(box: Box) -> None:
    """Arguments are passed as they are, and the program starts in its folder, which is made if it is not there."""
    done = run(box, "args", "two words", "", "$HOME", "*", "-x", "--", "\N{SNOWMAN}", folder="a/b")
    assert done.text.startswith('["two words" "" "$HOME" "*" "-x" "--" "\N{SNOWMAN}"] in /')
    assert done.text.endswith("/a/b")


def test_a_folder_that_cannot_be_made_is_a_broken_box(box: Box) -> None:
    """No program has failed."""
    box.write("file", b"")
    with pytest.raises(InfrastructureError):
        run(box, "platform", folder="file/below")


def test_program_that_is_not_executable_is_a_broken_box(box: Box) -> None:
    """Only what was written as a program is one."""
    box.write("script", b"#!/bin/sh\n")
    with pytest.raises(InfrastructureError):
        box.run(["script"], folder=".", env={}, limits=Limits(seconds=10))


def test_program_of_another_kind_is_a_broken_box(box: Box) -> None:
    """A file that the kernel cannot run says nothing about a submission."""
    box.write("noise", b"\x00\x01\x02", executable=True)
    with pytest.raises(InfrastructureError):
        box.run(["noise"], folder=".", env={}, limits=Limits(seconds=10))


def test_missing_program_is_a_broken_box(box: Box) -> None:
    """A program that is not there is no failing program."""
    with pytest.raises(InfrastructureError):
        box.run(["nowhere/program"], folder="work", env={}, limits=Limits(seconds=10))


@pytest.mark.parametrize("status", [0, 1, 2, 125, 126, 127, 137, 255])
def test_failing_program_is_a_value(box: Box, status: int) -> None:
    """Any exit status is the program's own, also those that shells and container tools use for themselves."""
    done = run(box, "exit", str(status))
    assert (done.exit_code, done.signal, done.output, done.ok) == (status, "", b"said\n", status == 0)


def test_environment_is_the_given_one(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's environment reaches the program; HOME, TMPDIR and TZ are the box's own."""
    monkeypatch.setenv("GOBENCH_TEST_SECRET", "leaked")
    done = box.run(["bin/act", "env"], folder="work", env={"GIVEN": "1", "HOME": "/root"}, limits=Limits(seconds=10))
    variables = dict(line.split("=", 1) for line in done.text.splitlines())
    assert set(variables) == {"GIVEN", "HOME", "TMPDIR", "TZ"}
    assert (variables["GIVEN"], variables["TZ"]) == ("1", "UTC")
    assert variables["HOME"] == variables["TMPDIR"] != "/root"


def test_home_and_temporary_folder_are_the_program_s_own(box: Box) -> None:
    """A program may write there."""
    folder = next(line for line in run(box, "env").text.splitlines() if line.startswith("TMPDIR=")).partition("=")[2]
    assert run(box, "write", f"{folder}/file", "content").ok


def test_standard_input_is_empty(box: Box) -> None:
    """Reading it ends at once."""
    assert run(box, "stdin", seconds=10).output == b"0 bytes\n"


def test_output_is_bytes_of_both_streams(box: Box) -> None:
    """Standard output and error are one stream, not decoded on the way."""
    # verifiers hands output on as text.
    first = "\N{REPLACEMENT CHARACTER}".encode() if "runtime" in box.name else b"\xff"
    assert run(box, "bytes").output == first + b"\x00\r\nerror\n"


def test_output_is_cut_after_the_cap(box: Box) -> None:
    """A program that prints too much is ended."""
    done = run(box, "flood", "1001", output_bytes=1000)
    assert (done.output, done.output_cut, done.ok) == (b"y\n" * 500, True, False)


def test_output_up_to_the_cap_is_whole(box: Box) -> None:
    """A program that prints as much as it may is not."""
    done = run(box, "flood", "1000", output_bytes=1000)
    assert (done.output, done.output_cut, done.ok) == (b"y\n" * 500, False, True)


def test_ten_gigabytes_of_output_end_at_once(box: Box) -> None:
    """They are neither printed to their end nor kept."""
    begin = time.monotonic()
    done = run(box, "flood", str(10 << 30), output_bytes=4 * MIB)
    assert (len(done.output), done.output_cut) == (4 * MIB, True)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("what", ["hang", "deaf", "mute"])
def test_time_limit_ends_the_program(box: Box, what: str) -> None:
    """A program that runs too long is ended, one too that ignores signals or closes its output."""
    begin = time.monotonic()
    done = run(box, what, seconds=0.5)
    assert (done.timed_out, done.ok, done.signal, done.output) == (
        True,
        False,
        "killed",
        b"" if what == "mute" else b"begun\n",
    )
    assert 0.5 <= time.monotonic() - begin < 10


@linux
@pytest.mark.parametrize("ending", ["end", "hang"])
def test_nothing_runs_on(box: Box, ending: str) -> None:
    """When a run returns, its background processes are dead, those in other sessions too, or never began."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    done = run(box, "family", ending, mark, seconds=1)
    if box.isolated:
        assert done.output.startswith(b"error: fork/exec ")
        assert done.output.endswith(b": operation not permitted\n")
    else:
        assert done.output == b"started\n"
        assert done.timed_out == (ending == "hang")
    assert programs(mark) == []


def programs(mark: str) -> list[str]:
    """Processes of this machine whose command line holds a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
    return found


def test_limits_of_files_hold(box: Box) -> None:
    """The largest file and the number of open files are bounded."""
    folder = next(line for line in run(box, "env").text.splitlines() if line.startswith("TMPDIR=")).partition("=")[2]
    done = run(box, "open", open_files=99)
    assert 50 < int(done.text.split()[0]) < 99
    assert "too many open files" in done.text
    done = run(box, "write", f"{folder}/big", "x" * 100_000, file_bytes=50_000)
    assert not done.ok


def test_memory_limit_holds(box: Box) -> None:
    """A program does not get more memory than it may use, and gets what it may."""
    assert run(box, "alloc", "64", memory_bytes=256 * MIB).output == b"got 64\n"
    done = run(box, "alloc", "500", memory_bytes=256 * MIB)
    assert not done.ok
    assert "out of memory" in done.text
    assert done.peak_bytes < 300 * MIB


def test_each_run_is_reported_for_itself(box: Box) -> None:
    """Runs one after another share the written files and nothing else."""
    assert run(box, "exit", "3").exit_code == 3
    box.write("work/kept", b"1")
    assert run(box, "read", "kept").output == b"1"
    assert run(box, "exit", "0").ok


# The key and the report


def test_a_program_with_a_key_reads_it_once_and_reports(box: Box) -> None:
    """The key comes by one descriptor, whole, and what is written to the other comes back."""
    key = bytes(range(256)) * 1000
    done = run(box, "key", key=key)
    assert (done.ok, done.report) == (True, b"report of " + key)
    assert b"report of" not in done.output


def test_every_run_has_a_key_of_its_own(box: Box) -> None:
    """A box can be used again."""
    assert [run(box, "key", key=key).report for key in (b"first", b"", b"second")] == [
        b"report of first",
        b"report of ",
        b"report of second",
    ]


def test_a_program_without_a_key_has_neither_descriptor(box: Box) -> None:
    """And its report is empty."""
    done = run(box, "key")
    assert "bad file descriptor" in done.text
    assert done.report == b""


def test_a_key_that_is_not_read_is_no_failure(box: Box) -> None:
    """However long it is; the program just ends."""
    done = run(box, "early", key=bytes(MIB))
    assert (done.ok, done.report) == (True, b"")


def test_a_key_does_not_outlive_a_run_that_fails(box: Box) -> None:
    """The next run is not disturbed."""
    with pytest.raises(InfrastructureError):
        box.run(["nowhere/program"], folder="work", env={}, limits=Limits(seconds=10), key=b"lost")
    assert run(box, "key", key=b"next").report == b"report of next"


def test_an_endless_report_is_cut(box: Box) -> None:
    """The program neither blocks nor costs memory."""
    done = run(box, "report", str(64 * MIB), key=b"")
    assert (done.ok, len(done.report)) == (True, MIB)
