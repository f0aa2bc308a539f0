"""The tools that drive rollouts play scripts faithfully, on whichever release of verifiers is installed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.rollout.driver import HAS_CLASSIC, CommandFailed, Rollout, run_episodes, run_eval, run_rollouts, run_validate
from tests.rollout.model_server import ModelServer, Script, Turn, run, say

TOY = Path(__file__).parent / "rollout" / "toy"
NOTES = {"id": "toy_notes"}
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "shell",
        "parameters": {"type": "object", "properties": {"seconds": {"type": "number"}, "line": {"type": "string"}}},
    },
}


def reference(prompt: str) -> list[Turn]:
    """Looks, writes the word that the prompt's task wants, and says so."""
    word = "one" if "alpha" in prompt else "two"
    return [run("cat note.txt"), run(f"echo {word} > note.txt"), say(f"It is {word}.")]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server with the scripts of these tests."""
    scripts: dict[str, Script] = {
        "reference": reference,
        "pair": [run("echo 1", "echo 2"), say("both")],
        "slow-model": [say("too late", delay=60)],
        "slow-command": [run("sleep 60")],
    }
    with ModelServer(scripts) as made:
        yield made


def by_task(rollouts: list[Rollout]) -> dict[str, float]:
    """Each task's reward, when it has one rollout."""
    rewards = {rollout.task: round(rollout.reward, 6) for rollout in rollouts}
    assert len(rewards) == len(rollouts)
    return rewards


def test_completions_are_the_same_streamed_and_plain(server: ModelServer) -> None:
    """OpenAI's own client reads calls and texts from either."""
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        assert "script:pair" in [model.id for model in client.models.list()]
        messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "go"}]}]
        for _ in range(2):
            plain = client.chat.completions.create(model="script:pair", messages=messages, tools=[TOOL])
            with client.chat.completions.stream(
                model="script:pair", messages=messages, tools=[TOOL], stream_options={"include_usage": True}
            ) as stream:
                streamed = stream.get_final_completion()
            answers = [made.choices[0] for made in (plain, streamed)]
            for answer in answers:
                if len(messages) == 1:
                    calls = answer.message.tool_calls or []
                    functions = [call.function for call in calls if call.type == "function"]
                    assert [function.name for function in functions] == ["shell", "shell"]
                    lines = [json.loads(function.arguments) for function in functions]
                    assert lines == [{"line": "echo 1"}, {"line": "echo 2"}]
                    assert answer.finish_reason == "tool_calls"
                else:
                    assert (answer.message.content, answer.finish_reason) == ("both", "stop")
            assert plain.usage == streamed.usage
            messages.append(plain.choices[0].message.model_dump(exclude_none=True))
    assert server.count("pair") == 4
    assert [asked.streamed for asked in server.asked] == [False, True, False, True]
    assert {asked.prompt for asked in server.asked} == {"go"}


def test_what_no_script_can_answer_is_refused(server: ModelServer) -> None:
    """An unknown model is not found, and a command without a tool is a bad request."""
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        with pytest.raises(openai.NotFoundError, match="no model 'gpt'"):
            client.chat.completions.create(model="gpt", messages=[])
        with pytest.raises(openai.BadRequestError, match="no tool"):
            client.chat.completions.create(model="script:pair", messages=[])


def test_the_server_runs_as_a_program(tmp_path: Path) -> None:
    """It writes its port, serves the scripts of a module, and counts."""
    portfile = tmp_path / "port"
    program = "tests.rollout.model_server"
    command = [sys.executable, "-m", program, str(portfile), f"{program}:BUILT_IN"]
    with subprocess.Popen(command, cwd=Path(__file__).parent.parent) as process:
        try:
            deadline = time.monotonic() + 60
            while not portfile.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            url = f"http://127.0.0.1:{portfile.read_text().strip()}"
            with openai.OpenAI(base_url=f"{url}/v1", api_key="none") as client:
                made = client.chat.completions.create(model="script:nothing", messages=[])
            assert made.choices[0].message.content == "I am done."
            with urllib.request.urlopen(f"{url}/counts") as response:  # noqa: S310 - the URL is the test's own
                assert json.load(response) == {"nothing": 1}
        finally:
            process.send_signal(signal.SIGTERM)


def test_a_script_acts_in_the_runtime(server: ModelServer) -> None:
    """The commands change what is scored, each task gets its own, and their output reaches the model."""
    rollouts = run_rollouts(NOTES, script="reference", server=server, folders=[TOY])
    assert by_task(rollouts) == {"alpha": 1.1, "beta": 1.1}
    assert [rollout.scores for rollout in rollouts] == [{"solved": 1.0, "short": 1.0}] * 2
    assert [rollout.info["note"] for rollout in rollouts] == ["one\n", "two\n"]
    assert [(rollout.ok, rollout.stop, rollout.turns) for rollout in rollouts] == [(True, "agent_completed", 3)] * 2
    assert server.count("reference") == 6
    outputs = {asked.body["messages"][-1]["content"] for asked in server.asked if asked.turn == 1}
    assert outputs == {"nothing\n[exit status 0]"}


def test_several_rollouts_of_a_task_are_apart(server: ModelServer) -> None:
    """Every rollout of a script that does nothing gets the reward for nothing, and its own trace."""
    episodes = run_episodes(NOTES, script="nothing", server=server, n=3, folders=[TOY])
    traces = [trace for episode in episodes for trace in episode.traces]
    assert [trace.task.key for trace in traces] == ["alpha"] * 3 + ["beta"] * 3
    assert {round(trace.reward, 6) for trace in traces} == {0.1}
    assert len({trace.id for trace in traces}) == 6
    assert server.count("nothing") == 6


def test_an_endless_script_stops_at_the_last_turn(server: ModelServer) -> None:
    """The limit on turns ends the rollout, and it is scored."""
    rollouts = run_rollouts(NOTES, script="forever", server=server, agent={"max_turns": 3}, folders=[TOY])
    assert [(rollout.ok, rollout.stop, rollout.turns) for rollout in rollouts] == [(True, "max_turns", 3)] * 2
    assert by_task(rollouts) == {"alpha": 0.1, "beta": 0.1}
    assert server.count("forever") == 6


@pytest.mark.parametrize("script", ["slow-model", "slow-command"])
def test_the_agents_timeout_ends_a_rollout(server: ModelServer, script: str) -> None:
    """A model and a command may be slow; 0.3.1 calls it an error, and 0.4.0 scores what there is."""
    started = time.monotonic()
    (rollout,) = run_rollouts(
        {**NOTES, "names": ["alpha"]},
        script=script,
        server=server,
        agent={"timeout": {"rollout": 3}},
        folders=[TOY],
    )
    assert time.monotonic() - started < 45
    if HAS_CLASSIC:
        assert (rollout.ok, rollout.stop, rollout.scores) == (False, "error", {})
        assert rollout.errors == ("HarnessError: agent timeout: rollout exceeded its 3s budget",)
    else:
        assert (rollout.ok, rollout.stop, rollout.errors) == (True, "agent_timeout", ())
        assert round(rollout.reward, 6) == 0.1


@pytest.mark.parametrize(
    ("script", "broken", "error"), [("missing", False, "ProviderError: upstream 404"), ("nothing", True, "TaskError")]
)
def test_failures_are_errors_and_no_rewards(server: ModelServer, script: str, error: str, *, broken: bool) -> None:
    """A model that fails and a task that fails are told apart from an agent that fails."""
    rollouts = run_rollouts({**NOTES, "broken": broken}, script=script, server=server, folders=[TOY])
    for rollout in rollouts:
        assert not rollout.ok
        assert rollout.scores == {}
        assert rollout.errors[0].startswith(error)
    assert len(rollouts) == 2


@pytest.mark.parametrize("flags", [["--no-serve"], []] if HAS_CLASSIC else [[]])
def test_the_evaluating_command_plays_scripts(server: ModelServer, tmp_path: Path, flags: list[str]) -> None:
    """Its folder holds what the rollouts in this process come to; 0.3.1 has workers as well, which find the modules."""
    run = run_eval(
        {**NOTES, "image": None}, script="reference", server=server, output=tmp_path, n=2, folders=[TOY], flags=flags
    )
    assert [rollout.task for rollout in run.rollouts] == ["alpha", "alpha", "beta", "beta"]
    assert {round(rollout.reward, 6) for rollout in run.rollouts} == {1.1}
    assert {(rollout.ok, rollout.stop, rollout.turns) for rollout in run.rollouts} == {(True, "agent_completed", 3)}
    assert (run.folder / "traces.jsonl").is_file()
    assert server.count("reference") == 12


def test_a_command_that_does_not_start_is_an_exception(server: ModelServer, tmp_path: Path) -> None:
    """A wrong config is not a run without rollouts."""
    with pytest.raises(CommandFailed, match=r"(?s)exited with 1.*no-such-knob"):
        run_eval({**NOTES, "no_such_knob": 1}, script="nothing", server=server, output=tmp_path, folders=[TOY])


def test_the_validating_command_reports_each_task(tmp_path: Path) -> None:
    """A row for each task, with the check that every release has and the one of this release."""
    run = run_validate(NOTES, output=tmp_path, folders=[TOY])
    assert [(row["name"], row["reason"]) for row in run.rows] == [("alpha", "valid"), ("beta", "valid")]
    assert run.summary["outcomes"]["valid"] == 2
    other = "setup" if HAS_CLASSIC else "noop"
    for row in run.rows:
        assert (row["gold"]["valid"], row[other]["valid"]) == (True, True)
        if not HAS_CLASSIC:
            assert round(row["noop"]["reward"], 6) == 0.1


def test_the_validating_command_reports_errors(tmp_path: Path) -> None:
    """A task whose setup fails is an error in its row, and the command exits with 0 all the same."""
    run = run_validate({**NOTES, "broken": True}, output=tmp_path, folders=[TOY], flags=["--only-gold"])
    assert [(row["reason"], row["error"]) for row in run.rows] == [("error", "the toy is broken")] * 2
