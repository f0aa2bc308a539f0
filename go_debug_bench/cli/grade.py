"""``grade``: what a checkout is worth, by the grader that training uses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from go_debug_bench.cli.folders import TaskFolders, one_task
from go_debug_bench.cli.options import CONTEXT, Examples, id_argument, json_option, tasks_option
from go_debug_bench.cli.terminal import count, heading, progress, prose, say, say_json, table
from go_debug_bench.errors import InfrastructureError, TaskError

if TYPE_CHECKING:
    from go_debug_bench.grade import Grade, TestResult
    from go_debug_bench.grading import Grader
    from go_debug_bench.task import Task
    from go_debug_bench.toolchain import Toolchain
    from go_debug_bench.workspace import Workspace

__all__ = ["grade"]

_MAX_SHOWN = 8
"""Failed tests whose output is shown."""
_MAX_LINES = 25


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench checkout worker-pool-leak work": "get something to mend",
        "go-debug-bench grade worker-pool-leak work": "grade it",
        "go-debug-bench grade worker-pool-leak work --json": "for programs",
    },
)
@id_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
@click.option(
    "--unisolated",
    is_flag=True,
    help="Grade even if nothing here can isolate the submission: for code that you trust.",
)
@tasks_option
def grade(*, task_id: str, folder: Path, as_json: bool, unisolated: bool, tasks: TaskFolders) -> None:
    """Grade the checkout in DIR as training does, and say why it got what it got.

    The output names hidden tests: keep it from the agent that is being graded. 'go-debug-bench schema grade' describes
    the document that --json prints.

    Exit status: 0 the reward is full, 1 it is not, 2 a wrong command line, 3 the machinery failed, or the task is
    malformed: that is no grade.
    """
    from go_debug_bench.cli.grade_document import GradeDocument, is_full
    from go_debug_bench.cli.submitted import module_folder
    from go_debug_bench.task import load_task

    try:
        task = load_task(one_task(tasks, task_id))
    except TaskError as error:
        raise InfrastructureError(str(error)) from error
    module = module_folder(task, folder, tasks)
    made = _graded(task, module, unisolated=unisolated)
    if as_json:
        say_json(GradeDocument.of(made, task.hidden_tests).model_dump(mode="json"))
    else:
        _show(made, task)
    raise SystemExit(0 if is_full(made) else 1)


def _graded(task: Task, module: Path, *, unisolated: bool) -> Grade:
    from go_debug_bench.toolchain import find_toolchain
    from go_debug_bench.workspace import Workspace

    with progress("looking for Go") as notify, Workspace() as workspace:
        toolchain = find_toolchain(task.spec.go)
        notify("preparing the grader")
        grader = _grader(toolchain, workspace, unisolated=unisolated)
        grader.warm(task.imports, notify)
        notify(f"grading the reference fix of {task.id}, once for this machine")
        grader.baseline(task)
        notify(f"grading {module}")
        return grader.grade(task, module)


def _grader(toolchain: Toolchain, workspace: Workspace, *, unisolated: bool) -> Grader:
    """A grader with the strongest isolation that works here.

    Raises:
        InfrastructureError: none does, and that is not what the user wants.
    """
    from go_debug_bench.grading import Grader
    from go_debug_bench.isolation import Isolation

    grader = Grader(toolchain, workspace)
    if grader.isolation is not Isolation.NONE:
        return grader
    if not unisolated:
        raise InfrastructureError(
            "nothing here keeps a hostile submission from this machine: run as root, allow user namespaces, or give "
            "--unisolated for code that you trust; 'go-debug-bench doctor' says more"
        )
    return Grader(toolchain, workspace, isolation=Isolation.NONE)


def _show(made: Grade, task: Task) -> None:
    from go_debug_bench.cli.grade_document import GradeDocument
    from go_debug_bench.grade import Outcome

    document = GradeDocument.of(made, task.hidden_tests)
    style = "bold green" if document.full else "bold red"
    say(f"{task.id}: reward {document.reward:.1f} of {document.full_reward:.1f}  ({document.code})", style=style)
    prose(document.reason)
    heading("Rewards")
    table(
        ["reward", "weight", "score"],
        [[entry.name, f"{entry.weight:.1f}", f"{entry.score:.0f}"] for entry in document.rewards],
    )
    for title, lines in {
        "Tests that were tampered with": made.tampering,
        "What a submission may not do": made.lint,
        "Added test files (welcome, and not run)": made.added_tests,
    }.items():
        if lines:
            heading(title)
            for line in lines:
                prose(line, indent=2)
    if document.tests:
        heading("Tests")
        rows = [
            [
                entry.outcome if entry.outcome is Outcome.PASS else entry.outcome.upper(),
                entry.suite,
                entry.name,
            ]
            for entry in document.tests
        ]
        failed = {row[0]: "red" for row in rows if row[0].isupper()}
        table(["outcome", "suite", "test"], rows, styles={"pass": "green", **failed})
    _show_output(made)
    heading("Time")
    steps = ", ".join(f"{step} {seconds:.2f} s" for step, seconds in made.seconds.items())
    prose(steps)
    if made.box:
        heading("Box")
        prose(made.box)
    say()
    prose("This output names hidden tests: keep it from the agent that is being graded.")


def _show_output(made: Grade) -> None:
    """What the failed tests printed, or the log where no test says why."""
    from go_debug_bench.grade import Outcome, failed_leaves

    names = failed_leaves([result.name for result in made.tests if result.outcome is not Outcome.PASS])
    failed: list[TestResult] = [result for result in made.tests if result.name in names and result.output.strip()]
    for result in failed[:_MAX_SHOWN]:
        heading(f"Output of {result.name}")
        _show_clipped(result.output)
    if len(failed) > _MAX_SHOWN:
        say(f"… and of {count(len(failed) - _MAX_SHOWN, 'more test')}; --json has them all")
    if not failed and made.log.strip() and made.code != "passed":
        heading("Log")
        _show_clipped(made.log)


def _show_clipped(text: str) -> None:
    lines = text.rstrip().splitlines()
    for line in lines[:_MAX_LINES]:
        say(f"  {line}")
    if len(lines) > _MAX_LINES:
        say(f"  … {count(len(lines) - _MAX_LINES, 'more line')}")
