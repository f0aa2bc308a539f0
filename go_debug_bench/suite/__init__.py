"""What a task's texts must show, alone and beside the other tasks of its folder. It takes milliseconds and no Go."""

from __future__ import annotations

from go_debug_bench.suite.discreet import giveaways
from go_debug_bench.suite.distinct import Neighbours
from go_debug_bench.suite.explained import unexplained
from go_debug_bench.suite.finding import Finding, mends_of, shown
from go_debug_bench.suite.written import PLACEHOLDER, unwritten

__all__ = ["PLACEHOLDER", "Finding", "Neighbours", "giveaways", "mends_of", "shown", "unexplained", "unwritten"]
