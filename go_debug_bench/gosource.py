"""What a Go source file declares, read with tree-sitter's Go grammar so that collecting a task runs no Go."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["GoFile", "parse_go"]


@dataclass(frozen=True, kw_only=True)
class GoFile:
    """Package clause, imported paths and top-level functions of one file.

    ``constrained`` if a build constraint may leave it out, ``broken`` if it does not parse.
    """

    package: str
    imports: tuple[str, ...]
    functions: tuple[str, ...]
    constrained: bool
    broken: bool


@functools.cache
def _parser() -> Parser:
    # Imported here: loading the grammar takes longer than importing the rest of this package.
    import tree_sitter
    import tree_sitter_go

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


def parse_go(source: bytes) -> GoFile:
    """Read the declarations of a file; never raises, whatever the bytes are."""
    root = _parser().parse(source).root_node
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
        broken=root.has_error or not package,
    )


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
