"""Work that is done once for all processes of a run: whoever comes second waits for the answer of the first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from go_debug_bench.kept import Distrusted, Kept

__all__ = ["Once"]

_MAX_ANSWER = 64 << 20  # bytes: a grade holds what its tests printed


@dataclass(frozen=True)
class Once:
    """A folder of answers that lives as long as the run; each has a lock of its own."""

    folder: Path

    def answer(self, key: str, work: Callable[[], bytes | None]) -> bytes | None:
        """The answer to ``key``, from whoever is the first to do the ``work``.

        What raises, or gives None, is left to the next one; so is an answer that cannot be written down.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        answers = Kept(self.folder, max_bytes=_MAX_ANSWER)
        with FileLock(self.folder / f"{key}.lock", is_singleton=False):
            found = None
            with contextlib.suppress(Distrusted):
                found = answers.read(key)
            if found is None:
                found = work()
                if found is not None:
                    with contextlib.suppress(OSError):
                        answers.write(key, found)
        return found
