"""Errors that say what to do."""

from go_debug_bench.errors import Problem, TaskError, UnknownTaskError


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
