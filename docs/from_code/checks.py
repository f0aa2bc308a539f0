"""The checks: what each claims and how it is mended, read from the functions that prove it."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType

from docs.from_code.markdown import code, escaped, table
from go_debug_bench import proving
from go_debug_bench.claims import CLAIMS
from go_debug_bench.suite import Neighbours

__all__ = ["PARTS"]

_ONE_FOR_EACH = ("alternative", "wrong", "exploit")
_SAYING: Mapping[str, Mapping[str, int]] = {
    "graded": {"claim": 0, "mend": -1},
    "_command_failed": {"claim": 0, "mend": -1},
    "_unless": {"claim": 0},
}
"""Functions that take a claim or a mend, and which arguments these are."""
_METHODS = {name: method for name, method in vars(Neighbours).items() if isinstance(method, FunctionType)}
"""Of the one class that says mends."""


def _claims() -> str:
    rows = [(code(_shown(kind)), ". ".join(map(_first_upper, _said(proof, "claim")))) for kind, proof in _all()]
    return table(("check", "it claims"), rows)


def _mends() -> str:
    entries = []
    for kind, proof in _all():
        mends = [f"- {text}." for text in map(_first_upper, _said(proof, "mend"))]
        entries.append("\n  ".join([f"{code(_shown(kind))}\n:", *mends]).replace(":\n  ", ": ", 1))
    return "\n" + "\n\n".join(entries) + "\n"


def _all() -> Iterator[tuple[str, FunctionType]]:
    for kind, proof in CLAIMS.items():
        assert isinstance(proof, FunctionType)
        yield kind, proof


def _shown(kind: str) -> str:
    return f"{kind}[name]" if kind in _ONE_FOR_EACH else kind


def _first_upper(text: str) -> str:
    return escaped(text if text.startswith("go ") else f"{text[:1].upper()}{text[1:]}")


def _said(proof: FunctionType, what: str) -> list[str]:
    """The texts that a check and the functions it calls give as its ``what``: its claim, or its mend.

    Raises:
        ValueError: there is none.
    """
    found = [text for part in _parts(proof) for text in part.said(what)]
    if said := list(dict.fromkeys(text for text in found if text)):
        return said
    raise ValueError(f"no {what} is found in {proof.__module__}.{proof.__name__}")


def _parts(function: FunctionType, seen: frozenset[str] = frozenset()) -> Iterator[_Function]:
    """A function and those of this package that it calls or names, but for the machinery that all checks share."""
    if function.__name__ in seen or function.__module__ == proving.__name__:
        return
    part = _Function(function)
    yield part
    for node in part.nodes:
        if other := part.callee(node):
            yield from _parts(other, seen | {function.__name__})


@dataclass(frozen=True)
class _Function:
    function: FunctionType

    @property
    def nodes(self) -> list[ast.AST]:
        """What it is made of, in the order of the source."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function)))
        return sorted(ast.walk(tree), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    def callee(self, node: ast.AST) -> FunctionType | None:
        """The function of this package that a node calls, or names to have it called."""
        name = _name(node.func if isinstance(node, ast.Call) else node)
        other = self.function.__globals__.get(name, _METHODS.get(name))
        own = isinstance(other, FunctionType) and other.__module__.startswith("go_debug_bench.")
        return other if own else None

    def said(self, what: str) -> Iterator[str]:
        """What is assigned to the name ``what``, given as an argument of that name, or to a function that says it."""
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                yield from self._assigned(node.targets[0], node.value, what)
            elif isinstance(node, ast.For):
                for value in ast.walk(node.iter):
                    yield from self._assigned(node.target, value, what)
            elif isinstance(node, ast.keyword) and node.arg == what:
                yield from self._texts(node.value)
            elif isinstance(node, ast.Call) and what in (places := _SAYING.get(_name(node.func), {})):
                yield from self._texts(node.args[places[what]])

    def _assigned(self, target: ast.expr, value: ast.AST, what: str) -> Iterator[str]:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for name, part in zip(target.elts, value.elts, strict=True):
                if _name(name) == what:
                    yield from self._texts(part)
        elif _name(target) == what and isinstance(value, ast.expr):
            yield from self._texts(value)

    def _texts(self, node: ast.expr) -> Iterator[str]:
        """The texts that an expression may be, without the details of one task."""
        if isinstance(node, ast.Constant):
            yield str(node.value)
        elif isinstance(node, ast.IfExp):
            yield from self._texts(node.body)
            yield from self._texts(node.orelse)
        elif isinstance(node, ast.Name) and isinstance(self.function.__globals__.get(node.id), str):
            yield self.function.__globals__[node.id]
        elif isinstance(node, ast.JoinedStr):
            yield _spoken("".join(_piece(part) for part in node.values))
        elif other := self.callee(node):
            part = _Function(other)
            for made in part.nodes:
                if isinstance(made, ast.Return) and made.value:
                    yield from part._texts(made.value)


def _piece(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else f"<{ast.unparse(part).strip(chr(39))}>"


def _spoken(text: str) -> str:
    """A claim as it is said of any task: "the wrong fix <fix.name> earns 0.1" is "the wrong fix earns 0.1"."""
    text = re.sub(r" ?\(<[^>]*>\)|<\{why\}>| <\{\w+\.name!r\}>", "", text)
    return re.sub(r"<[^>]*repeat[^>]*>", "N", text.replace("<{broken}>", "the file"))


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


PARTS: Mapping[str, Callable[[], str]] = {"checks": _claims, "mends": _mends}
