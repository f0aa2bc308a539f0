"""``task.json`` as one strict, frozen model, and the JSON Schema that is generated from it."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from go_debug_bench.errors import Problem

__all__ = [
    "SCHEMA_FILE",
    "CreateFile",
    "DeleteFile",
    "Difficulty",
    "Edit",
    "EquivalentMutant",
    "Fix",
    "ReplaceText",
    "TaskSpec",
    "WrongFix",
    "json_schema",
    "parse_spec",
]

SCHEMA_FILE = "task.schema.json"
"""File name of the committed schema, beside this module."""


def _join_lines(value: object) -> object:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be empty")
    return text


def _relative_path(text: str) -> str:
    # No pathlib: it takes half of the time to parse a task.
    odd = any(part in ("", ".", "..") for part in text.split("/")) or any(c in text for c in "\\\0\n")
    if odd or len(text.encode()) > 200:
        raise PydanticCustomError("path", "must be a path relative to the repo, like 'internal/store/store.go'")
    return text


_TEXT_SCHEMA = {
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
    "description": "A string, or a list of lines that are joined with newlines",
}

Lines = Annotated[str, BeforeValidator(_join_lines), WithJsonSchema(_TEXT_SCHEMA)]
"""A string, or a list of lines."""
Sentence = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
FilePath = Annotated[str, AfterValidator(_relative_path)]
Difficulty = Literal["medium", "hard", "expert"]


def _matching(pattern: str, words: str) -> tuple[AfterValidator, WithJsonSchema]:
    """A pattern that says in words what it wants, and reaches the schema."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise PydanticCustomError("pattern", "must be {words}", {"words": words})
        return text

    return AfterValidator(check), WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def _selectable(name: str) -> str:
    if name in ("and", "or", "not"):
        raise PydanticCustomError("reserved", "is a word of pytest's -k expressions; choose another name")
    return name


FixName = Annotated[
    str, AfterValidator(_selectable), *_matching(r"[a-z0-9-]+", "lower-case letters, digits and hyphens")
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ReplaceText(_Strict):
    """Replace a text that occurs exactly once in the file."""

    file: FilePath
    find: Annotated[Lines, AfterValidator(_not_blank)]
    replace: Lines


class CreateFile(_Strict):
    """Add a file that is not there yet; a missing final newline is added."""

    file: FilePath
    create: Lines


class DeleteFile(_Strict):
    """Remove a file."""

    file: FilePath
    delete: Literal[True]


def _edit_kind(value: Any) -> str:
    keys = value if isinstance(value, dict) else getattr(value, "__dict__", ())
    return next((f"edit:{kind}" for kind in ("create", "delete") if kind in keys), "edit:replace")


Edit = Annotated[
    Annotated[ReplaceText, Tag("edit:replace")]
    | Annotated[CreateFile, Tag("edit:create")]
    | Annotated[DeleteFile, Tag("edit:delete")],
    Discriminator(_edit_kind),
]


class Fix(_Strict):
    """A change of the unfixed repo that repairs the defect."""

    name: FixName
    summary: Sentence
    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]


class WrongFix(Fix):
    """A change that a hurried engineer would ship and that must not be paid."""

    why: Sentence


class EquivalentMutant(Fix):
    """A change of the fixed code that no test can tell from it."""

    why: Sentence


class TaskSpec(_Strict):
    """Everything about a task but its code: the content of ``task.json``."""

    schema_: Annotated[str | None, Field(alias="$schema", description="For editors; not read")] = None
    id: Annotated[
        str,
        *_matching(r"[a-z0-9]+(-[a-z0-9]+)*", "lower-case words joined by hyphens, like 'worker-pool-leak'"),
        Field(description="Equals the folder's name"),
    ]
    title: Annotated[Sentence, Field(description="What is wrong, in a few words, for lists of tasks")]
    package: Annotated[
        str, *_matching(r"[a-z][a-z0-9_]*", "a Go package name"), Field(description="The Go package of the defect")
    ]
    difficulty: Annotated[
        Difficulty,
        Field(description="How hard the fault is to find and to mend for somebody who knows Go"),
    ]
    family: Annotated[
        str,
        *_matching(r"[a-z][a-z0-9-]*", "a lower-case word, like 'slices'"),
        Field(description="What the gate belongs to: slices, channels, encoding, time, …"),
    ]
    go: Annotated[
        str, *_matching(r"1\.[0-9]+", "a Go release, like '1.24'"), Field(description="Go release, as in go.mod")
    ]
    prompt: Annotated[
        Lines,
        AfterValidator(_not_blank),
        Field(
            description="What the agent reads: the symptom as a user would report it, pointing away from the fault, "
            "and the contract that a fix must keep. A string or lines"
        ),
    ]
    knowledge_gate: Annotated[
        Sentence, Field(description="The piece of Go knowledge that the fault is hidden behind, in one sentence")
    ]
    why_public_misses: Annotated[
        Sentence, Field(description="Why a natural public suite passes in spite of the fault, in one sentence")
    ]
    why_hard: Annotated[
        tuple[Sentence, ...], Field(min_length=1, description="What leads a solver astray, one sentence each")
    ]
    fail_to_pass: Annotated[
        tuple[Sentence, ...],
        Field(
            min_length=1,
            description="Hidden leaf tests that fail on the unfixed repo: TestX, TestX/sub, dir.TestX",
        ),
    ]
    reference_fix: Annotated[Fix, Field(description="The fix that a maintainer would merge; it must earn 1.1")]
    alternative_fixes: Annotated[
        tuple[Fix, ...], Field(min_length=2, description="Right fixes that are built differently; each must earn 1.1")
    ]
    wrong_fixes: Annotated[
        tuple[WrongFix, ...], Field(min_length=2, description="Fixes of a hurried engineer; each must earn 0.1")
    ]
    equivalent_mutants: Annotated[
        tuple[EquivalentMutant, ...],
        Field(description="Changes of the fixed code that no test can tell from it; for measuring the hidden suite"),
    ] = ()
    timeout_seconds: Annotated[int, Field(ge=1, le=600, description="Limit of one run of the hidden suite")]


def parse_spec(data: bytes, file: str = "task.json") -> TaskSpec | list[Problem]:
    """The model of a ``task.json``, or every problem that keeps it from being one."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [Problem(file, "", f"is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}; save it as UTF-8")]
    if text.startswith("\ufeff"):
        return [Problem(file, "", "starts with a byte order mark; save it as UTF-8 without one")]
    problems = [Problem(file, "", f"has the field {name!r} twice in one object") for name in _repeated_names(text)]
    try:
        spec = TaskSpec.model_validate_json(data)
    except ValidationError as error:
        details = error.errors(include_url=False)
        places = [detail["loc"] for detail in details]
        # A list is short of items that are there but malformed: the items' own problems say enough.
        return problems + [
            _problem(file, dict(detail))
            for detail in details
            if detail["type"] != "too_short" or not any(_is_below(place, detail["loc"]) for place in places)
        ]
    return problems or spec


def _is_below(place: tuple[int | str, ...], other: tuple[int | str, ...]) -> bool:
    return len(place) > len(other) and place[: len(other)] == other


def _repeated_names(text: str) -> set[str]:
    """Names that stand twice in one object: JSON takes the last, silently."""
    repeated: set[str] = set()

    def take(pairs: list[tuple[str, object]]) -> None:
        names = [name for name, _ in pairs]
        repeated.update(name for name in names if names.count(name) > 1)

    with contextlib.suppress(ValueError, RecursionError):  # the model says what is wrong with the JSON
        json.loads(text, object_pairs_hook=take)
    return repeated


def _problem(file: str, detail: dict[str, Any]) -> Problem:
    path = ""
    for part in detail["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith("edit:"):
            path += f".{part}" if path else part
    context = detail.get("ctx", {})
    messages = {
        "extra_forbidden": f"unknown field; {_nearest_field(str(detail['loc'][-1]) if detail['loc'] else '')}",
        "missing": "is missing",
        "json_invalid": f"is not JSON: {detail['msg'].removeprefix('Invalid JSON: ')}",
        "string_type": "must be a string",
        "int_type": "must be a whole number",
        "tuple_type": "must be a list",
        "model_type": "must be an object",
        "string_too_short": "must not be empty",
        "too_short": f"must have at least {context.get('min_length')} entries, not {context.get('actual_length')}",
    }
    return Problem(file, path, messages.get(detail["type"]) or _plain(detail["msg"]))


def _nearest_field(name: str) -> str:
    models = (TaskSpec, WrongFix, ReplaceText, CreateFile, DeleteFile)
    known = {field for model in models for field in model.model_fields}
    near = difflib.get_close_matches(name, known - {"schema_"}, n=1)
    return f"did you mean {near[0]!r}?" if near and near[0] != name else "remove it or correct its name"


def _plain(message: str) -> str:
    return message[:1].lower() + message[1:]


def json_schema() -> str:
    """The JSON Schema of ``task.json``, as the text of the committed copy."""
    schema = TaskSpec.model_json_schema(by_alias=True)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "go-debug-bench task",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(json_schema(), end="")
