"""A grade as a document: what ``grade --json`` prints, and its JSON Schema."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from go_debug_bench.grade import REWARDS, Grade, Outcome, Reason

__all__ = ["FORMAT", "VERSION", "GradeDocument", "is_full", "json_schema"]

FORMAT = "go-debug-bench grade"
VERSION = 1

_MARK = "\x16"
"""What a test binary writes before the lines that are meant for test2json."""
_FULL = sum(reward.weight for reward in REWARDS)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RewardEntry(_Strict):
    """One component of the reward."""

    name: Annotated[str, Field(description="hidden_tests_pass, compiles, tests_untampered")]
    weight: Annotated[float, Field(description="What a score of 1 adds to the reward")]
    score: Annotated[float, Field(description="0 or 1")]


class TestEntry(_Strict):
    """One test or subtest, public or hidden."""

    __test__ = False

    name: Annotated[str, Field(description="TestX, TestX/sub, or folder.TestX below the module's root")]
    outcome: Annotated[
        Outcome,
        Field(description="lost: it did not end, or was never reached. unattested: it claims to pass, without proof"),
    ]
    suite: Annotated[
        Literal["hidden", "public"],
        Field(description="hidden: of the task's hidden suite, which an agent must not see. public: any other"),
    ]
    output: Annotated[str, Field(description="What it printed, bounded")]


class GradeDocument(_Strict):
    """What a submission earned and why. It names hidden tests: keep it from the agent that is being graded."""

    format: Annotated[Literal["go-debug-bench grade"], Field(description="The name of this format")]
    version: Annotated[Literal[1], Field(description="Of this format")]
    task: Annotated[str, Field(description="The task's id")]
    reward: Annotated[float, Field(description="The weighted sum of the rewards")]
    full_reward: Annotated[float, Field(description="The most that can be earned")]
    full: Annotated[bool, Field(description="The reward is full; the exit status is then 0, else 1")]
    code: Annotated[Reason, Field(description="Why, as a code")]
    reason: Annotated[str, Field(description="Why, in one line")]
    rewards: Annotated[tuple[RewardEntry, ...], Field(description="The components of the reward")]
    tests: Annotated[tuple[TestEntry, ...], Field(description="Every test that ran or should have; none if none ran")]
    tampering: Annotated[tuple[str, ...], Field(description="What was done to the task's tests, one sentence each")]
    added_tests: Annotated[tuple[str, ...], Field(description="Test files of the submission; welcome, and not run")]
    lint: Annotated[tuple[str, ...], Field(description="What the code does that a submission may not")]
    seconds: Annotated[dict[str, float], Field(description="Wall time by step, in seconds")]
    box: Annotated[str, Field(description="What kept the submission from the machine; empty if its suite did not run")]
    log: Annotated[str, Field(description="The end of what the build or the suite printed")]

    @classmethod
    def of(cls, grade: Grade, hidden_tests: Collection[str]) -> GradeDocument:
        """The document of a grade; ``hidden_tests`` are the task's, without their subtests."""
        return cls(
            format=FORMAT,
            version=VERSION,
            task=grade.task,
            reward=round(grade.reward, 6),
            full_reward=round(_FULL, 6),
            full=is_full(grade),
            code=grade.code,
            reason=grade.reason,
            rewards=tuple(RewardEntry(name=r.name, weight=r.weight, score=r.score(grade)) for r in REWARDS),
            tests=tuple(
                TestEntry(name=t.name, outcome=t.outcome, suite=_suite(t.name, hidden_tests), output=t.output)
                for t in grade.tests
            ),
            tampering=grade.tampering,
            added_tests=grade.added_tests,
            lint=grade.lint,
            seconds={step: round(seconds, 3) for step, seconds in grade.seconds.items()},
            box=grade.box,
            log=grade.log.replace(_MARK, ""),
        )


def _suite(test: str, hidden_tests: Collection[str]) -> Literal["hidden", "public"]:
    # Not by the first slash: the folder of an id may have some too.
    is_hidden = any(test == top or test.startswith(f"{top}/") for top in hidden_tests)
    return "hidden" if is_hidden else "public"


def is_full(grade: Grade) -> bool:
    """Whether no more could have been earned."""
    return math.isclose(grade.reward, _FULL, abs_tol=1e-9)


def json_schema() -> str:
    """The JSON Schema of the document."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **GradeDocument.model_json_schema(mode="serialization"),
        "title": FORMAT,
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
