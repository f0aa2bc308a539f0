"""When this process began to load the package: what is written to it afterwards may not be what runs."""

import time

__all__ = ["LOADED_NS"]

LOADED_NS = time.time_ns()
"""Nanoseconds since the epoch."""
