"""Temporary folders that outlive no run, and the cache that outlives all of them."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import platformdirs
from filelock import FileLock, Timeout

from go_debug_bench.errors import InfrastructureError

__all__ = ["Workspace", "cache_dir"]

_LOCK_SUFFIX = ".lock"


def cache_dir() -> Path:
    """Where compiled things are kept between runs: ``GOBENCH_CACHE``, else the user's cache folder.

    Raises:
        InfrastructureError: it cannot be made, or another user may write to it and so decide grades.
    """
    chosen = os.environ.get("GOBENCH_CACHE")
    path = Path(chosen).absolute() if chosen else platformdirs.user_cache_path("go-debug-bench")
    return _private_folder(path, hint="set GOBENCH_CACHE to a folder of your own")


def _private_folder(path: Path, *, hint: str) -> Path:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.lstat()
    except OSError as error:
        raise InfrastructureError(f"cannot make {path}: {error.strerror}; {hint}") from error
    if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or not path.is_dir():
        raise InfrastructureError(f"{path} must be a folder that only you can write to; {hint}")
    return path


class Workspace:
    """A private temporary folder of one process, removed at its end.

    A process that is killed leaves its folder behind; the next workspace removes every folder whose owner's lock
    is free. Use as a context manager, or call ``close``.
    """

    def __init__(self) -> None:
        base = Path(tempfile.gettempdir()) / f"go-debug-bench-{os.getuid()}"
        self._base = _private_folder(base, hint="set TMPDIR to a folder of your own")
        _sweep(self._base)
        self._lock = FileLock(self._base / f"{os.getpid()}-{os.urandom(4).hex()}{_LOCK_SUFFIX}")
        self._lock.acquire()
        self.folder = Path(self._lock.lock_file).with_suffix("")
        self.folder.mkdir(mode=0o700)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder. Calling it again does nothing."""
        if self._lock.is_locked:
            _remove_locked(self.folder, self._lock)

    @contextlib.contextmanager
    def room(self) -> Iterator[Path]:
        """A new empty folder, removed afterwards."""
        path = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield path
        finally:
            _remove(path)


def _sweep(base: Path) -> None:
    """Remove what killed processes left: a folder is in use exactly as long as its lock is held."""
    for path in base.iterdir():
        if path.suffix == _LOCK_SUFFIX:
            lock = FileLock(path, blocking=False)
            try:
                lock.acquire()
            except (Timeout, OSError):
                continue
            _remove_locked(path.with_suffix(""), lock)


def _remove_locked(folder: Path, lock: FileLock) -> None:
    """Remove a folder with its held lock. The lock's file stays as long as the folder: a sweep finds it by that."""
    _remove(folder)
    if not folder.exists():
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


def _remove(folder: Path) -> None:
    """Remove a folder, whatever a hostile program made of it: without access, or deeper than Python can recurse.

    What still cannot be removed is left to the next sweep: a grade must not fail on its litter.
    """
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for command in (["chmod", "-R", "u+rwX", str(folder)], ["rm", "-rf", str(folder)]):
            subprocess.run(command, capture_output=True, check=False)
