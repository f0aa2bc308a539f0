"""A Sphinx extension: lines such as ``<!-- from code: rewards -->`` become what the code says.

A page keeps its own words, headings and order; the tables in it are made when it is built, and so are never out of
date. A name that nothing makes is an error of the build.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from docs.from_code import checks, commands, environment, plugin, report, tasks

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["PARTS", "filled", "setup"]

PARTS: Mapping[str, Callable[[], str]] = {
    **checks.PARTS,
    **commands.PARTS,
    **environment.PARTS,
    **plugin.PARTS,
    **report.PARTS,
    **tasks.PARTS,
}
"""What makes each part: Markdown by the name that a page asks for it with."""

_ASKED = re.compile(r"^<!-- from code: ([a-z-]+) -->$", re.MULTILINE)


def filled(page: str) -> str:
    """A page with every part that it asks for.

    Raises:
        KeyError: it asks for a part that there is not.
    """
    return _ASKED.sub(lambda asked: PARTS[asked[1]](), page)


def _fill(_app: Sphinx, _name: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def _filled_pages(_app: Sphinx, env: BuildEnvironment, *_: set[str]) -> list[str]:
    """Pages that are read anew in every build: the code may have changed where the page has not."""
    return [name for name in env.found_docs if _ASKED.search(env.doc2path(name).read_text(encoding="utf-8"))]


def setup(app: Sphinx) -> dict[str, Any]:
    """Fill each page as Sphinx reads it, and end each command's section with its examples."""
    app.setup_extension("sphinx_click")
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", _filled_pages)
    app.connect("sphinx-click-process-epilog", commands.show_examples)
    app.connect("sphinx-click-process-arguments", commands.leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
