"""How a program is kept apart from this machine, and what the machine offers for it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.launcher import Limits, Runner

__all__ = ["Isolation", "Jail", "probe_isolation"]

_PROBE = Limits(seconds=10, output_bytes=4096)


class Isolation(StrEnum):
    """Kinds of isolation, by the launcher's names.

    Both real kinds give a program its own process, mount, network, IPC and host name spaces, no /proc, a read-only
    root with nothing of the machine in it, and no capability. ``ROOT`` adds a user that no other process has.
    ``CONTAINER`` is for a machine that is a box already: it only takes the privileges away.
    """

    NONE = "none"
    CONTAINER = "container"
    ROOT = "root"
    USER = "user"


@dataclass(frozen=True, kw_only=True)
class Jail:
    """Where a program runs: ``root`` becomes its /, read-only but for ``/tmp`` and what is bound writable.

    ``binds`` are (path of the machine, path inside, writable). ``proc`` gives it a /proc of its own processes.
    ``strict`` filters system calls: no executable memory, no memory that limits do not count, no filters of its own.
    """

    isolation: Isolation
    root: Path
    folder: str = "/"
    binds: tuple[tuple[Path, str, bool], ...] = ()
    scratch_bytes: int = 64 << 20
    proc: bool = False
    strict: bool = False

    def arguments(self) -> list[str]:
        """The launcher's options."""
        binds = [f"-bind={source}:{target}{':rw' if writable else ''}" for source, target, writable in self.binds]
        return [
            f"-isolate={self.isolation}",
            f"-root={self.root}",
            f"-folder={self.folder}",
            f"-scratch={self.scratch_bytes}",
            f"-proc={str(self.proc).lower()}",
            f"-strict={str(self.strict).lower()}",
            *binds,
        ]


def probe_isolation(runner: Runner, room: Path) -> Isolation:
    """The strongest isolation that works here, found out by running a program in it that tries to get out.

    ``room`` is an empty folder for the attempt.
    """
    candidates = (Isolation.ROOT, Isolation.USER) if os.geteuid() == 0 else (Isolation.USER,)
    for isolation in candidates:
        root = room / isolation
        root.mkdir(mode=0o755)
        root.chmod(0o755)
        shutil.copy(runner.launcher, root / "probe")
        (root / "probe").chmod(0o555)
        jail = Jail(isolation=isolation, root=root)
        try:
            done = runner.run(["/probe", "-probe"], cwd=room, env={}, limits=_PROBE, options=jail.arguments())
        except InfrastructureError:
            continue
        if done.ok and done.output == b"isolated\n":
            return isolation
    return Isolation.NONE
