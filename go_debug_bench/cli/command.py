"""The group of commands, each loaded when it is asked for, and what becomes of errors and signals."""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from go_debug_bench import __version__
from go_debug_bench.cli.options import CONTEXT, Examples
from go_debug_bench.cli.terminal import clean
from go_debug_bench.errors import GobenchError, InfrastructureError, TaskError, ToolchainError

__all__ = [
    "BROKEN_MACHINERY",
    "COMMANDS",
    "INTERRUPTED",
    "MALFORMED",
    "PROGRAM_NAME",
    "WRONG_COMMAND",
    "Commands",
    "cli",
    "main",
]

PROGRAM_NAME = "go-debug-bench"

MALFORMED = 1
WRONG_COMMAND = 2
BROKEN_MACHINERY = 3
"""Exit status when nothing is known: no Go, a full disk, a fault of this program."""
INTERRUPTED = 128 + signal.SIGINT

COMMANDS = {
    "list": ("reading:list_tasks", "List the tasks."),
    "show": ("reading:show", "Show a task: its prompt, its files, and on demand its solution."),
    "checkout": ("checkout:checkout", "Write what an agent sees of a task: the repo and the prompt."),
    "grade": ("grade:grade", "Grade a checkout as training does."),
    "new": ("new:new", "Start a task that already collects."),
    "verify": ("verify:verify", "Prove tasks: run their checks."),
    "report": ("reports:report", "Compare the reports of two runs."),
    "schema": ("schema:schema", "Print a JSON Schema: of a task, a grade or a report."),
    "doctor": ("doctor:doctor", "Say what works on this machine, and what to do about the rest."),
    "completion": ("completion:completion", "Print the script for completion in a shell."),
}
"""The commands by name: where each is, and what it does. To print its help, the program loads none of them."""


class Commands(Examples, click.Group):
    """Loads a command when it is asked for, and turns this package's errors into messages and exit statuses."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Their names, in the order in which somebody meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Load one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(f"go_debug_bench.cli.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called, or an error with the nearest ones: click's own knows of none."""
        near = difflib.get_close_matches(args[0], COMMANDS, n=2)
        if near and args[0] not in COMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, near))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Their list, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands and options, without loading the commands."""
        commands = [
            CompletionItem(name, help=what) for name, (_, what) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of this package is told in a few lines, and ends the program with its exit status."""
        with _ended_by_signals():
            try:
                return super().invoke(ctx)
            except (ToolchainError, InfrastructureError) as error:
                _fail(str(error), BROKEN_MACHINERY)
            except TaskError as error:
                _fail(str(error), MALFORMED)
            except GobenchError as error:  # an unknown id, a folder without tasks, a file that is no report
                _fail("\n".join([str(error), *getattr(error, "__notes__", ())]), WRONG_COMMAND)
            except KeyboardInterrupt:
                _fail("interrupted", INTERRUPTED)
            except BrokenPipeError:
                _nobody_reads()
            except OSError as error:
                where = f"{error.filename}: " if error.filename else ""
                _fail(f"{where}{error.strerror or error}", BROKEN_MACHINERY)


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"Error: {clean(message)}", err=True)
    raise SystemExit(status)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a request to end unwind the stack, so that temporary folders go."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    requests = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread, which alone may set a handler
        before = {number: signal.signal(number, end) for number in requests}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _nobody_reads() -> NoReturn:
    """End as a program does that a closed pipe has killed, without a word about what is not flushed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(128 + signal.SIGPIPE)


@click.group(
    cls=Commands,
    name=PROGRAM_NAME,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench list": "which tasks there are",
        "go-debug-bench checkout worker-pool-leak work": "what an agent gets to see",
        "go-debug-bench grade worker-pool-leak work": "the grade of its work",
        "go-debug-bench new shelf-loses-books": "start a task in ./tasks",
        "go-debug-bench verify shelf-loses-books": "what it lacks to be valid",
    },
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Read, check out, grade, write and prove Go debugging tasks.

    Tasks are looked for in the folder that --tasks or the variable GOBENCH_TASKS names, else where gobench_tasks in
    pytest's configuration says, else in ./tasks, else among those of this package, which '--tasks packaged' names.

    Exit status: 0 all is well, 1 something was found wanting, 2 a wrong command line, 3 the machinery failed.
    """


def main() -> NoReturn:
    """The program ``go-debug-bench``."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal that is not UTF-8
    try:
        cli(prog_name=PROGRAM_NAME)
    except KeyboardInterrupt:  # while a command was loading
        _fail("interrupted", INTERRUPTED)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        _nobody_reads()
    except Exception:  # a fault of this program must not be taken for a bad grade
        traceback.print_exc()
        sys.exit(BROKEN_MACHINERY)
    sys.exit(0)
