"""The report as a document: what it takes in, what it refuses to read, its schema, and the balance of a suite."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from go_debug_bench.report import model
from go_debug_bench.report.balance import FEW_TASKS, balance_of
from go_debug_bench.report.model import Report, ReportError, read_report
from tests import reports


def test_the_committed_schema_is_the_models() -> None:
    """Run 'python -m go_debug_bench.report.model > go_debug_bench/report/report.schema.json' after a change."""
    committed = Path(model.__file__).with_name(model.SCHEMA_FILE)
    assert committed.read_text(encoding="utf-8") == model.json_schema()


def test_every_field_is_explained_in_the_schema() -> None:
    """The reference of the format is made from it."""
    schema = json.loads(model.json_schema())
    for definition in (schema, *schema["$defs"].values()):
        assert definition["description"]
        for name, field in definition["properties"].items():
            assert field.get("description"), name


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    """With every kind of outcome in it."""
    checks = [
        reports.check("vet-clean"),
        reports.failed("wrong[one]"),
        reports.broke("stable"),
        reports.skipped("exploit[x]"),
    ]
    written = reports.report(reports.task(checks=checks), reports.malformed())
    path = tmp_path / "report.json"
    path.write_text(written.to_json(), encoding="utf-8")
    assert read_report(path) == written


def test_a_document_takes_in_nothing_else() -> None:
    """Wherever it is made or read, so that what is shown of it needs no second look."""
    found = reports.failed("wrong[one]", found="bad\x1b[2J\nnews", excerpt="\x07x" * 100_000, reason="\x00")
    assert found.found == "bad news"
    assert found.reason == ""
    assert len(found.excerpt) == 8_000
    assert "\x07" not in found.excerpt


def test_the_spaces_of_a_command_count() -> None:
    """It is to be run as it stands."""
    command = "pytest 'two  spaces/task.json::stable'"
    assert reports.check("stable", repeat=command, commands=(command,)).repeat == command
    assert reports.check("stable", commands=("a\nb",)).commands == ("a b",)


def test_unknown_fields_and_wrong_types_are_refused() -> None:
    """The format is strict: what a reader does not know, it may not pass over."""
    with pytest.raises(ValidationError, match="extra"):
        reports.check("vet-clean", colour="red")
    with pytest.raises(ValidationError, match="seconds"):
        reports.check("vet-clean", seconds=-1.0)
    for seconds in (1e308, float("inf"), float("nan")):
        with pytest.raises(ValidationError, match="seconds"):
            reports.check("vet-clean", seconds=seconds)
    with pytest.raises(ValidationError, match="outcome"):
        reports.check("vet-clean", outcome="perhaps")


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A report's text after a change of its values."""
    values = json.loads(reports.report(reports.task()).to_json())
    change(values)
    return json.dumps(values).encode()


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        (b"{", "", "is not JSON"),
        (b"\xff", "", "is not JSON"),
        (b"[" * 100_000, "", "is not JSON"),
        (b"[]", "format", "is not 'go-debug-bench report'"),
        (b'{"version": 1}', "format", "is not 'go-debug-bench report'"),
        (changed(lambda report: report.update(version=2)), "version", "is 2, and this program reads 1; update"),
        (changed(lambda report: report.update(version=0)), "version", "input should be 1"),
        (changed(lambda report: report.update(version=True)), "version", "is not a whole number"),
        (changed(lambda report: report.update(version=1.0)), "version", "is not a whole number"),
        (changed(lambda report: report.pop("version")), "version", "is not a whole number"),
        (changed(lambda report: report["tasks"][0].update({"a\x1b\n": 1})), r"tasks[0].a\x1b\n", "extra inputs"),
        (changed(lambda report: report.update(tasks=report["tasks"] * 2)), "tasks", "the folder 'tasks/tiny-tally' is"),
        (
            changed(lambda report: report["tasks"][0].update(checks=report["tasks"][0]["checks"][:2] * 2)),
            "tasks[0].checks",
            "the check 'vet-clean' is there twice",
        ),
        (changed(lambda report: report.pop("go")), "go", "field required"),
        (changed(lambda report: report["tasks"][0]["checks"][1].update(outcome=3)), "tasks[0].checks[1].outcome", ""),
    ],
)
def test_what_is_no_report_is_refused_in_one_sentence(tmp_path: Path, data: bytes, field: str, message: str) -> None:
    """With file, field and mend."""
    path = tmp_path / "report.json"
    path.write_bytes(data)
    with pytest.raises(ReportError) as caught:
        read_report(path)
    assert caught.value.file == path
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{path}: {field}: {message}" if field else f"{path}: {message}")
    assert str(caught.value).endswith(caught.value.mend)
    assert "\n" not in str(caught.value)


def test_what_never_ends_is_refused() -> None:
    """A report is read with a bound."""
    with pytest.raises(ReportError, match="is larger than any report"):
        read_report(Path("/dev/zero"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """And a folder."""
    with pytest.raises(ReportError, match=r"nowhere\.json: cannot be read: No such file"):
        read_report(tmp_path / "nowhere.json")
    with pytest.raises(ReportError, match="cannot be read: Is a directory"):
        read_report(tmp_path)


def test_balance_counts_families_and_difficulties() -> None:
    """The largest family first, every difficulty also if it is empty, and no malformed task."""
    families = ("time", "slices", "slices", "channels")
    tasks = [reports.task(f"task-{n}", [], family=family) for n, family in enumerate(families)]
    balance = balance_of([*tasks, reports.malformed()])
    assert list(balance.families.items()) == [("slices", 2), ("channels", 1), ("time", 1)]
    assert list(balance.difficulties.items()) == [("medium", 4), ("hard", 0), ("expert", 0)]


def test_a_lopsided_suite_is_noted() -> None:
    """More than half of one family or difficulty, or none of a difficulty; half is in balance."""

    def notes(*kinds: tuple[str, str]) -> tuple[str, ...]:
        tasks = [reports.task(f"t{n}", [], family=family, difficulty=how) for n, (family, how) in enumerate(kinds)]
        return balance_of(tasks).notes

    even = [("slices", "medium"), ("slices", "hard"), ("time", "hard"), ("time", "expert"), ("sync", "expert")]
    assert notes(*even, ("slices", "medium")) == ()
    assert notes(*[("slices", "hard")] * 3, *even[2:4]) == (
        "more than half of the tasks have the family slices: 3 of 5",
        "more than half of the tasks have the difficulty hard: 4 of 5",
        "no task is medium",
    )
    assert notes(*[("slices", "hard")] * (FEW_TASKS - 1)) == ()


def test_a_report_is_frozen() -> None:
    """A value, like all that is parsed."""
    made: Report = reports.report()
    with pytest.raises(ValidationError):
        made.seconds = 1.0  # type: ignore[misc]
