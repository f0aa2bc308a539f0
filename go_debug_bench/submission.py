"""From the folder that an agent leaves behind to the tree that is built: collect, judge tampering, stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.fixes import is_source
from go_debug_bench.task import Task
from go_debug_bench.tree import Limits, Tree, TreeRefused, is_test_file, scan

__all__ = ["Submission", "collect", "stage", "tampering"]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What was collected: Go files by path, and the kind of what could not be taken (``odd``).

    ``refused`` is why the folder breaks a limit, in which case nothing was collected.
    """

    files: Tree = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    refused: str = ""

    def added_tests(self, task: Task) -> tuple[str, ...]:
        """Test files that the agent added; they are welcome and never run."""
        return tuple(sorted(path for path in self.files if is_test_file(path) and path not in task.repo))


def collect(folder: Path, limits: Limits | None = None) -> Submission:
    """Read the Go files of an agent's folder, which may be hostile.

    Only regular ``.go`` files are read, and nested ``go.mod`` files, which bound the module. Dot folders, vendor
    and testdata are not entered: nothing in them is graded, and an agent's caches may lie there.

    Raises:
        InfrastructureError: the folder itself is not there or cannot be read.
    """
    try:
        found = scan(folder, enter=_may_hold_source, want=_is_wanted, limits=limits or Limits())
    except TreeRefused as error:
        return Submission(refused=str(error))
    except OSError as error:
        raise InfrastructureError(f"cannot read the submission {folder}: {error.strerror}") from error
    return Submission(files=found.files, odd=found.odd, folders=frozenset(found.folders))


def _may_hold_source(path: str) -> bool:
    name = path.rpartition("/")[2]
    return not name.startswith(".") and name not in ("vendor", "testdata")


def _is_wanted(path: str) -> bool:
    return path.endswith((".go", "/go.mod"))


def tampering(task: Task, submission: Submission) -> tuple[str, ...]:
    """What was done to the tests that the task came with, one sentence each; empty if nothing was.

    A test is untouched exactly if a regular, readable file with the same bytes is at its path. Stops: editing,
    deleting, renaming, truncating or shadowing a public test.
    """
    return tuple(
        f"{path} was {_fate(path, data, submission)}"
        for path, data in sorted(task.public_tests.items())
        if submission.files.get(path) != data
    )


def _fate(path: str, data: bytes, submission: Submission) -> str:
    if path in submission.files:
        return "edited"
    if path in submission.odd:
        return f"replaced or damaged ({submission.odd[path]})"
    if path in submission.folders:
        return "replaced by a folder"
    twin = next((other for other, content in sorted(submission.files.items()) if content == data), None)
    return f"renamed to {twin}" if twin and data else "deleted"


def stage(task: Task, submission: Submission) -> Tree:
    """The clean room: the pristine repo with the agent's Go source in place of its own.

    Sources that the agent deleted stay deleted. Tests, packages that only tests use, ``go.mod`` and whatever is no Go
    source come from the pristine repo alone. A folder with a ``go.mod`` of its own is another module, and left out as
    Go itself does; so is what lies where the task has a file, or has a file below.
    """
    own = {**task.repo, **task.hidden}
    parents = {parent for path in own for parent in _parents(path)}
    modules = {path.rpartition("/")[0] for path in submission.files if path.endswith("/go.mod")}
    pristine = {path: data for path, data in task.repo.items() if not _may_change(task, path)}
    taken = {
        path: data
        for path, data in submission.files.items()
        if _may_change(task, path)
        and path not in parents
        and not any(parent in modules or parent in own for parent in _parents(path))
    }
    return {**pristine, **taken}


def _may_change(task: Task, path: str) -> bool:
    return is_source(path) and path.rpartition("/")[0] not in task.test_helpers


def _parents(path: str) -> list[str]:
    """The folders above a path, from the top."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
