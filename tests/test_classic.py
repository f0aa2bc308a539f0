"""The classic API, which verifiers 0.3.1 has: whole rollouts with the bash tool, and how the environment is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import go_debug_bench
from go_debug_bench.environment import loading, taskset
from go_debug_bench.environment import rollout as rollouts
from go_debug_bench.errors import GobenchError, InfrastructureError
from go_debug_bench.task import Task, load_task, load_tasks
from tests.containers import IMAGE, container_config
from tests.rollout.driver import HAS_CLASSIC
from tests.rollout.model_server import PREFIX, ModelServer
from tests.rollout.players import players, secrets, strings

pytestmark = [
    pytest.mark.filterwarnings("default"),  # those of verifiers and what it imports are not ours
    pytest.mark.skipif(not HAS_CLASSIC, reason="0.4 has no classic API"),
]

VALID = Path(__file__).parent / "examples" / "valid"


@pytest.fixture(scope="module")
def tally() -> Task:
    """A task whose grade takes a moment."""
    return load_task(VALID / "tiny-tally")


@pytest.fixture(scope="module")
def server(tally: Task) -> Iterator[ModelServer]:
    """A model that plays the scripts."""
    with ModelServer(players([tally, *load_tasks(ids=["config-omitempty"])])) as made:
        yield made


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_MODEL_KEY", "none")


def play(environment: Any, server: ModelServer, script: str, n: int = 1) -> list[Mapping[str, Any]]:
    """The results of ``n`` rollouts of each task."""
    from verifiers.legacy.types import ClientConfig

    client = ClientConfig(api_base_url=server.url, api_key_var="SCRIPTED_MODEL_KEY", max_retries=0)
    found = environment.evaluate_sync(client, PREFIX + script, rollouts_per_example=n)
    outputs: list[Mapping[str, Any]] = list(found["outputs"])
    return outputs


def environment(tally: Task, runtime: Any = None, **options: Any) -> Any:
    """The environment over one small task."""
    from verifiers.v1.runtimes import SubprocessConfig

    from go_debug_bench.environment.classic import GoDebugEnv

    return GoDebugEnv([tally], lambda: runtime or SubprocessConfig(), **{"max_turns": 8, **options})


@pytest.mark.parametrize(
    ("script", "reward", "code"),
    [
        ("reference", 1.1, "passed"),
        ("nothing", 0.1, "tests-failed"),
        ("delete-test", 0.1, "tampered"),
        ("break-build", 0.0, "build-failed"),
        ("init-os-exit0", 0.1, "forbidden"),
        ("daemon", 1.1, "passed"),
        ("forever", 0.1, "tests-failed"),
    ],
)
def test_what_an_agent_does_decides_what_it_earns(
    tally: Task, server: ModelServer, script: str, reward: float, code: str
) -> None:
    """With the same grade as on the other API, and its reason in the results."""
    (output,) = play(environment(tally), server, script)
    assert output["error"] is None
    assert output["reward"] == pytest.approx(reward)
    assert output["info"]["grade"]["code"] == code
    assert output["metrics"]["hidden_tests_pass"] == float(reward > 1)
    assert output["metrics"]["tests_untampered"] == float(script != "delete-test")
    assert "TestTotalOfMany" not in json.dumps(output, default=str)


def test_an_agent_that_runs_out_of_time_is_graded_for_what_there_is(tally: Task, server: ModelServer) -> None:
    """Its box is ended."""
    (output,) = play(environment(tally, timeout_seconds=3), server, "slow")
    assert output["stop_condition"] == "timeout_reached"
    assert output["reward"] == pytest.approx(0.1)


def test_a_command_that_hangs_gives_the_turn_back(tally: Task, server: ModelServer) -> None:
    """So does one that prints without end."""
    from tests.rollout.model_server import run, say

    server.scripts["hang"] = [run("echo begun; sleep 100", "yes | head -c 100000"), say("done")]
    (output,) = play(environment(tally, command_seconds=2), server, "hang")
    said = json.dumps(output["completion"], default=str)
    assert "begun" in said
    assert "ended after 2 s" in said
    assert "84000 characters left out" in said
    assert output["reward"] == pytest.approx(0.1)


def test_a_broken_grader_is_an_error_of_that_rollout(
    tally: Task, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on."""
    calls = iter(range(100))
    real = rollouts._graded

    def sometimes(*arguments: Any) -> Any:
        if next(calls) == 0:
            raise InfrastructureError("TestTotalOfMany is broken")
        return real(*arguments)

    monkeypatch.setattr(rollouts, "_graded", sometimes)
    outputs = play(environment(tally), server, "reference", n=3)
    failed = [output for output in outputs if output["error"] is not None]
    assert len(failed) == 1
    assert failed[0]["reward"] == 0
    assert "TestTotalOfMany" not in json.dumps(failed, default=str)
    assert [output["reward"] for output in outputs if output["error"] is None] == [pytest.approx(1.1)] * 2


def test_a_box_that_does_not_start_is_an_error_of_that_rollout(tally: Task, server: ModelServer) -> None:
    """And no reward."""
    config = container_config().model_copy(update={"image": "localhost/no-such-image:1"})
    (output,) = play(environment(tally, config), server, "reference")
    assert output["error"] is not None
    assert "does not start" in output["error_chain"]


def test_a_rollout_in_a_container(tally: Task, server: ModelServer) -> None:
    """Where the agent is root."""
    (output,) = play(environment(tally, container_config()), server, "reference")
    assert output["reward"] == pytest.approx(1.1)
    assert output["info"]["grade"]["box"] == "a fresh docker runtime"


def test_the_snippet_of_the_readme_plays_a_real_task(server: ModelServer) -> None:
    """Loaded by the name that verifiers knows it by."""
    import verifiers as vf

    made = vf.load_environment("go-debug-bench", task_ids=["config-omitempty"], sandbox="subprocess")
    (output,) = play(made, server, "reference")
    assert output["reward"] == pytest.approx(1.1)
    assert output["info"]["id"] == "config-omitempty"
    assert output["info"]["family"] == "encoding"


def test_nothing_of_a_hidden_suite_reaches_an_agent_or_the_results(server: ModelServer) -> None:
    """Not in a row of the dataset, nor in what is saved of a rollout that looks around in its box."""
    made = go_debug_bench.load_environment("config-omitempty", sandbox="subprocess")
    (row,) = made.get_dataset()
    (output,) = play(made, server, "look")
    seen = "\n".join([*strings(dict(row)), *strings(json.loads(json.dumps(output, default=str)))])
    (task,) = load_tasks(ids=["config-omitempty"])
    assert "package config" in seen, "the agent has looked into its repo"
    for what, secret in secrets(task).items():
        assert secret not in seen, what


# Loading


def test_tasks_are_chosen_by_id_difficulty_and_family() -> None:
    """As for the other API."""
    made = go_debug_bench.load_environment(difficulty="medium", sandbox="subprocess")
    chosen = [row["info"]["id"] for row in made.get_dataset()]
    assert chosen == [task.id for task in load_tasks() if task.spec.difficulty == "medium"]
    made = go_debug_bench.load_environment("worker-pool-leak", sandbox="subprocess")
    assert [row["info"]["id"] for row in made.get_dataset()] == ["worker-pool-leak"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"task_ids": ["worker-pool-leek"]}, "worker-pool-leak"),
        ({"sandbox": "dokcer"}, "did you mean 'docker'"),
        ({"sandbox": "docker"}, "install it, or choose sandbox='subprocess'"),
        ({"sandbox": "prime"}, "prime login"),
        ({"sandbox": "modal"}, "modal setup"),
        ({"sandbox": "modal", "account": True}, "network=True"),
        ({"families": ["no-such"]}, "no task is of"),
        ({"difficulty": "easy"}, "medium"),
        ({"command_second": 5}, "did you mean 'command_seconds'"),
    ],
)
def test_what_cannot_work_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    """With what to do."""
    options = dict(options)
    for variable in ("PRIME_API_KEY", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if options.pop("account", False):
        monkeypatch.setenv("MODAL_TOKEN_ID", "x")
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(GobenchError, match=said):
        go_debug_bench.load_environment(**{"sandbox": "subprocess", **options})


def test_an_engine_that_does_not_answer_is_said_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With what it says itself."""
    fake = tmp_path / "docker"
    fake.write_text("#!/bin/sh\necho 'cannot connect to the daemon' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(GobenchError, match="cannot connect to the daemon"):
        loading.check_sandbox("docker")


def test_the_default_image_is_the_one_that_tests_use() -> None:
    """By the name that docker completes."""
    assert f"docker.io/library/{taskset.IMAGE}" == IMAGE
