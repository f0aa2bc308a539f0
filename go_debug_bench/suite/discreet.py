"""What of a task's prompt and repo gives its fault or its hidden suite away."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from go_debug_bench.gosource import parse_go, syntax
from go_debug_bench.model import ReplaceText
from go_debug_bench.suite.finding import Finding, quoted
from go_debug_bench.suite.gate import Gate, sentences, words
from go_debug_bench.suite.goapi import Comment, Source, declared, named, read_source
from go_debug_bench.suite.hints import hints, rows_of_code, told_hints
from go_debug_bench.task import Task
from go_debug_bench.tree import is_test_file

__all__ = ["giveaways"]

# A prompt may have a guess. What it must not do is to know: "the fault is in X", "a bug in X", "fix it by doing Y".
_STATED = re.compile(
    r"(?i)(?<!\w)(?:(fault|bug|defect|culprit|mistake|cause)s?\s+(?:is|are|lies?|sits?|hides?)\s+"
    r"(?:in|inside|within|with|that|because|how)(?!\w)"
    r"|(bug|fault|defect|mistake)s?\s+in\s+(?!(?:the|this|that|our|your)\s+(?:package|module|service|program|code)(?!\w))"
    r"|(?:fix|mend|repair|solve|correct)\s+(?:[^\s.]{1,40}\s+){1,4}?by\s+(?!morning|evening)\w+ing(?!\w))"
)
_GUESSED = re.compile(
    r"(?i)(?<!\w)(?:guess|suspect(?:ed|s)?|suspicion|suppose|thinks?|thought|believed?|blamed?|perhaps|probably|maybe|"
    r"may|might|must|could|can|seems?|looks?|says|said|whether|if|where|not?|nor)(?!\w)"
)
_MOST = 100
"""Findings of one rule: more make nothing clearer, and a large text may have as many as it has words."""
_LONG_NAME = 3  # words: a shorter name of a test may be anybody's
_HUMP = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+")


@dataclass(frozen=True)
class _Text:
    """A text that the agent reads; ``line`` is its first. What is documentation states the contract."""

    place: str
    line: int
    text: str
    contract: bool = False

    def at(self, offset: int) -> str:
        """The place of what stands there: file and line, or field and line."""
        line = self.line + bisect_left(self._ends, offset)
        return f"{self.place} line {line}" if self.place.startswith("task.json") else f"{self.place}:{line}"

    @cached_property
    def _ends(self) -> list[int]:
        """The offsets of the line ends."""
        return [match.start() for match in re.finditer("\n", self.text)]


@dataclass(frozen=True)
class _View:
    """What the agent sees of a task, in parts."""

    task: Task

    @cached_property
    def told(self) -> list[_Text]:
        """The title and the prompt."""
        spec = self.task.spec
        return [_Text("task.json: title", 1, spec.title), _Text("task.json: prompt", 1, spec.prompt)]

    @cached_property
    def files(self) -> list[_Text]:
        """The files of the repo, whole."""
        return [
            _Text(f"repo/{path}", 1, data.decode("utf-8", "replace")) for path, data in sorted(self.task.repo.items())
        ]

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The Go files of the repo."""
        return {path: read_source(data) for path, data in sorted(self.task.repo.items()) if path.endswith(".go")}

    @cached_property
    def prose(self) -> list[_Text]:
        """The comments of the repo, and its other texts for readers."""
        found: list[_Text] = []
        for path, source in self.sources.items():
            found += _blocks(f"repo/{path}", source.comments, test=is_test_file(path))
        for text in self.files:
            if text.place.endswith((".md", ".txt")) and "testdata" not in text.place.split("/"):
                found.append(replace(text, contract=True))
        return found

    @cached_property
    def documented(self) -> str:
        """All that documentation says."""
        return "\n".join(text.text for text in self.prose if text.contract)

    @cached_property
    def domain(self) -> frozenset[str]:
        """The words that the module's exported names are made of: they are what the task is about."""
        tests = [name for data in self.task.public_tests.values() for name in parse_go(data).functions]
        return _words_of([*(item.name for item in declared(self.task.repo)), *tests, self.task.spec.package])

    @cached_property
    def named(self) -> frozenset[str]:
        """The words that any name in the module is made of: who reads the comments reads these."""
        return _words_of(name for source in self.sources.values() for name in source.names)


def _words_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in set(names) for word in words(" ".join(_HUMP.findall(name))))


def _blocks(place: str, comments: Iterable[Comment], *, test: bool) -> Iterator[_Text]:
    """Comments on lines that follow each other as one text: a phrase may go on in the next line."""
    block: list[Comment] = []
    for comment in comments:
        if block and (comment.line, comment.documents) != (block[-1].last_line + 1, block[-1].documents):
            yield _joined(place, block, test=test)
            block = []
        block.append(comment)
    if block:
        yield _joined(place, block, test=test)


def _joined(place: str, block: Sequence[Comment], *, test: bool) -> _Text:
    text = "\n".join(comment.text for comment in block)
    return _Text(place, block[0].line, text, contract=block[0].documents and not test)


def giveaways(task: Task) -> list[Finding]:
    """What names a hidden test, says what the gate is, names the place of the fault, or hints at it.

    At most 100 of each kind.
    """
    view = _View(task)
    rules = (_hidden_names, _fault_places, _fault_code, _statements, _gate_words, _hints)
    return list(dict.fromkeys(finding for rule in rules for finding in islice(rule(view), _MOST)))


def _hidden_names(view: _View) -> Iterator[Finding]:
    task = view.task
    tests = [re.split(r"[./]", name) for name in (*task.hidden_tests, *task.spec.fail_to_pass)]
    names = {part for parts in tests for part in parts if _is_distinctive(part) and not _is_public(part, task)}
    bare = "|".join(re.escape(name.removeprefix("Test")) for name in sorted(names))
    patterns = [f"(?:Test)?(?:{bare})"] if bare else []
    patterns += [re.escape(path.rpartition("/")[2]) for path in sorted(task.hidden) if is_test_file(path)]
    pattern = re.compile(f"(?<!\\w)(?:{'|'.join(patterns)})(?!\\w)")
    for text in (*view.told, *view.files):
        for match in pattern.finditer(text.text):
            yield Finding(
                place=text.at(match.start()),
                what=f"names {quoted(match[0])} of the hidden suite",
                mend="rename the hidden test, or say what must hold in words of your own",
            )


def _is_public(name: str, task: Task) -> bool:
    """Whether the public tests have a test of that name too, or a subtest, which may be written with spaces."""
    marks = (f"func {name}(", f'"{name}"', '"' + name.replace("_", " ") + '"')
    return any(mark.encode() in data for data in task.public_tests.values() for mark in marks)


def _is_distinctive(name: str) -> bool:
    if name.startswith("Test"):
        return len(_HUMP.findall(name.removeprefix("Test"))) >= _LONG_NAME
    return len(re.findall(r"[^\W_]+", name)) >= _LONG_NAME


def _fault_places(view: _View) -> Iterator[Finding]:
    """The file that the reference fix edits, or the unexported function, where the prompt or the title names it."""
    task = view.task
    edited = {edit.file for edit in task.spec.reference_fix.edits if edit.file in task.repo}
    sources = {path for path in task.repo if path.endswith(".go") and not is_test_file(path)}
    files = sorted(edited) if len(sources) > 1 else []  # a module of one file has no other place
    places = {rf"(?<![\w./-])(?:[\w./-]+/)?{re.escape(path.rpartition('/')[2])}(?!\w)": path for path in files}
    for name, path in sorted(_edited_functions(task).items()):
        # As code alone: get or merge may be a word of the sentence.
        code = re.escape(name)
        inner = rf"(?<!\w){code}(?!\w)" if re.search(r"[a-z][A-Z]", name) else rf"`{code}(?:\(\))?`|(?<!\w){code}\("
        places[inner] = f"{path}, in {name}"
    for text in view.told:
        for pattern, place in places.items():
            for match in re.finditer(pattern, text.text):
                yield Finding(
                    place=text.at(match.start()),
                    what=f"names {quoted(match[0])}, and the reference fix edits {place}",
                    mend="report the symptom as a user sees it, who knows the exported API and not where the fault is",
                )


def _fault_code(view: _View) -> Iterator[Finding]:
    """Code that the reference fix replaces, where the prompt or the title quotes it and nothing public does."""
    task = view.task
    edits = [edit for edit in task.spec.reference_fix.edits if isinstance(edit, ReplaceText)]
    replaced = {row: edit.file for edit in edits for _, _, row in rows_of_code(edit.find)}
    public = [view.documented, *(data.decode("utf-8", "replace") for data in task.public_tests.values())]
    for known in public if replaced else ():
        for _, _, row in rows_of_code(known):
            replaced.pop(row, None)
    for text in view.told if replaced else ():
        for offset, said, row in rows_of_code(text.text):
            if row in replaced:
                yield Finding(
                    place=text.at(offset),
                    what=f"quotes {quoted(said)}, which the reference fix replaces in {replaced[row]}",
                    mend="report the symptom as a user sees it, who knows the exported API and not the code",
                )


def _edited_functions(task: Task) -> dict[str, str]:
    """Name -> file of the unexported functions and methods that the reference fix edits."""
    found: dict[str, str] = {}
    for edit in task.spec.reference_fix.edits:
        if isinstance(edit, ReplaceText) and edit.file in task.repo:
            start = task.repo[edit.file].find(edit.find.encode())
            if start < 0:  # an earlier edit has put it there
                continue
            end = start + len(edit.find.encode())
            for node in syntax(task.repo[edit.file]).children:
                touched = node.start_byte < end and start < node.end_byte
                if touched and node.type in ("function_declaration", "method_declaration"):
                    found |= {name: edit.file for name in named(node) if not name[:1].isupper()}
    return found


def _statements(view: _View) -> Iterator[Finding]:
    """Where the prompt or the title says outright where the fault is, what causes it or how to mend it."""
    for text in view.told:
        for offset, sentence in sentences(text.text):
            first = _GUESSED.search(sentence)
            for match in _STATED.finditer(sentence):
                noun = match[1] or match[2] or ""
                domain = bool(noun) and not noun.isupper() and set(words(noun)) <= view.named
                guess = bool(noun) and first is not None and first.end() <= match.end()
                if not domain and not guess:
                    yield Finding(
                        place=text.at(offset + match.start()),
                        what=f"states the fault or its mend: {quoted(sentence[match.start() :])}",
                        mend="report the symptom, and where the users only guess at the cause, say that they guess",
                    )


def _gate_words(view: _View) -> Iterator[Finding]:
    spec = view.task.spec
    told = Gate(spec.knowledge_gate, spec.id, domain=view.domain, documented=view.documented)
    shown = replace(told, domain=view.domain | view.named)
    for text, gate, mend in (
        *((text, told, "a prompt tells the symptom and the contract, not the mechanism") for text in view.told),
        *((text, shown, "a comment says what the code is for, not the mechanism of its fault") for text in view.prose),
    ):
        retold = gate.retold(text.text) if gate is told else ()
        for offset, said in (*gate.found(text.text, contract=text.contract), *retold):
            yield Finding(
                place=text.at(offset),
                what=f"says {quoted(said)}, as knowledge_gate or the task's id does",
                mend=mend,
            )


def _hints(view: _View) -> Iterator[Finding]:
    asked = "tell what a user knows, who has not seen the code and knows of no tests but the public ones"
    plain = "write the comments that a module without a fault would have"
    for text, found, mend in (
        *((text, told_hints(text.text, view.named), asked) for text in view.told),
        *((text, hints(text.text, view.named), plain) for text in view.prose),
    ):
        for offset, said in found:
            yield Finding(
                place=text.at(offset),
                what=f"hints at the fault or at how it is judged: {quoted(said)}",
                mend=mend,
            )
