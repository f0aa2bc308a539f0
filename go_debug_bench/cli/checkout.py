"""``checkout``: the agent's view of a task, in a folder."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from go_debug_bench.cli.folders import TaskFolders, one_task, with_tasks
from go_debug_bench.cli.options import CONTEXT, Examples, id_argument, tasks_option
from go_debug_bench.cli.terminal import say
from go_debug_bench.prompt import REPO, prompt
from go_debug_bench.tasks_dir import task_around

if TYPE_CHECKING:
    from go_debug_bench.tree import Tree

__all__ = ["PROMPT_FILE", "checkout"]

PROMPT_FILE = "PROMPT.md"

_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # no other folder would do


@click.command(
    cls=Examples,
    context_settings=CONTEXT,
    examples={
        "go-debug-bench checkout worker-pool-leak work": "PROMPT.md and repo in work",
        "go-debug-bench grade worker-pool-leak work": "what that is worth",
    },
)
@id_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@tasks_option
def checkout(*, task_id: str, folder: Path, tasks: TaskFolders) -> None:
    """Write what an agent sees of a task to DIR: PROMPT.md and the folder repo, without a history.

    DIR must not be there yet, or be empty. Nothing in it names the task: some ids name what it takes to know.
    """
    from go_debug_bench.task import load_task

    task = load_task(one_task(tasks, task_id))
    files = {f"{REPO}/{path}": data for path, data in task.repo.items()}
    files[PROMPT_FILE] = f"{prompt(task.spec)}\n".encode()
    try:
        with _fresh(folder) as descriptor:
            _write(files, descriptor)
    except OSError as error:
        if error.errno in _MACHINE:
            raise
        raise click.UsageError(f"cannot write {folder}: {error.strerror}; choose another folder") from error
    say(f"{folder}: the agent's view of {task.id}")
    say(f"  read   {folder / PROMPT_FILE}")
    say(f"  work   in {folder / REPO}")
    say(f"  grade  {with_tasks(f'go-debug-bench grade {task.id} {shlex.quote(str(folder))}', tasks)}")


@contextlib.contextmanager
def _fresh(folder: Path) -> Iterator[int]:
    """An open folder that is new or empty; what was written is removed again if the context fails.

    Raises:
        UsageError: there is something already.
        OSError: it cannot be made.
    """
    new = not os.path.lexists(folder)
    if task := task_around(folder.resolve()):
        raise click.UsageError(f"{folder} lies in the task folder {task.name}, which it would make malformed")
    if new:
        if not folder.parent.is_dir():
            raise click.UsageError(f"cannot make {folder}: there is no folder {folder.parent}")
        folder.mkdir()
    elif folder.is_symlink():
        raise click.UsageError(f"{folder} is a link; name the folder itself, or one that is not there yet")
    elif not folder.is_dir():
        raise click.UsageError(f"{folder} is a file; name a folder that is not there yet, or an empty one")
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if found := sorted(os.listdir(descriptor)):  # noqa: PTH208 - of what is open, whatever is there by now
            names = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            raise click.UsageError(
                f"{folder} is not empty: it holds {names}; name a folder that is not there yet, or an empty one"
            )
        try:
            yield descriptor
        except BaseException:
            for name in (REPO, PROMPT_FILE):
                _remove(name, descriptor)
            if new:
                folder.rmdir()
            raise
    finally:
        os.close(descriptor)


def _remove(name: str, folder: int) -> None:
    """Remove a file or a folder of an open folder, if it is there; no link is followed."""
    with contextlib.suppress(FileNotFoundError):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):
            shutil.rmtree(name, dir_fd=folder)


def _write(files: Tree, folder: int) -> None:
    """Write files below an open folder, which somebody may change meanwhile.

    Every name must be new, and no link is followed.
    """
    with contextlib.ExitStack() as opened:
        made = {"": folder}

        def below(path: str) -> int:
            if path not in made:
                parent, _, name = path.rpartition("/")
                above = below(parent)
                os.mkdir(name, dir_fd=above)
                made[path] = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
                opened.callback(os.close, made[path])
            return made[path]

        for path in sorted(files):
            parent, _, name = path.rpartition("/")
            exclusive = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(name, exclusive, 0o666, dir_fd=below(parent)), "wb") as file:
                file.write(files[path])
