"""Prove tasks and print the matrix: ``python -m pytest_gobench [ID ...]``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pytest_gobench.summary import SINK

__all__ = ["main"]

_EPILOG = """\
examples:
  %(prog)s                               every task
  %(prog)s worker-pool-leak              one task
  %(prog)s -n 0 -- -k reference-passes   any pytest option after --

The matrix goes to standard output, progress and failures to standard error.
exit status: 0 every claim holds, 1 one fails or a task is malformed, 2 interrupted, 3 an internal error,
4 a wrong id or path, no Go or no task, 5 nothing was selected.
"""


# This program imports the plugin before pytest does; nobody rewrites its asserts.
_IMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"


class _Recorder:
    """Sends the matrix to where this program writes, while pytest's own report goes to standard error."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Have the matrix written here."""
        config.stash[SINK] = self._write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks of the named tasks, or of all, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="verify_tasks.py" if Path(sys.argv[0]).name == "verify_tasks.py" else "python -m pytest_gobench",
        description="Prove Go debugging tasks with the grader that training uses, and print the matrix.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="task ids; all tasks if none is given")
    parser.add_argument("-n", default="auto", metavar="N", help="processes, or 'auto' for one per core (default)")
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="DIR",
        help="folder of tasks (default: that of the pytest configuration, else ./tasks, else the packaged tasks)",
    )
    own, rest = _split(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(own)
    tasks = [f"--gobench-id={name}" for name in options.ids] + ([str(options.tasks)] if options.tasks else [])
    stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        return int(
            pytest.main(
                ["--gobench-tasks", "-n", options.n, "-q", "-W", _IMPORTED, *rest, *tasks],
                plugins=[_Recorder(lambda line: print(line, file=stdout, flush=True))],
            )
        )


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    own = list(arguments)
    if "--" not in own:
        return own, []
    at = own.index("--")
    return own[:at], own[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
