"""The verdict: pure functions over what was observed."""

import json
from dataclasses import replace
from typing import Any

import pytest

from go_debug_bench.attestation import Attested
from go_debug_bench.grade import (
    REWARDS,
    Grade,
    Outcome,
    PackageRun,
    Reason,
    TestResult,
    failed_leaves,
    judge,
    read_events,
)

GRADE = Grade(
    task="t", compiles=True, tests_untampered=True, hidden_tests_pass=True, code=Reason.PASSED, reason="all pass"
)
EXPECTED = ("TestA", "TestA/one", "TestA/two", "TestB")


def run(outcomes: dict[str, str], **changes: Any) -> PackageRun:
    """A run of one package that ended well, unless ``changes`` say otherwise."""
    tests = {name: TestResult(name=name, outcome=Outcome(outcome)) for name, outcome in outcomes.items()}
    attested = Attested(passed=frozenset(name for name, outcome in outcomes.items() if outcome == "pass"))
    ended = PackageRun(
        package="",
        exit_code=0,
        signal="",
        timed_out=False,
        output_cut=False,
        tests=tests,
        attested=attested,
        output="log",
    )
    return replace(ended, **changes)


ALL = dict.fromkeys(EXPECTED, "pass")


@pytest.mark.parametrize(
    ("compiles", "untampered", "hidden", "reward"),
    [(True, True, True, 1.1), (True, True, False, 0.1), (True, False, False, 0.1), (False, True, False, 0.0)],
)
def test_rewards_are_those_of_the_matrix(compiles: bool, untampered: bool, hidden: bool, reward: float) -> None:  # noqa: FBT001
    """Unfixed 0.1, reference 1.1, deleted test 0.1, not compiling 0.0."""
    grade = replace(GRADE, compiles=compiles, tests_untampered=untampered, hidden_tests_pass=hidden)
    assert grade.reward == pytest.approx(reward)


def test_the_rewards_keep_their_names_and_weights() -> None:
    """Users re-weight them by name."""
    assert [(reward.name, reward.weight) for reward in REWARDS] == [
        ("hidden_tests_pass", 1.0),
        ("compiles", 0.1),
        ("tests_untampered", 0.0),
    ]


def test_a_run_in_which_every_expected_test_passes_is_paid() -> None:
    """And nothing less is."""
    code, reason, results = judge(EXPECTED, [run(ALL)])
    assert code is Reason.PASSED
    assert reason == "all 4 hidden and public tests pass"
    assert [result.name for result in results] == list(EXPECTED)


@pytest.mark.parametrize(
    ("runs", "code", "reason"),
    [
        ([run({**ALL, "TestB": "fail"}, exit_code=1)], Reason.TESTS_FAILED, "1 of 4 tests failed: TestB"),
        ([run({**ALL, "TestB": "fail"})], Reason.TESTS_FAILED, "1 of 4 tests failed: TestB"),
        ([run({**ALL, "TestB": "skip"})], Reason.TESTS_FAILED, "1 of 4 tests failed: TestB"),
        ([run({**ALL, "TestB": "lost"})], Reason.TESTS_FAILED, "1 of 4 tests failed: TestB"),
        (
            [run({**ALL, "TestA/one": "fail", "TestA": "fail"})],
            Reason.TESTS_FAILED,
            "1 of 4 tests failed: TestA/one",
        ),
        ([run({})], Reason.TESTS_FAILED, "3 of 4 tests failed: TestA/one, TestA/two, TestB"),
        ([], Reason.TESTS_FAILED, "3 of 4 tests failed: TestA/one, TestA/two, TestB"),
        (
            [run({**ALL, "TestC": "pass"})],
            Reason.UNEXPECTED_TESTS,
            "tests are reported that the suite does not have: TestC",
        ),
        (
            [run(ALL, exit_code=1)],
            Reason.CRASHED,
            "every test attests that it passed, but the exit status is 1",
        ),
        ([run(ALL, exit_code=-1, signal="killed")], Reason.CRASHED, "the test suite was ended by a signal (killed)"),
        ([run(ALL, exit_code=-1, timed_out=True)], Reason.TIMED_OUT, "the test suite ran out of time"),
        ([run(ALL, exit_code=0, timed_out=True)], Reason.TIMED_OUT, "the test suite ran out of time"),
        ([run(ALL, exit_code=0, output_cut=True)], Reason.FLOODED, "the test suite printed more than the limit"),
        (
            [run({"TestA": "lost"}, exit_code=-1, timed_out=True)],
            Reason.TIMED_OUT,
            "the test suite ran out of time; 3 tests failed or were not reached",
        ),
        ([run(ALL), run({}, package="b", exit_code=2)], Reason.CRASHED, "every test attests that it passed, but"),
    ],
)
def test_a_run_that_lacks_anything_is_not_paid(runs: list[PackageRun], code: Reason, reason: str) -> None:
    """An exit status alone proves nothing, and neither do passing tests alone."""
    found_code, found_reason, _ = judge(EXPECTED, runs)
    assert found_code is code
    assert found_reason.startswith(reason)


@pytest.mark.parametrize(
    ("attested", "code", "reason"),
    [
        (
            Attested(passed=frozenset({"TestA", "TestA/one", "TestA/two"})),
            Reason.FORGED,
            "1 tests are printed to pass but did not attest it: TestB",
        ),
        (Attested(), Reason.FORGED, "3 tests are printed to pass but did not attest it: TestA/one, TestA/two, TestB"),
        (
            Attested(passed=frozenset(EXPECTED), unknown=frozenset({"TestC"})),
            Reason.UNEXPECTED_TESTS,
            "tests are reported that the suite does not have: TestC",
        ),
    ],
)
def test_printed_lines_prove_nothing(attested: Attested, code: Reason, reason: str) -> None:
    """A pass counts when it is attested, and a report without a token counts against it."""
    assert judge(EXPECTED, [run(ALL, attested=attested)])[:2] == (code, reason)


def test_tokens_without_a_run_prove_nothing() -> None:
    """Whoever steals them and leaves has printed no result."""
    printed = {name: TestResult(name=name, outcome=Outcome.LOST) for name in EXPECTED}
    assert judge(EXPECTED, [run(ALL, tests=printed)])[0] is Reason.TESTS_FAILED
    assert judge(EXPECTED, [run(ALL, tests={})])[0] is Reason.TESTS_FAILED


def test_a_printed_failure_is_believed() -> None:
    """Also against an attestation."""
    failed = run({**ALL, "TestB": "fail"}, attested=Attested(passed=frozenset(EXPECTED)))
    assert judge(EXPECTED, [failed])[0] is Reason.TESTS_FAILED


def test_a_long_list_of_failures_is_shortened() -> None:
    """A reason is one line."""
    names = [f"Test{number}" for number in range(9)]
    _, reason, _ = judge(names, [run(dict.fromkeys(names, "fail"))])
    assert reason == "9 of 9 tests failed: Test0, Test1, Test2, Test3 and 5 more"


def test_a_parent_is_no_leaf() -> None:
    """A parent fails when a child does; one that fails by itself counts."""
    assert failed_leaves(["TestA", "TestA/x", "TestA/x/y", "TestAB", "TestB"]) == ["TestA/x/y", "TestAB", "TestB"]


def events(*rows: tuple[str, str | None]) -> bytes:
    """Lines as test2json writes them."""
    return b"".join(json.dumps({"Action": action, "Test": test}).encode() + b"\n" for action, test in rows)


def test_events_become_results_with_their_output() -> None:
    """The package's own lines, and lines that are no JSON, are passed over."""
    lines = (
        events(("run", "TestA"))
        + b'not json\n[1]\n{"Action":"output","Test":"TestA","Output":"hello\\n"}\n'
        + events(("pass", "TestA"), ("run", "TestB"), ("fail", "TestB"), ("skip", "TestC"), ("fail", None))
    )
    results = read_events(lines, lambda name: f"pkg.{name}")
    assert results == {
        "pkg.TestA": TestResult(name="pkg.TestA", outcome=Outcome.PASS, output="hello\n"),
        "pkg.TestB": TestResult(name="pkg.TestB", outcome=Outcome.FAIL),
        "pkg.TestC": TestResult(name="pkg.TestC", outcome=Outcome.SKIP),
    }


def test_a_test_that_does_not_end_is_lost() -> None:
    """Whether it hangs or the process dies under it."""
    assert read_events(events(("run", "TestA")), str)["TestA"].outcome is Outcome.LOST


@pytest.mark.parametrize("rows", [("fail", "pass"), ("pass", "fail"), ("pass", "pass"), ("skip", "pass")])
def test_a_test_that_ends_twice_has_failed(rows: tuple[str, str]) -> None:
    """Go reports an end once; the second one was printed by the submission."""
    lines = events(("run", "TestA"), *((action, "TestA") for action in rows))
    assert read_events(lines, str)["TestA"].outcome is Outcome.FAIL


def test_the_output_of_a_test_is_bounded() -> None:
    """A flood of one test does not fill the grade."""
    line = json.dumps({"Action": "output", "Test": "TestA", "Output": "x" * 1000}).encode() + b"\n"
    result = read_events(events(("run", "TestA")) + line * 100, str)["TestA"]
    assert len(result.output) == 4000
