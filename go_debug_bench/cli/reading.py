"""``list`` and ``show``: read tasks."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from go_debug_bench.cli.folders import TaskFolders, all_tasks, one_task
from go_debug_bench.cli.options import CONTEXT, Examples, id_argument, json_option, tasks_option
from go_debug_bench.cli.terminal import count, heading, is_terminal, progress, prose, say, say_json, table, tell
from go_debug_bench.errors import TaskError

if TYPE_CHECKING:
    from go_debug_bench.task import Task
    from go_debug_bench.tree import Tree

__all__ = ["list_tasks", "show"]

_FORMAT = "go-debug-bench list"
_VERSION = 1


@click.command(
    "list",
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench list": "all tasks",
        "go-debug-bench list --family channels --difficulty hard": "some of them",
        "go-debug-bench list --gate": "with their gates",
        "go-debug-bench list | cut -f1": "their ids",
    },
)
@click.option("--family", metavar="NAME", help="Only tasks of this family, such as channels.")
@click.option("--difficulty", type=click.Choice(["medium", "hard", "expert"]), help="Only tasks of this difficulty.")
@click.option("--gate", is_flag=True, help="Show the piece of knowledge that each task takes: it gives the task away.")
@json_option
@tasks_option
def list_tasks(*, family: str | None, difficulty: str | None, gate: bool, as_json: bool, tasks: TaskFolders) -> None:
    """List the tasks.

    The columns are: id, family, difficulty, number of Go source files without tests, title (or gate, with --gate).
    Piped, they are separated by tabs and have no titles. A malformed task is listed as such, its problems go to
    standard error, and the exit status is 1.
    """
    found, malformed = _load_all(tasks)
    families = sorted({task.spec.family for task in found})
    if family is not None and found and family not in families:
        raise click.BadParameter(
            f"no task of the family {family!r}; there are {', '.join(families)}", param_hint="--family"
        )
    chosen = [
        task for task in found if family in (None, task.spec.family) and difficulty in (None, task.spec.difficulty)
    ]
    if as_json:
        say_json(
            {
                "format": _FORMAT,
                "version": _VERSION,
                "tasks": [_entry(task, gate=gate) for task in chosen],
                "malformed": [
                    {"id": error.task, "problems": [vars(problem) for problem in error.problems]} for error in malformed
                ],
            }
        )
    else:
        rows = [_row(task, gate=gate) for task in chosen]
        rows += [[error.task, "-", "malformed", "-", count(len(error.problems), "problem")] for error in malformed]
        titles = ["task", "family", "difficulty", "files", "gate" if gate else "title"]
        if rows:
            table(titles, sorted(rows))
        else:
            tell("no task is of that family and difficulty")
    for error in malformed:
        tell(str(error))
    if malformed:
        raise SystemExit(1)


def _load_all(folders: TaskFolders) -> tuple[list[Task], list[TaskError]]:
    """The tasks of some folders, and what is wrong with those that are malformed.

    Raises:
        GobenchError: there is no task.
    """
    with progress("reading tasks"):
        from go_debug_bench.task import load_task

        found, malformed = [], []
        for folder in all_tasks(folders):
            try:
                found.append(load_task(folder))
            except TaskError as error:
                malformed.append(error)
    return found, malformed


def _row(task: Task, *, gate: bool) -> list[str]:
    spec = task.spec
    text = spec.knowledge_gate if gate else spec.title
    return [task.id, spec.family, spec.difficulty, str(len(_sources(task))), text]


def _entry(task: Task, *, gate: bool) -> dict[str, object]:
    spec = task.spec
    entry: dict[str, object] = {
        "id": task.id,
        "title": spec.title,
        "package": spec.package,
        "family": spec.family,
        "difficulty": spec.difficulty,
        "go": spec.go,
        "folder": str(task.folder),
        "files": _sources(task),
    }
    return {**entry, "gate": spec.knowledge_gate} if gate else entry


def _sources(task: Task) -> list[str]:
    from go_debug_bench.tree import is_test_file

    return sorted(path for path in task.repo if path.endswith(".go") and not is_test_file(path))


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench show worker-pool-leak": "what an agent may know",
        "go-debug-bench show worker-pool-leak --solution": "and what it may not",
    },
)
@id_argument
@click.option("--solution", is_flag=True, help="Show the gate, why it is hard, and the reference fix as a diff.")
@tasks_option
def show(*, task_id: str, solution: bool, tasks: TaskFolders) -> None:
    """Show a task: what it is about, its files and tests, and the prompt as an agent reads it."""
    from go_debug_bench.prompt import prompt
    from go_debug_bench.task import load_task

    task = load_task(one_task(tasks, task_id))
    spec = task.spec
    say(task.id, style="bold")
    prose(spec.title)
    say()
    say(f"package     {spec.package}, Go {spec.go}")
    say(f"family      {spec.family}")
    say(f"difficulty  {spec.difficulty}")
    say(f"folder      {task.folder}")
    say(
        f"tests       {count(_number_of_tests(task.public_tests), 'public test')}, "
        f"{count(len(task.hidden_tests), 'hidden test')}, at most {spec.timeout_seconds} s"
    )
    heading("Files")
    for path, data in task.repo.items():
        lines = len(data.splitlines())
        say(f"  {path}  ({count(lines, 'line')})")
    heading("Prompt")
    prose(prompt(spec))
    if solution:
        _show_solution(task)


def _number_of_tests(files: Tree) -> int:
    from go_debug_bench.gosource import parse_go

    return sum(name.startswith("Test") for data in files.values() for name in parse_go(data).functions)


def _show_solution(task: Task) -> None:
    from go_debug_bench import fixes

    spec = task.spec
    heading("Knowledge gate")
    prose(spec.knowledge_gate)
    heading("Why the public tests miss it")
    prose(spec.why_public_misses)
    heading("Why it is hard")
    for sentence in spec.why_hard:
        prose(f"- {sentence}")
    heading("Hidden tests that fail on the unfixed repo")
    for name in spec.fail_to_pass:
        say(f"- {name}")
    heading(f"Reference fix {spec.reference_fix.name}: {spec.reference_fix.summary}")
    for line in _diff(task.repo, fixes.apply(spec.reference_fix, task.repo)):
        say(line, style=_style(line) if is_terminal() else "")


def _style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _diff(before: Tree, after: Tree) -> list[str]:
    lines: list[str] = []
    for path in sorted({*before, *after}):
        old, new = (files.get(path, b"").decode("utf-8", "replace").splitlines() for files in (before, after))
        names = (f"a/{path}" if path in before else "/dev/null", f"b/{path}" if path in after else "/dev/null")
        lines += difflib.unified_diff(old, new, *names, lineterm="")
    return lines
