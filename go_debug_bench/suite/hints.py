"""Words that say that a fault was put in, and code that says where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from go_debug_bench.suite.gate import words
from go_debug_bench.suite.written import PLACEHOLDER

__all__ = ["hints", "rows_of_code", "told_hints"]

_GAP = r"[-\s/*]{1,20}"  # a phrase may go on in the next line of a comment
_KNOWS = rf"off{_GAP}by{_GAP}(?:one|1)|hidden{_GAP}(?:tests?|suites?)"
_TOLD = re.compile(rf"(?i)(?<!\w)(?:{_KNOWS})(?!\w)")
# A mistake is a hint, but what is done by mistake is what a contract speaks of.
_HINT = re.compile(
    rf"(?i)(?<!\w)(?:{_KNOWS}|bugs?(?!\s+reports?(?!\w))|buggy|fixme|todo|hack(?:s|y|ish)?|xxx|defect(?:ive)?|gobench"
    rf"|(?-i:FIX)(?=:)|(?<!by )mistakes?|the{_GAP}fault{_GAP}(?:is|lies|sits|hides)|this{_GAP}is{_GAP}broken"
    rf"|known{_GAP}issues?|planted|the{_GAP}trap)(?!\w)"
)
# Good comments have these words too; beside a fault they tell of the one that was put in.
_PERHAPS = re.compile(
    rf"(?i)(?<!\w)(?:deliberate(?:ly)?|intentional(?:ly)?|on{_GAP}purpose|benchmarks?|graders?|defects"
    r"|bug\s+reports?)(?!\w)"
)
_FAULT = re.compile(r"(?i)(?<!\w)(?:faults?|bugs?(?!\s+reports?(?!\w))|wrong(?:ly)?|incorrect(?:ly)?|broken)(?!\w)")
_PARAGRAPH = re.compile(r"(?:.+(?:\n|\Z))+")
_FILLERS = frozenset({"is", "known", "the", "this"})

_TOKEN = re.compile(r"\w+|[<>=!:+\-*/%&|^]+|[^\w\s]")
_OPERATOR = re.compile(r"[<>=!:+\-*/%&|^]+")
_ROW = 3


def hints(text: str, domain: AbstractSet[str]) -> Iterator[tuple[int, str]]:
    """What a comment or a note hints at, each with its offset; words of the ``domain`` count in capitals alone.

    What good comments say as well, as that something is deliberate, counts in a paragraph that speaks of a fault.
    """
    known = {*domain, *_FILLERS}
    for paragraph in _PARAGRAPH.finditer(text.replace(PLACEHOLDER, " " * len(PLACEHOLDER))):
        patterns = (_HINT, _PERHAPS) if _FAULT.search(paragraph[0]) else (_HINT,)
        for pattern in patterns:
            for match in pattern.finditer(paragraph[0]):
                if match[0].isupper() or not set(words(match[0])) <= known:
                    yield paragraph.start() + match.start(), match[0]


def told_hints(text: str, domain: AbstractSet[str]) -> Iterator[tuple[int, str]]:
    """What a prompt says that only an author knows, each with its offset."""
    for match in _TOLD.finditer(text):
        if not set(words(match[0])) <= domain:
            yield match.start(), match[0]


def rows_of_code(text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Two operands and the operator between them: offset, text and tokens of each.

    A comparison with nil is none: that an error is nil is what a user sees.
    """
    tokens = list(_TOKEN.finditer(text))
    for at in range(len(tokens) - _ROW + 1):
        left, operator, right = row = tokens[at : at + _ROW]
        operands = all(re.match(r"\w", side[0]) for side in (left, right))
        if operands and right[0] != "nil" and _OPERATOR.fullmatch(operator[0]):
            yield left.start(), text[left.start() : right.end()], tuple(token[0] for token in row)
