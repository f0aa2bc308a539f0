"""Small files that are kept between runs, and believed only if this user alone can have written them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Distrusted", "Kept"]


class Distrusted(Exception):
    """A file is not believed. The message says why, after "it"."""


@dataclass
class Kept:
    """A folder of at most about ``limit`` files of ``max_bytes``, safe for concurrent processes."""

    folder: Path
    limit: int = 20_000
    max_bytes: int = 256 << 10
    _pruned: bool = field(default=False, init=False)

    def read(self, name: str) -> bytes | None:
        """Content of a file, or None if there is none.

        Raises:
            Distrusted: it is no regular file of bounded size that nobody else can write to.
        """
        path = self.folder / name
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            what = "is a link" if error.errno == errno.ELOOP else f"cannot be read ({error.strerror})"
            raise Distrusted(what) from None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise Distrusted("is no file")
            if status.st_uid != os.getuid():
                raise Distrusted("belongs to somebody else")
            if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise Distrusted("can be written by others")
            if status.st_size > self.max_bytes:
                raise Distrusted("is too large")
            with contextlib.suppress(OSError):
                os.utime(descriptor)  # what was not used for the longest time is forgotten first
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(self.max_bytes)
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> None:
        """Keep a file in place of what has its name; a reader sees all of it or nothing. One too large is not kept.

        Raises:
            OSError: the folder cannot be made or written to.
        """
        if len(data) > self.max_bytes:
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._prune()
        fresh = self.folder / f"{os.getpid()}-{os.urandom(4).hex()}.new"
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            fresh.replace(self.folder / name)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise

    def _prune(self) -> None:
        """Once a process, forget a quarter of a full folder."""
        if self._pruned:
            return
        self._pruned = True
        with os.scandir(self.folder) as found:
            entries = list(found)
        if len(entries) <= self.limit:
            return
        ages = []
        for entry in entries:
            with contextlib.suppress(OSError):  # another process prunes too
                ages.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
        for _, path in sorted(ages)[: len(ages) - self.limit * 3 // 4]:
            with contextlib.suppress(OSError):
                Path(path).unlink()
