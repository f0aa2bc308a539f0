"""Markdown tables, and what text needs to stand in one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["code", "entry", "escaped", "prose", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, with a blank line around it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text.strip()).replace("|", r"\|")


def entry(name: str, facts: str, *lines: str) -> str:
    """An entry of a list of definitions: what is looked up, the facts about it, and a paragraph for each line."""
    return "\n".join([code(name), f": {facts}", *(f"\n  {line}" for line in lines if line), ""])


def code(text: str) -> str:
    """A literal, whatever is in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def escaped(text: str) -> str:
    """Plain text, with nothing in it that Markdown would take for its own."""
    return re.sub(r"([*<\[\]`])", r"\\\1", text)


def prose(docstring: str | None) -> str:
    """The text of a docstring as Markdown: reST's literals become Markdown's."""
    text = re.sub(r"\s*\n\s*", " ", (docstring or "").strip())
    return text.replace("``", "`")
