"""The exported API of a Go module, and what a test file uses of it: by syntax alone, so that no Go runs."""

from __future__ import annotations

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
    documentation = {comment.start_byte for node in root.children for comment in _documents(node)}
    found, names = [], set()
    for node in walk(root):
        if node.type == "comment":
            line, documents = node.start_point[0] + 1, node.start_byte in documentation
            found.append(Comment(line=line, text=text_of(node), documents=documents))
        elif node.type.endswith("identifier"):
            names.add(text_of(node))
    return Source(comments=tuple(found), names=frozenset(names))


def _documents(node: Node) -> Iterator[Node]:
    """The comments that document a top-level declaration or what is in it, if it is exported."""
    if node.type == "package_clause":
        yield from _above(node)
    elif node.type in ("function_declaration", "method_declaration"):
        if any(_exported(name) for name in named(node)):
            yield from _above(node)
    elif node.type in _DECLARATIONS:
        exported = [spec for spec in walk(node) if spec.type in _SPECS and any(map(_exported, named(spec)))]
        if exported:
            yield from _above(node)
        for spec in exported:
            yield from _above(spec)
            yield from (inner for inner in walk(spec) if inner.type == "comment")
            yield from _beside(spec)


def declared(repo: Tree) -> list[Declared]:
    """The exported names of a module's packages, tests and data left out."""
    found: list[Declared] = []
    for path, source in sorted(repo.items()):
        if is_built(path) and not is_test_file(path):
            for node in syntax(source).children:
                found += _declared(path, node)
    return [item for item in found if _exported(item.name)]


def _declared(path: str, node: Node) -> Iterator[Declared]:
    if node.type == "function_declaration":
        yield from _items(path, node, "function", "", _doc(node))
    elif node.type == "method_declaration":
        receiver = node.child_by_field_name("receiver")
        types = [text_of(inner) for inner in walk(receiver) if inner.type == "type_identifier"] if receiver else []
        yield from _items(path, node, "method", types[0] if types else "", _doc(node))
    elif node.type in _DECLARATIONS:
        for spec in walk(node):
            if spec.type in _SPECS and _is_of(spec, node):
                yield from _items(path, spec, _KINDS[spec.type], "", _doc(spec) or _doc(node))
                yield from _members(path, spec)


def _is_of(spec: Node, declaration: Node) -> bool:
    """Whether a spec belongs to the declaration itself and not to a function literal in it."""
    parent = spec.parent
    while parent is not None and parent.type in ("var_spec_list", "const_spec_list", "type_spec_list"):
        parent = parent.parent
    return parent is not None and parent.id == declaration.id


def _members(path: str, spec: Node) -> Iterator[Declared]:
    owner = next(iter(named(spec)), "")
    for member in walk(spec):
        if member.type in _MEMBERS:
            yield from _items(path, member, _MEMBERS[member.type], owner, _doc(member))


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


def _doc(node: Node) -> str:
    return "\n".join(text_of(comment) for comment in (*_above(node), *_beside(node)))


def _above(node: Node) -> list[Node]:
    """The comments that end on the line before a node, without a blank line between them."""
    found: list[Node] = []
    line, before = node.start_point[0], node.prev_sibling
    while before is not None and (before.type == "comment" or before.type == "\n"):
        if before.type == "comment":
            own = before.prev_sibling is None or before.prev_sibling.end_point[0] < before.start_point[0]
            if before.end_point[0] != line - 1 or not own:
                break
            found.append(before)
            line = before.start_point[0]
        before = before.prev_sibling
    return found[::-1]


def _beside(node: Node) -> list[Node]:
    """The comment that begins on the line on which a node ends."""
    after = node.next_sibling
    while after is not None and after.type in ("\n", ";"):
        after = after.next_sibling
    beside = after is not None and after.type == "comment" and after.start_point[0] == node.end_point[0]
    return [after] if beside and after is not None else []


def uses(source: bytes, packages: Mapping[str, str]) -> Iterator[Use]:
    """What a test file uses that is exported, each with the function around it.

    ``packages`` maps the import paths of the module's packages to their names.
    """
    root = syntax(source)
    imported = dict(_imports(root, packages))
    own = {name for node in walk(root) if node.type == "field_declaration" for name in named(node)}
    for top in root.children:
        test = next(iter(named(top)), "") if top.type == "function_declaration" else ""
        for node in walk(top):
            for operand, name in _used(node):
                package = imported.get(operand, "")
                foreign = operand in imported and package not in packages
                if _exported(name) and not foreign and (package or name not in own):
                    yield Use(name=name, package=package, line=node.start_point[0] + 1, test=test)


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
