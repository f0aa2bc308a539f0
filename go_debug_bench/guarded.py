"""Run a trusted command while there is no launcher yet: to find Go, and to build the launcher itself."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["run_guarded"]

# The shell holds one end of a pipe whose other end closes when this process dies, however it dies; then it kills its
# whole process group.
_GUARD = 'exec 3<&0; (read -r _ <&3; kill -KILL 0) & "$@" </dev/null 3<&-; status=$?; kill $!; exit $status'


def run_guarded(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """Run a command whose processes all die with this one, after ``seconds``, or on an interruption.

    Raises:
        OSError: the command cannot be started.
        subprocess.TimeoutExpired: it took too long and was killed.
    """
    if not os.access(argv[0], os.X_OK):
        code = errno.EACCES if Path(argv[0]).exists() else errno.ENOENT
        raise OSError(code, os.strerror(code), argv[0])
    command = ["/bin/sh", "-c", _GUARD, "sh", *argv]
    alive, guard = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=alive,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
    finally:
        os.close(alive)
        os.close(guard)
    return subprocess.CompletedProcess(argv, process.returncode, output, errors)
