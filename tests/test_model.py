"""``task.json`` as a strict model."""

import json
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench import model
from go_debug_bench.errors import Problem
from go_debug_bench.model import CreateFile, DeleteFile, ReplaceText, TaskSpec, parse_spec

EXAMPLE = Path(__file__).parent / "examples" / "valid" / "tiny-tally" / "task.json"


def spec(**changes: Any) -> bytes:
    """The example's ``task.json`` with some fields replaced; ``...`` removes one."""
    fields = {**json.loads(EXAMPLE.read_bytes()), **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not ...}).encode()


def problems(data: bytes) -> list[str]:
    """The problems as an author reads them."""
    found = parse_spec(data)
    assert isinstance(found, list)
    assert all(isinstance(problem, Problem) for problem in found)
    return [str(problem) for problem in found]


def test_the_committed_schema_is_the_models() -> None:
    """Run 'python -m go_debug_bench.model > go_debug_bench/task.schema.json' after a change of the model."""
    committed = Path(model.__file__).with_name(model.SCHEMA_FILE)
    assert committed.read_text(encoding="utf-8") == model.json_schema()


def test_text_may_be_a_string_or_a_list_of_lines() -> None:
    """Lines are joined with newlines."""
    for prompt in ("one\ntwo", ["one", "two"]):
        parsed = parse_spec(spec(prompt=prompt))
        assert isinstance(parsed, TaskSpec)
        assert parsed.prompt == "one\ntwo"


def test_an_edit_is_told_apart_by_its_fields() -> None:
    """Replace, create or delete."""
    edits = [
        {"file": "a.go", "find": ["x", "y"], "replace": ""},
        {"file": "b.go", "create": ["package b"]},
        {"file": "c.go", "delete": True},
    ]
    parsed = parse_spec(spec(reference_fix={"name": "all", "summary": "All.", "edits": edits}))
    assert isinstance(parsed, TaskSpec)
    assert parsed.reference_fix.edits == (
        ReplaceText(file="a.go", find="x\ny", replace=""),
        CreateFile(file="b.go", create="package b"),
        DeleteFile(file="c.go", delete=True),
    )


def fix(**changes: Any) -> dict[str, Any]:
    """A fix for the tables below."""
    return {"name": "a", "summary": "A.", "edits": [{"file": "a.go", "delete": True}], **changes}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"id": "\xff"}', "task.json: is not UTF-8: byte 8 is 0xff; save it as UTF-8"),
        (b"{", "task.json: is not JSON: EOF while parsing an object at line 1 column 1"),
        (b"[]", "task.json: must be an object"),
        (spec(extra=1), "task.json: extra: unknown field; remove it or correct its name"),
        (spec(dificulty="hard"), "task.json: dificulty: unknown field; did you mean 'difficulty'?"),
        (b"\xef\xbb\xbf" + spec(), "task.json: starts with a byte order mark; save it as UTF-8 without one"),
        (spec().replace(b'"title"', b'"title": "x", "title"'), "task.json: has the field 'title' twice in one object"),
        (spec(reference_fix=fix(name="and")), "task.json: reference_fix.name: is a word of pytest's -k expressions"),
        (spec(title=...), "task.json: title: is missing"),
        (spec(prompt=["", "  "]), "task.json: prompt: must not be empty"),
        (spec(prompt=7), "task.json: prompt: must be a string"),
        (spec(title=""), "task.json: title: must not be empty"),
        (spec(timeout_seconds="20"), "task.json: timeout_seconds: must be a whole number"),
        (spec(difficulty="easy"), "task.json: difficulty: input should be 'medium', 'hard' or 'expert'"),
        (spec(id="No_Id"), "task.json: id: must be lower-case words joined by hyphens"),
        (
            spec(reference_fix=fix(name="A b")),
            "task.json: reference_fix.name: must be lower-case letters, digits and hyphens",
        ),
        (
            spec(reference_fix=fix(name="a\n")),
            "task.json: reference_fix.name: must be lower-case letters, digits and hyphens",
        ),
        (spec(alternative_fixes=[fix()]), "task.json: alternative_fixes: must have at least 2 entries, not 1"),
        (spec(wrong_fixes=[fix(), fix()]), "task.json: wrong_fixes[0].why: is missing"),
        (spec(reference_fix=fix(edits=[])), "task.json: reference_fix.edits: must have at least 1 entries, not 0"),
        (
            spec(reference_fix=fix(edits=[{"file": "a.go", "find": "x"}])),
            "task.json: reference_fix.edits[0].replace: is missing",
        ),
        (
            spec(reference_fix=fix(edits=[{"file": "a.go", "delete": False}])),
            "task.json: reference_fix.edits[0].delete: input should be True",
        ),
        (
            spec(reference_fix=fix(edits=[{"file": "a.go", "create": "x", "find": "y"}])),
            "task.json: reference_fix.edits[0].find: unknown field",
        ),
        (spec(reference_fix=fix(edits=["x"])), "task.json: reference_fix.edits[0]: "),
        (
            spec(reference_fix=fix(edits=[{"file": "../a.go", "delete": True}])),
            "task.json: reference_fix.edits[0].file: must be a path relative to the repo",
        ),
        (
            spec(reference_fix=fix(edits=[{"file": "/a.go", "delete": True}])),
            "task.json: reference_fix.edits[0].file: must be a path relative to the repo",
        ),
    ],
)
def test_a_problem_names_the_file_the_field_and_the_mend(data: bytes, expected: str) -> None:
    """One line that an author can act on."""
    assert any(line.startswith(expected) for line in problems(data)), problems(data)


def test_every_problem_is_reported_at_once() -> None:
    """An author fixes them in one pass."""
    found = problems(spec(title=..., extra=1, timeout_seconds=0, prompt=""))
    assert sorted(line.split(": ")[1] for line in found) == ["extra", "prompt", "timeout_seconds", "title"]


def test_a_list_with_a_malformed_item_is_not_called_short_too() -> None:
    """The item's own problem says enough."""
    found = problems(spec(alternative_fixes=[fix(), fix(name="A")]))
    assert found == ["task.json: alternative_fixes[1].name: must be lower-case letters, digits and hyphens"]


def test_every_field_is_explained_in_the_schema() -> None:
    """Editors show it while an author writes."""
    fields = json.loads(model.json_schema())["properties"]
    assert [name for name, field in fields.items() if not field.get("description")] == []
