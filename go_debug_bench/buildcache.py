"""Go's build cache, shared by all processes of a user and bounded: submissions decide what is compiled into it."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import ReadWriteLock

__all__ = ["BuildCache"]

_LIMIT = 2 << 30  # bytes: ten times the standard library, for one platform, and some thousand submissions
_SECONDS_PER_LOOK = 60.0  # of go commands; a look at a full cache takes half a second


class BuildCache:
    """A folder for GOCACHE that is emptied when it has grown too large.

    Go itself forgets entries only after five days without use, and one submission can compile to gigabytes.
    """

    def __init__(self, folder: Path, *, limit: int = _LIMIT) -> None:
        """Use ``folder``, which need not be there yet, with at most about ``limit`` bytes."""
        self.folder = folder
        self.limit = limit

    @contextlib.contextmanager
    def used(self) -> Iterator[Path]:
        """The folder, which nobody empties meanwhile: a go command fails when its entries go away."""
        with self._lock().read_lock():
            yield self.folder

    def bound(self, seconds: float) -> bool:
        """Empty the cache if it is too large, after a go command that took some ``seconds``; whether it was.

        It is looked at after so many seconds of go commands on average, whichever processes they belong to: what a
        submission can add takes time to compile.
        """
        looks = random.random() < seconds / _SECONDS_PER_LOOK  # noqa: S311 - nothing depends on its being guessed
        if not looks or _size(self.folder) <= self.limit:
            return False
        with self._lock().write_lock():
            if _size(self.folder) <= self.limit:
                return False  # somebody was faster
            shutil.rmtree(self.folder, ignore_errors=True)  # what stays is found missing, or of use, by Go
        return True

    def size(self) -> int:
        """Bytes of the files in it, which may change meanwhile."""
        return _size(self.folder)

    def _lock(self) -> ReadWriteLock:
        # Imported here: it brings SQLite, which a collection does not need.
        from filelock import ReadWriteLock

        # Of its own for each use: threads share a grader, and such a lock belongs to one of them.
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        return ReadWriteLock(f"{self.folder}.lock", is_singleton=False)


def _size(folder: Path) -> int:
    """Bytes of the files in a cache, which may change meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(f"{place}/{name}").st_size
    return total
