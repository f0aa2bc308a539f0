"""What a Go source file declares, read with tree-sitter's Go grammar so that collecting a task runs no Go."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["GoFile", "levelled", "parse_go", "syntax"]

_QUOTED = 60  # characters of a line that does not parse
_TOKEN = re.compile(
    r"""`[^`]*`?|"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?|//[^\n]*|/\*.*?(?:\*/|\Z)|\w+|\n|[^\w\s]""",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class GoFile:
    """Package clause, imported paths and top-level functions of one file.

    ``constrained`` if a build constraint may leave it out, ``broken`` says where it does not parse, if it does not.
    """

    package: str
    imports: tuple[str, ...]
    functions: tuple[str, ...]
    constrained: bool
    broken: str


@functools.cache
def _parser() -> Parser:
    # Imported here: loading the grammar takes longer than importing the rest of this package.
    import tree_sitter
    import tree_sitter_go

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


def syntax(source: bytes) -> Node:
    """The root of a file's syntax tree; where the bytes are no Go, it holds error nodes."""
    return _parser().parse(source).root_node


@functools.lru_cache(maxsize=4096)  # a task asks for its files up to three times: to be judged, for tests, for imports
def parse_go(source: bytes) -> GoFile:
    """Read the declarations of a file; never raises, whatever the bytes are."""
    root = syntax(source)
    package, imports, functions, constrained = "", [], [], False
    for node in root.children:
        if node.type == "package_clause":
            package = _text(node.named_children[0]) if node.named_children else ""
        elif node.type == "comment" and not package:
            constrained = constrained or _text(node).startswith(("//go:build", "// +build"))
        elif node.type == "import_declaration":
            imports += [_text(path).strip('"`') for path in _import_paths(node)]
        elif node.type == "function_declaration" and (name := node.child_by_field_name("name")):
            functions.append(_text(name))
    return GoFile(
        package=package,
        imports=tuple(imports),
        functions=tuple(functions),
        constrained=constrained,
        broken=_broken(root, source) if root.has_error else "" if package else "it has no package clause",
    )


def _broken(root: Node, source: bytes) -> str:
    """The line of the first node that is no Go, or that is missing, with what stands there."""
    node = root
    while node == root or not (node.is_error or node.is_missing):  # the root is an error if nothing makes sense
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            break
        node = inner
    row = node.start_point[0]
    line = source.decode("utf-8", "replace").split("\n")[row].strip()
    quote = repr(line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…")
    return f"line {row + 1}, {f'where {node.type!r} is missing' if node.is_missing else f'at {quote}'}"


@functools.lru_cache(maxsize=4096)  # a fix leaves most files as they are
def levelled(source: bytes) -> bytes:
    """A file's tokens and line ends: equal for two files that differ in white space and comments alone.

    Directives stay, as the compiler reads them.
    """
    tokens: list[str] = []
    for token in _TOKEN.findall(source.decode("utf-8", "replace")):
        comment = token.startswith(("//", "/*")) and not token.startswith("//go:")
        if not comment and not (token == "\n" and tokens[-1:] in ([], ["\n"])):  # noqa: S105  (no password)
            tokens.append(token)
    return " ".join(tokens).rstrip("\n ").encode()


def _import_paths(declaration: Node) -> Iterator[Node]:
    for child in declaration.named_children:
        if child.type == "import_spec":
            path = child.child_by_field_name("path")
            if path:
                yield path
        elif child.type == "import_spec_list":
            yield from _import_paths(child)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
