"""A place that executes: write files into it, run a program there, read files from it.

The hidden suite runs in a box, as a binary built elsewhere: a box needs no Go and never holds hidden source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.launcher import Completed, Limits, Runner
from go_debug_bench.tree import Limits as TreeLimits
from go_debug_bench.tree import TreeRefused, scan

__all__ = ["Box", "LocalBox"]


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

    def run(self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], limits: Limits) -> Completed:
        """Run a program of the box in one of its folders, which is made if it is not there.

        ``argv[0]`` is relative to the box's own folder. A failing program is a value. Nothing of it runs any more
        when this returns.

        Raises:
            InfrastructureError: the box is broken.
        """
        ...


class LocalBox:
    """A folder on this machine, and processes with limits.

    It stops accidents and leaves nothing running. It does not keep a hostile program from the rest of the machine.
    """

    name = "local"

    def __init__(self, root: Path, runner: Runner, platform: tuple[str, str]) -> None:
        self.platform = platform
        self._root = root
        self._runner = runner

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Put a file into the box. Raises InfrastructureError when the disk does not take it."""
        target = self._root / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            if executable:
                target.chmod(0o700)
        except OSError as error:
            raise InfrastructureError(f"cannot write {path} into the box: {error}") from error

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

    def run(self, argv: Sequence[str], *, folder: str, env: Mapping[str, str], limits: Limits) -> Completed:
        """Run a program of the box. Raises InfrastructureError when the launcher fails."""
        program, *arguments = argv
        (self._root / folder).mkdir(parents=True, exist_ok=True)
        return self._runner.run(
            [str(self._root / program), *arguments],
            cwd=self._root / folder,
            env={**env, "HOME": str(self._root / folder), "TMPDIR": str(self._root / folder), "TZ": "UTC"},
            limits=limits,
        )
