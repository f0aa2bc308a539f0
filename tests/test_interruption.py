"""Ctrl-C, kill -9, and two runs at once: nothing runs on, nothing is left behind, nothing is lost."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from go_debug_bench.workspace import Workspace, cache_dir

EXAMPLES = Path(__file__).parent / "examples"


@pytest.fixture
def tmpdir_of_run() -> Iterator[Path]:
    """A TMPDIR of the run's own, empty at the start."""
    with tempfile.TemporaryDirectory(prefix="gb-") as folder:
        yield Path(folder)


def processes(marker: str) -> list[int]:
    """Processes whose working folder, command line or environment names ``marker``, this one aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                text += os.fsencode((entry / "cwd").readlink())
            except OSError:
                continue
            if marker.encode() in text and b") Z " not in (entry / "stat").read_bytes():
                found.append(int(entry.name))
    return found


def wait_for(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Poll until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def workspaces(tmpdir: Path) -> list[Path]:
    """Folders of runs, live or dead."""
    return [path for base in tmpdir.glob("go-debug-bench-*") for path in base.iterdir() if path.is_dir()]


@contextmanager
def long_run(tmpdir: Path, workers: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run that repeats a hidden suite without end, caught in the middle."""
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "-p", "no:cacheprovider", "-n", workers]
    argv += [str(EXAMPLES / "valid"), "--gobench-repeat=1000000", "-k", "stable"]
    env = {**os.environ, "TMPDIR": str(tmpdir)}
    # A job in the background of a script, as this run of tests may be one, ignores Ctrl-C, and so would its children.
    process = subprocess.Popen(
        ["env", "--default-signal=INT", *argv],
        cwd=tmpdir,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        # A suite runs in a box: the run is in the middle of its work.
        wait_for(lambda: list(tmpdir.glob("go-debug-bench-*/*/*/box/work")), 60, "the first suite starts")
        yield process
    finally:
        for pid in processes(str(tmpdir)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_ends_everything_and_cleans_up(tmpdir_of_run: Path, workers: str) -> None:
    """The exit status is pytest's for an interruption; no process and no temporary folder stays."""
    with long_run(tmpdir_of_run, workers) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(20) == pytest.ExitCode.INTERRUPTED
        wait_for(lambda: not processes(str(tmpdir_of_run)), 2, "every child is gone")
    assert workspaces(tmpdir_of_run) == []


def test_kill_9_leaves_no_process_and_the_next_run_sweeps(tmpdir_of_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children die within two seconds; the folder of the dead run goes when the next one starts."""
    with long_run(tmpdir_of_run, "0") as process:
        process.kill()
        process.wait()
        wait_for(lambda: not processes(str(tmpdir_of_run)), 2, "every child is gone")
    (left,) = workspaces(tmpdir_of_run)
    monkeypatch.setattr(tempfile, "tempdir", str(tmpdir_of_run))
    with Workspace() as workspace:
        assert workspaces(tmpdir_of_run) == [workspace.folder]
    assert not left.exists()


def test_a_killed_worker_leaves_no_process(tmpdir_of_run: Path) -> None:
    """When one xdist worker dies, its programs die with it while the run goes on."""
    with long_run(tmpdir_of_run, "2") as run:
        worker = next(pid for pid in processes(str(tmpdir_of_run)) if parent(pid) == run.pid)
        wait_for(lambda: children(tmpdir_of_run, worker), 10, "the worker runs something")
        os.kill(worker, signal.SIGKILL)
        orphans = children(tmpdir_of_run, worker)
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans), 2, "its programs are gone")


def children(tmpdir: Path, pid: int) -> list[int]:
    """Processes of the run that a process has started."""
    return [other for other in processes(str(tmpdir)) if parent(other) == pid]


def parent(pid: int) -> int:
    """Parent of a process, or 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_two_runs_at_once_share_one_cold_cache(tmp_path: Path) -> None:
    """Neither waits forever, neither sees what the other has half written."""
    env = {**os.environ, "GOBENCH_CACHE": str(tmp_path / "cache")}
    # The standard library is slow to compile: only what the runs themselves keep starts cold.
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / "go-build").symlink_to(cache_dir() / "go-build")
    argv = [sys.executable, "-m", "pytest_gobench", "--tasks", str(EXAMPLES / "valid"), "-n", "2"]
    argv += ["--", "-p", "no:cacheprovider", "-k", "unfixed or reference"]
    runs = [
        subprocess.Popen(argv, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    outputs = [run.communicate(timeout=120) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    assert b"reference fix                True   False    True     1.1" in outputs[0][0]
