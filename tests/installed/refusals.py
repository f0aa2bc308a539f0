"""What ``load_environment`` says to arguments that cannot work, where only the wheel is installed.

Run with a JSON list of keyword arguments; the last line is a JSON list of what came of each.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import go_debug_bench
from go_debug_bench.errors import GobenchError


def outcome(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The classes and the message of the error, or the classes of the environment."""
    try:
        made: object = go_debug_bench.load_environment(**arguments)
    except Exception as error:  # what is raised is what is asked
        made = error
    return {
        "classes": [f"{base.__module__}.{base.__qualname__}" for base in type(made).__mro__],
        "refused": isinstance(made, GobenchError),
        "message": str(made) if isinstance(made, Exception) else "",
    }


if __name__ == "__main__":
    print(json.dumps([outcome(arguments) for arguments in json.loads(sys.argv[1])]))
