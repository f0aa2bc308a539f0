"""What the tests share: one Go, one workspace, one grader and one runner per process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from go_debug_bench.grading import Grader
from go_debug_bench.launcher import Runner
from go_debug_bench.toolchain import Toolchain, find_toolchain
from go_debug_bench.workspace import Workspace


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """The Go of the release that the tasks are for."""
    return find_toolchain("1.24")


@pytest.fixture(scope="session")
def workspace() -> Iterator[Workspace]:
    """A workspace that is removed after the last test."""
    with Workspace() as made:
        yield made


@pytest.fixture(scope="session")
def grader(toolchain: Toolchain, workspace: Workspace) -> Grader:
    """A grader over local boxes, with the cache that the environment names."""
    return Grader(toolchain, workspace)


@pytest.fixture(scope="session")
def runner(grader: Grader) -> Runner:
    """A runner of programs, through the built launcher."""
    return grader.runner
