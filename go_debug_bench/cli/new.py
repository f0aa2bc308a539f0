"""``new``: start a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from go_debug_bench.cli.folders import TaskFolders, here_holds_tasks, where_to_write, with_tasks
from go_debug_bench.cli.options import CONTEXT, TASKS_VARIABLE, Examples
from go_debug_bench.cli.terminal import prose, say

if TYPE_CHECKING:
    from go_debug_bench.errors import Problem

__all__ = ["new"]


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench new shelf-loses-books": "in ./tasks",
        "go-debug-bench new late-fees --family time --package fees": "with more said",
        "go-debug-bench verify shelf-loses-books": "what to write",
    },
)
@click.argument("task_id", metavar="ID")
@click.option("--package", metavar="NAME", help="Go package of the defect; by default the first word of the id.")
@click.option("--family", metavar="NAME", default="other", show_default=True, help="Family, such as channels or time.")
@click.option(
    "--difficulty",
    type=click.Choice(["medium", "hard", "expert"]),
    default="hard",
    show_default=True,
    help="How hard the fault is to find and to mend for somebody who knows Go.",
)
@click.option(
    "--tasks",
    metavar="DIR",
    type=click.Path(file_okay=False),
    envvar=TASKS_VARIABLE,
    show_envvar=True,
    callback=lambda _context, _parameter, value: where_to_write(value or ""),
    help="Folder of tasks, made if it is not there; by default the first that gobench_tasks names in pytest's "
    "configuration, else ./tasks.",
)
def new(*, task_id: str, package: str | None, family: str, difficulty: str, tasks: TaskFolders) -> None:
    """Start the task ID: a folder that already collects, and whose failing checks say what to write next.

    It has a small module with a public test, a hidden test, and a task.json in which every text is a placeholder.
    """
    from go_debug_bench.cli import scaffold

    (root,) = tasks.roots
    wish = scaffold.Wish(id=task_id, package=package or task_id.partition("-")[0], family=family, difficulty=difficulty)
    _check_wish(scaffold.problems(wish), package_given=package is not None)
    _check_place(tasks)
    schema = scaffold.schema_reference(root)[1]
    try:
        folder = scaffold.write(wish, root)
    except PermissionError as error:
        raise click.UsageError(f"cannot write to {root}: {error.strerror}; choose another folder") from error
    verify = with_tasks(f"go-debug-bench verify {task_id}", tasks)
    say(f"{folder}: a task that collects, and whose checks say what to write next")
    for path in ("task.json", "repo/", "hidden/"):
        say(f"  {folder / path}{'/' if path.endswith('/') else ''}")
    if schema:
        say(f"  {schema}, for your editor")
    say()
    prose("What to do next:")
    prose(f"1. {verify}", indent=2)
    prose("The check 'written' fails and lists what to write, in the order in which to write it.", indent=5)
    prose("2. Write that: the gate, the module with its one defect, the tests, the fixes, the words.", indent=2)
    prose("3. The same command again, until every check holds.", indent=2)
    prose("'unfixed-fails' wants a hidden test that sees the defect, 'wrong[...]' one that refuses each wrong fix.", 5)


def _check_wish(problems: Sequence[Problem], *, package_given: bool) -> None:
    """See that a task can be called so.

    Raises:
        UsageError: it cannot.
    """
    if not package_given and any(problem.field == "id" for problem in problems):
        problems = [problem for problem in problems if problem.field != "package"]  # which is a part of the id
    if problems:
        names = {"id": "ID", "package": "--package", "family": "--family"}
        said = "; ".join(f"{names.get(problem.field, problem.field)}: {problem.message}" for problem in problems)
        derived = not package_given and any(problem.field == "package" for problem in problems)
        raise click.UsageError(f"{said}; name the package with --package" if derived else said)


def _check_place(tasks: TaskFolders) -> None:
    """See that a new folder can be made there.

    Raises:
        UsageError: it cannot.
    """
    (root,) = tasks.roots
    if (root / "task.json").exists():
        raise click.UsageError(f"{root} is a task itself; give the folder around it, --tasks {root.absolute().parent}")
    if not root.parent.is_dir():
        raise click.UsageError(f"cannot make {root}: there is no folder {root.parent}")
    if not tasks.chosen and not root.is_dir() and here_holds_tasks(tasks):
        raise click.UsageError(f"the current folder itself holds tasks, and no folder {root}; give --tasks .")
