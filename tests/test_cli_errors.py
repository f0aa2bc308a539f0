"""``go-debug-bench``: every error is a line that names the mend, with an exit status that tells whose fault it is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from go_debug_bench.errors import InfrastructureError
from tests.commands import EXAMPLES, PROGRAM, invoke, variables


@pytest.mark.parametrize("command", ["show ID", "checkout ID DIR", "grade ID DIR"])
def test_an_unknown_id_is_a_usage_error_with_the_nearest_names(command: str, tmp_path: Path) -> None:
    """Exit status 2, no traceback, nothing written."""
    words = command.replace("ID", "tiny-tali").replace("DIR", str(tmp_path / "work")).split()
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"Error: no task 'tiny-tali': did you mean tiny-tally?\nlooked in {EXAMPLES / 'valid'}\n"
    assert not (tmp_path / "work").exists()


def test_an_unknown_command_is_a_usage_error_with_the_nearest_names() -> None:
    """As an unknown id is."""
    done = invoke("lst")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "No such command 'lst'. Did you mean 'list'?" in done.stderr
    assert "No such command 'qqq'" in invoke("qqq").stderr


@pytest.mark.parametrize("command", ["list", "show x", "checkout x y", "grade x y"])
def test_a_folder_without_tasks_is_named_with_the_mend(command: str, tmp_path: Path) -> None:
    """Also where the user is one level off."""
    done = invoke(*command.split(), "--tasks", tmp_path)
    assert done.exit_code == 2
    assert f"no task in {tmp_path}" in done.stderr
    assert "--tasks" in done.stderr
    done = invoke(*command.split(), "--tasks", EXAMPLES / "valid" / "tiny-tally")
    assert f"give --tasks {EXAMPLES / 'valid'}" in done.stderr


def test_tasks_must_be_a_folder() -> None:
    """The message names it, and the variable if that is where it comes from."""
    done = invoke("list", "--tasks", "/nonexistent")
    assert done.exit_code == 2
    assert "/nonexistent is not a folder" in done.stderr


def test_a_malformed_task_is_told_in_full(tmp_path: Path) -> None:
    """Exit status 1, every problem with file and field."""
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "task.json").write_text("{}")
    done = invoke("show", "odd", "--tasks", tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "task 'odd' is malformed" in done.stderr
    assert "task.json: prompt: is missing" in done.stderr


def test_broken_machinery_has_an_exit_status_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """3, as it is no answer; a full disk is told in one line too."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/tmp/x")

    monkeypatch.setattr("go_debug_bench.task.load_task", full)
    done = invoke("show", "tiny-tally")
    assert (done.exit_code, done.stderr) == (3, "Error: /tmp/x: No space left on device\n")

    def broken(*_: object) -> None:
        raise InfrastructureError("the box is broken\x1b[2J")

    monkeypatch.setattr("go_debug_bench.task.load_task", broken)
    done = invoke("show", "tiny-tally")
    assert (done.exit_code, done.stderr) == (3, "Error: the box is broken\n")


def test_a_fault_of_the_program_is_not_taken_for_a_finding() -> None:
    """Its traceback is a bug report, and the exit status is not 1."""
    script = (
        "import go_debug_bench.cli.options as options\n"
        "import go_debug_bench.cli.reading as reading\n"
        "reading.all_tasks = None\n"
        "from go_debug_bench.cli.command import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script, "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "TypeError" in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    """As with any tool in a pipe: quiet, and the exit status of a closed pipe."""
    read, write = os.pipe()
    os.close(read)
    try:
        argv = [*PROGRAM, "list", "--tasks", str(EXAMPLES / "valid")]
        done = subprocess.run(argv, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_a_terminal_that_is_not_utf_8_gets_escapes(tmp_path: Path) -> None:
    """Never a traceback."""
    shutil.copytree(EXAMPLES / "valid" / "tiny-tally", tmp_path / "tiny-tally")
    spec = tmp_path / "tiny-tally" / "task.json"
    spec.write_text(spec.read_text().replace("Readings go missing", "Readings \u2013 all"), encoding="utf-8")
    env = variables(PYTHONIOENCODING="iso-8859-1")
    done = subprocess.run([*PROGRAM, "list", "--tasks", str(tmp_path)], env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Readings \\u2013 all" in done.stdout
