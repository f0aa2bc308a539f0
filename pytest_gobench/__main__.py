"""Prove tasks and print the matrix: ``python -m pytest_gobench [ID ...]``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from go_debug_bench.errors import UnknownTaskError
from go_debug_bench.task import task_folders
from go_debug_bench.tasks_dir import tasks_dir
from pytest_gobench.summary import SINK

__all__ = ["main"]

_EPILOG = """\
examples:
  %(prog)s                               every task
  %(prog)s worker-pool-leak              one task
  %(prog)s -n 0 -- -k reference-passes   any pytest option after --

The matrix goes to standard output, progress and failures to standard error.
exit status: 0 every claim holds, 1 one fails, 2 interrupted or a wrong id, 3 an internal error, 4 no Go or no task.
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
        "--tasks", type=Path, metavar="DIR", help="folder of tasks (default: ./tasks, else the packaged ones)"
    )
    own, rest = _split(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(own)
    root = options.tasks or (Path("tasks") if Path("tasks").is_dir() else tasks_dir())
    try:
        paths = _paths(root, options.ids)
    except UnknownTaskError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        return int(
            pytest.main(
                ["--gobench-tasks", "-n", options.n, "-q", "-W", _IMPORTED, *rest, *map(str, paths)],
                plugins=[_Recorder(lambda line: print(line, file=stdout, flush=True))],
            )
        )


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    own = list(arguments)
    if "--" not in own:
        return own, []
    at = own.index("--")
    return own[:at], own[at + 1 :]


def _paths(root: Path, ids: Sequence[str]) -> list[Path]:
    known = {folder.name: folder for folder in task_folders(root)}
    if unknown := set(ids) - set(known):
        raise UnknownTaskError(unknown, known)
    return [known[name] for name in dict.fromkeys(ids)] or [root]


if __name__ == "__main__":
    sys.exit(main())
