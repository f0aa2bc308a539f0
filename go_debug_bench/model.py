"""``task.json`` as one strict, frozen model, and the JSON Schema that is generated from it."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
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
    path = PurePosixPath(text)
    if not text or path.is_absolute() or str(path) != text or ".." in path.parts or "\\" in text:
        raise PydanticCustomError("path", "must be a path relative to the repo, like 'internal/store/store.go'")
    return text


_TEXT_SCHEMA = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    "description": "A string, or a list of lines that are joined with newlines",
}

Lines = Annotated[str, BeforeValidator(_join_lines), WithJsonSchema(_TEXT_SCHEMA)]
"""A string, or a list of lines."""
Sentence = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
FilePath = Annotated[str, AfterValidator(_relative_path)]
FixName = Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]


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
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Equals the folder's name")]
    title: Sentence
    package: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="The Go package of the defect")]
    difficulty: Literal["medium", "hard", "expert"]
    family: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", description="slices, channels, encoding, time, …")]
    go: Annotated[str, Field(pattern=r"^1\.[0-9]+$", description="Go release, as in go.mod")]
    prompt: Annotated[Lines, AfterValidator(_not_blank)]
    knowledge_gate: Sentence
    why_public_misses: Sentence
    why_hard: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    fail_to_pass: Annotated[
        tuple[Sentence, ...],
        Field(
            min_length=1,
            description="Hidden leaf tests that fail on the unfixed repo: TestX, TestX/sub, dir.TestX",
        ),
    ]
    reference_fix: Fix
    alternative_fixes: Annotated[tuple[Fix, ...], Field(min_length=2)]
    wrong_fixes: Annotated[tuple[WrongFix, ...], Field(min_length=2)]
    equivalent_mutants: tuple[EquivalentMutant, ...] = ()
    timeout_seconds: Annotated[int, Field(ge=1, le=600, description="Limit of one run of the hidden suite")]


def parse_spec(data: bytes, file: str = "task.json") -> TaskSpec | list[Problem]:
    """The model of a ``task.json``, or every problem that keeps it from being one."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [Problem(file, "", f"is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}; save it as UTF-8")]
    try:
        return TaskSpec.model_validate_json(data)
    except ValidationError as error:
        return [_problem(file, dict(detail)) for detail in error.errors(include_url=False, include_context=False)]


def _problem(file: str, detail: dict[str, Any]) -> Problem:
    path = ""
    for part in detail["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith("edit:"):
            path += f".{part}" if path else part
    messages = {
        "extra_forbidden": "unknown field; remove it or correct its name",
        "missing": "is missing",
        "json_invalid": f"is not JSON: {detail['msg'].removeprefix('Invalid JSON: ')}",
    }
    return Problem(file, path, messages.get(detail["type"]) or _plain(detail["msg"]))


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
