"""What in a text gives the knowledge gate away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Gate", "sentences", "words"]

_WORD = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?")
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w.])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]*[a-z][A-Z]\w*)")
_TELLING = 5  # letters: fewer make a word of everyday
_LONG_RUN = 4  # words
_SHORTEST_CODE = 4  # characters: e.g. is none
_RETOLD = 3  # telling words of one sentence of the gate, in one sentence of a prompt
_NEVER = r"(?!)"
_SENTENCE = re.compile(r"(?:[^.!?;]|[.!?;](?!\s|\Z))+")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_IN_ANY_PROMPT = frozenset(
    re.findall(
        r"\w+",
        """
        api cause change changed code documentation documented existing export exported function hidden keep leave
        module package passing please prompt public repair suite test unchanged
        """,
    )
)
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
        a about after again all also although always an and another any anything are as at be because been
        before behind being below between both but by called calls can cannot come could does doing done down
        each effect either else error errors even ever every everything few first from give given gives goes
        had has have having here how if in instead into is it its itself just keep keeps last later leave left
        less like made make makes many more most much must neither never no nobody none nor not nothing now of
        off on once one only onto or other others our out over own return returned returns same several shall
        should since so some something still such taken takes than that the their them themselves then there
        these they thing things this those though three through thus to together too two under until up upon
        us used uses using value values very was we well were what whatever when where whether which while who
        whole whose why will with within without would you your
        """,
    )
)


def words(text: str) -> list[str]:
    """The words of a text in a form in which one and many are the same."""
    return [_plain(word) for word in _WORD.findall(text)]


def _plain(word: str) -> str:
    word = re.sub(r"['\u2019]s$", "", word.casefold())
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _stem(word: str) -> str:
    """A word without what English appends: copies and copied are the copy, evaluates is evaluated."""
    word = re.sub(r"['\u2019]s$", "", word.casefold())
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending) + instead
            break
    return word.removesuffix("e")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, or the parts between semicolons, each with its offset."""
    return ((match.start(), match[0]) for match in _SENTENCE.finditer(text))


@dataclass(frozen=True)
class Gate:
    """The sentence of a knowledge gate and the task's id, against what the module's domain and documentation say."""

    sentence: str
    id: str
    domain: frozenset[str]
    documented: str

    def found(self, text: str, *, contract: bool) -> Iterator[tuple[int, str]]:
        """What a text shares with the gate and should not, each with its offset.

        Code that the gate names (what the documentation names too is part of the contract), words of the id that are
        none of the domain, two telling words in a row, and four words in a row of which two mean something. In the
        documentation itself, which states the ``contract``, only such rows count.
        """
        for pattern in () if contract else (self._code, self._names):
            yield from ((match.start(), match[0]) for match in pattern.finditer(text))
        yield from self._shared_rows(text)

    def retold(self, text: str) -> Iterator[tuple[int, str]]:
        """The sentences that say one of the gate's in another order or form, each by the words that tell it."""
        for offset, sentence in sentences(text):
            matches = {_stem(match[0]): match for match in reversed(list(_WORD.finditer(sentence)))}
            if any(self._shared_rows(sentence)):  # found says so already
                continue
            for telling in self._stems:
                shared = sorted((matches[stem] for stem in telling & matches.keys()), key=re.Match.start)
                if len(shared) >= _RETOLD:
                    yield offset + shared[0].start(), " … ".join(match[0] for match in shared)
                    break

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        """The telling words of each sentence, without their endings and without those of the domain."""
        domain = set(map(_stem, self.domain))
        told = (_WORD.findall(sentence) for _, sentence in sentences(self.sentence))
        return [frozenset(_stem(word) for word in sentence if _tells(word.casefold())) - domain for sentence in told]

    @cached_property
    def _code(self) -> re.Pattern[str]:
        tokens = {match[1] or match[2] for match in _CODE.finditer(self.sentence)}
        parts = []
        for token in sorted(token for token in tokens if len(token) >= _SHORTEST_CODE):
            if not re.search(_alone(re.escape(token)), self.documented):
                parts.append(_alone(re.escape(token)))
                last = token.rpartition(".")[2]
                if last != token and _plain(last) not in self.domain:
                    parts.append(rf"(?<=`){re.escape(last)}(?=`)|(?<!\w){re.escape(last)}(?=\()")
        return re.compile("|".join(parts) or _NEVER)

    @cached_property
    def _names(self) -> re.Pattern[str]:
        known = {*self.domain, *words(self.documented), *_IN_ANY_PROMPT}
        parts = [word for word in self.id.split("-") if _tells(word) and _plain(word) not in known]
        return re.compile(_alone(f"(?:{'|'.join(parts)})s?") if parts else _NEVER, re.IGNORECASE)

    @cached_property
    def _rows(self) -> frozenset[tuple[str, ...]]:
        plain = words(self.sentence)
        pairs = {row for row in _rows(plain, 2) if all(map(_tells, row))}
        runs = {row for row in _rows(plain, _LONG_RUN) if sum(map(_means, row)) > 1}
        return frozenset(row for row in pairs | runs if not set(filter(_means, row)) <= self.domain)

    def _shared_rows(self, text: str) -> Iterator[tuple[int, str]]:
        """The longest stretches of a text that are made of the gate's rows."""
        matches = list(_WORD.finditer(text))
        plain = [_plain(match[0]) for match in matches]
        end = -1
        stretches: list[tuple[int, int]] = []
        for at in range(len(plain)):
            rows = [row for length in (_LONG_RUN, 2) if (row := tuple(plain[at : at + length])) in self._rows]
            if rows:
                begin = stretches.pop()[0] if at < end else at
                end = max(end, at + len(rows[0]))
                stretches.append((begin, end))
        for begin, end in stretches:
            start = matches[begin].start()
            yield start, text[start : matches[end - 1].end()]


def _rows(plain: Sequence[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(plain[at : at + length]) for at in range(len(plain) - length + 1)]


def _alone(pattern: str) -> str:
    return rf"(?<![\w.]){pattern}(?!\w)"


def _means(word: str) -> bool:
    return len(word) > 2 and word not in _STOP


def _tells(word: str) -> bool:
    return len(word) >= _TELLING and word not in _STOP
