"""What isolation keeps from a hostile program, tried from inside by ``act`` and looked at from outside."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from go_debug_bench import grading
from go_debug_bench.box import LocalBox, LocalBoxes
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grading import Grader
from go_debug_bench.isolation import Isolation, Jail, probe_isolation
from go_debug_bench.launcher import Completed, Limits, Runner
from go_debug_bench.task import load_task
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs can be isolated on Linux only")

T = TypeVar("T")
OpenBox = Callable[[str], LocalBox]

EXAMPLES = Path(__file__).parent / "examples"
MIB = 1 << 20
FIRST_USER = 1 << 30
NAMESPACES = ("pid", "mnt", "net", "ipc", "uts")
marks = (f"mark-{os.getpid()}-{count}" for count in itertools.count())


@pytest.fixture(params=["root", "user", "user-as-root"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each way to be isolated."""
    kind: str = request.param
    return kind


@pytest.fixture
def box(kind: str, open_box: OpenBox, act: bytes) -> LocalBox:
    """A box that isolates."""
    return filled(open_box(kind), act)


def filled(box: LocalBox, act: bytes) -> LocalBox:
    """A box with the program in it."""
    box.write("bin/act", act, executable=True)
    return box


def run(box: LocalBox, *what: str, key: bytes | None = None, seconds: float = 20, **limits: int) -> Completed:
    """Have the program in the box do something."""
    return box.run(["bin/act", *what], folder="work", env={}, limits=Limits(seconds=seconds, **limits), key=key)


def lines(box: LocalBox, *what: str) -> list[str]:
    """What it printed."""
    done = run(box, *what)
    assert done.ok, done.text
    return done.text.splitlines()


@contextmanager
def running(box: LocalBox, *what: str, key: bytes | None = None) -> Iterator[tuple[int, Future[Completed]]]:
    """A run in the middle: the program's process id on this machine, and what becomes of it."""
    mark = next(marks)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run, box, *what, mark, key=key, seconds=60)
        try:
            pid = wait_for(lambda: program(mark))
            yield pid, future
        finally:
            for pid in processes(mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def program(mark: str) -> int | None:
    """The process that became the program, and has done what it does before it hangs."""
    for pid in processes(mark):
        words = (Path("/proc") / str(pid) / "cmdline").read_bytes().split(b"\0")
        if words[0].endswith(b"bin/act"):
            time.sleep(0.1)
            return pid
    return None


def processes(mark: str) -> list[int]:
    """Processes whose command line ends with a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if (entry / "cmdline").read_bytes().endswith(f"{mark}\0".encode()):
                    found.append(int(entry.name))
    return found


def wait_for(condition: Callable[[], T | None], seconds: float = 10) -> T:
    """Poll until there is something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def facts(pid: int) -> dict[str, list[str]]:
    """What the kernel tells of a process."""
    text = Path(f"/proc/{pid}/status").read_text()
    return {name: value.split() for name, _, value in (line.partition(":") for line in text.splitlines())}


# What it sees


def test_program_is_alone(box: LocalBox) -> None:
    """It is the first process, has no parent, and finds nobody that it could send a signal to."""
    _, _, _, pid, parent = lines(box, "id")[0].split()
    assert (pid, parent) == ("1", "0")
    assert lines(box, "parent") == ["parent 0 others no such process", "reached 0 operation not permitted"]


def test_nothing_of_the_machine_is_in_its_file_system(box: LocalBox) -> None:
    """No /proc, /sys or /etc, no device but one; the hidden suite's own files are all that there is."""
    assert sorted(lines(box, "walk")) == sorted(
        ["/", "/bin", "/bin/act", "/dev", "/dev/null", "/tmp", "/work"],
    )


@pytest.mark.parametrize("path", ["/file", "/work/file", "/bin/file", "/dev/file", "/bin/act", "../../file"])
def test_nothing_but_the_temporary_folder_can_be_written(box: LocalBox, path: str) -> None:
    """The root is read-only, for its owner too."""
    done = run(box, "write", path, "content")
    assert "read-only file system" in done.text or "text file busy" in done.text or "permission denied" in done.text
    assert box.read("bin/act", cap=64 * MIB)


def test_temporary_folder_is_bounded_and_fresh(box: LocalBox) -> None:
    """In bytes and in files; what one run leaves is gone in the next."""
    size, error = lines(box, "fill", "/tmp/file")[0].split(" ", 1)
    assert error == "no space left on device"
    assert 60 * MIB < int(size) <= 64 * MIB
    count, error = lines(box, "litter", "/tmp")[0].split(" ", 1)
    assert error == "no space left on device"
    assert 10_000 < int(count) <= 20_000
    assert lines(box, "list", "/tmp") == []


def test_there_is_no_network(box: LocalBox, open_box: OpenBox, act: bytes) -> None:
    """Only a loopback of its own, and no socket of the machine, not even one without a file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as outside:
        outside.bind("\0gobench-outside")
        outside.listen()
        *interfaces, tcp4, other, tcp6, abstract = lines(box, "net")
        assert lines(filled(open_box("none"), act), "net")[-1] == "false", "the control: it can be reached"
    assert interfaces == ["lo up|loopback|running"]
    assert (tcp4, other, tcp6, abstract) == ("true",) * 4


def test_memory_is_not_shared_and_the_host_has_another_name(box: LocalBox) -> None:
    """System V IPC and the host's name are the box's own."""
    libc = ctypes.CDLL(None, use_errno=True)
    outside = libc.shmget(0x60BE, 4096, 0o1666)
    assert outside >= 0
    try:
        found, made = lines(box, "host")
    finally:
        libc.shmctl(outside, 0, None)
    assert found == "box -1 operation not permitted"
    assert made.endswith("operation not permitted")
    assert libc.shmget(0x60BF, 4096, 0) == -1, "what it made is seen outside"


# What it may do


def test_program_has_no_privileges(box: LocalBox) -> None:
    """No capability in any set, none to gain, as it says itself."""
    assert lines(box, "status") == ["[{0 0 0} {0 0 0}] errno 0 0 1"]


def test_program_has_no_privileges_seen_from_outside(box: LocalBox, kind: str) -> None:
    """The kernel's own account, while it runs: name spaces, user, groups, capabilities and descriptors."""
    with running(box, "hang") as (pid, _):
        seen = facts(pid)
        inside, outside = (
            {name: (Path("/proc") / whose / "ns" / name).readlink() for name in (*NAMESPACES, "user")}
            for whose in (str(pid), "self")
        )
        descriptors = sorted(path.name for path in Path(f"/proc/{pid}/fd").iterdir())
        targets = {str((Path(f"/proc/{pid}/fd") / name).readlink()).partition(":")[0] for name in descriptors}
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert seen[name] == ["0" * 16], name
    assert seen["NoNewPrivs"] == ["1"]
    assert all(inside[name] != outside[name] for name in NAMESPACES)
    assert (inside["user"] != outside["user"]) == (kind != "root")
    assert seen["Groups"] == [] or kind == "user-as-root" or os.geteuid() != 0
    (user,) = set(seen["Uid"])
    (group,) = set(seen["Gid"])
    if kind == "root":
        assert int(user) > FIRST_USER
        assert group == user
    assert {"0", "1", "2"} <= set(descriptors)
    # Go's own poller apart.
    assert targets <= {"/dev/null", "pipe", "anon_inode"}


def test_nothing_that_takes_privileges_works(box: LocalBox) -> None:
    """Nor does the way to all of them: a user name space of its own."""
    tried = lines(box, "escape")
    assert len(tried) == 18
    # A process may go on being what it is already: the only user of a name space of users.
    assert [line for line in tried if "WORKED" in line] == []


def test_two_boxes_at_once_have_different_users(open_box: OpenBox, act: bytes) -> None:
    """Neither can reach or starve the other, and nobody else has their users."""
    first, second = (filled(open_box("root"), act) for _ in range(2))
    with running(first, "hang") as (one, _), running(second, "hang") as (other, _):
        users = [facts(pid)["Uid"][0] for pid in (one, other)]
        everybody = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    everybody.append(facts(int(entry.name))["Uid"][0])
    assert len(set(users)) == 2
    assert [everybody.count(user) for user in users] == [1, 1]


# What it may use up


def test_a_program_starts_no_other(box: LocalBox) -> None:
    """Limits of memory hold for one process: of many, each would have the whole. Nor does it become another kind."""
    for what in (("bomb", next(marks)), ("regroup",), ("fork",), ("persona",)):
        done = run(box, *what)
        assert "operation not permitted" in done.text, what
        assert done.leftovers == 0


def test_what_a_program_is_judged_by_stays_in_its_place(box: LocalBox) -> None:
    """Neither its output nor its report can be closed, or be another file."""
    refused = "operation not permitted"
    done = run(box, "swap", key=b"key")
    assert done.text.splitlines() == [f"{fd} {refused} {refused} {refused}" for fd in (1, 4)]


def test_fork_bomb_is_bounded_and_ends_with_the_run(
    runner: Runner, works: Callable[[Isolation], bool], root: Path
) -> None:
    """In a jail where programs may start others, the limit is on processes and threads together."""
    if not works(Isolation.ROOT):
        pytest.skip("no such isolation here")
    mark = next(marks)
    begin = time.monotonic()
    done = jailed(runner, Jail(isolation=Isolation.ROOT, root=root), "bomb", mark, seconds=2.5, processes=100)
    assert time.monotonic() - begin < 10
    assert done.timed_out
    count = int(done.text.split()[1])
    assert 3 < count < 100
    assert not [pid for pid in bomblets() if pid]


def bomblets() -> list[int]:
    """Processes of fork bombs on this machine."""
    return processes("bomblet")


def test_many_threads_are_allowed(box: LocalBox) -> None:
    """The limit of other programs of the same user does not count."""
    assert run(box, "platform", processes=64).ok


# The key


def test_key_is_nowhere_once_it_was_read(box: LocalBox) -> None:
    """Not in the environment, the arguments, a file or a descriptor, of the program or of its launcher."""
    key = os.urandom(8).hex().encode() * 4
    with running(box, "holdkey", key=key) as (pid, _):
        launcher = facts(pid)["PPid"][0]
        for process in (str(pid), launcher):
            for what in ("cmdline", "environ"):
                assert key not in Path(f"/proc/{process}/{what}").read_bytes()
        assert not Path(f"/proc/{pid}/fd/3").exists() or "pipe" not in str(Path(f"/proc/{pid}/fd/3").readlink())
        root = Path(f"/proc/{pid}/root")
        for path in root.rglob("*"):
            if path.is_file() and not path.is_symlink():
                assert key not in path.read_bytes()
        assert not box._key.exists()


# How it ends


def test_everything_is_cleaned_up(box: LocalBox) -> None:
    """No mount of a box is left on the machine, and no process."""
    with running(box, "hang") as (pid, future):
        mounted = Path("/proc/self/mounts").read_text()
        assert "gb-box-" not in mounted
        inside = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
        assert len(inside) == 3, inside  # its root, /tmp and /dev/null; the folder above its root is out of its sight
        os.kill(pid, signal.SIGKILL)
        done = future.result(10)
    assert (done.signal, done.timed_out) == ("killed", False)
    assert "gb-box-" not in Path("/proc/self/mounts").read_text()


def test_program_dies_with_its_launcher(box: LocalBox) -> None:
    """Whatever user it became: a launcher that is killed is broken machinery, and nothing runs on."""
    with running(box, "hang") as (pid, future):
        os.kill(int(facts(pid)["PPid"][0]), signal.SIGKILL)
        wait_for(lambda: not Path(f"/proc/{pid}").exists(), 2)
        with pytest.raises(InfrastructureError, match="exit status -9"):
            future.result(10)


def test_program_that_kills_its_launcher_is_a_failure_of_the_machinery_without_isolation(
    open_box: OpenBox, act: bytes
) -> None:
    """With isolation it cannot: it has no parent."""
    with pytest.raises(InfrastructureError, match="exit status -9"):
        run(filled(open_box("none"), act), "killparent")


# What else a jail can show


def jailed(runner: Runner, jail: Jail, *what: str, seconds: float = 10, **limits: int) -> Completed:
    """Run the program in a jail that no box makes."""
    return runner.run(
        ["/act", *what],
        cwd=jail.root,
        env={},
        limits=Limits(seconds=seconds, **limits),
        options=jail.arguments(),
    )


@pytest.fixture
def root(act: bytes, tmp_path: Path) -> Path:
    """A root with the program in it."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "act").write_bytes(act)
    (root / "act").chmod(0o755)
    return root


@pytest.mark.parametrize("isolation", [Isolation.ROOT, Isolation.USER])
def test_what_is_bound_is_seen_and_is_written_only_if_that_was_said(
    runner: Runner, works: Callable[[Isolation], bool], isolation: Isolation, root: Path, tmp_path: Path
) -> None:
    """Folders and files of the machine can be shown to a program."""
    if not works(isolation):
        pytest.skip("no such isolation here")
    for name in ("shown", "lent"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o777)
        (tmp_path / name / "file").write_text(name)
    binds = ((tmp_path / "shown", "/a/shown", False), (tmp_path / "lent", "/lent", True))
    jail = Jail(isolation=isolation, root=root, binds=binds)
    assert jailed(runner, jail, "read", "/a/shown/file").output == b"shown"
    assert "read-only file system" in jailed(runner, jail, "write", "/a/shown/new", "x").text
    assert jailed(runner, jail, "write", "/lent/new", "x").ok
    assert (tmp_path / "lent" / "new").read_text() == "x"
    with pytest.raises(InfrastructureError, match="is not FROM:TO"):
        jailed(runner, Jail(isolation=isolation, root=root, binds=((tmp_path / "a:b", "/c", False),)), "platform")


def test_own_proc_shows_own_processes(runner: Runner, works: Callable[[Isolation], bool], root: Path) -> None:
    """A jail may have a /proc, of its own processes only."""
    if not works(Isolation.ROOT):
        pytest.skip("no such isolation here")
    done = jailed(runner, Jail(isolation=Isolation.ROOT, root=root, proc=True), "list", "/proc")
    assert [name for name in done.text.split() if name.isdigit()] == ["1"]


@pytest.mark.parametrize("isolation", [Isolation.ROOT, Isolation.USER])
def test_what_a_jailed_program_starts_ends_with_it(
    runner: Runner, works: Callable[[Isolation], bool], isolation: Isolation, root: Path
) -> None:
    """It cannot leave its group: the kernel would wait for that for ever, and the launcher for the kernel."""
    if not works(isolation):
        pytest.skip("no such isolation here")
    jail = Jail(isolation=isolation, root=root)
    done = jailed(runner, jail, "regroup", seconds=0.5)
    assert (done.output, done.timed_out, done.signal) == (b"operation not permitted\n", True, "killed")
    for ending in ("end", "hang"):
        mark = next(marks)
        assert jailed(runner, jail, "family", ending, mark, seconds=1).output == b"started\n"
        assert processes(mark) == []


# Finding out


@dataclass(frozen=True, kw_only=True)
class Refusing(Runner):
    """A machine where some name spaces are refused."""

    refused: tuple[Isolation, ...]

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        options: Sequence[str] = (),
    ) -> Completed:
        """Fail as the launcher does."""
        if any(f"-isolate={isolation}" in options for isolation in self.refused):
            raise InfrastructureError("operation not permitted")
        return super().run(argv, cwd=cwd, env=env, limits=limits, options=options)


@dataclass(frozen=True, kw_only=True)
class Wrapped(Runner):
    """A launcher that is run by a script."""

    script: Path

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        options: Sequence[str] = (),
    ) -> Completed:
        """Run the script in place of the launcher."""
        return Runner(launcher=self.script).run(argv, cwd=cwd, env=env, limits=limits, options=options)


def wrapped(runner: Runner, folder: Path, script: str) -> Runner:
    """A launcher that a script runs, or does not."""
    path = folder / "launcher"
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\nlauncher={runner.launcher}\n{script}\n")
    path.chmod(0o755)
    return Wrapped(launcher=runner.launcher, script=path)


def test_the_strongest_isolation_that_works_is_taken(
    runner: Runner, works: Callable[[Isolation], bool], tmp_path: Path
) -> None:
    """As root the kind with a user of its own, and the next one where that does not work."""
    kinds = [kind for kind in (Isolation.ROOT, Isolation.USER) if works(kind)]
    if not kinds:
        pytest.skip("no isolation here")
    for count, expected in enumerate([*kinds, Isolation.NONE]):
        room = tmp_path / f"room{count}"
        room.mkdir()
        refusing = Refusing(launcher=runner.launcher, refused=tuple(kinds[:count]))
        assert probe_isolation(refusing, room) is expected


@pytest.mark.parametrize(
    "script", ["exit 0", "exit 1", "kill -9 $$", "echo isolated", "echo isolated; echo '[]' >&2", "exec >&- 2>&-"]
)
def test_a_launcher_that_does_not_come_back_well_is_no_isolation(runner: Runner, tmp_path: Path, script: str) -> None:
    """Only the report of a program that ended well and said that nothing worked counts."""
    (tmp_path / "room").mkdir()
    assert probe_isolation(wrapped(runner, tmp_path, script), tmp_path / "room") is Isolation.NONE


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('exec "$launcher" "$@"', Isolation.ROOT),
        ('exec setpriv --bounding-set=-sys_admin "$launcher" "$@"', Isolation.USER),
        (
            "exec unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && "
            'exec setpriv --bounding-set=-sys_admin "$@"\' sh "$launcher" "$@"',
            Isolation.NONE,
        ),
    ],
    ids=["everything", "only-users", "nothing"],
)
def test_what_the_kernel_refuses_is_found_out(
    runner: Runner, works: Callable[[Isolation], bool], tmp_path: Path, script: str, expected: Isolation
) -> None:
    """Without the privilege for name spaces there are those of users, and without those there is nothing."""
    if not (works(Isolation.ROOT) and works(Isolation.USER) and shutil.which("setpriv") and shutil.which("unshare")):
        pytest.skip("needs root, name spaces of users, setpriv and unshare")
    (tmp_path / "room").mkdir()
    assert probe_isolation(wrapped(runner, tmp_path, script), tmp_path / "room") is expected


def test_a_probe_that_is_not_isolated_does_no_harm(runner: Runner, act: bytes, tmp_path: Path) -> None:
    """It looks before it tries to mount and to write."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        probe = Path(folder) / "probe"
        shutil.copy(runner.launcher, probe)
        somebody = 54_321 if os.geteuid() == 0 else None  # should it ever do harm, then not to this machine
        groups: list[int] | None = None if somebody is None else []
        done = subprocess.run(
            [probe, "-probe"], user=somebody, group=somebody, extra_groups=groups, capture_output=True, check=False
        )
    assert (done.returncode, done.stdout) == (1, b"it sees the machine's processes\n")


def test_nothing_is_graded_without_isolation_unless_that_was_said(
    toolchain: Toolchain, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that offers none may validate its own tasks, and grade only for those who know."""
    task = load_task(EXAMPLES / "valid" / "tiny-tally")
    folder = EXAMPLES / "valid" / "tiny-tally" / "repo"
    monkeypatch.setattr(grading, "probe_isolation", lambda *_: Isolation.NONE)
    grader = Grader(toolchain, workspace)
    assert not grader.boxes.isolated
    with pytest.raises(InfrastructureError, match=r"or say isolation=Isolation.NONE for submissions that you trust"):
        grader.grade(task, folder)
    assert grader.grade_reference(task).hidden_tests_pass
    chosen = Grader(toolchain, workspace, isolation=Isolation.NONE)
    assert chosen.grade(task, folder).box == "local, isolation none"


def test_boxes_say_which_isolation_they_use(grader: Grader, workspace: Workspace) -> None:
    """The grade carries it."""
    for isolation in Isolation:
        boxes = LocalBoxes(
            workspace=workspace, runner=grader.runner, platform=grader.boxes.platform, isolation=isolation
        )
        with boxes.open() as box:
            assert box.name == f"local, isolation {isolation}"
            assert boxes.isolated == box.isolated == (isolation is not Isolation.NONE)
