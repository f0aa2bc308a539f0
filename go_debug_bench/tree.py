"""A folder as a value: paths and bytes, read with bounds and packed to the same bytes on every machine."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Limits", "Scan", "Tree", "TreeRefused", "digest", "is_test_file", "pack", "scan", "write"]

Tree = Mapping[str, bytes]
"""Relative path with forward slashes -> content. Modes and times are no part of it."""


class TreeRefused(ValueError):
    """A folder breaks a limit. The message names the limit and, where there is one, the path."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a scan takes at the most: entries seen (of any kind), files read, bytes, folder depth, length of a path."""

    entries: int = 20_000
    files: int = 2_000
    file_bytes: int = 1 << 20
    total_bytes: int = 4 << 20
    depth: int = 24
    path_bytes: int = 512


@dataclass(kw_only=True)
class Scan:
    """What a folder holds: the files that were wanted, and what could not be taken, each with its kind."""

    files: dict[str, bytes] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    entries: int = 0
    total_bytes: int = 0


def is_test_file(path: str) -> bool:
    """Whether Go treats the file as part of a test suite."""
    return path.endswith("_test.go")


def scan(
    root: Path,
    *,
    enter: Callable[[str], bool] = lambda _: True,
    want: Callable[[str], bool] = lambda _: True,
    limits: Limits = Limits(),
) -> Scan:
    """Read a folder that may be hostile.

    Folders are opened relative to their parent's descriptor and never through a link, so swapping one for a
    symlink while it is read leads nowhere; files are opened without blocking, and read only if they are regular
    then. ``enter`` says which folders to walk, ``want`` which files to read, both by relative path.

    Raises:
        TreeRefused: a limit is broken.
        OSError: ``root`` itself is not a readable folder.
    """
    scanner = _Scanner(enter=enter, want=want, limits=limits)
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        scanner.folder(descriptor, "", depth=0)
    finally:
        os.close(descriptor)
    return scanner.found


@dataclass(frozen=True, kw_only=True)
class _Scanner:
    enter: Callable[[str], bool]
    want: Callable[[str], bool]
    limits: Limits
    found: Scan = field(default_factory=Scan)

    def folder(self, descriptor: int, prefix: str, *, depth: int) -> None:
        if depth > self.limits.depth:
            raise TreeRefused(f"folders are nested deeper than {self.limits.depth}: {prefix[:80]}")
        for name in self._names(descriptor):
            path = prefix + name
            if not _is_utf8(name):
                self.found.odd[path.encode(errors="surrogateescape").decode(errors="replace")] = "not UTF-8"
                continue
            try:
                mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
            except OSError:
                self.found.odd[path] = "vanished while it was read"
                continue
            if len(path.encode()) > self.limits.path_bytes:
                raise TreeRefused(f"a path is longer than {self.limits.path_bytes} bytes: {path[:80]}")
            if stat.S_ISDIR(mode):
                self.found.folders.add(path)
                if self.enter(path):
                    self._subfolder(descriptor, name, path, depth=depth + 1)
            elif not stat.S_ISREG(mode):
                self.found.odd[path] = "a symlink" if stat.S_ISLNK(mode) else "not a regular file"
            elif self.want(path):
                self._file(descriptor, name, path)

    def _names(self, descriptor: int) -> list[str]:
        names = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                self.found.entries += 1
                if self.found.entries > self.limits.entries:
                    raise TreeRefused(f"more than {self.limits.entries} files and folders")
                names.append(entry.name)
        return sorted(names)

    def _subfolder(self, parent: int, name: str, path: str, *, depth: int) -> None:
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        except OSError:
            self.found.odd[path] = "a folder that cannot be read"
            return
        try:
            self.folder(descriptor, f"{path}/", depth=depth)
        finally:
            os.close(descriptor)

    def _file(self, parent: int, name: str, path: str) -> None:
        if len(self.found.files) >= self.limits.files:
            raise TreeRefused(f"more than {self.limits.files} files to read")
        try:
            data = _read_regular(parent, name, self.limits.file_bytes)
        except OSError:
            self.found.odd[path] = "unreadable"
            return
        if data is None:
            raise TreeRefused(f"{path} is larger than {self.limits.file_bytes} bytes")
        self.found.total_bytes += len(data)
        if self.found.total_bytes > self.limits.total_bytes:
            raise TreeRefused(f"more than {self.limits.total_bytes} bytes in all")
        self.found.files[path] = data


def _read_regular(parent: int, name: str, cap: int) -> bytes | None:
    """Content of a regular file, or None if it is longer than ``cap`` bytes."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not status.st_mode & stat.S_IRUSR:
            # Root may open anything: the mode decides, so that the verdict does not depend on who grades.
            raise PermissionError(name)
        if status.st_size > cap:
            return None
        data = file.read(cap + 1)
    return data if len(data) <= cap else None


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def digest(tree: Tree) -> str:
    """SHA-256 (hex) over paths and contents, the same on every machine."""
    state = hashlib.sha256()
    for path in sorted(tree):
        name = path.encode()
        state.update(b"%d %s %d " % (len(name), name, len(tree[path])))
        state.update(tree[path])
    return state.hexdigest()


def pack(tree: Tree) -> bytes:
    """The tree as an uncompressed tar whose bytes depend on paths and contents alone."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(tree):
            member = tarfile.TarInfo(path)
            member.size = len(tree[path])
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(tree[path]))
    return buffer.getvalue()


def write(tree: Tree, folder: Path) -> None:
    """Write the tree below ``folder``, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {""}
    for path in sorted(tree):
        parent = path.rpartition("/")[0]
        if parent not in made:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        (folder / path).write_bytes(tree[path])
