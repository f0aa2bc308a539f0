"""Whether a run asks the verdict cache, and what it says about that."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from go_debug_bench.errors import InfrastructureError
from go_debug_bench.kept import Kept
from go_debug_bench.verdicts import VerdictCache
from go_debug_bench.workspace import cache_dir

__all__ = ["MODES", "OPTION", "CacheReport", "is_on"]

OPTION = "--gobench-cache"
MODES = ("off", "on", "auto")

_FALSE = frozenset({"", "0", "false", "no", "off"})


def is_on(config: pytest.Config, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this run may ask for kept verdicts: by the option, else the ini value; ``auto`` is on outside of CI.

    Raises:
        UsageError: it is no mode.
    """
    chosen = config.getoption("gobench_cache")
    mode = chosen or config.getini("gobench_cache")
    if mode not in MODES:
        what = f"{OPTION}={mode!r}" if chosen else f"gobench_cache = {mode!r}"
        raise pytest.UsageError(f"{what}: it must be one of {', '.join(MODES)}")
    return mode == "on" or (mode == "auto" and environ.get("CI", "").strip().lower() in _FALSE)


class CacheReport:
    """The verdict cache of a run, and one line about it in the end; a worker tells its controller what it found."""

    def __init__(self) -> None:
        try:
            self.cache = VerdictCache(kept=Kept(cache_dir() / "verdicts"))
        except InfrastructureError as error:
            raise pytest.UsageError(str(error)) from None
        self._hits = 0
        self._ignored: Counter[str] = Counter()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Count what this process found."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[OPTION] = [self.cache.hits, dict(self.cache.ignored)]
        else:
            self._count(self.cache.hits, self.cache.ignored)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Count what a worker found; one that died says nothing."""
        self._count(*getattr(node, "workeroutput", {}).get(OPTION, (0, {})))

    def _count(self, hits: int, ignored: Mapping[str, int]) -> None:
        self._hits += hits
        self._ignored.update(ignored)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many checks were not run, and what of the cache was not believed."""
        if self._hits:
            terminalreporter.write_line(
                f"gobench: {self._hits} checks answered from the verdict cache; {OPTION}=off runs all"
            )
        if self._ignored:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self._ignored.items()))
            terminalreporter.write_line(f"gobench: ignored {self._ignored.total()} cache entries: {reasons}")
