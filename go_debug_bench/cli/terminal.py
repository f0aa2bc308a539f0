"""What is printed: rich on a terminal, plain when piped, and never a control character out of a task."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from go_debug_bench.text import plain

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["clean", "count", "heading", "is_terminal", "progress", "prose", "say", "say_json", "table", "tell"]

_FEW = 3
_NARROW = 90
"""Columns that a table of tasks needs; below, each row becomes a paragraph."""
_LONGEST = 1 << 20  # characters; nothing that is printed here comes near


def clean(text: str) -> str:
    """Text without what would drive a terminal or reorder a line, and without what cannot be encoded."""
    return plain(text, _LONGEST)


def count(number: int, what: str) -> str:
    """How many there are of something that is called ``what`` if it is one: '1 task', '2 tasks'."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def is_terminal() -> bool:
    """Whether standard output is one; a closed one is not."""
    return sys.stdout is not None and sys.stdout.isatty()


@functools.cache
def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def say(text: str = "", style: str = "") -> None:
    """A line, or some, on standard output; ``style`` is rich's, for a terminal."""
    if style and is_terminal():
        _console().out(clean(text), style=style, highlight=False)  # which leaves tabs and long lines alone
    else:
        click.echo(clean(text))


def prose(text: str, indent: int = 0) -> None:
    """Sentences on standard output, which a terminal shows broken between words."""
    if is_terminal():
        from rich.padding import Padding

        _console().print(Padding(clean(text), (0, 0, 0, indent), expand=False))
    else:
        click.echo(f"{'':{indent}}{clean(text)}")


def heading(text: str) -> None:
    """A line above what belongs to it."""
    say()
    say(text, style="bold")


def tell(text: str) -> None:
    """A line on standard error: for people, where the output is for programs."""
    click.echo(clean(text), err=True)


def say_json(document: object) -> None:
    """One JSON document, in ASCII."""
    click.echo(json.dumps(document, indent=2, allow_nan=False))


def table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Mapping[str, str] = MappingProxyType({})
) -> None:
    """A table on a terminal, a paragraph for each row on a narrow one; tab-separated rows without titles when piped.

    ``styles`` are rich's for a row's first cell, by what it says.
    """
    cells = [[clean(cell) for cell in row] for row in rows]
    if not is_terminal():
        for row in cells:
            click.echo("\t".join(" ".join(cell.split()) for cell in row))
    elif len(titles) > _FEW and _console().width < _NARROW:
        _paragraphs(titles, cells)
    else:
        _grid(titles, cells, styles)


def _paragraphs(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.padding import Padding

    for row in rows:
        said = ", ".join(f"{title} {cell}" for title, cell in list(zip(titles, row, strict=True))[1:-1])
        _console().print(row[0], style="bold")
        for text in (said, row[-1]):
            _console().print(Padding(text, (0, 0, 0, 2), expand=False))


def _grid(titles: Sequence[str], rows: Sequence[Sequence[str]], styles: Mapping[str, str]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    last = len(titles) - 1
    for number, title in enumerate(titles):
        made.add_column(title, no_wrap=number < last, overflow="fold")
    for first, *others in rows:
        made.add_row(Text(first, style=styles.get(first, "")), *map(Text, others))
    _console().print(made)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Show what is being done, on standard error and only on a terminal; yields what changes the text."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    with _console(stderr=True).status(clean(what)) as status:
        yield lambda text: status.update(clean(text))
