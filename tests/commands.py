"""Run ``go-debug-bench`` in tests: inside this process, as a process of its own, and on a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner, Result

from go_debug_bench.cli.command import cli
from go_debug_bench.cli.options import TASKS_VARIABLE

__all__ = ["EXAMPLES", "PROGRAM", "Shown", "invoke", "on_terminal", "start", "variables"]

EXAMPLES = Path(__file__).parent / "examples"
PROGRAM = (sys.executable, "-c", "from go_debug_bench.cli.command import main; main()")


def invoke(*arguments: str | Path, valid: bool = True) -> Result:
    """Run the command here, with the valid examples for tasks unless an argument or ``valid`` says otherwise."""
    given = list(map(str, arguments))
    env = {TASKS_VARIABLE: str(EXAMPLES / "valid") if valid else None}
    return CliRunner().invoke(cli, given, env=env, prog_name="go-debug-bench", terminal_width=100)


def variables(**more: str) -> dict[str, str]:
    """The environment of this process, without what would steer the command."""
    steering = {TASKS_VARIABLE, "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
    return {**{name: value for name, value in os.environ.items() if name not in steering}, **more}


def start(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start the command as a process with pipes, in a process group of its own."""
    # A job in the background of a script, as this run of tests may be one, ignores Ctrl-C, and so would its children.
    return subprocess.Popen(
        ["env", "--default-signal=INT", *PROGRAM, *map(str, arguments)],
        cwd=cwd,
        env=dict(env or variables()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a terminal was sent, and how the command ended."""

    text: str
    exit_code: int

    @property
    def widest(self) -> int:
        """The length of the longest line, spaces at its end aside."""
        return max(len(line.rstrip()) for line in self.text.splitlines())


def on_terminal(*arguments: str | Path, columns: int, env: Mapping[str, str] | None = None) -> Shown:
    """Run the command on a terminal of some width, which is both of its outputs."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    given = variables(TERM="xterm-256color") if env is None else env
    process = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)], env=dict(given), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    sent = b""
    with contextlib.suppress(OSError):  # how Linux says that nobody writes any more
        while part := os.read(ours, 1 << 16):
            sent += part
    os.close(ours)
    return Shown(text=sent.decode(), exit_code=process.wait())
