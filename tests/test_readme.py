"""What the README tells users to write is what verifiers takes."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from go_debug_bench.environment.rollout import METRICS
from go_debug_bench.environment.taskset import GoDebugConfig, GoDebugTask, GoDebugTaskConfig
from go_debug_bench.grade import REWARDS
from go_debug_bench.task import load_specs
from go_debug_bench.tasks_dir import tasks_dir

pytestmark = pytest.mark.filterwarnings("default")  # those of verifiers and what it imports are not ours

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
EVAL, TRAIN = (
    tomllib.loads(block)
    for block in re.findall(
        r"<!-- tests/test_readme\.py parses this block .*? -->\n```toml\n(.*?)```", README, re.DOTALL
    )
)


@pytest.mark.parametrize("env", [EVAL["env"], *(source["env"] for source in TRAIN["orchestrator"]["train"]["source"])])
def test_the_blocks_load_the_environment(env: dict[str, Any]) -> None:
    """With the classes that verifiers and prime-rl parse them with, and with the tasks that they name."""
    settings = {**env, "agent": {**env.get("agent", {}), "harness": {"id": "bash"}}}
    loaded = vf.load_environment(vf.resolve_env_config(settings))
    keys = [task.key for task in loaded.taskset]
    assert keys == env["taskset"].get("task_ids", keys)
    assert keys


def test_the_weight_of_the_example_is_taken() -> None:
    """Under the reward's own name."""
    config = vf.resolve_env_config(EVAL["env"])
    assert config.taskset.task.rewards["compiles"].weight == 0


def test_every_setting_is_in_the_table() -> None:
    """And none that there is not."""
    own = set(GoDebugConfig.model_fields) - set(vf.TasksetConfig.model_fields)
    own |= {f"task.{name}" for name in set(GoDebugTaskConfig.model_fields) - set(vf.TaskConfig.model_fields)}
    table = README.partition("### Config")[2].partition("`load_environment`")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)} == own


def test_every_reward_and_metric_is_in_the_table() -> None:
    """By its name."""
    table = README.partition("### Metrics")[2].partition("A rollout whose")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert named == {"reward", *(reward.name for reward in REWARDS), *METRICS}
    for reward in REWARDS:
        assert getattr(GoDebugTask, reward.name)._vf_weight == reward.weight


def test_every_task_is_in_the_table() -> None:
    """With its family and its difficulty."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| ([a-z]+) \| (medium|hard|expert) \|$", README, re.MULTILINE)
    assert rows == [(spec.id, spec.family, spec.difficulty) for spec in load_specs(tasks_dir())]
