"""What is collected from an agent's box, all of which may be hostile: tools, output and names."""

from __future__ import annotations

import asyncio
import base64
import io
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from verifiers.v1.runtimes import ProgramResult, SubprocessConfig

from go_debug_bench.environment import rollout
from go_debug_bench.environment.boxes import wait_on
from go_debug_bench.environment.rollout import submission_of
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.submission import Submission
from go_debug_bench.workspace import Workspace
from tests.containers import running_loop

pytestmark = pytest.mark.filterwarnings("default")  # those of verifiers and what it imports are not ours


class Box:
    """A runtime that answers whatever a test says, and is alive or not."""

    type = "fake"

    def __init__(self, answer: Callable[[], str], *, alive: bool = True) -> None:
        self.config = SubprocessConfig()
        self._answer = answer
        self._alive = alive

    async def run(self, argv: list[str], _: dict[str, str]) -> ProgramResult:
        """The answer, or whether it is alive."""
        if argv == ["true"]:
            return ProgramResult(0 if self._alive else 1, "", "")
        return ProgramResult(0, self._answer(), "")


def collected(answer: str | Callable[[], str], workspace: Workspace, *, alive: bool = True) -> Submission:
    """What a box's answer is taken for."""
    box = Box(answer if callable(answer) else lambda: answer, alive=alive)
    return asyncio.run(submission_of(box, workspace))  # type: ignore[arg-type]


def sent(data: bytes) -> str:
    """As an honest box sends an archive."""
    return f"{base64.b64encode(data).decode()}\n{rollout._DONE}\n"


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A tar of members as they are."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, link: str = "") -> tarfile.TarInfo:
    """An entry of an archive."""
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.linkname = kind, mode, link
    return info


def negative() -> bytes:
    """An archive whose second entry sends some releases of tarfile backwards, for ever."""
    hostile = member("b.go")
    hostile.pax_headers = {"size": "-1536"}
    return archive((member("a.go"), b""), (hostile, b""))


def sparse() -> bytes:
    """A kilobyte that claims to be a file of a terabyte."""
    hostile = member("b.go")
    hostile.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 40), "GNU.sparse.name": "b.go"}
    return archive((hostile, b"x"))


def test_sources_are_taken_and_what_is_odd_is_said(workspace: Workspace) -> None:
    """By the rules for a folder on this machine."""
    found = collected(
        sent(
            archive(
                (member("./sub", tarfile.DIRTYPE, 0o755), b""),
                (member("./sub/a.go"), b"package a\n"),
                (member("./link.go", tarfile.SYMTYPE, link="/etc/passwd"), b""),
                (member("./pipe.go", tarfile.FIFOTYPE), b""),
                (member("./device.go", tarfile.CHRTYPE), b""),
                (member("./hard.go", tarfile.LNKTYPE, link="sub/a.go"), b""),
                (member("./locked.go", mode=0), b"package a\n"),
            )
        ),
        workspace,
    )
    assert not found.refused
    assert found.files == {"sub/a.go": b"package a\n"}
    assert set(found.odd) == {"link.go", "pipe.go", "device.go", "hard.go", "locked.go"}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no archive",
        sent(b"no archive"),
        sent(b"\0" * 1024)[:-1] + "x",
        sent(archive((member("../out.go"), b"package out\n"))),
        sent(archive((member("x/../../out.go"), b"package out\n"))),
        sent(archive((member("a.go"), b"1"), (member("a.go/b.go"), b"2"))),
        sent(archive((member("a.go", tarfile.SYMTYPE, link="b"), b""), (member("a.go"), b"2"))),
        sent(archive((member("a.go"), b"1"), (member("a.go"), b"2"))),
        sent(negative()),
        sent(sparse()),
        sent(archive((member("x" * 300 + ".go"), b"1"))),
        sent(archive((member("a/" * 400 + "b.go"), b"1"))),
        sent(archive((member("a.go"), b"x" * 5000))[:1500]),
        sent(b"x" * rollout._MAX_ARCHIVE),
        "\N{REPLACEMENT CHARACTER}" * 10,
    ],
    ids=lambda text: str(len(text)),
)
def test_what_is_no_submission_is_refused(answer: str, workspace: Workspace, tmp_path: Path) -> None:
    """And nothing is written outside of the grader's own folder."""
    before = sorted(workspace.folder.iterdir())
    found = collected(answer, workspace)
    assert found.refused
    assert not found.files
    assert sorted(workspace.folder.iterdir()) == before
    assert not list(tmp_path.iterdir())


def test_a_link_out_of_the_folder_is_not_followed_by_what_comes_after_it(workspace: Workspace, tmp_path: Path) -> None:
    """The oldest trick of an archive."""
    found = collected(
        sent(archive((member("d", tarfile.SYMTYPE, link=str(tmp_path)), b""), (member("d/x.go"), b"package x\n"))),
        workspace,
    )
    assert found.refused
    assert not list(tmp_path.iterdir())


def test_a_box_that_is_gone_is_no_submission(workspace: Workspace) -> None:
    """An outage says nothing of the agent."""

    def broken() -> str:
        raise ConnectionError("no such container")

    with pytest.raises(InfrastructureError, match="no such container"):
        collected(broken, workspace)
    with pytest.raises(InfrastructureError, match="gone"):
        collected("", workspace, alive=False)


def test_a_box_without_programs_is_a_submission_refused(workspace: Workspace) -> None:
    """Whoever deletes them must not turn a bad grade into an outage."""

    class Emptied(Box):
        async def run(self, argv: list[str], _: dict[str, str]) -> ProgramResult:
            return ProgramResult(127, "", f"{argv[0]}: not found")

    assert asyncio.run(submission_of(Emptied(str), workspace)).refused  # type: ignore[arg-type]


def test_a_box_that_does_not_answer_is_refused_or_gone(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever replaces tar by something that hangs has left nothing to read."""
    monkeypatch.setattr(rollout, "_READ_SECONDS", 0.2)

    class Hanging(Box):
        async def run(self, argv: list[str], _: dict[str, str]) -> ProgramResult:
            if argv != ["true"]:
                await asyncio.sleep(60)
            return ProgramResult(0 if self._alive else 1, "", "")

    found = asyncio.run(submission_of(Hanging(str), workspace))  # type: ignore[arg-type]
    assert "cannot be read within" in found.refused
    with pytest.raises(InfrastructureError):
        asyncio.run(submission_of(Hanging(str, alive=False), workspace))  # type: ignore[arg-type]


def test_work_for_a_loop_that_has_ended_is_an_outage() -> None:
    """Its result never comes, and whoever waits for it would keep the process from its end."""
    with ThreadPoolExecutor(1) as pool:
        with running_loop() as loop:
            waiting = pool.submit(wait_on, loop.loop, asyncio.sleep(600), 600, "the box")
            time.sleep(0.2)
        assert isinstance(waiting.exception(timeout=20), InfrastructureError)
