"""The exported API of a Go module, and what a test file uses of it: by syntax alone, so that no Go runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from go_debug_bench.fixes import is_built
from go_debug_bench.gosource import syntax
from go_debug_bench.tree import Tree, is_test_file

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Comment", "Declared", "Source", "Use", "declared", "named", "read_source", "uses"]

_SPECS = ("type_spec", "type_alias", "const_spec", "var_spec")
_KINDS = {"type_spec": "type", "type_alias": "type", "const_spec": "constant", "var_spec": "variable"}
_MEMBERS = {"field_declaration": "field", "method_elem": "method"}
_DECLARATIONS = ("type_declaration", "const_declaration", "var_declaration")
_BETWEEN = re.compile(rb"[ \t;]*")
_DIRECTIVE = re.compile(r"//(?:[a-z][a-z0-9]*:|(?:nolint|line|export|extern)\b)")


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment, and whether it is documentation: of the package or of something exported."""

    line: int
    text: str
    documents: bool

    @property
    def last_line(self) -> int:
        """The line on which it ends."""
        return self.line + self.text.count("\n")


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a reader of a file sees besides its statements: comments, in their order, and names."""

    comments: tuple[Comment, ...]
    names: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Declared:
    """One exported name of a module: where it stands, whose field or method it is, and its doc comment."""

    name: str
    kind: str
    owner: str
    file: str
    line: int
    doc: str

    @property
    def title(self) -> str:
        """Its name with its owner's: ``Shot.Number``."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, kw_only=True)
class Use:
    """A name that a file uses: behind the name of a package of the module, or as a field or method (``""``)."""

    name: str
    package: str
    line: int
    test: str


def walk(root: Node) -> Iterator[Node]:
    """Every node of a syntax tree, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def read_source(data: bytes) -> Source:
    """Read a file; never raises, whatever the bytes are."""
    root = syntax(data)
    near = _Near(data, root)
    documentation = {comment.start_byte for node in root.children for comment in _documents(node, near)}
    found, names = [], set()
    for node in walk(root):
        if node.type == "comment":
            line, text = node.start_point[0] + 1, text_of(node)
            documents = node.start_byte in documentation and _explains(text)
            found.append(Comment(line=line, text=text, documents=documents))
        elif node.type.endswith("identifier"):
            names.add(text_of(node))
    return Source(comments=tuple(found), names=frozenset(names))


def _explains(comment: str) -> bool:
    """Whether a comment says something to a reader: a directive speaks to a tool."""
    return not _DIRECTIVE.match(comment) and re.search(r"\w", comment) is not None


class _Near:
    """The comments of a file by where they stand.

    The grammar's own way from a node to the one before it begins at the first one, each time.
    """

    def __init__(self, source: bytes, root: Node) -> None:
        lines = source.split(b"\n")
        comments = [node for node in walk(root) if node.type == "comment"]
        own = (node for node in comments if not lines[node.start_point[0]][: node.start_point[1]].strip())
        self._source = source
        self._ending = {node.end_point[0]: node for node in own}
        self._beginning = {node.start_byte: node for node in comments}

    def above(self, node: Node) -> list[Node]:
        """The comments that end on the line before a node, without a blank line between them."""
        found: list[Node] = []
        line = node.start_point[0]
        while (before := self._ending.get(line - 1)) is not None:
            found.append(before)
            line = before.start_point[0]
        return found[::-1]

    def beside(self, node: Node) -> list[Node]:
        """The comment that begins on the line on which a node ends."""
        between = _BETWEEN.match(self._source, node.end_byte)
        after = self._beginning.get(between.end()) if between else None
        return [after] if after is not None else []

    def doc(self, node: Node) -> str:
        """What the comments of a node explain, without what they tell a tool."""
        texts = map(text_of, (*self.above(node), *self.beside(node)))
        return "\n".join(filter(_explains, texts))


def _documents(node: Node, near: _Near) -> Iterator[Node]:
    """The comments that document a top-level declaration or what is in it, if it is exported."""
    if node.type == "package_clause":
        yield from near.above(node)
    elif node.type in ("function_declaration", "method_declaration"):
        if any(_exported(name) for name in named(node)):
            yield from near.above(node)
    elif node.type in _DECLARATIONS:
        exported = [spec for spec in _specs(node) if any(map(_exported, named(spec)))]
        if exported:
            yield from near.above(node)
        for spec in exported:
            yield from near.above(spec)
            yield from (inner for inner in walk(spec) if inner.type == "comment")
            yield from near.beside(spec)


def _specs(declaration: Node) -> Iterator[Node]:
    """The specs of a declaration itself, and not those of a function literal in it."""
    for child in declaration.children:
        if child.type in _SPECS:
            yield child
        elif child.type.endswith("_spec_list"):
            yield from _specs(child)


def declared(repo: Tree) -> list[Declared]:
    """The exported names of a module's packages, tests and data left out."""
    found: list[Declared] = []
    for path, source in sorted(repo.items()):
        if is_built(path) and not is_test_file(path):
            root = syntax(source)
            near = _Near(source, root)
            for node in root.children:
                found += _declared(path, node, near)
    return [item for item in found if _exported(item.name)]


def _declared(path: str, node: Node, near: _Near) -> Iterator[Declared]:
    if node.type == "function_declaration":
        yield from _items(path, node, "function", "", near.doc(node))
    elif node.type == "method_declaration":
        receiver = node.child_by_field_name("receiver")
        types = [text_of(inner) for inner in walk(receiver) if inner.type == "type_identifier"] if receiver else []
        yield from _items(path, node, "method", types[0] if types else "", near.doc(node))
    elif node.type in _DECLARATIONS:
        of_all = near.doc(node)
        for spec in _specs(node):
            yield from _items(path, spec, _KINDS[spec.type], "", near.doc(spec) or of_all)
            yield from _members(path, spec, near)


def _members(path: str, spec: Node, near: _Near) -> Iterator[Declared]:
    owner = next(iter(named(spec)), "")
    for member in walk(spec):
        if member.type in _MEMBERS:
            yield from _items(path, member, _MEMBERS[member.type], owner, near.doc(member))


def _items(path: str, node: Node, kind: str, owner: str, doc: str) -> Iterator[Declared]:
    line = node.start_point[0] + 1
    return (Declared(name=name, kind=kind, owner=owner, file=path, line=line, doc=doc) for name in named(node))


def named(node: Node) -> list[str]:
    """The names that a declaration, spec, field or method gives; an embedded field has its type's."""
    names = [text_of(child) for child in node.children_by_field_name("name")]
    if not names and node.type == "field_declaration":
        kind = node.child_by_field_name("type")
        names = [text_of(inner) for inner in walk(kind) if inner.type == "type_identifier"][:1] if kind else []
    return names


def uses(source: bytes, packages: Mapping[str, str]) -> Iterator[Use]:
    """What a test file uses that is exported, each with the function around it.

    ``packages`` maps the import paths of the module's packages to their names.
    """
    root = syntax(source)
    imports = list(_imports(root, packages))
    imported = dict(imports)
    dotted = [path for name, path in imports if name == "." and path in packages]
    own = {name for node in walk(root) if node.type == "field_declaration" for name in named(node)}
    for top in root.children:
        test = next(iter(named(top)), "") if top.type == "function_declaration" else ""
        for node in walk(top):
            for operand, name in _used(node):
                package = imported.get(operand, "")
                foreign = operand in imported and package not in packages
                if _exported(name) and not foreign and (package or name not in own):
                    yield Use(name=name, package=package, line=node.start_point[0] + 1, test=test)
            if dotted and node.type in ("identifier", "type_identifier") and _exported(name := text_of(node)):
                yield from (Use(name=name, package=path, line=node.start_point[0] + 1, test=test) for path in dotted)


def _imports(root: Node, packages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name in this file -> path, of what it imports."""
    for node in walk(root):
        path = node.child_by_field_name("path") if node.type == "import_spec" else None
        if path is not None:
            imported = text_of(path).strip('"`')
            alias = node.child_by_field_name("name")
            yield text_of(alias) if alias else packages.get(imported, imported.rpartition("/")[2]), imported


def _used(node: Node) -> Iterator[tuple[str, str]]:
    """What stands before the dot, if that is a plain name, and the name behind it; or the key of a literal."""
    if node.type == "qualified_type":
        parts = [node.child_by_field_name("package"), node.child_by_field_name("name")]
    elif node.type == "selector_expression":
        operand = node.child_by_field_name("operand")
        plain = operand if operand and operand.type == "identifier" else None
        parts = [plain, node.child_by_field_name("field")]
    elif node.type == "keyed_element":
        parts = [None, next(iter(node.children[0].named_children), None)]
    else:
        return
    operand, name = parts
    if name is not None:
        yield text_of(operand) if operand else "", text_of(name)


def text_of(node: Node) -> str:
    """A node's text, whatever its bytes are."""
    return (node.text or b"").decode("utf-8", "replace")


def _exported(name: str) -> bool:
    return name[:1].isupper()
