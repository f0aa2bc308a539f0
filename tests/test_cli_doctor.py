"""``go-debug-bench doctor``: one line for each thing, whatever is wrong with it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.cli import machine
from go_debug_bench.isolation import Isolation
from tests.commands import EXAMPLES, invoke

NAMES = ["go", "cache", "workspace", "isolation", "docker", "podman", "verifiers", "pytest plugin", "tasks"]


def found(*arguments: str | Path) -> dict[str, Any]:
    """What it says for programs, by name."""
    done = invoke("doctor", "--json", *arguments)
    document = json.loads(done.stdout)
    assert document["version"] == 1
    checks = {check["name"]: check for check in document["checks"]}
    assert document["ok"] == (done.exit_code == 0) == all(check["status"] != "fail" for check in checks.values())
    assert list(checks) == NAMES
    assert all(check["mend"] for check in checks.values() if check["status"] == "warn")
    return checks


def program(folder: Path, name: str, script: str) -> None:
    """Put a program on the way to others."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_it_says_what_works_here() -> None:
    """One line for each thing, with the facts."""
    done = invoke("doctor")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [name for _, name, _ in lines] == NAMES
    said = {name: (status, text) for status, name, text in lines}
    assert said["go"][0] == "ok"
    assert "go1.24" in said["go"][1]
    assert "of 2.0 GB" in said["cache"][1]
    assert said["tasks"] == ("ok", f"2 in {EXAMPLES / 'valid'}")
    assert said["pytest plugin"][0] == "ok"
    assert "with the API v1" in said["verifiers"][1]


def test_no_go_is_one_failure_and_hides_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs Go says so."""
    monkeypatch.setenv("GOBENCH_GO", "/nonexistent/go")
    checks = found()
    assert checks["go"]["status"] == checks["isolation"]["status"] == "fail"
    assert "GOBENCH_GO=/nonexistent/go does not run" in checks["go"]["found"]
    assert "without Go" in checks["isolation"]["found"]
    assert checks["tasks"]["status"] == "ok"


def test_a_cache_that_others_may_write_to_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would decide grades; the message says what to do."""
    tmp_path.chmod(0o777)
    monkeypatch.setenv("GOBENCH_CACHE", str(tmp_path))
    checks = found()
    assert checks["cache"]["status"] == "fail"
    assert "set GOBENCH_CACHE to a folder of your own" in checks["cache"]["found"]


def test_no_isolation_is_a_failure_with_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submissions of others are not graded without."""
    monkeypatch.setattr(machine, "probe_isolation", lambda *_: Isolation.NONE)
    check = found()["isolation"]
    assert check["status"] == "fail"
    assert "user namespaces" in check["mend"]
    assert "--unisolated" in check["mend"]


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("echo 27.3.1", "ok", "answers, version 27.3.1"),
        ("echo 'Cannot connect to the daemon' >&2; exit 1", "warn", "Cannot connect to the daemon"),
        ("exit 1", "warn", "no output"),
        ("sleep 60", "warn", "does not answer within 1 s"),
        ("printf '\\033[2Jodd\\n'", "ok", "odd"),
    ],
)
def test_a_container_engine_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, status: str, said: str
) -> None:
    """A client alone is not enough; one that hangs is given up."""
    program(tmp_path / "bin", "docker", script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setattr(machine, "_ENGINE_SECONDS", 1.0)
    start = time.monotonic()
    check = found()["docker"]
    assert time.monotonic() - start < 30
    assert (check["status"], said in check["found"]) == (status, True), check


def test_an_engine_that_is_not_there_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither proving nor grading needs one."""
    monkeypatch.setattr("shutil.which", lambda _: None)
    check = machine._engine("docker", ["version"])
    assert (check.status, check.mend) == ("warn", "install docker")
    assert "there is no docker command" in check.found


def test_a_plugin_that_is_switched_off_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that does it is named."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    check = found()["pytest plugin"]
    assert (check["status"], check["mend"]) == ("fail", "unset PYTEST_DISABLE_PLUGIN_AUTOLOAD")


def test_tasks_that_cannot_be_proved_are_a_failure(tmp_path: Path) -> None:
    """None at all, or malformed ones, which are named."""
    assert found("--tasks", tmp_path)["tasks"]["status"] == "fail"
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "task.json").write_text("{}")
    check = found("--tasks", tmp_path)["tasks"]
    assert check["status"] == "fail"
    assert "1 in" in check["found"]
    assert "1 of them malformed: odd" in check["found"]


def test_what_cannot_even_be_looked_at_is_a_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a traceback."""

    def broken() -> machine.Finding:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(machine, "_verifiers", broken)
    check = found()["verifiers"]
    assert (check["status"], check["found"]) == ("fail", "cannot be looked at: RuntimeError: unforeseen")
