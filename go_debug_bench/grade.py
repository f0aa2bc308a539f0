"""The verdict on a submission, and how it is reached: pure functions over what was observed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from go_debug_bench.attestation import Attested

__all__ = [
    "REWARDS",
    "Grade",
    "Outcome",
    "PackageRun",
    "Reason",
    "Reward",
    "TestResult",
    "failed_leaves",
    "judge",
    "read_events",
]

_MAX_TEST_OUTPUT = 4_000  # characters of output kept for one test
_MAX_NAMES = 4  # tests that a reason names
_MAX_TESTS = 20_000  # names believed from a log, and their length in characters: whoever runs can print them
_MAX_NAME = 1_000


class Outcome(StrEnum):
    """How a test ended.

    ``LOST`` is a test that was expected and did not end: hung, crashed or never reached. ``UNATTESTED`` is one that
    was printed to pass, but could not prove it.
    """

    PASS = "pass"  # noqa: S105  (no password)
    FAIL = "fail"
    SKIP = "skip"
    LOST = "lost"
    UNATTESTED = "unattested"


class Reason(StrEnum):
    """Why a submission got its hidden reward or did not."""

    NOT_RUN = "not-run"
    PASSED = "passed"
    REFUSED = "refused"
    TAMPERED = "tampered"
    BUILD_FAILED = "build-failed"
    FORBIDDEN = "forbidden"
    SUITE_BUILD_FAILED = "suite-build-failed"
    TIMED_OUT = "timed-out"
    FLOODED = "flooded"
    CRASHED = "crashed"
    FORGED = "forged"
    TESTS_FAILED = "tests-failed"
    UNEXPECTED_TESTS = "unexpected-tests"


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """One test or subtest, public or hidden, by its id in the task; ``output`` is bounded."""

    __test__ = False

    name: str
    outcome: Outcome
    output: str = ""


@dataclass(frozen=True, kw_only=True)
class PackageRun:
    """One run of one package's test binary, as the box, the log and the report tell it.

    ``tests`` is what was printed, ``attested`` what was proved, both by id.
    """

    package: str
    exit_code: int
    signal: str
    timed_out: bool
    output_cut: bool
    tests: Mapping[str, TestResult]
    attested: Attested
    output: str

    @property
    def ok(self) -> bool:
        """The binary ended by itself, with exit status 0."""
        return self.exit_code == 0 and not self.timed_out and not self.output_cut


@dataclass(frozen=True, kw_only=True)
class Grade:
    """What a submission earned and why.

    ``reason`` and ``tests`` name hidden tests: they are for the host, never for an agent or a trace. ``lint`` names
    what the code does that a submission may not. ``seconds`` holds wall time by step.
    """

    task: str
    compiles: bool
    tests_untampered: bool
    hidden_tests_pass: bool
    code: Reason
    reason: str
    tests: tuple[TestResult, ...] = ()
    tampering: tuple[str, ...] = ()
    added_tests: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    box: str = ""
    log: str = ""

    @property
    def reward(self) -> float:
        """The weighted sum of the rewards."""
        return sum(reward.weight * reward.score(self) for reward in REWARDS)


@dataclass(frozen=True)
class Reward:
    """One component of the reward: a name, a weight, and the score (0 or 1) that a grade gives it."""

    name: str
    weight: float
    score: Callable[[Grade], float]


REWARDS = (
    Reward("hidden_tests_pass", 1.0, lambda grade: float(grade.hidden_tests_pass)),
    Reward("compiles", 0.1, lambda grade: float(grade.compiles)),
    Reward("tests_untampered", 0.0, lambda grade: float(grade.tests_untampered)),
)


def read_events(lines: bytes, name_of: Callable[[str], str]) -> dict[str, TestResult]:
    """Test results from test2json's lines; ``name_of`` turns Go's name of a test into its id.

    A test that started and did not end is ``LOST``. One that is reported to end twice did not: somebody printed it.
    """
    outcomes: dict[str, Outcome] = {}
    output: dict[str, list[str]] = {}
    for event in _events(lines):
        test, action = event.get("Test"), event.get("Action")
        if not isinstance(test, str):
            continue
        name = name_of(test[:_MAX_NAME])
        if name not in outcomes and len(outcomes) >= _MAX_TESTS:
            continue
        if action == "run":
            outcomes.setdefault(name, Outcome.LOST)
        elif action in ("pass", "fail", "skip"):
            ended = outcomes.get(name, Outcome.LOST) is not Outcome.LOST
            outcomes[name] = Outcome.FAIL if ended else Outcome(action)
        elif action == "output":
            output.setdefault(name, []).append(str(event.get("Output", "")))
    return {
        name: TestResult(name=name, outcome=outcome, output="".join(output.get(name, ()))[:_MAX_TEST_OUTPUT])
        for name, outcome in outcomes.items()
    }


def _events(lines: bytes) -> Iterator[Mapping[str, object]]:
    for line in lines.decode("utf-8", "replace").split("\n"):  # at once: json takes long to guess each line's encoding
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def judge(expected: Collection[str], runs: Sequence[PackageRun]) -> tuple[Reason, str, tuple[TestResult, ...]]:
    """The verdict on one run of the whole suite: reason code, one line, and every expected or observed test.

    Passing needs all three: every binary exits with 0, every expected test is printed to pass and attests it, and no
    other test is claimed. ``expected`` are the ids that the reference fix reports through the same grader.
    """
    seen = {name: result for run in runs for name, result in run.tests.items()}
    passed = {name for run in runs for name in run.attested.passed}
    unknown = {name for run in runs for name in run.attested.unknown}
    results = tuple(_proved(name, seen.get(name), passed) for name in sorted({*expected, *seen, *unknown}))
    extra = sorted({*seen, *unknown} - set(expected))
    code, reason = _verdict(runs, [result for result in results if result.name in expected], extra)
    return code, reason, results


def _proved(name: str, printed: TestResult | None, passed: Collection[str]) -> TestResult:
    """What holds of a test: a failure is believed when it is printed, a pass when it is printed and attested.

    Both, as they fail differently: lines can be forged by who writes to the output, tokens be stolen by who reads the
    memory, and a thief that leaves before the tests have run has printed nothing.
    """
    result = printed or TestResult(name=name, outcome=Outcome.LOST)
    if result.outcome is Outcome.PASS and name not in passed:
        return replace(result, outcome=Outcome.UNATTESTED)
    return result


def _verdict(runs: Sequence[PackageRun], expected: Sequence[TestResult], extra: Sequence[str]) -> tuple[Reason, str]:
    failed = failed_leaves([result.name for result in expected if result.outcome is not Outcome.PASS])
    forged = failed_leaves([result.name for result in expected if result.outcome is Outcome.UNATTESTED])
    lost = f"; {len(failed)} tests failed or were not reached" if failed else ""
    if any(run.timed_out for run in runs):
        return Reason.TIMED_OUT, f"the test suite ran out of time{lost}"
    if any(run.output_cut for run in runs):
        return Reason.FLOODED, f"the test suite printed more than the limit{lost}"
    if any(run.signal for run in runs):
        killer = next(run.signal for run in runs if run.signal)
        return Reason.CRASHED, f"the test suite was ended by a signal ({killer}){lost}"
    if failed and any(run.exit_code not in (0, 1) for run in runs):
        # Go's own status for failed tests is 1; a panic outside of them, or no memory, ends the process with 2.
        status = next(run.exit_code for run in runs if run.exit_code not in (0, 1))
        return Reason.CRASHED, f"the test suite crashed (exit status {status}){lost}"
    if forged:
        return Reason.FORGED, f"{len(forged)} tests are printed to pass but did not attest it: {_some(forged)}"
    if failed:
        return Reason.TESTS_FAILED, f"{len(failed)} of {len(expected)} tests failed: {_some(failed)}"
    if extra:
        return Reason.UNEXPECTED_TESTS, f"tests are reported that the suite does not have: {_some(extra)}"
    if any(not run.ok for run in runs):
        status = next(run.exit_code for run in runs if not run.ok)
        return Reason.CRASHED, f"every test attests that it passed, but the exit status is {status}"
    return Reason.PASSED, f"all {len(expected)} hidden and public tests pass"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def failed_leaves(failed: Collection[str]) -> list[str]:
    """Those of the failed tests that have no failed subtest: a parent fails when a child does."""
    parents = set()
    for name in failed:
        while "/" in name and (name := name.rpartition("/")[0]) not in parents:
            parents.add(name)
    return sorted(set(failed) - parents)
