"""``go-debug-bench list`` and ``show``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from go_debug_bench.prompt import prompt
from go_debug_bench.task import load_task
from tests.commands import EXAMPLES, invoke, on_terminal


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with one valid task and one malformed one."""
    shutil.copytree(EXAMPLES / "valid" / "tiny-tally", tmp_path / "tiny-tally")
    shutil.copytree(EXAMPLES / "valid" / "build", tmp_path / "torn")
    (tmp_path / "torn" / "repo" / "go.mod").unlink()
    return tmp_path


def test_a_malformed_task_does_not_hide_the_others(tasks: Path) -> None:
    """It is listed as malformed, its problems go to standard error, and the exit status is 1."""
    done = invoke("list", "--tasks", tasks)
    assert done.exit_code == 1
    assert [line.split("\t")[:3] for line in done.stdout.splitlines()] == [
        ["tiny-tally", "slices", "medium"],
        ["torn", "-", "malformed"],
    ]
    assert "repo/go.mod: is missing" in done.stderr
    assert "task.json: id: is 'build' but the folder is called 'torn'" in done.stderr


def test_the_list_for_programs_has_both(tasks: Path) -> None:
    """One document, with its version."""
    done = invoke("list", "--json", "--tasks", tasks)
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("go-debug-bench list", 1)
    (task,) = document["tasks"]
    assert (task["id"], task["files"], task["folder"]) == ("tiny-tally", ["tally.go"], str(tasks / "tiny-tally"))
    (malformed,) = document["malformed"]
    assert malformed["id"] == "torn"
    assert {"file": "repo/go.mod", "field": "", "message": "is missing; the repo is one Go module"} in malformed[
        "problems"
    ]


def test_the_gate_is_hidden_unless_it_is_asked_for() -> None:
    """In the table and in the document."""
    gate = load_task(EXAMPLES / "valid" / "tiny-tally").spec.knowledge_gate
    assert gate not in invoke("list").output + invoke("list", "--json").output
    assert gate in invoke("list", "--gate").output
    assert gate in [task["gate"] for task in json.loads(invoke("list", "--gate", "--json").output)["tasks"]]


def test_tasks_are_chosen_by_family_and_difficulty() -> None:
    """A family that no task has is an error that names those that there are."""
    assert invoke("list", "--family", "slices", "--difficulty", "medium").output.count("\n") == 2
    none = invoke("list", "--family", "slices", "--difficulty", "expert")
    assert (none.exit_code, none.stdout) == (0, "")
    assert "no task" in none.stderr
    wrong = invoke("list", "--family", "channels")
    assert wrong.exit_code == 2
    assert "no task of the family 'channels'; there are slices" in wrong.stderr
    assert invoke("list", "--difficulty", "easy").exit_code == 2


def test_a_task_is_shown_as_an_agent_may_know_it() -> None:
    """With its files, the number of its tests and the prompt; nothing of the solution."""
    done = invoke("show", "tiny-tally")
    task = load_task(EXAMPLES / "valid" / "tiny-tally")
    assert done.exit_code == 0
    assert prompt(task.spec) in done.output
    assert "2 public tests, 1 hidden test" in done.output
    assert str(task.folder) in done.output
    assert "  tally.go  (13 lines)" in done.output
    kept = (task.spec.knowledge_gate, task.spec.reference_fix.summary, "TestTotalOfMany", *task.spec.why_hard)
    assert [text for text in kept if text in done.output] == []


def test_the_solution_is_shown_on_demand() -> None:
    """The gate, what makes it hard, and the reference fix as a unified diff."""
    done = invoke("show", "tiny-tally", "--solution")
    spec = load_task(EXAMPLES / "valid" / "tiny-tally").spec
    for text in (spec.knowledge_gate, spec.why_public_misses, *spec.why_hard, *spec.fail_to_pass):
        assert text in done.output
    assert "--- a/tally.go\n+++ b/tally.go\n@@ " in done.output
    assert "-\t\tif i < 3 {\n" in done.output
    assert "+\tfor _, reading := range readings {\n" in done.output


def test_what_a_task_says_is_shown_as_it_is(tmp_path: Path) -> None:
    """Brackets and colons are no markup."""
    folder = tmp_path / "tiny-tally"
    shutil.copytree(EXAMPLES / "valid" / "tiny-tally", folder)
    text = (folder / "task.json").read_text()
    (folder / "task.json").write_text(text.replace("Readings go missing", "[red]Readings[/red] :boom: 1 2"))
    for command in (["list"], ["show", "tiny-tally"]):
        for columns in (60, 100):
            shown = on_terminal(*command, "--tasks", tmp_path, columns=columns)
            assert "[red]Readings[/red] :boom: 1 2 from" in shown.text


def test_what_a_task_says_cannot_drive_a_terminal(tmp_path: Path) -> None:
    """Its texts and files may come from anybody."""
    folder = tmp_path / "tiny-tally"
    shutil.copytree(EXAMPLES / "valid" / "tiny-tally", folder)
    text = (folder / "task.json").read_text()
    (folder / "task.json").write_text(text.replace("Readings go missing", "Readings \\u001b[2Jgo \\u202emissing"))
    for command in (["list"], ["show", "tiny-tally"], ["list", "--json"]):
        done = invoke(*command, "--tasks", tmp_path)
        assert done.exit_code == 0
        assert "\x1b" not in done.output
        assert "\u202e" not in done.output
