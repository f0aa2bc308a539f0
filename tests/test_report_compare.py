"""What changed between two reports."""

import pytest

from go_debug_bench.report.compare import MIN_SECONDS, compare, render_comparison
from go_debug_bench.report.model import CheckReport
from tests.reports import broke, check, failed, malformed, report, skipped, task


def test_the_same_run_has_no_change() -> None:
    """Whatever its times are, within the noise."""
    noisy = task(checks=[check("vet-clean", seconds=0.9), check("stable", seconds=100.0)])
    other = task(checks=[check("vet-clean", seconds=0.1), check("stable", seconds=101.0)])
    changes = compare(report(noisy), report(other))
    assert changes.nothing
    assert not changes.worse
    assert render_comparison(changes) == "no change\n"


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        (check("stable"), failed("stable"), True),
        (check("stable"), broke("stable"), True),
        (check("stable"), skipped("stable"), True),
        (skipped("stable"), failed("stable"), True),
        (failed("stable"), check("stable"), False),
        (failed("stable"), skipped("stable"), False),
        (failed("stable"), broke("stable"), False),
        (broke("stable"), check("stable"), False),
    ],
)
def test_a_changed_outcome_is_named(before: CheckReport, after: CheckReport, worse: bool) -> None:  # noqa: FBT001
    """It is worse if less is proved than before."""
    changes = compare(report(task(checks=[before])), report(task(checks=[after])))
    (change,) = changes.outcomes
    assert (change.before, change.after, change.worse) == (before.outcome, after.outcome, worse)
    assert changes.worse is worse


def test_what_got_worse_comes_first() -> None:
    """In the values and in the text."""
    old = report(task("a", [failed("stable", "a")]), task("b", [check("stable", "b")]))
    new = report(task("a", [check("stable", "a")]), task("b", [failed("stable", "b", found="it\nearns 1.1")]))
    changes = compare(old, new)
    assert [change.task for change in changes.outcomes] == ["b", "a"]
    assert render_comparison(changes) == (
        "worse:\n  b stable: passed -> failed: it earns 1.1\n\nchanged:\n  a stable: failed -> passed\n"
    )


def test_tasks_that_come_and_go_are_named() -> None:
    """A new task that fails makes the suite worse; a removed one does not."""
    old, new = report(task("a"), task("b")), report(task("b"), task("c"))
    changes = compare(old, new)
    assert (changes.added, changes.removed, changes.worse) == (("c",), ("a",), False)
    assert compare(old, report(task("b"), task("c", [failed("stable", "c")]))).worse


def test_a_check_that_only_one_run_has_is_no_change() -> None:
    """One of them was given -k; but a new check that fails is one."""
    many, one = report(task()), report(task(checks=[check("vet-clean")]))
    assert compare(many, one).nothing
    assert compare(one, many).nothing
    assert compare(one, report(task(checks=[check("vet-clean"), failed("stable")]))).worse


def test_a_task_that_is_malformed_now_got_worse() -> None:
    """And one that was mended did not."""
    changes = compare(report(task("a")), report(malformed("a")))
    assert changes.worse
    assert "a task.json: well-formed -> malformed: task.json: unknown field" in render_comparison(changes)
    assert not compare(report(malformed("a")), report(task("a"))).worse
    assert compare(report(malformed("a")), report(malformed("a"))).nothing
    assert compare(report(), report(malformed("a"))).worse


def test_another_content_is_named() -> None:
    """By the digest of all that decides a grade."""
    changes = compare(report(task("a"), task("b")), report(task("a", digest="1" * 64), task("b")))
    assert changes.content == ("a",)


def test_a_changed_speed_is_named_beyond_the_noise() -> None:
    """By a ratio and by an amount of seconds: each alone is noise."""

    def speed(before: float, after: float) -> list[str]:
        old = report(task(checks=[check("stable", seconds=before), check("vet-clean")]))
        new = report(task(checks=[check("stable", seconds=after), check("vet-clean")]))
        return ["slower" if change.slower else "faster" for change in compare(old, new).speed]

    assert speed(1.0, 1.0 + MIN_SECONDS) == ["slower"]
    assert speed(1.0 + MIN_SECONDS, 1.0) == ["faster"]
    assert speed(0.1, MIN_SECONDS) == []
    assert speed(100.0, 100.0 + 10 * MIN_SECONDS) == []
    assert not compare(report(task()), report(task())).speed


def test_a_speed_that_was_nothing_has_no_ratio() -> None:
    """Of 0 s there is no multiple."""
    old, new = (report(task(checks=[check("stable", seconds=seconds)])) for seconds in (0.0, 9.0))
    changes = compare(old, new)
    assert render_comparison(changes) == "slower:\n  tiny-tally: 0.0 s -> 9.0 s\n"


def test_cached_and_skipped_checks_are_not_timed() -> None:
    """Nor are those that only one of the runs has."""
    old = [check("stable", seconds=60.0), check("vet-clean"), check("public-green", seconds=60.0)]
    new = [check("stable", seconds=0.0, cached=True), check("vet-clean"), skipped("exploit[x]", seconds=60.0)]
    assert not compare(report(task(checks=old)), report(task(checks=new))).speed
    assert not compare(report(task(checks=new)), report(task(checks=old))).speed


def test_tasks_of_one_id_are_told_apart_by_folder() -> None:
    """And tasks whose id is unique are the same task wherever they lie."""
    twins = [task("a", [check("stable")], folder=folder) for folder in ("one/a", "two/a")]
    worse = twins[1].model_copy(update={"checks": (failed("stable"),)})
    (change,) = compare(report(*twins), report(twins[0], worse)).outcomes
    assert change.task == "a (two/a)"
    assert compare(report(task("b", folder="here/b")), report(task("b", folder="/else/where/b"))).nothing


def test_what_makes_runs_hard_to_compare_is_noted() -> None:
    """Another Go, machine or number of workers; an interrupted run."""
    other = report(task(), go="go1.24.12", workers=4, interrupted=True)
    text = render_comparison(compare(report(task()), other))
    assert "another Go, which changes times: go1.24.11, now go1.24.12" in text
    assert "another number of workers, which changes times: 1, now 4" in text
    assert "the new run was interrupted" in text
    assert text.startswith("no change\n")
