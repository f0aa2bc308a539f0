"""Errors that say what to do."""

import pytest

from go_debug_bench.errors import InfrastructureError, Problem, TaskError, UnknownTaskError

FORGED = "\x1b[2J\u202e\x9b1m PASSED all\r\n=== 14 passed ===\u2028\udcff"
SHOWN = r"\x1b[2J\u202e\x9b1m PASSED all\r\n=== 14 passed ===\u2028\udcff"


def test_an_unknown_id_names_the_nearest() -> None:
    """A typing error is answered with what was meant."""
    error = UnknownTaskError(["worker-pool-leek"], ["worker-pool-leak", "config-omitempty"])
    assert str(error) == "no task 'worker-pool-leek': did you mean worker-pool-leak?"


def test_an_id_unlike_all_others_names_them_all() -> None:
    """With nothing near, the whole list helps."""
    assert str(UnknownTaskError(["zzz"], ["b", "a"])) == "no task 'zzz': the tasks are a, b"
    assert str(UnknownTaskError(["zzz"], [])) == "no task 'zzz': the tasks are (none)"


def test_a_task_error_lists_every_problem() -> None:
    """One line each, file first."""
    error = TaskError("x", [Problem("task.json", "id", "is missing"), Problem("repo/a.go", "", "does not parse as Go")])
    assert str(error).splitlines() == [
        "task 'x' is malformed (2 problems):",
        "  task.json: id: is missing",
        "  repo/a.go: does not parse as Go",
    ]


@pytest.mark.parametrize("part", ["file", "field", "message"])
def test_a_problem_is_one_printable_line_in_which_nothing_is_hidden(part: str) -> None:
    """Its parts come from files of others: a name that is refused must be recognised, and forges no line."""
    parts = {"file": "a.go", "field": "id", "message": "is wrong", part: FORGED}
    shown = {**parts, part: SHOWN}
    problem = Problem(**parts)
    assert str(problem) == f"{shown['file']}: {shown['field']}: {shown['message']}"
    assert str(TaskError("x", [problem])).splitlines()[1:] == [f"  {problem}"]
    assert str(Problem("x" * 100_000, "", "")) == f"{'x' * 999}…: "


def test_an_unknown_id_is_answered_in_one_printable_line() -> None:
    """Whatever the folders are called."""
    assert str(UnknownTaskError(["zzz"], [FORGED])) == f"no task 'zzz': the tasks are {SHOWN}"
    assert str(UnknownTaskError([FORGED], [f"{FORGED}x"])).isprintable()


def test_no_error_steers_a_terminal() -> None:
    """Also one that quotes all that a program printed, whose lines stay lines."""
    assert str(InfrastructureError(f"the lint failed: a\n\tb{FORGED}")) == (
        "the lint failed: a\n\tb PASSED all\n=== 14 passed ===\ufffd"
    )
