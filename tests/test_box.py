"""What every box promises. A new kind of box is one more line in ``BOXES``."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from go_debug_bench.box import Box, LocalBox
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grading import Grader
from go_debug_bench.isolation import Isolation
from go_debug_bench.launcher import Completed, Limits

Opener = Callable[[Grader, Path], contextlib.AbstractContextManager[Box]]

PATH = "/usr/bin:/bin"
PROGRAM = """package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() { fmt.Println(runtime.GOOS, runtime.GOARCH, len(os.Args), os.Args[1]) }
"""


@contextlib.contextmanager
def local_box(grader: Grader, folder: Path) -> Iterator[Box]:
    """A box on this machine."""
    yield LocalBox(folder, grader.runner, (grader.toolchain.goos, grader.toolchain.goarch), Isolation.NONE)


BOXES: list[Opener] = [
    local_box,
]


@pytest.fixture(params=BOXES, ids=lambda opener: opener.__name__)
def box(request: pytest.FixtureRequest, grader: Grader, tmp_path: Path) -> Iterator[Box]:
    """A fresh box of every kind."""
    opener: Opener = request.param
    folder = tmp_path / "box"
    folder.mkdir()
    with opener(grader, folder) as opened:
        yield opened


def shell(box: Box, script: str, *arguments: str, seconds: float = 30, output_bytes: int = 1 << 20) -> Completed:
    """Write a shell script into the box and run it in the box's folder ``work``."""
    box.write("bin/script", f"#!/bin/sh\n{script}\n".encode(), executable=True)
    box.write("work/.keep", b"")
    limits = Limits(seconds=seconds, output_bytes=output_bytes)
    return box.run(["bin/script", *arguments], folder="work", env={"PATH": PATH}, limits=limits)


def test_box_says_what_it_is(box: Box) -> None:
    """A grade names the box, and programs are built for its platform."""
    goos, goarch = box.platform
    assert box.name
    assert goos in {"linux", "darwin"}
    assert goarch


def test_program_built_for_the_platform_runs(box: Box, grader: Grader, tmp_path: Path) -> None:
    """A Go binary for the box's platform runs in it, and the box needs no Go."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "go.mod").write_text("module probe\n")
    (source / "main.go").write_text(PROGRAM)
    built = grader.go(source, "build", "-o", "probe", ".")
    assert built.ok, built.text
    box.write("suite/probe", (source / "probe").read_bytes(), executable=True)
    done = box.run(["suite/probe", "two words"], folder="suite", env={}, limits=Limits(seconds=30))
    assert done.text.split(maxsplit=3) == [*box.platform, "2", "two words\n"]


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
    """Neither a missing file, nor one in a missing folder, nor one below a file is an error."""
    box.write("file", b"")
    assert [box.read(path, cap=10) for path in ("none", "no/folder", "file/below")] == [None, None, None]


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("work/link", "echo secret > ../secret; ln -s ../secret link"),
        ("work/absolute", "ln -s /etc/passwd absolute"),
        ("work/folder", "mkdir folder"),
        ("work/pipe", "mkfifo pipe"),
        ("work/etc/passwd", "ln -s /etc etc"),
        ("work/deep/etc/passwd", "mkdir deep; ln -s /etc deep/etc"),
    ],
)
def test_only_a_regular_file_is_read(box: Box, path: str, script: str) -> None:
    """Whatever else a program left at the path is None, at once, and no link leads out of the box."""
    assert shell(box, script).ok
    assert box.read(path, cap=1 << 20) is None


def test_file_that_a_program_wrote_is_read(box: Box) -> None:
    """A program's files can be fetched after it ended."""
    assert shell(box, "printf result > out").ok
    assert box.read("work/out", cap=100) == b"result"


def test_file_that_cannot_be_written_is_a_broken_box(box: Box) -> None:
    """A write that fails is not passed over."""
    box.write("file", b"")
    with pytest.raises(InfrastructureError):
        box.write("file/below", b"")


# Programs


def test_arguments_and_folder_reach_the_program(box: Box) -> None:
    """Arguments are passed as they are, and the program starts in its folder."""
    done = shell(box, 'printf "%s|" "$#" "$@"; basename "$PWD"', "two words", "", "$HOME", "*")
    assert done.text == "4|two words||$HOME|*|work\n"


def test_program_that_is_not_executable_is_a_broken_box(box: Box) -> None:
    """Only what was written as a program is one."""
    box.write("script", b"#!/bin/sh\n")
    with pytest.raises(InfrastructureError):
        box.run(["script"], folder=".", env={}, limits=Limits(seconds=10))


def test_missing_program_is_a_broken_box(box: Box) -> None:
    """A program that is not there is no failing program."""
    box.write("work/.keep", b"")
    with pytest.raises(InfrastructureError):
        box.run(["nowhere/program"], folder="work", env={}, limits=Limits(seconds=10))


@pytest.mark.parametrize("status", [0, 1, 125, 126, 127, 137])
def test_failing_program_is_a_value(box: Box, status: int) -> None:
    """Any exit status is the program's own, also those that shells and container tools use for themselves."""
    done = shell(box, f"echo said; exit {status}")
    assert (done.exit_code, done.signal, done.output, done.ok) == (status, "", b"said\n", status == 0)


def test_death_by_a_signal_is_a_value(box: Box) -> None:
    """A killed program has a signal, which an exit status of 137 has not."""
    done = shell(box, "kill -KILL $$")
    assert (done.exit_code, done.signal, done.ok) == (-1, "killed", False)


def test_environment_is_the_given_one(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's environment reaches the program; HOME, TMPDIR and TZ are the box's own."""
    monkeypatch.setenv("GOBENCH_TEST_SECRET", "leaked")
    box.write("bin/script", b"#!/bin/sh\nexec env\n", executable=True)
    box.write("work/.keep", b"")
    done = box.run(["bin/script"], folder="work", env={"GIVEN": "1", "PATH": PATH}, limits=Limits(seconds=10))
    variables = dict(line.split("=", 1) for line in done.text.splitlines())
    of_the_shell = {"PWD", "OLDPWD", "SHLVL", "_"}
    assert set(variables) - of_the_shell == {"GIVEN", "PATH", "HOME", "TMPDIR", "TZ"}
    assert (variables["GIVEN"], variables["PATH"], variables["TZ"]) == ("1", PATH, "UTC")
    assert variables["HOME"] == variables["TMPDIR"]


def test_home_and_temporary_folder_are_the_program_s_own(box: Box) -> None:
    """A program may write where it runs and where temporary files go."""
    assert shell(box, 'touch "$HOME/a" "$TMPDIR/b" c && test "$HOME" -ef .').ok


def test_standard_input_is_empty(box: Box) -> None:
    """Reading it ends at once."""
    done = shell(box, "cat; echo end", seconds=10)
    assert done.output == b"end\n"


def test_output_is_bytes_of_both_streams(box: Box) -> None:
    """Standard output and error are one stream, not decoded on the way."""
    done = shell(box, r"printf '\377\000\r\n'; echo error >&2")
    assert done.output == b"\xff\x00\r\nerror\n"


def test_output_is_cut_after_the_cap(box: Box) -> None:
    """A program that prints too much is ended."""
    done = shell(box, "yes", output_bytes=1000)
    assert (done.output, done.output_cut, done.ok) == (b"y\n" * 500, True, False)


def test_output_up_to_the_cap_is_whole(box: Box) -> None:
    """A program that prints as much as it may is not."""
    done = shell(box, "yes | head -c 1000", output_bytes=1000)
    assert (done.output, done.output_cut, done.ok) == (b"y\n" * 500, False, True)


def test_time_limit_ends_the_program(box: Box) -> None:
    """A program that runs too long is ended, and its output until then is kept."""
    begin = time.monotonic()
    done = shell(box, "echo begun; sleep 300", seconds=1)
    assert (done.timed_out, done.ok, done.output) == (True, False, b"begun\n")
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("ending", ["exit 0", "sleep 300"], ids=["it-ended", "it-was-ended"])
def test_nothing_runs_on(box: Box, ending: str) -> None:
    """When a run returns, its background processes are dead, those in other sessions too."""
    shell(
        box,
        "sleep 300 & echo $! > first\n"
        "(setsid sh -c 'echo $$ > fresh; mv fresh second; exec sleep 300' &)\n"
        f"while [ ! -e second ]; do sleep 0.01; done; {ending}",
        seconds=2,
    )
    done = shell(box, 'for file in first second; do kill -0 "$(cat $file)" 2>/dev/null && echo $file lives; done; true')
    assert (done.ok, done.output) == (True, b"")
    assert box.read("work/second", cap=100)


def test_limits_of_resources_hold(box: Box) -> None:
    """The largest file and the number of open files are bounded."""
    box.write("bin/script", b"#!/bin/sh\nulimit -n; exec head -c 3000000 /dev/zero > big\n", executable=True)
    box.write("work/.keep", b"")
    limits = Limits(seconds=30, file_bytes=1 << 20, open_files=99)
    done = box.run(["bin/script"], folder="work", env={"PATH": PATH}, limits=limits)
    assert (done.ok, done.output) == (False, b"99\n")
    assert box.read("work/big", cap=1 << 20) == bytes(1 << 20)


def test_memory_limit_holds(box: Box) -> None:
    """A program does not get more memory than it may use."""
    script = b"#!/bin/sh\nexec head -c 500000000 /dev/zero | tail -c 400000000 | wc -c\n"
    box.write("bin/script", script, executable=True)
    box.write("work/.keep", b"")
    limits = Limits(seconds=30, memory_bytes=100 << 20)
    done = box.run(["bin/script"], folder="work", env={"PATH": PATH}, limits=limits)
    assert "400000000" not in done.text


def test_each_run_is_reported_for_itself(box: Box) -> None:
    """Runs one after another share files and nothing else."""
    assert shell(box, "echo 1 > kept; exit 3").exit_code == 3
    assert shell(box, "cat kept").output == b"1\n"
