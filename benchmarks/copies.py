"""Many tasks out of few: copies under new ids."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

__all__ = ["copied"]


def copied(sources: Sequence[Path], number: int, root: Path) -> Path:
    """The folder ``root`` with ``number`` task folders, copies of the sources in turn; each has a comment of its own.

    The comment in its Go source makes it a task of its own for every cache that goes by content.
    """
    root.mkdir(parents=True)
    for index in range(number):
        source = sources[index % len(sources)]
        folder = root / f"{source.name}-{index:03d}"
        shutil.copytree(source, folder)
        spec = json.loads((folder / "task.json").read_bytes())
        (folder / "task.json").write_text(json.dumps({**spec, "id": folder.name}), encoding="utf-8")
        for path in folder.rglob("*_test.go"):
            path.write_bytes(path.read_bytes() + f"\n// Copy {index}.\n".encode())
    return root
