"""Exit statuses, from the help of the commands, and the examples of that help for the page that sphinx-click makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import click

from docs.from_code.markdown import code, table
from go_debug_bench.cli.command import cli
from go_debug_bench.cli.options import Examples

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["PARTS", "all_commands", "leave_out", "show_examples"]


def all_commands(command: click.Command = cli, name: str = "go-debug-bench") -> Iterator[tuple[str, click.Command]]:
    """Every command by the words that call it, a group before its own."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            found = command.get_command(context, word)
            assert found is not None
            yield from all_commands(found, f"{name} {word}")


def _statuses() -> str:
    rows = [
        (code(name), "<br>".join(f"{code(number)} {meaning}" for number, meaning in statuses))
        for name, command in all_commands()
        if (statuses := _statuses_of(command))
    ]
    return table(("command", "status"), rows)


def _statuses_of(command: click.Command) -> list[tuple[str, str]]:
    """The numbers in the paragraph of the help that is about them, each with its meaning."""
    said = re.search(r"Exit status[^:]*:(.*?)(?:\n\s*\n|\Z)", f"{command.help}", re.DOTALL)
    text = " ".join(said[1].split()) if said else ""
    found = re.findall(r"(?:^|, | )(\d) (.*?)(?=, \d |\. |\.?$)", text)
    return [(number, meaning.strip()) for number, meaning in found]


def show_examples(_app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Give sphinx-click the examples of a command, as reST."""
    if isinstance(context.command, Examples):
        width = max(map(len, context.command.examples))
        examples = [f"   $ {line:<{width}}  # {purpose}" for line, purpose in context.command.examples.items()]
        lines += [".. rubric:: Examples", "", ".. code-block:: console", "", *examples, ""]


def leave_out(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Keep the arguments from sphinx-click's pages: it says of each only that it is there, as the usage does."""
    lines.clear()


PARTS: Mapping[str, Callable[[], str]] = {"statuses": _statuses}
