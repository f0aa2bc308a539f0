"""A place that executes: write files into it, run a program there, read files from it.

The hidden suite runs in a box, as a binary built elsewhere: a box needs no Go and never holds hidden source.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.isolation import Isolation, Jail
from go_debug_bench.launcher import Completed, Limits, Runner
from go_debug_bench.tree import Limits as TreeLimits
from go_debug_bench.tree import TreeRefused, scan
from go_debug_bench.workspace import Workspace

__all__ = ["Box", "Boxes", "LocalBox", "LocalBoxes"]


class Box(Protocol):
    """What grading needs of a place that executes. Paths are relative to the box's own folder."""

    @property
    def name(self) -> str:
        """What kind of box it is, for the grade."""
        ...

    @property
    def platform(self) -> tuple[str, str]:
        """GOOS and GOARCH of the programs that it runs."""
        ...

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Put a file into the box, making its folders.

        Raises:
            InfrastructureError: the box is broken.
        """
        ...

    def read(self, path: str, *, cap: int) -> bytes | None:
        """Content of a regular file, or None if there is none or it is longer than ``cap`` bytes.

        Raises:
            InfrastructureError: the box is broken.
        """
        ...

    @property
    def isolated(self) -> bool:
        """Whether a hostile program is kept from the machine that holds the box."""
        ...

    def run(
        self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], limits: Limits, key: bytes | None = None
    ) -> Completed:
        """Run a program of the box in one of its folders, which is made if it is not there.

        ``argv[0]`` is relative to the box's own folder. A failing program is a value. Nothing of it runs any more
        when this returns. A program with a ``key`` reads it from descriptor 3 and writes its report to descriptor 4;
        the key is nowhere else while it runs.

        Raises:
            InfrastructureError: the box is broken.
        """
        ...


class LocalBox:
    """A folder on this machine, and processes with limits, kept apart as well as ``isolation`` does it.

    Without isolation it stops accidents and leaves nothing running, but does not keep a hostile program from the
    rest of the machine. With isolation a program can write to HOME, which is TMPDIR, and nowhere else, and what it
    writes ends with the run. ``room`` is an empty folder.
    """

    def __init__(self, room: Path, runner: Runner, platform: tuple[str, str], isolation: Isolation) -> None:
        self.platform = platform
        self.isolated = isolation is not Isolation.NONE
        self.name = f"local, isolation {isolation}"
        self._isolation = isolation
        self._runner = runner
        self._key = room / "key"
        self._root = room / "box"
        self._make_folder(self._root / "tmp")

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Put a file into the box. Raises InfrastructureError when the disk does not take it."""
        target = self._root / path
        try:
            self._make_folder(target.parent)
            target.write_bytes(data)
            # The program may run as another user.
            target.chmod(0o755 if executable else 0o644)
        except OSError as error:
            raise InfrastructureError(f"cannot write {path} into the box: {error}") from error

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            if folder != self._root:
                self._make_folder(folder.parent)
            folder.mkdir()
            folder.chmod(0o755)

    def read(self, path: str, *, cap: int) -> bytes | None:
        """Content of a regular file, or None if there is none or it is longer than ``cap`` bytes."""
        try:
            # From the box's own folder: a program may have put a link to elsewhere in place of any folder below it.
            found = scan(
                self._root,
                enter=lambda folder: path.startswith(f"{folder}/"),
                want=lambda found: found == path,
                limits=TreeLimits(file_bytes=cap, total_bytes=cap),
            )
        except (TreeRefused, OSError):
            return None
        return found.files.get(path)

    def run(
        self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], limits: Limits, key: bytes | None = None
    ) -> Completed:
        """Run a program of the box. Raises InfrastructureError when the launcher fails."""
        program, *arguments = argv
        try:
            self._make_folder(self._root / folder)
        except OSError as error:
            raise InfrastructureError(f"cannot make the folder {folder} of the box: {error}") from error
        inside = Path("/") if self.isolated else self._root
        options = Jail(isolation=self._isolation, root=self._root, folder=f"/{folder}", strict=True).arguments()
        if key is not None:
            self._write_key(key)
            options.append(f"-key={self._key}")
        try:
            return self._runner.run(
                [str(inside / program), *arguments],
                cwd=self._root / folder,
                env={**env, "HOME": str(inside / "tmp"), "TMPDIR": str(inside / "tmp"), "TZ": "UTC"},
                limits=limits,
                options=options,
            )
        finally:
            self._key.unlink(missing_ok=True)  # a launcher that failed early has not taken it

    def _write_key(self, key: bytes) -> None:
        """Write the key where the launcher takes it from, outside of what the program sees."""
        try:
            descriptor = os.open(self._key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
            with os.fdopen(descriptor, "wb") as file:
                file.write(key)
        except OSError as error:
            raise InfrastructureError(f"cannot write the key of the box: {error}") from error


class Boxes(Protocol):
    """Where suites run: each run gets a fresh box of one platform."""

    @property
    def platform(self) -> tuple[str, str]:
        """GOOS and GOARCH of every box."""
        ...

    @property
    def isolated(self) -> bool:
        """Whether every box keeps a hostile program from the machine that holds it."""
        ...

    def open(self) -> contextlib.AbstractContextManager[Box]:
        """A box that no agent process was ever in, destroyed afterwards."""
        ...


@dataclass(frozen=True, kw_only=True)
class LocalBoxes:
    """Boxes on this machine, each a folder of the workspace."""

    workspace: Workspace
    runner: Runner
    platform: tuple[str, str]
    isolation: Isolation

    @property
    def isolated(self) -> bool:
        """Whether the boxes keep a hostile program from this machine."""
        return self.isolation is not Isolation.NONE

    @contextlib.contextmanager
    def open(self) -> Iterator[Box]:
        """A new empty box."""
        with self.workspace.room() as folder:
            yield LocalBox(folder, self.runner, self.platform, self.isolation)
