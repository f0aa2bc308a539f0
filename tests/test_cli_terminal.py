"""``go-debug-bench`` on terminals of all kinds, and piped."""

from __future__ import annotations

import subprocess

import pytest

from go_debug_bench.cli.terminal import clean
from go_debug_bench.tasks_dir import tasks_dir
from tests.commands import EXAMPLES, PROGRAM, on_terminal, start, variables


def test_text_of_a_task_cannot_drive_a_terminal() -> None:
    """Escape sequences, other control characters and turned directions are taken out; lines and tabs stay."""
    assert clean("a\x1b[31mb\x07c\x9b2Jd\r\u202ee\n\tf\udcff") == "abcde\n\tf\ufffd"


def test_a_terminal_gets_a_table_that_fits() -> None:
    """At a width of 60 too, where each task becomes a paragraph."""
    packaged = tasks_dir()
    wide = on_terminal("list", "--tasks", packaged, columns=120)
    assert wide.exit_code == 0
    assert "difficulty" in wide.text
    narrow = on_terminal("list", "--tasks", packaged, columns=60)
    assert "family channels, difficulty hard" in narrow.text
    longest = max(len(line.rpartition("\x1b[0m")[2]) for line in narrow.text.splitlines())
    assert longest <= 60


def test_no_color_is_honoured() -> None:
    """And there are colours otherwise."""
    arguments = ("show", "tiny-tally", "--solution", "--tasks", EXAMPLES / "valid")
    assert "\x1b[32m" in on_terminal(*arguments, columns=100).text
    plain = on_terminal(*arguments, columns=100, env=variables(NO_COLOR="1", TERM="xterm-256color")).text
    assert not any(f"\x1b[{code}m" in plain for code in range(30, 38))


def test_a_pipe_gets_plain_lines_and_no_progress() -> None:
    """Tab-separated columns, without titles, and nothing on standard error."""
    process = start("list", "--tasks", EXAMPLES / "valid", env=variables(FORCE_COLOR="1"))
    stdout, stderr = process.communicate()
    assert stdout == (
        "build\tslices\tmedium\t2\tReadings go missing from the total\n"
        "tiny-tally\tslices\tmedium\t1\tReadings go missing from the total\n"
    )
    assert stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_no_terminal(closed: str) -> None:
    """Whoever throws the output away gets the exit status all the same."""
    argv = ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, "list", "--tasks", str(EXAMPLES / "valid")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
