"""``verify``: prove tasks, by the pytest plugin in a process of its own."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from go_debug_bench.cli.folders import TaskFolders
from go_debug_bench.cli.options import CONTEXT, Examples, ids_argument, tasks_option
from go_debug_bench.cli.terminal import tell

__all__ = ["verify"]

_OPTIONS: Final = f"{__name__}.options"
# python -m pytest_gobench, and one line for Ctrl-C while pytest is being imported, which takes a second.
_PROGRAM: Final = """
import runpy, sys
try:
    runpy.run_module("pytest_gobench", run_name="__main__", alter_sys=True)
except KeyboardInterrupt:
    print("Error: interrupted", file=sys.stderr)
    sys.exit(2)
"""


class _WithPytestOptions(Examples):
    """Keeps what follows ``--`` for pytest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before ``--``."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[_OPTIONS] = args[end + 1 :]
        try:
            return super().parse_args(ctx, args[:end])
        except click.NoSuchOption as error:
            mend = f"Options of pytest stand after '--': go-debug-bench verify ID -- {error.option_name} …"
            message = f"{error.format_message()} {mend}"
            raise click.NoSuchOption(error.option_name, message, ctx=error.ctx) from None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The usage, with what may follow."""
        return [*super().collect_usage_pieces(ctx), "[-- PYTEST OPTIONS]"]


@click.command(
    cls=_WithPytestOptions,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench verify": "every task",
        "go-debug-bench verify worker-pool-leak": "one task",
        "go-debug-bench verify -- -k reference-passes": "one check of each",
        "go-debug-bench verify -- --gobench-report run.html": "with a report",
        "go-debug-bench verify -- --gobench-exploits": "and every attack",
    },
)
@ids_argument
@click.option("-n", "--processes", metavar="N", default="auto", help="Processes; by default one for each core.")
@tasks_option
@click.pass_context
def verify(ctx: click.Context, *, task_ids: tuple[str, ...], processes: str, tasks: TaskFolders) -> None:
    """Prove tasks: run the checks of those named, or of all, and print what each submission earned.

    The same as 'python -m pytest_gobench'. Any option of pytest may follow after --. The matrix goes to standard
    output, progress and failures to standard error.

    Exit status, which is pytest's: 0 every claim holds, 1 one fails or a task is malformed, 2 interrupted, 3 an
    internal error, 4 a wrong id or path or no Go, 5 nothing was selected.
    """
    arguments = [*task_ids, "-n", processes]
    if tasks.chosen:
        arguments += ["--tasks", str(tasks.roots[0])]
    elif tasks.by_default:  # else pytest finds the same folders, and nobody needs to be told
        tell(f"tasks: {tasks.shown}")
    if ctx.meta[_OPTIONS]:
        arguments += ["--", *ctx.meta[_OPTIONS]]
    # It takes this process's place: so every signal reaches it, and its exit status is this program's.
    sys.stdout.flush()
    # -P: nothing that happens to lie in the current folder is imported.
    os.execv(sys.executable, [sys.executable, "-P", "-c", _PROGRAM, *arguments])  # noqa: S606 - no shell is wanted
