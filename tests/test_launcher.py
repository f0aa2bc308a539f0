"""The launcher: what it reports, what it limits, and that nothing of a program outlives it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.toolchain import Toolchain, environment
from go_debug_bench.workspace import cache_dir

Run = Callable[..., Completed]

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to the launcher")

MIB = 1 << 20
PATH = "/usr/bin:/bin"
DEATH_SECONDS = 2.0
START_SECONDS = 30.0

# Runs a program through the launcher in a process of its own, which tests then kill or interrupt.
DRIVER = """
import json, resource, signal, sys
from pathlib import Path
from go_debug_bench.launcher import Limits, Runner

signal.signal(signal.SIGINT, signal.default_int_handler)
launcher, cwd, env, limits, *argv = sys.argv[1:]
try:
    done = Runner(launcher=Path(launcher)).run(
        argv, cwd=Path(cwd), env=json.loads(env), limits=Limits(**json.loads(limits))
    )
except KeyboardInterrupt:
    # It lives on until its input ends: the program must die now, and not of its parent's death.
    print("KeyboardInterrupt reached the caller", flush=True)
    sys.exit(sys.stdin.read())
peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
if sys.platform == "linux":  # where the first of them is as large as the process that this one was forked from
    peaks[0] = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
print(json.dumps({"length": len(done.output), "cut": done.output_cut, "seconds": done.seconds, "peaks": peaks}))
"""

# A process, a child in a session of its own, and a grandchild forked twice: each writes a letter, and all hold fd 3.
FAMILY = """
exec 3>life
setsid sh -c 'echo s >&3; exec sleep 300' &
(setsid sh -c 'echo d >&3; exec sleep 300' &)
(sh -c 'echo o >&3; exec sleep 300' &)
echo m >&3
wait
"""


class Life:
    """A pipe that processes hold open for writing: its end means that the last of them is dead."""

    def __init__(self, folder: Path) -> None:
        path = folder / "life"
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.seen = ""

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._descriptor)

    def holds(self) -> bool:
        """Whether a process holds the pipe; takes in what the processes wrote."""
        while True:
            try:
                data = os.read(self._descriptor, 4096)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.seen += data.decode()

    def wait_for(self, letters: str) -> None:
        """Wait until every letter was written."""
        deadline = time.monotonic() + START_SECONDS
        while not set(letters) <= set(self.seen):
            self.holds()
            assert time.monotonic() < deadline, f"only {self.seen!r} of {letters!r} came up"
            time.sleep(0.01)

    def assert_ends(self, seconds: float = DEATH_SECONDS) -> None:
        """Wait until no process holds the pipe any more."""
        deadline = time.monotonic() + seconds
        while self.holds():
            assert time.monotonic() < deadline, f"something still runs after {seconds} s; seen: {self.seen!r}"
            time.sleep(0.01)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    """The pipe that a program in ``tmp_path`` opens as ``life``."""
    made = Life(tmp_path)
    yield made
    made.close()


@pytest.fixture
def run(runner: Runner, tmp_path: Path) -> Run:
    """Runs a program in ``tmp_path``."""

    def run(
        argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 30, **limits: int
    ) -> Completed:
        chosen = {"PATH": PATH} if env is None else env
        return runner.run(argv, cwd=tmp_path, env=chosen, limits=Limits(seconds=seconds, **limits))

    return run


@pytest.fixture
def drive(runner: Runner, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Runs a program in ``tmp_path`` from a Python process in a process group of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*argv: str, env: Mapping[str, str] | None = None, **limits: int) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                DRIVER,
                str(runner.launcher),
                str(tmp_path),
                json.dumps(env or {"PATH": PATH}),
                json.dumps({"seconds": 60, **limits}),
                *argv,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def children(pid: int) -> list[int]:
    """The children of a process, in the order of their birth."""
    return [
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]


# How a program ends


@pytest.mark.parametrize("status", [0, 1, 3, 255])
def test_exit_status_is_reported(run: Run, status: int) -> None:
    """The program's own exit status comes back, and only 0 is a success."""
    done = run(["sh", "-c", f"exit {status}"])
    assert (done.exit_code, done.signal, done.ok) == (status, "", status == 0)


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "output_cut", "ok"),
    [(0, False, False, True), (1, False, False, False), (0, True, False, False), (0, False, True, False)],
)
def test_only_a_whole_run_is_a_success(*, exit_code: int, timed_out: bool, output_cut: bool, ok: bool) -> None:
    """Exit status 0 is worth nothing if the program was out of time or printed too much."""
    done = Completed(
        exit_code=exit_code,
        signal="",
        timed_out=timed_out,
        output_cut=output_cut,
        leftovers=0,
        output=b"",
        seconds=1,
        cpu_seconds=1,
        peak_bytes=1,
    )
    assert done.ok is ok


@pytest.mark.parametrize(("number", "name"), [("KILL", "killed"), ("TERM", "terminated"), ("ABRT", "aborted")])
def test_death_by_a_signal_is_reported_by_name(run: Run, number: str, name: str) -> None:
    """A program that a signal ends has exit status -1 and the signal's name."""
    done = run(["sh", "-c", f"kill -{number} $$"])
    assert (done.exit_code, done.signal, done.ok, done.timed_out) == (-1, name, False, False)


def test_times_and_peak_memory_are_of_the_program(run: Run) -> None:
    """Wall time, processor time and resident memory are measured, and idle time is no processor time."""
    done = run([sys.executable, "-c", "import time; block = bytearray(64 << 20); time.sleep(0.5)"])
    assert done.ok, done.text
    assert 64 * MIB < done.peak_bytes < 512 * MIB
    assert 0.5 <= done.seconds < 20
    assert 0 < done.cpu_seconds < 20


def test_missing_program_is_a_failure_of_the_machinery(run: Run) -> None:
    """A program that is not there says nothing about a submission."""
    with pytest.raises(InfrastructureError, match=r"/nonexistent/program.*no such file"):
        run(["/nonexistent/program"])


def test_program_that_cannot_be_executed_is_a_failure_of_the_machinery(run: Run, tmp_path: Path) -> None:
    """A file that is executable, but no program, is found out only in the child: it must not look like a bad exit."""
    (tmp_path / "noise").write_bytes(b"\x00\x01\x02")
    (tmp_path / "noise").chmod(0o700)
    with pytest.raises(InfrastructureError, match="exec format error"):
        run(["./noise"])


def test_limit_that_cannot_be_set_is_a_failure_of_the_machinery(run: Run) -> None:
    """More open files than the system allows anybody is refused, not silently left out."""
    with pytest.raises(InfrastructureError, match=r"operation not permitted|invalid argument"):
        run(["true"], open_files=1 << 40)


def test_missing_folder_is_a_failure_of_the_machinery(runner: Runner, tmp_path: Path) -> None:
    """A working folder that is not there says nothing about a submission."""
    with pytest.raises(InfrastructureError, match="cannot start true"):
        runner.run(["true"], cwd=tmp_path / "nowhere", env={"PATH": PATH}, limits=Limits(seconds=5))


@linux
def test_program_that_is_still_open_for_writing_is_run_once_it_is_closed(run: Run, tmp_path: Path) -> None:
    """A fork of another thread may hold a fresh program open for a moment: that is no failure."""
    program = tmp_path / "fresh"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o700)
    held = os.open(program, os.O_WRONLY)
    holder = subprocess.Popen(["sh", "-c", "sleep 0.3"], pass_fds=[held])
    os.close(held)
    try:
        assert run(["./fresh"]).ok
    finally:
        holder.kill()
        holder.wait()


# Output


def test_standard_output_and_error_come_as_one_stream_in_order(run: Run) -> None:
    """Both streams are kept in the order in which they were written."""
    assert run(["sh", "-c", "echo a; echo b >&2; echo c"]).output == b"a\nb\nc\n"


def test_output_that_is_not_utf8_is_kept_as_bytes(run: Run) -> None:
    """The bytes are untouched; only the text has replacements."""
    done = run(["printf", r"\377\376ok\000"])
    assert done.output == b"\xff\xfeok\x00"
    assert done.text == "\ufffd\ufffdok\x00"


def test_output_exactly_at_the_cap_is_whole(run: Run) -> None:
    """The cap is the number of bytes that a program may print."""
    done = run(["head", "-c", "100000", "/dev/zero"], output_bytes=100_000)
    assert (len(done.output), done.output_cut, done.ok) == (100_000, False, True)


def test_output_one_byte_over_the_cap_is_cut(run: Run) -> None:
    """One more byte ends the run, even if the program had ended well."""
    done = run(["head", "-c", "100001", "/dev/zero"], output_bytes=100_000)
    assert (len(done.output), done.output_cut, done.ok) == (100_000, True, False)


def test_flood_of_output_ends_quickly_and_in_bounded_memory(drive: Callable[..., subprocess.Popen[str]]) -> None:
    """Ten gigabytes of output cost neither the time to print them nor the memory to hold them."""
    process = drive("head", "-c", "10G", "/dev/zero", output_bytes=4 * MIB)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    facts = json.loads(output)
    assert (facts["length"], facts["cut"]) == (4 * MIB, True)
    assert facts["seconds"] < 2
    unit = 1 if sys.platform == "darwin" else 1024
    assert max(facts["peaks"]) * unit < 150 * MIB


@linux
def test_flood_from_a_descendant_is_cut_too(run: Run, life: Life) -> None:
    """The cap is on what all processes print together, and passing it ends all of them."""
    done = run(["sh", "-c", "exec 3>life; (setsid yes &); sleep 300"], output_bytes=1000)
    assert (len(done.output), done.output_cut) == (1000, True)
    life.assert_ends()


def test_program_that_closes_its_output_goes_on(run: Run, tmp_path: Path) -> None:
    """The end of the output is not the end of the program."""
    done = run(["sh", "-c", "echo before; exec >&- 2>&-; sleep 0.2; echo after > proof; exit 3"])
    assert (done.exit_code, done.output, done.output_cut) == (3, b"before\n", False)
    assert (tmp_path / "proof").read_text() == "after\n"


def test_program_that_closed_its_output_still_runs_out_of_time(run: Run) -> None:
    """Closing the output does not escape the time limit."""
    done = run(["sh", "-c", "exec >&- 2>&-; sleep 300"], seconds=0.5)
    assert done.timed_out
    assert done.seconds < 0.5 + DEATH_SECONDS


# What a program is given


def test_standard_input_is_empty(run: Run) -> None:
    """A program that reads its input gets its end at once."""
    done = run(["cat"], seconds=10)
    assert (done.ok, done.output) == (True, b"")


def test_environment_is_exactly_what_is_given(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the caller's variables nor any of the launcher's reach the program."""
    monkeypatch.setenv("GOBENCH_TEST_SECRET", "leaked")
    assert run(["/usr/bin/env"], env={"ONLY": "this"}).output == b"ONLY=this\n"


@linux
def test_no_descriptor_is_inherited(run: Run) -> None:
    """The program has the three standard descriptors, even if the caller has inheritable ones."""
    reader, writer = os.pipe()
    try:
        os.set_inheritable(reader, True)  # noqa: FBT003 - the function takes it by position only
        # The shell lists itself: ls would count the descriptor of its own listing.
        done = run(["sh", "-c", "for fd in /proc/$$/fd/*; do test -e $fd && echo ${fd##*/}; done; true"])
    finally:
        os.close(reader)
        os.close(writer)
    assert sorted(done.text.split()) == ["0", "1", "2"]


@linux
def test_signals_are_neither_ignored_nor_blocked(run: Run) -> None:
    """Python ignores SIGPIPE and the launcher catches four signals; the program starts with neither."""
    masks = dict(line.split(":\t") for line in run(["cat", "/proc/self/status"]).text.splitlines() if "Sig" in line)
    assert (masks["SigIgn"], masks["SigBlk"], masks["SigCgt"]) == ("0" * 16, "0" * 16, "0" * 16)


def test_program_leads_a_process_group_of_its_own(run: Run) -> None:
    """A signal to the program's group does not reach the grader."""
    done = run([sys.executable, "-c", "import os; print(os.getpgid(0) == os.getpid())"])
    assert done.text == "True\n"


# Limits


@linux
def test_time_limit_ends_the_whole_tree(run: Run, life: Life) -> None:
    """Descendants in other sessions and orphans of double forks die with the program."""
    done = run(["sh", "-c", FAMILY], seconds=1.5)
    assert (done.timed_out, done.ok, done.signal) == (True, False, "killed")
    assert 1.5 <= done.seconds < 1.5 + DEATH_SECONDS
    life.assert_ends(0)
    assert sorted(life.seen.split()) == ["d", "m", "o", "s"]


@linux
def test_time_limit_ends_a_program_that_ignores_every_signal(run: Run, life: Life) -> None:
    """There is no way to ask for more time."""
    done = run(["sh", "-c", "exec 3>life; trap '' TERM INT HUP; while :; do sleep 300; done"], seconds=0.5)
    assert done.timed_out
    life.assert_ends(0)


@linux
def test_leftovers_are_killed_and_counted(run: Run, life: Life) -> None:
    """What outlives the program is dead when the run returns, and the program's own success stands."""
    done = run(["sh", "-c", FAMILY.replace("wait", "echo hi")])
    assert (done.ok, done.output) == (True, b"hi\n")
    life.assert_ends(0)
    assert done.leftovers == 3


@linux
def test_orphans_that_ended_before_the_program_are_no_leftovers(run: Run) -> None:
    """Only what outlives the program counts."""
    done = run(["sh", "-c", "(sh -c ': > gone' &); while [ ! -e gone ]; do sleep 0.01; done; sleep 0.2"])
    assert (done.ok, done.leftovers) == (True, 0)


@linux
def test_memory_limit_stops_a_hog(run: Run) -> None:
    """Private memory over the limit is not given."""
    done = run([sys.executable, "-c", "bytearray(512 << 20)"], memory_bytes=256 * MIB)
    assert not done.ok
    assert "MemoryError" in done.text
    assert done.peak_bytes < 300 * MIB


@linux
def test_memory_below_the_limit_is_given(run: Run) -> None:
    """The limit is in bytes."""
    done = run([sys.executable, "-c", "bytearray(128 << 20)"], memory_bytes=256 * MIB)
    assert done.ok, done.text


@linux
def test_memory_limit_leaves_the_address_space_alone(run: Run) -> None:
    """Address space that a program only reserves does not count."""
    reserve = "import mmap; mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)"
    done = run([sys.executable, "-c", reserve], memory_bytes=256 * MIB)
    assert done.ok, done.text


def test_memory_limit_lets_a_go_program_run(run: Run, toolchain: Toolchain) -> None:
    """A Go program, whose runtime reserves far more than it uses, works below a small limit."""
    done = run([toolchain.go, "version"], memory_bytes=256 * MIB)
    assert toolchain.version in done.text, done.text


def test_file_size_limit_ends_the_writer(run: Run, tmp_path: Path) -> None:
    """No file grows over the limit; the standard reaction is death by SIGXFSZ."""
    done = run(["head", "-c", "2000000", "/dev/zero"], file_bytes=MIB, output_bytes=4 * MIB)
    assert done.ok, "a pipe is no file"
    done = run(["sh", "-c", "exec head -c 2000000 /dev/zero > big"], file_bytes=MIB)
    assert (done.signal, done.ok) == ("file size limit exceeded", False)
    assert (tmp_path / "big").stat().st_size == MIB


def test_open_files_limit_is_set(run: Run) -> None:
    """A program cannot open more files than it may."""
    script = "import os\nfor count in range(100): os.open('/dev/null', os.O_RDONLY)"
    assert "Too many open files" in run([sys.executable, "-c", script], open_files=64).text
    assert run([sys.executable, "-c", script], open_files=256).ok


def test_resources_without_a_limit_are_left_alone(run: Run) -> None:
    """The launcher's own runtime raises its limit of open files; the program gets the caller's."""
    names = ("RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CPU")
    script = f"import resource; print([resource.getrlimit(getattr(resource, name)) for name in {names}])"
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 777), before[1]))
    try:
        expected = [resource.getrlimit(getattr(resource, name)) for name in names]
        done = run([sys.executable, "-c", script])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert done.text.strip() == str(expected)


def test_limit_of_processes_is_for_programs_with_a_user_of_their_own(run: Run) -> None:
    """Without isolation it would count all that the caller runs, and end programs that did nothing wrong."""
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC))"
    done = run([sys.executable, "-c", script], processes=1)
    assert done.text.strip() == str(resource.getrlimit(resource.RLIMIT_NPROC))


@pytest.mark.parametrize("option", ["-bind=/etc", "-bind=/a:b:/c", "-bind=/a:/b:rw:more", "-isolat=root"])
def test_option_that_makes_no_sense_is_a_failure_of_the_machinery(runner: Runner, tmp_path: Path, option: str) -> None:
    """And the message says what is wrong, not what all options are."""
    with pytest.raises(InfrastructureError, match=f"exit status 2.*{option.partition('=')[0]}"):
        runner.run(["true"], cwd=tmp_path, env={"PATH": PATH}, limits=Limits(seconds=5), options=[option])


def test_no_core_is_dumped(run: Run) -> None:
    """A crash leaves no core file, whatever the caller's limits."""
    assert run(["sh", "-c", "ulimit -H -c"]).text == "0\n"


# Deaths from outside


@linux
def test_death_of_the_parent_ends_the_whole_tree(drive: Callable[..., subprocess.Popen[str]], life: Life) -> None:
    """A grader that is killed outright leaves no process, not even one in a session of its own."""
    parent = drive("sh", "-c", FAMILY)
    life.wait_for("msdo")
    parent.kill()
    life.assert_ends()


@linux
def test_death_of_the_parent_ends_a_build_and_its_compilers(
    drive: Callable[..., subprocess.Popen[str]], life: Life, tmp_path: Path, toolchain: Toolchain
) -> None:
    """The compile processes of a go build die too, and no new ones are started."""
    compiler = tmp_path / "compiler"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *-V=full*) exec "$@";; esac\nexec 3>"{tmp_path}/life"\necho c >&3\nexec "$@"\n'
    )
    compiler.chmod(0o700)
    (tmp_path / "go.mod").write_text("module cold\n")
    env = environment(toolchain, home=tmp_path / "home", cache=tmp_path / "cache")
    (tmp_path / "home").mkdir()
    # The go command holds the pipe as well, so that it stays open between two compile processes.
    build = 'exec 4>life; exec "$0" build "-toolexec=$1" net/http'
    parent = drive("sh", "-c", build, toolchain.go, str(compiler), env=env)
    life.wait_for("c")
    parent.kill()
    life.assert_ends()


@linux
@pytest.mark.parametrize("whole_group", [False, True], ids=["to-the-grader-alone", "to-its-process-group"])
def test_keyboard_interrupt_ends_the_whole_tree_and_reaches_the_caller(
    drive: Callable[..., subprocess.Popen[str]], life: Life, *, whole_group: bool
) -> None:
    """Ctrl-C, sent to the grader alone or by a terminal to its whole group, stops the program and the grader."""
    parent = drive("sh", "-c", FAMILY)
    life.wait_for("msdo")
    if whole_group:
        os.killpg(parent.pid, signal.SIGINT)
    else:
        parent.send_signal(signal.SIGINT)
    life.assert_ends()
    assert parent.poll() is None
    output, _ = parent.communicate(timeout=10)
    assert output == "KeyboardInterrupt reached the caller\n"


@linux
def test_launcher_that_is_told_to_stop_is_a_failure_of_the_machinery(
    drive: Callable[..., subprocess.Popen[str]], life: Life
) -> None:
    """An interrupted program says nothing about a submission."""
    parent = drive("sh", "-c", FAMILY)
    life.wait_for("msdo")
    [launcher] = children(parent.pid)
    os.kill(launcher, signal.SIGTERM)
    life.assert_ends()
    _, errors = parent.communicate(timeout=10)
    assert "InfrastructureError: sh was interrupted from outside" in errors


@linux
def test_launcher_that_is_killed_is_a_failure_of_the_machinery_and_the_program_dies(
    drive: Callable[..., subprocess.Popen[str]], life: Life
) -> None:
    """Even without its launcher the program does not go on."""
    parent = drive("sh", "-c", "exec 3>life; echo m >&3; exec sleep 300")
    life.wait_for("m")
    [launcher] = children(parent.pid)
    os.kill(launcher, signal.SIGKILL)
    life.assert_ends()
    _, errors = parent.communicate(timeout=10)
    assert "InfrastructureError: the launcher failed on sh (exit status -9)" in errors


# Building the launcher


def test_tool_is_built_once(toolchain: Toolchain, tmp_path: Path) -> None:
    """Once the cache holds the binary, no Go is needed."""
    build_cache = cache_dir() / "go-build"
    first = build_tool("launch", toolchain, cache=tmp_path, build_cache=build_cache)
    assert os.access(first, os.X_OK)
    gone = replace(toolchain, goroot=tmp_path / "nowhere")
    assert build_tool("launch", gone, cache=tmp_path, build_cache=build_cache) == first
    assert sorted(path.name for path in first.parent.iterdir()) in (["launch"], ["launch", "launch.lock"])


def test_tool_is_built_anew_for_another_go(toolchain: Toolchain, tmp_path: Path) -> None:
    """A binary of another release or platform is not taken."""
    build_cache = cache_dir() / "go-build"
    build_tool("launch", toolchain, cache=tmp_path, build_cache=build_cache)
    gone = replace(toolchain, goroot=tmp_path / "nowhere")
    for other in (replace(gone, version="go1.24.99"), replace(gone, goos="plan9"), replace(gone, goarch="riscv64")):
        with pytest.raises(InfrastructureError, match="cannot build launch"):
            build_tool("launch", other, cache=tmp_path, build_cache=build_cache)


def fake_toolchain(toolchain: Toolchain, folder: Path, script: str) -> Toolchain:
    """A toolchain whose go command is a shell script."""
    go = folder / "goroot" / "bin" / "go"
    go.parent.mkdir(parents=True)
    go.write_text(f"#!/bin/sh\n{script}\n")
    go.chmod(0o700)
    return replace(toolchain, goroot=folder / "goroot")


def test_go_that_fails_is_a_failure_of_the_machinery(toolchain: Toolchain, tmp_path: Path) -> None:
    """The error quotes what go said, and nothing half-built is kept."""
    broken = fake_toolchain(toolchain, tmp_path, 'echo no space left on device; : > "$4"; exit 1')
    with pytest.raises(InfrastructureError, match=r"cannot build launch with go1\.24.*no space left on device"):
        build_tool("launch", broken, cache=tmp_path / "cache", build_cache=tmp_path / "build")
    kept = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert kept in ([], ["launch.lock"])


def test_two_processes_on_a_cold_cache_build_one_binary(toolchain: Toolchain, tmp_path: Path) -> None:
    """The second process waits for the first one's binary instead of building its own."""
    script = (
        f'while [ ! -e "{tmp_path}/ready1" ] || [ ! -e "{tmp_path}/ready2" ]; do sleep 0.01; done\n'
        f'echo built >> "{tmp_path}/log"\n'
        f'GOROOT="{toolchain.goroot}" exec "{toolchain.go}" "$@"'
    )
    slow = fake_toolchain(toolchain, tmp_path, script)
    program = (
        "import sys; from pathlib import Path; from go_debug_bench.launcher import build_tool;"
        "from go_debug_bench.toolchain import Toolchain;"
        "goroot, version, goos, goarch, cache, build_cache, ready = sys.argv[1:];"
        "Path(ready).touch();"
        "toolchain = Toolchain(goroot=Path(goroot), version=version, goos=goos, goarch=goarch);"
        "print(build_tool('launch', toolchain, cache=Path(cache), build_cache=Path(build_cache)))"
    )
    facts = [str(slow.goroot), slow.version, slow.goos, slow.goarch, str(tmp_path / "cache")]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program, *facts, str(cache_dir() / "go-build"), str(tmp_path / ready)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for ready in ("ready1", "ready2")
    ]
    answers = [process.communicate(timeout=120)[0] for process in both]
    assert answers[0] == answers[1]
    assert (tmp_path / "log").read_text() == "built\n"
    done = Runner(launcher=Path(answers[0].strip())).run(
        ["echo", "good"], cwd=tmp_path, env={"PATH": PATH}, limits=Limits(seconds=10)
    )
    assert done.output == b"good\n"
