"""Applying a fix's edits."""

import json
from typing import Any

import pytest

from go_debug_bench.fixes import apply, apply_all, is_built, is_source
from go_debug_bench.model import Fix

REPO = {"a.go": b"package a\n\nvar x = 1\nvar y = 1\n", "a_test.go": b"package a_test\n", "go.mod": b"module a\n"}


def fix(*edits: dict[str, Any]) -> Fix:
    """A fix with these edits."""
    return Fix.model_validate_json(json.dumps({"name": "f", "summary": "F.", "edits": list(edits)}))


def test_edits_apply_one_after_another() -> None:
    """A later edit sees what an earlier one wrote; the given repo stays as it is."""
    before = dict(REPO)
    fixed = apply(
        fix(
            {"file": "a.go", "find": "var x = 1", "replace": "var x = 2"},
            {"file": "a.go", "find": "var x = 2\n", "replace": ""},
            {"file": "b.go", "create": ["package a", "", "var z = 1"]},
        ),
        REPO,
    )
    assert fixed == {**REPO, "a.go": b"package a\n\nvar y = 1\n", "b.go": b"package a\n\nvar z = 1\n"}
    assert before == REPO


def test_a_file_can_be_deleted() -> None:
    """Deleting leaves no empty file."""
    assert "a.go" not in apply(fix({"file": "a.go", "delete": True}), REPO)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([{"file": "a.go", "find": "zzz", "replace": ""}], "find occurs 0 times in a.go, not exactly once: 'zzz'"),
        ([{"file": "a.go", "find": " = 1", "replace": ""}], "find occurs 2 times in a.go, not exactly once: ' = 1'"),
        ([{"file": "b.go", "find": "x", "replace": ""}], "b.go is not in the repo"),
        ([{"file": "b.go", "delete": True}], "b.go is not in the repo"),
        ([{"file": "a.go", "create": ""}], "creates a.go, which is there already"),
        ([{"file": "a_test.go", "delete": True}], "touches a test, a_test.go: a fix changes no test"),
        ([{"file": "new_test.go", "create": ""}], "touches a test, new_test.go: a fix changes no test"),
        ([{"file": "go.mod", "find": "a", "replace": "b"}], "go.mod is not a Go source file that grading takes"),
        ([{"file": "testdata/a.go", "create": ""}], "testdata/a.go is not a Go source file that grading takes"),
    ],
)
def test_an_edit_that_does_not_apply_is_a_problem(edits: list[dict[str, Any]], expected: str) -> None:
    """Field and reason are named, and ``apply`` refuses."""
    _, problems = apply_all(fix(*edits), REPO, "reference_fix")
    assert [problem.field for problem in problems] == ["reference_fix.edits[0]"]
    assert problems[0].message.startswith(expected)
    with pytest.raises(ValueError, match="edits"):
        apply(fix(*edits), REPO)


TANK = b"package tank\n\nfunc (t Tank) Fill() {\n\tt.batch = batch\n\tt.full = true\n}\n"


@pytest.mark.parametrize(
    ("find", "data", "expected"),
    [
        ("    t.batch = batch", TANK, "'    t.batch = batch'; it occurs with other white space in line 4"),
        (" t.batch=batch\n\n", TANK, "' t.batch=batch\\n\\n'; it occurs with other white space in line 4"),
        (
            "batch\n\tt.full",
            TANK.replace(b"\n", b"\r\n"),
            r"'batch\n\tt.full'; it occurs with other white space in line 4, and the file's lines end in CRLF (\r\n)",
        ),
        ("  batch", TANK, "'  batch'"),  # in two places: neither is meant for sure
        ("x" * 100, TANK, f"'{'x' * 59}…'"),
    ],
)
def test_a_text_that_is_not_found_is_shown_with_its_white_space(find: str, data: bytes, expected: str) -> None:
    """And where it is but for that: a copy from a terminal or an editor has often lost its tabs."""
    _, problems = apply_all(fix({"file": "tank.go", "find": find, "replace": ""}), {"tank.go": data}, "reference_fix")
    assert [problem.message for problem in problems] == [
        f"find occurs 0 times in tank.go, not exactly once: {expected}"
    ]


def test_a_fix_that_changes_nothing_is_a_problem() -> None:
    """Edits that cancel out are no fix."""
    edits = ({"file": "a.go", "find": "x", "replace": "q"}, {"file": "a.go", "find": "q", "replace": "x"})
    _, problems = apply_all(fix(*edits), REPO, "wrong_fixes[0]")
    assert [str(problem) for problem in problems] == ["task.json: wrong_fixes[0].edits: change nothing"]


@pytest.mark.parametrize(
    ("path", "built", "source"),
    [
        ("a.go", True, True),
        ("internal/x/a.go", True, True),
        ("a_test.go", True, False),
        ("vendor/x/a.go", False, False),
        ("x/testdata/a.go", False, False),
        (".git/a.go", False, False),
        ("_old/a.go", False, False),
        ("_a.go", False, False),
        ("a.s", False, False),
        ("a.c", False, False),
        ("a.syso", False, False),
        ("go.mod", False, False),
        ("vendored/a.go", True, True),
    ],
)
def test_what_a_submission_may_change(path: str, built: bool, source: bool) -> None:  # noqa: FBT001
    """Go source that the go command builds, and nothing else."""
    assert is_built(path) is built
    assert is_source(path) is source
