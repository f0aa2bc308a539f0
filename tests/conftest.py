"""What the tests share: one Go, one workspace, one grader and one runner per process, and boxes of every kind."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from go_debug_bench import tree
from go_debug_bench.attestation import ATTEST_FOLDER, attesting_module, new_tokens, read_report, token_table
from go_debug_bench.box import Box, LocalBox
from go_debug_bench.grading import Grader
from go_debug_bench.isolation import Isolation, probe_isolation
from go_debug_bench.launcher import Completed, Limits, Runner, build_tool
from go_debug_bench.toolchain import Toolchain, find_toolchain
from go_debug_bench.workspace import Workspace, cache_dir

ACT = Path(__file__).parent / "act"
SOMEBODY = 54_321  # a user without privileges, for tests that run as root


@pytest.fixture(autouse=True)
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs inside of tests the same on every machine.

    Pytest prints more where it finds the marks of a CI, and pytester moves HOME, away from the warm cache.
    """
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOBENCH_CACHE", str(cache_dir()))


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


@pytest.fixture(scope="session")
def act(grader: Grader, workspace: Workspace) -> bytes:
    """The static program that tests run in boxes; its source in ``act`` lists what it can do."""
    with workspace.room() as room:
        tree.write(tree.scan(ACT).files, room)
        built = grader.go(room, "build", "-ldflags=-s -w", "-o", "act", ".")
        assert built.ok, built.text
        return (room / "act").read_bytes()


@pytest.fixture(scope="session")
def works(grader: Grader, workspace: Workspace) -> Callable[[Isolation], bool]:
    """Whether a kind of isolation works for the user that runs the tests."""
    with workspace.room() as room:
        strongest = probe_isolation(grader.runner, room)
    kinds: list[Isolation] = [kind for kind in Isolation if kind is not Isolation.CONTAINER]
    return lambda isolation: (
        kinds.index(isolation) in (0, kinds.index(strongest))
        or (
            # As root, one without privileges may still have name spaces of users: then it is tried as well.
            isolation is Isolation.USER and strongest is Isolation.ROOT
        )
    )


@pytest.fixture(scope="session")
def container(grader: Grader) -> Iterator[Callable[[], Box]]:
    """Opens boxes in one container: as good as fresh ones to what does not look at the others' folders."""
    from go_debug_bench.environment.boxes import RuntimeBox, platform_of, provisioned
    from tests.containers import container_config, running_loop

    with contextlib.ExitStack() as stack:
        opened: list[Callable[[], Box]] = []

        def open_container() -> Callable[[], Box]:
            context = provisioned(container_config(), "test")
            loop = stack.enter_context(running_loop())
            runtime = loop.wait(context.__aenter__())
            stack.callback(lambda: loop.wait(context.__aexit__(None, None, None)))
            platform = loop.wait(platform_of(runtime))
            launcher = grader.host.tool("launch", platform).read_bytes()
            return lambda: RuntimeBox(runtime, platform, launcher, loop.loop)

        def box() -> Box:
            if not opened:
                opened.append(open_container())
            return opened[0]()

        yield box


@pytest.fixture
def open_box(grader: Grader, works: Callable[[Isolation], bool]) -> Iterator[Callable[[str], LocalBox]]:
    """Makes boxes on this machine: ``none``, ``root``, ``user``, and ``user-as-root``, where root asks for ``user``.

    When root runs the tests, the launcher of a ``user`` box runs as somebody without privileges.
    """
    with contextlib.ExitStack() as stack:

        def make(kind: str) -> LocalBox:
            isolation = Isolation(kind.partition("-")[0])
            is_root = os.geteuid() == 0
            if not works(isolation) or (kind == "user-as-root" and not is_root):
                pytest.skip(f"no {kind} isolation here")
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gb-box-")))
            room = folder / "room"
            room.mkdir()
            runner = grader.runner
            if kind == "user" and is_root:
                runner = _unprivileged(runner, folder, room)
            return LocalBox(room, runner, (grader.toolchain.goos, grader.toolchain.goarch), isolation)

        yield make


def _unprivileged(runner: Runner, folder: Path, room: Path) -> Runner:
    """A launcher that gives its room and its own privileges away."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("no setpriv to give privileges away with")
    folder.chmod(0o755)
    shutil.copy(runner.launcher, folder / "launch")
    wrapper = folder / "wrapper"
    # The shell adds to the environment.
    clean = f"{shutil.which('env')} -u PWD -u OLDPWD -u SHLVL -u _"
    drop = f"{clean} {setpriv} --reuid={SOMEBODY} --regid={SOMEBODY} --clear-groups"
    wrapper.write_text(
        f'#!/bin/sh\n{shutil.which("chown")} -R {SOMEBODY} "{room}"\nexec {drop} "{folder}/launch" "$@"\n'
    )
    wrapper.chmod(0o755)
    return Runner(launcher=wrapper)


BuildSuite = Callable[[tree.Tree, str], bytes]


@pytest.fixture(scope="session")
def build_suite(grader: Grader, workspace: Workspace) -> BuildSuite:
    """Builds the attesting test binary of a module's top package, as a grader does it.

    The second argument is the path of the module that attests.
    """

    def build(module: tree.Tree, attest: str) -> bytes:
        with workspace.room() as room:
            files = {**module, **attesting_module(attest)}
            files["go.mod"] = module["go.mod"] + (
                f"\nrequire {attest} v0.0.0\n\nreplace {attest} => ./{ATTEST_FOLDER}\n".encode()
            )
            tree.write(files, room)
            instrument(grader, room, attest, sorted(filter(tree.is_test_file, module)))
            built = grader.go(room, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", "suite", ".")
            assert built.ok, built.text
            return (room / "suite").read_bytes()

    return build


def instrument(grader: Grader, folder: Path, attest: str, tests: Sequence[str]) -> None:
    """Make test files attest, in place."""
    tool = build_tool("instrument", grader.toolchain, cache=grader.cache, build_cache=grader.cache / "go-build")
    subprocess.run([tool, f"-module={attest}", *tests], cwd=folder, env={}, check=True)


@dataclass(frozen=True, kw_only=True)
class Attested:
    """One run of a suite: how it ended, and the names that its report proves, in order, again if they are again."""

    done: Completed
    names: list[str]
    unproved: list[str]


@pytest.fixture
def attest(open_box: Callable[[str], LocalBox]) -> Callable[..., Attested]:
    """Runs a test binary with a token for each of some tests."""

    def attest(
        suite: bytes, tests: Collection[str], *flags: str, kind: str = "none", env: Mapping[str, str] | None = None
    ) -> Attested:
        box = open_box(kind)
        box.write("suite", suite, executable=True)
        tokens = new_tokens(tests)
        done = box.run(
            ["suite", "-test.v", "-test.paniconexit0", "-test.timeout=20s", *flags],
            folder="work",
            env=env or {},
            limits=Limits(seconds=30),
            key=token_table(tokens),
        )
        pairs = [line.partition("\0")[::2] for line in done.report.decode().split("\n")[:-1]]
        proved = [name for name, token in pairs if tokens.get(name) == token]
        judged = read_report(done.report, tokens)
        assert judged.passed == set(proved)
        assert judged.unknown == {name for name, said in pairs if said != "!"} - set(proved)
        return Attested(done=done, names=proved, unproved=sorted(judged.unknown))

    return attest
