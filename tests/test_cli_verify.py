"""``go-debug-bench verify`` and ``schema``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import EXAMPLES, invoke, start, variables


@pytest.mark.parametrize("document", ["task", "grade", "report"])
def test_the_schemas_are_json_schemas(document: str) -> None:
    """Each describes its fields."""
    schema = json.loads(invoke("schema", document).output)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert all("description" in field or "$ref" in field or "anyOf" in field for field in schema["properties"].values())


def test_the_schema_is_that_of_a_task_by_default() -> None:
    """The same text as the committed copy."""
    committed = Path("go_debug_bench/task.schema.json")
    assert invoke("schema").output == (Path(__file__).parent.parent / committed).read_text()


def test_verify_runs_the_checks_and_hands_everything_on() -> None:
    """Ids, the folder of tasks and pytest's options; the matrix is its output."""
    process = start("verify", "tiny-tally", "-n", "0", "--tasks", EXAMPLES / "valid", "--", "-k", "vet-clean")
    stdout, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert stdout.splitlines() == ["=== tiny-tally  (package tally, medium) ===", "    ok   go vet clean"]
    assert "1 passed" in stderr


def test_verify_ends_with_one_line_however_early_ctrl_c_comes(tmp_path: Path) -> None:
    """Importing pytest takes a second, in which nobody else would say a word but a traceback."""
    (tmp_path / "pytest.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(9)"
    )
    process = start("verify", env=variables(PYTHONPATH=f"{tmp_path}:{Path(__file__).parent.parent}"))
    assert process.communicate() == ("", "Error: interrupted\n")
    assert process.returncode == 2


def test_verify_imports_nothing_from_where_it_runs(tmp_path: Path) -> None:
    """A folder of tasks may be anybody's."""
    (tmp_path / "tasks").symlink_to(EXAMPLES / "valid")
    (tmp_path / "pytest.py").write_text("raise SystemExit('the wrong pytest')")
    process = start("verify", "-n", "0", "--", "-k", "tiny-tally and vet-clean", cwd=tmp_path)
    assert "1 passed" in process.communicate()[1]


def test_verify_hands_the_exit_status_on() -> None:
    """That of a failed claim, and of an id that nobody knows."""
    process = start("verify", "fails-vet-clean", "-n", "0", "--tasks", EXAMPLES / "broken", "--", "-k", "vet-clean")
    process.communicate()
    assert process.returncode == 1
    process = start("verify", "tiny-tali", "--tasks", EXAMPLES / "valid")
    assert "did you mean tiny-tally?" in process.communicate()[1]
    assert process.returncode == 4


def test_verify_says_where_options_of_pytest_stand() -> None:
    """To somebody who gives one of them where it cannot be; a misspelt one of its own is recognised all the same."""
    done = invoke("verify", "tiny-tally", "-k", "vet-clean")
    assert done.exit_code == 2
    said = "No such option '-k'. Options of pytest stand after '--': go-debug-bench verify ID -- -k …"
    assert said in " ".join(done.stderr.split())
    assert "Did you mean '--tasks'?" in invoke("verify", "--taks", "x").stderr
