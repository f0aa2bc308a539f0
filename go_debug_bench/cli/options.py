"""What the commands share: help that teaches by example, the option for tasks, and ids with their completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from go_debug_bench.cli.folders import PACKAGED, TaskFolders, all_tasks, where_tasks_are
from go_debug_bench.errors import GobenchError

__all__ = [
    "CONTEXT",
    "TASKS_VARIABLE",
    "Examples",
    "id_argument",
    "ids_argument",
    "json_option",
    "tasks_option",
]

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
TASKS_VARIABLE = "GOBENCH_TASKS"

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Examples(click.Command):
    """A command whose help ends with commands that work, each with what it is for."""

    def __init__(self, *arguments: Any, examples: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The examples, one a line; in a narrow terminal what each is for stands above it."""
        longest = max(map(len, self.examples))
        wide = longest + max(map(len, self.examples.values())) + 6 <= formatter.width
        with formatter.section("Examples"):
            for command, purpose in self.examples.items():
                if wide:
                    formatter.write(f"{'':{formatter.current_indent}}{command:<{longest}}  # {purpose}\n")
                else:
                    formatter.write(f"{'':{formatter.current_indent}}# {purpose}\n")
                    formatter.write(f"{'':{formatter.current_indent}}{command}\n")


def _folders_of_tasks(ctx: click.Context, param: click.Parameter, value: str | None) -> TaskFolders:
    folders = where_tasks_are(value or "")
    if value and not folders.roots[0].is_dir() and not ctx.resilient_parsing:
        raise click.BadParameter(f"{value} is not a folder", ctx, param)
    return folders


def tasks_option(function: _Function) -> _Function:
    """``--tasks``: a folder of tasks; what the command gets are the folders to look in, named or not."""
    decorate = click.option(
        "--tasks",
        metavar="DIR",
        type=click.Path(file_okay=False),
        envvar=TASKS_VARIABLE,
        show_envvar=True,
        callback=_folders_of_tasks,
        help=f"Folder of tasks, or '{PACKAGED}' for those of this package; by default what gobench_tasks names in "
        "pytest's configuration, else ./tasks if it is there, else the packaged tasks.",
    )
    return decorate(function)


def json_option(function: _Function) -> _Function:
    """``--json``: one JSON document on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def _complete_id(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    folders = ctx.params.get("tasks") or where_tasks_are("")
    try:
        names = sorted({folder.name for folder in all_tasks(folders)})
    except (OSError, GobenchError):
        return []
    given = ctx.params.get(param.name or "") or ()
    taken = given if isinstance(given, tuple) else ()
    return [
        CompletionItem(name)
        for name in names
        # What a folder is called reaches a shell.
        if name.startswith(incomplete) and name not in taken and _ID.fullmatch(name)
    ]


def id_argument(function: _Function) -> _Function:
    """``ID``: the id of a task, completed from the folder of tasks."""
    return click.argument("task_id", metavar="ID", shell_complete=_complete_id)(function)


def ids_argument(function: _Function) -> _Function:
    """``[ID]...``: any number of ids."""
    return click.argument("task_ids", metavar="[ID]...", nargs=-1, shell_complete=_complete_id)(function)
