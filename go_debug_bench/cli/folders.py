"""Where a command finds its tasks: one rule for all commands, and what they say of a task that is not there."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from go_debug_bench.cli.configured import configured
from go_debug_bench.errors import GobenchError, UnknownTaskError
from go_debug_bench.tasks_dir import task_folders, tasks_dir

__all__ = [
    "PACKAGED",
    "TaskFolders",
    "all_tasks",
    "here_holds_tasks",
    "one_task",
    "where_tasks_are",
    "where_to_write",
    "with_tasks",
]

PACKAGED = "packaged"
"""What ``--tasks`` calls the tasks of this package; a folder of that name is ``./packaged``."""

_HERE = Path("tasks")
_NO_HERE = "as there is no folder ./tasks and no pytest configuration names one"


@dataclass(frozen=True, kw_only=True)
class TaskFolders:
    """The folders whose direct children are the tasks of a command.

    ``chosen`` is what ``--tasks`` or its variable says, empty if nobody has chosen. ``shown`` names them in a message.
    """

    roots: tuple[Path, ...]
    shown: str
    chosen: str = ""

    @property
    def by_default(self) -> bool:
        """Whether they are the packaged tasks, since nothing names others."""
        return self.shown.endswith(_NO_HERE)


def where_tasks_are(chosen: str) -> TaskFolders:
    """The folders of a command: those chosen, those of the pytest configuration, ./tasks, or the package's."""
    if chosen == PACKAGED:
        return TaskFolders(roots=(tasks_dir(),), shown=f"the packaged tasks, {tasks_dir()}", chosen=chosen)
    if chosen:
        return TaskFolders(roots=(Path(chosen),), shown=chosen, chosen=chosen)
    if found := configured(Path.cwd()):
        roots = tuple(dict.fromkeys(map(_near, found.folders)))
        names = ", ".join(map(str, roots))
        return TaskFolders(roots=roots, shown=f"{names}, by gobench_tasks in {_near(found.file)}")
    if _HERE.is_dir():
        return TaskFolders(roots=(_HERE,), shown=f"./{_HERE}")
    return TaskFolders(roots=(tasks_dir(),), shown=f"the packaged tasks, {_NO_HERE}")


def where_to_write(chosen: str) -> TaskFolders:
    """Where a new task goes: as ``where_tasks_are``, but into the first folder, there or not, and never the package.

    Raises:
        GobenchError: the packaged tasks were chosen.
    """
    if chosen == PACKAGED:
        raise GobenchError(
            f"--tasks {PACKAGED}: a task of your own does not go among those of the package; name another folder"
        )
    folders = where_tasks_are(chosen)
    if folders.by_default:
        return TaskFolders(roots=(_HERE,), shown=f"./{_HERE}")
    return TaskFolders(roots=folders.roots[:1], shown=folders.shown, chosen=folders.chosen)


def _near(path: Path) -> Path:
    """A path as somebody in the current folder would write it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def with_tasks(command: str, folders: TaskFolders) -> str:
    """A command to suggest, with the folder of tasks if one was chosen."""
    return f"{command} --tasks {shlex.quote(folders.chosen)}" if folders.chosen else command


def all_tasks(folders: TaskFolders) -> list[Path]:
    """The folder of every task.

    Raises:
        GobenchError: there is none.
    """
    found = [folder for root in folders.roots for folder in task_folders(root)]
    if not found:
        raise _no_tasks(folders)
    return found


def one_task(folders: TaskFolders, task_id: str) -> Path:
    """The folder of a task.

    Raises:
        UnknownTaskError: there is no such task; the message names the nearest ones, its notes what else may help.
        GobenchError: there is no task at all, or more than one of that id.
    """
    known: defaultdict[str, list[Path]] = defaultdict(list)
    for folder in all_tasks(folders):
        known[folder.name].append(folder)
    if task_id not in known:
        error = UnknownTaskError([task_id], known)
        error.add_note(f"looked in {folders.shown}")
        if hint := _hint(folders, task_id):
            error.add_note(hint)
        raise error
    if len(known[task_id]) > 1:
        places = ", ".join(map(str, known[task_id]))
        raise GobenchError(f"more than one task is called {task_id!r}: {places}; choose a folder with --tasks")
    return known[task_id][0]


def here_holds_tasks(folders: TaskFolders) -> bool:
    """Whether the current folder is full of tasks and not looked at: the user stands one level too low."""
    here = Path.cwd().resolve()
    return all(root.resolve() != here for root in folders.roots) and bool(task_folders(here))


def _hint(folders: TaskFolders, task_id: str) -> str:
    packaged = tasks_dir()
    if here_holds_tasks(folders):
        return "the current folder itself holds tasks: for those add --tasks ."
    if packaged not in folders.roots and task_id in (folder.name for folder in task_folders(packaged)):
        return f"{task_id!r} is one of the packaged tasks: add --tasks {PACKAGED}"
    return ""


def _no_tasks(folders: TaskFolders) -> GobenchError:
    (root, *others) = folders.roots
    hint = (
        f"name another folder with --tasks, take the packaged tasks with --tasks {PACKAGED}, or start a task with "
        "'go-debug-bench new ID'"
    )
    if not others and (root / "task.json").exists():
        hint = f"it is a task itself: give --tasks {shlex.quote(str(root.absolute().parent))}"
    elif not others and (root / "tasks").is_dir():
        hint = f"give --tasks {shlex.quote(str(root / 'tasks'))}"
    return GobenchError(f"no task in {folders.shown}: a task is a folder that holds a task.json; {hint}")
