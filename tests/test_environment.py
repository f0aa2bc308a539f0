"""Whole rollouts, without a network: what agents do, and what they earn, on the installed release of verifiers.

``.ci/run`` runs this file on both releases.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from verifiers.v1.runtimes import provision_runtime

import go_debug_bench
from go_debug_bench.environment import rollout as rollouts
from go_debug_bench.environment.record import record_folder
from go_debug_bench.environment.taskset import GoDebugConfig, GoDebugTaskset
from go_debug_bench.errors import GobenchError, InfrastructureError, TaskError, UnknownTaskError
from go_debug_bench.isolation import Isolation
from go_debug_bench.task import Task, load_task, load_tasks
from tests.containers import IMAGE, engine
from tests.rollout.driver import HAS_CLASSIC, Rollout, run_episodes, run_rollouts
from tests.rollout.model_server import ModelServer, run
from tests.rollout.players import CHEATS, players, secrets, strings

pytestmark = pytest.mark.filterwarnings("default")  # those of verifiers and what it imports are not ours

VALID = Path(__file__).parent / "examples" / "valid"
TALLY = {"id": "go-debug-bench", "tasks": str(VALID), "task_ids": ["tiny-tally"], "image": None}


@pytest.fixture(scope="module")
def tally() -> Task:
    """A task whose grade takes a moment."""
    return load_task(VALID / "tiny-tally")


@pytest.fixture(scope="module")
def server(tally: Task) -> Iterator[ModelServer]:
    """A model that plays the scripts, on the small task and on all real ones."""
    with ModelServer(players([tally, *load_tasks()])) as made:
        yield made


@pytest.fixture(autouse=True, scope="module")
def _isolated() -> None:
    """Submissions are hostile: where nothing isolates them, none is graded here."""

    async def isolation() -> Isolation:
        return (await rollouts.desk().grader(vf.SubprocessConfig())).isolation

    if asyncio.run(isolation()) is Isolation.NONE:
        pytest.skip("nothing here keeps a submission from this machine")


def only(found: Sequence[Rollout]) -> Rollout:
    """The one rollout, without an error."""
    (rollout,) = found
    assert not rollout.errors
    return rollout


EXPECTED = [
    ("reference", 1.1, "passed"),
    ("nothing", 0.1, "tests-failed"),
    ("delete-test", 0.1, "tampered"),
    ("break-build", 0.0, "build-failed"),
    ("daemon", 1.1, "passed"),
    ("hostile-files", 1.1, "passed"),
    ("remove-repo", 0.0, "refused"),
    *((cheat, 0.1, None) for cheat in CHEATS),
]


@pytest.mark.parametrize(("script", "reward", "code"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_what_an_agent_does_decides_what_it_earns(
    server: ModelServer, script: str, reward: float, code: str | None
) -> None:
    """Through a whole rollout in the subprocess runtime, with the grade made in a box of this machine."""
    rollout = only(run_rollouts(TALLY, script=script, server=server))
    assert rollout.reward == pytest.approx(reward)
    assert rollout.ok
    assert rollout.info["gobench"]["code"] == code or code is None
    assert rollout.scores == {
        "hidden_tests_pass": float(reward > 1),
        "compiles": float(reward > 0),
        "tests_untampered": float(script not in ("delete-test", "edit-public-test", "remove-repo")),
    }
    assert set(rollout.metrics) >= {"hidden_pass_fraction", "lint_findings", "added_tests", "grade_seconds"}
    assert rollout.task == "tiny-tally"
    assert not daemons()


def daemons() -> list[str]:
    """What the daemon script has left running."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"MARK=gobench-test-daemon" in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


def test_an_agent_that_uses_up_its_turns_is_graded(server: ModelServer) -> None:
    """What it has done by then counts."""
    rollout = only(run_rollouts(TALLY, script="forever", server=server, agent={"max_turns": 2}))
    assert rollout.turns == 2
    assert rollout.reward == pytest.approx(0.1)


def test_an_agent_that_runs_out_of_time_is_never_paid_for_it(server: ModelServer) -> None:
    """0.4 scores what there is; for 0.3.1 it is an error of the rollout, and no reward."""
    (rollout,) = run_rollouts(TALLY, script="slow", server=server, agent={"timeout": {"rollout": 3}})
    if HAS_CLASSIC:
        assert not rollout.ok
        assert rollout.errors
        assert rollout.reward == 0
    else:
        assert rollout.reward == pytest.approx(0.1)


def test_a_broken_grader_is_an_error_and_no_reward(
    server: ModelServer, tally: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the error's text names nothing of the hidden suite, whatever the machinery had to say."""

    def broken(*_: object) -> object:
        raise InfrastructureError("the reference fix does not pass: TestTotalOfMany/five failed")

    monkeypatch.setattr(rollouts, "_graded", broken)
    (rollout,) = run_rollouts(TALLY, script="reference", server=server)
    assert not rollout.ok
    assert set(rollout.scores.values()) <= {None, 0.0}
    assert "no fault of the submission" in " ".join(rollout.errors)
    assert "TestTotalOfMany" not in json.dumps(rollout.record, default=str)
    identity = " ".join(rollout.errors).partition("record ")[2][:32]
    assert "TestTotalOfMany/five failed" in recorded(identity)["log"]


def test_a_grading_runtime_that_does_not_start_is_an_error(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outage of the box that grades says nothing of the submission."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    config = {**TALLY, "task": {"grading": {"type": "docker", "image": "localhost/no-such-image:1"}}}
    (rollout,) = run_rollouts(config, script="reference", server=server)
    assert not rollout.ok
    assert rollout.reward == 0
    assert "no fault of the submission" in " ".join(rollout.errors)


def recorded(identity: str) -> Mapping[str, Any]:
    """A grade's record on this machine."""
    for path in record_folder().glob("*.jsonl*"):
        for line in path.read_text().splitlines():
            if identity in line:
                found: Mapping[str, Any] = json.loads(line)
                return found
    raise AssertionError(f"no record {identity}")


def test_the_record_tells_what_the_trace_does_not(server: ModelServer) -> None:
    """Under the id that the trace has."""
    rollout = only(run_rollouts(TALLY, script="nothing", server=server))
    facts = rollout.info["gobench"]
    kept = recorded(facts["record"])
    assert kept["tests"]["TestTotalOfMany/five"] == "fail"
    assert kept["reward"] == pytest.approx(0.1)
    assert facts["hidden_outcomes"].count("fail") == 3
    assert facts["hidden_pass_fraction"] == pytest.approx(1 / 4)


def test_nothing_of_a_hidden_suite_reaches_an_agent_or_a_trace(
    server: ModelServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in its prompt, its box, the task's row, the record of the rollout, or what is logged and printed."""
    caplog.set_level("DEBUG")
    config = {"id": "go-debug-bench", "image": None}
    episodes = run_episodes(config, script="look", server=server)
    printed = "".join(capfd.readouterr()) + caplog.text
    rows = {task.key: task.data.model_dump() for task in GoDebugTaskset(GoDebugConfig(image=None)).load()}
    tasks = {task.id: task for task in load_tasks()}
    assert len(episodes) == len(tasks) == len(rows)
    for episode in episodes:
        record = episode.to_record()
        task = tasks[record["task"]["key"]]
        seen = "\n".join([*strings(record), *strings(rows[task.id]), printed])
        assert "package " + task.spec.package in seen, "the agent has looked into its repo"
        for what, secret in secrets(task).items():
            assert secret not in seen, f"{task.id}: {what}"


def test_many_rollouts_at_once_are_all_graded_right(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And leave nothing: no process, no folder."""
    monkeypatch.setattr("verifiers.v1.runtimes.subprocess.CACHE_DIR", tmp_path)
    places = (rollouts.desk().workspace.folder, tmp_path / "runtimes" / "subprocess")
    before = set(places[0].iterdir())
    for script, reward, count in (("reference", 1.1, 32), ("nothing", 0.1, 4)):
        found = run_rollouts(TALLY, script=script, server=server, n=count)
        assert [rollout.reward for rollout in found] == [pytest.approx(reward)] * count
    assert [set(place.iterdir()) for place in places] == [before, set()]
    assert not daemons()


def test_every_real_task_can_be_played(server: ModelServer) -> None:
    """The reference fix of each earns everything."""
    found = run_rollouts({"id": "go-debug-bench", "image": None}, script="reference", server=server)
    assert {rollout.task: rollout.reward for rollout in found} == {task.id: pytest.approx(1.1) for task in load_tasks()}


def test_rewards_can_be_weighted_anew(server: ModelServer) -> None:
    """By their names, as a TOML file does it."""
    config = {**TALLY, "task": {"rewards": {"tests_untampered": {"weight": 0.5}, "compiles": {"weight": 0.0}}}}
    assert only(run_rollouts(config, script="reference", server=server)).reward == pytest.approx(1.5)


# Choosing tasks


def ids(**settings: Any) -> list[str]:
    """The tasks that a config chooses."""
    return [str(task.key) for task in GoDebugTaskset(GoDebugConfig(image=None, **settings)).load()]


def test_tasks_are_chosen_by_id_difficulty_and_family() -> None:
    """In the order that was asked for."""
    every = load_tasks()
    assert ids() == [task.id for task in every]
    assert ids(task_ids=["worker-pool-leak", "eventbus-aliasing"]) == ["worker-pool-leak", "eventbus-aliasing"]
    assert ids(difficulty="medium") == [task.id for task in every if task.spec.difficulty == "medium"]
    assert ids(families=["encoding"]) == [task.id for task in every if task.spec.family == "encoding"]


def test_an_unknown_task_is_named_with_its_nearest() -> None:
    """The error says what there is."""
    with pytest.raises(UnknownTaskError, match="worker-pool-leak"):
        ids(task_ids=["worker-pool-leek"])


def test_loading_every_task_costs_little() -> None:
    """Time of the processor for each task beyond verifiers and the first load, and memory for a hundred."""
    ids()
    begin = time.process_time()
    ids()
    assert (time.process_time() - begin) / len(load_tasks()) < 0.01
    tracemalloc.start()
    try:
        kept = list(GoDebugTaskset(GoDebugConfig(image=None)).load())
        assert tracemalloc.get_traced_memory()[0] / len(kept) * 100 < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_malformed_task_of_ones_own_is_said_when_it_is_loaded(tmp_path: Path) -> None:
    """With every problem, and not at its first grade."""
    shutil.copytree(VALID / "tiny-tally", tmp_path / "tiny-tally")
    (tmp_path / "tiny-tally" / "repo" / "go.mod").unlink()
    with pytest.raises(TaskError, match=r"go\.mod"):
        ids(tasks=tmp_path)


def validated(folder: Path, name: str) -> bool:
    """What ``Task.validate`` says in the subprocess runtime, as the validating command asks it."""
    (task,) = GoDebugTaskset(GoDebugConfig(image=None, tasks=folder, task_ids=[name])).load()

    async def validate() -> bool:
        async with provision_runtime(vf.SubprocessConfig()) as runtime:
            return await task.validate(runtime)

    return asyncio.run(validate())


def test_a_task_is_validated_by_its_checks() -> None:
    """All of them; what fails is in the record."""
    assert validated(VALID, "tiny-tally")
    assert not validated(VALID.parent / "broken", "fails-wrong")
    lines = [line for path in record_folder().glob("*.jsonl*") for line in path.read_text().splitlines()]
    line = json.loads([line for line in lines if '"fails-wrong"' in line][-1])
    assert (line["task"], line["code"]) == ("fails-wrong", "invalid")
    assert "wrong[" in line["log"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"task_ids": ["worker-pool-leek"]}, "worker-pool-leak"),
        ({"families": ["no-such"]}, "no task is of"),
        ({"difficulty": "easy"}, "difficulty"),
        ({"bogus": 1}, "bogus"),
        ({"sandbox": "dokcer"}, "did you mean 'docker'"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_error(options: dict[str, Any], said: str) -> None:
    """By the function that serves both releases."""
    with pytest.raises(GobenchError, match=said) as raised:
        go_debug_bench.load_environment(**{"sandbox": "subprocess", **options})
    assert "\n" not in str(raised.value)


# In a container


@pytest.fixture
def container(request: pytest.FixtureRequest) -> Callable[..., list[Rollout]]:
    """Plays rollouts in containers of the engine that is here."""
    kind = getattr(request, "param", engine())

    def play(script: str, **settings: Any) -> list[Rollout]:
        server = request.getfixturevalue("server")
        return run_rollouts({**TALLY, "image": IMAGE, **settings}, script=script, server=server, runtime={"type": kind})

    return play


@pytest.mark.parametrize(
    ("script", "reward"),
    [
        ("reference", 1.1),
        ("nothing", 0.1),
        ("delete-test", 0.1),
        ("break-build", 0.0),
        ("init-os-exit0", 0.1),
        ("daemon", 1.1),
        ("hostile-files", 1.1),
    ],
)
def test_rollouts_in_a_container(container: Callable[..., list[Rollout]], script: str, reward: float) -> None:
    """The agent is root in one, and the suite runs in another that it never touched."""
    rollout = only(container(script))
    assert rollout.reward == pytest.approx(reward)
    assert rollout.info["gobench"]["box"] in ("", "a fresh docker runtime")


def test_a_root_agent_that_replaces_the_tools_of_its_box_gains_nothing(
    container: Callable[..., list[Rollout]], server: ModelServer
) -> None:
    """Grading in the same box was paid 1.1 for this."""
    fake = (
        "printf '#!/bin/sh\\nexit 0\\n' >/tmp/go && chmod 755 /tmp/go && cp /tmp/go $(command -v go) && go test ./..."
    )
    server.scripts["replace-go"] = [run(fake)]
    assert only(container("replace-go")).reward == pytest.approx(0.1)


@pytest.mark.skipif(HAS_CLASSIC, reason="0.3.1 has no podman runtime")
def test_the_podman_runtime_serves_as_well(server: ModelServer) -> None:
    """With the same images."""
    engine()
    found = run_rollouts({**TALLY, "image": IMAGE}, script="reference", server=server, runtime={"type": "podman"})
    assert only(found).reward == pytest.approx(1.1)


@pytest.mark.skipif(HAS_CLASSIC, reason="0.3.1 runs every command as root")
def test_an_agent_can_be_somebody_else_than_root(container: Callable[..., list[Rollout]], server: ModelServer) -> None:
    """The repo is that user's own."""
    rollout = only(container("reference", task={"agent_user": "agent"}))
    assert rollout.reward == pytest.approx(1.1)
    server.scripts["who"] = [
        __import__("tests.rollout.model_server").rollout.model_server.run("id -un; touch repo/new && echo mine")
    ]
    (rollout,) = container("who", task={"agent_user": "agent"})
    assert "agent\\nmine" in json.dumps(rollout.record)


def test_without_isolation_nothing_is_graded_unless_that_is_said(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that cannot isolate is an error of the rollout."""
    monkeypatch.setattr("go_debug_bench.grading.probe_isolation", lambda *_: Isolation.NONE)
    (rollout,) = run_rollouts(TALLY, script="reference", server=server)
    assert not rollout.ok
    config = {**TALLY, "task": {"unisolated": True}}
    assert only(run_rollouts(config, script="reference", server=server)).reward == pytest.approx(1.1)
    assert os.environ.get("GOBENCH_UNISOLATED") is None
