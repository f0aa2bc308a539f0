"""The report as a document: strict, frozen, versioned models, and the JSON Schema that is generated from them.

Whatever comes from a task or from a tool is cleaned where a model takes it in: no control character, no escape
sequence, and a bounded length. A report that was read from a file is therefore as harmless as one that was made here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from go_debug_bench.errors import GobenchError
from go_debug_bench.text import one_line, plain, printable

__all__ = [
    "FORMAT",
    "SCHEMA_FILE",
    "VERSION",
    "Balance",
    "CheckReport",
    "GradeReport",
    "Machine",
    "Outcome",
    "ProblemReport",
    "Report",
    "ReportError",
    "TaskReport",
    "json_schema",
    "read_report",
]

FORMAT: Final = "go-debug-bench report"
VERSION: Final = 1
SCHEMA_FILE = "report.schema.json"
"""File name of the committed schema, beside this module."""

_MAX_LINE = 1_000
_MAX_TEXT = 8_000
_MAX_FILE_BYTES = 64 << 20

Outcome = Literal["passed", "failed", "skipped", "error"]


def _line(value: object) -> object:
    return one_line(value, _MAX_LINE) if isinstance(value, str) else value


def _verbatim(value: object) -> object:
    return plain(value, _MAX_LINE).replace("\n", " ") if isinstance(value, str) else value


def _text(value: object) -> object:
    return plain(value, _MAX_TEXT) if isinstance(value, str) else value


Line = Annotated[str, BeforeValidator(_line), Field(max_length=_MAX_LINE)]
Verbatim = Annotated[str, BeforeValidator(_verbatim), Field(max_length=_MAX_LINE)]
"""A line whose spaces count: part of a command."""
Text = Annotated[str, BeforeValidator(_text), Field(max_length=_MAX_TEXT)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
"""Bounded, so that a sum of them is a number, too."""
Count = Annotated[int, Field(ge=0)]


class ReportError(GobenchError, ValueError):
    """A file is no report that this version reads: ``file``, ``field`` (may be empty), and how to mend it."""

    def __init__(self, file: Path, field: str, message: str, mend: str) -> None:
        self.file = file
        self.field = printable(field)
        self.mend = mend
        where = f"{printable(str(file))}: {self.field}" if field else printable(str(file))
        super().__init__(f"{where}: {printable(message)}; {mend}")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GradeReport(_Strict):
    """The grade of the submission that a check is about."""

    compiles: Annotated[bool, Field(description="The module builds")]
    tampered: Annotated[bool, Field(description="A test of the repository was changed, renamed or removed")]
    hidden: Annotated[bool, Field(description="The whole suite passes, hidden tests among it, and attests it")]
    reward: Annotated[float, Field(allow_inf_nan=False, description="The weighted sum of the rewards: 1.1, 0.1 or 0.0")]
    code: Annotated[Line, Field(description="Why, as a code: passed, tests-failed, build-failed, tampered, …")]
    seconds: Annotated[dict[Line, Seconds], Field(description="Wall time of each step of the grade, in seconds")]
    box: Annotated[Line, Field(description="Where the suite ran, with its isolation: 'local, isolation root'")]


class CheckReport(_Strict):
    """One check of one task."""

    name: Annotated[Line, Field(description="Unique in the task: 'vet-clean', or 'wrong[fix-name]'")]
    kind: Annotated[Line, Field(description="The name without the brackets")]
    fix: Annotated[Line, Field(description="The fix or the exploit that the check is about, or empty")]
    nodeid: Annotated[Verbatim, Field(description="pytest's id of the check, for a command line")]
    outcome: Annotated[
        Outcome,
        Field(
            description="'passed': the claim holds. 'failed': it does not. 'skipped': it was not tried here. "
            "'error': the machinery failed, so nothing is known of the claim"
        ),
    ]
    cached: Annotated[bool, Field(description="The verdict was kept from an earlier run, so its time says nothing")]
    seconds: Annotated[Seconds, Field(description="Wall time of the check in this run, in seconds")]
    claim: Annotated[Line, Field(description="What was to be shown; empty where the check did not get that far")]
    found: Annotated[Line, Field(description="What was found instead, if the claim does not hold")]
    reason: Annotated[Text, Field(description="Why the check was skipped, or how the machinery failed")]
    mend: Annotated[Line, Field(description="The likely mend of a failed claim")]
    commands: Annotated[
        tuple[Verbatim, ...],
        Field(max_length=50, description="Shell commands that show the finding, once 'repeat' has kept the tree"),
    ]
    repeat: Annotated[Verbatim, Field(description="The pytest command that repeats the check")]
    excerpt: Annotated[Text, Field(description="What Go printed, or all that was found: the lines that matter")]
    grade: Annotated[GradeReport | None, Field(description="The grade, or null where nothing was graded")]


class ProblemReport(_Strict):
    """One thing that keeps a folder from being a task."""

    file: Annotated[Line, Field(description="File in the task's folder")]
    field: Annotated[Line, Field(description="Field, test or line in that file, or empty")]
    message: Annotated[Text, Field(description="What is wrong, and how to mend it")]


class TaskReport(_Strict):
    """One task and the checks of it that were run. A malformed task has problems and no checks."""

    id: Annotated[Line, Field(description="The task's id; that of a malformed task is its folder's name")]
    folder: Annotated[
        Verbatim, Field(description="The task's folder, relative to pytest's root where it lies below it")
    ]
    title: Annotated[Line, Field(description="What is wrong, in a few words")]
    package: Annotated[Line, Field(description="The Go package of the defect")]
    family: Annotated[Line, Field(description="What the gate belongs to: slices, channels, encoding, …")]
    difficulty: Annotated[Line, Field(description="medium, hard or expert; empty for a malformed task")]
    digest: Annotated[Line, Field(description="SHA-256 (hex) of all that decides a grade; empty for a malformed task")]
    problems: Annotated[tuple[ProblemReport, ...], Field(description="What keeps the folder from being a task")]
    checks: Annotated[tuple[CheckReport, ...], Field(description="The checks that were run, in the suite's order")]

    @property
    def malformed(self) -> bool:
        """Whether the folder is no valid task."""
        return bool(self.problems)


class Machine(_Strict):
    """The machine that the run was made on."""

    system: Annotated[Line, Field(description="Operating system: Linux, Darwin")]
    architecture: Annotated[Line, Field(description="Of the processor: x86_64, arm64")]
    cores: Annotated[Count, Field(description="Number of cores, or 0 if it is not known")]


class Balance(_Strict):
    """How the run's tasks are spread. A report, never an error."""

    families: Annotated[dict[Line, Count], Field(description="Number of tasks by family, the largest first")]
    difficulties: Annotated[dict[Line, Count], Field(description="Number of tasks by difficulty, the easiest first")]
    notes: Annotated[tuple[Line, ...], Field(description="What is out of balance, one sentence each")]


class Report(_Strict):
    """What one run of the checks showed."""

    schema_: Annotated[str | None, Field(alias="$schema", description="For editors; not read")] = None
    format: Annotated[Literal["go-debug-bench report"], Field(description="The name of this format")]
    version: Annotated[Literal[1], Field(description="Of this format; a reader refuses a newer one")]
    created: Annotated[AwareDatetime, Field(description="When the run ended, in UTC")]
    package_version: Annotated[Line, Field(description="Version of go-debug-bench")]
    go: Annotated[Line, Field(description="Version of Go, like go1.24.13; empty if no check came to need it")]
    platform: Annotated[Line, Field(description="Platform that Go built for, like linux/amd64; empty as above")]
    python: Annotated[Line, Field(description="Version of Python")]
    machine: Annotated[Machine, Field(description="Where the run was made")]
    isolation: Annotated[
        tuple[Line, ...], Field(description="Every kind of box that suites ran in: 'local, isolation root'")
    ]
    workers: Annotated[int, Field(ge=1, description="Number of processes that ran checks side by side")]
    seconds: Annotated[Seconds, Field(description="Wall time of the run")]
    exit_status: Annotated[
        int, Field(description="pytest's: 0 all is well, 1 something failed, 2 interrupted, 3 and up no valid run")
    ]
    interrupted: Annotated[bool, Field(description="The run was stopped: checks that are missing were not run")]
    selected: Annotated[
        Count, Field(description="Number of checks that were to be run; fewer are reported if it ended")
    ]
    commit: Annotated[Line, Field(description="Commit of the checkout that pytest ran in, or empty")]
    exploits: Annotated[Line, Field(description="Which exploits were tried, in words; empty for none")]
    options: Annotated[dict[Line, Line], Field(description="Options of the run that decide what is checked, and how")]
    tasks: Annotated[tuple[TaskReport, ...], Field(description="By id, then by folder")]
    balance: Annotated[Balance, Field(description="How the tasks are spread over families and difficulties")]

    def to_json(self) -> str:
        """The document as text, with a final newline."""
        return self.model_dump_json(by_alias=True, exclude={"schema_"}, indent=2) + "\n"


def json_schema() -> str:
    """The JSON Schema of a report, as the text of the committed copy."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Report.model_json_schema(by_alias=True),
        "title": FORMAT,
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def read_report(path: Path) -> Report:
    """The report in a ``.json`` file.

    Raises:
        ReportError: there is no such file, or it is no report that this version reads.
    """
    mend = "give a file that 'pytest --gobench-report FILE.json' wrote"
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ReportError(path, "", f"cannot be read: {error.strerror}", mend) from None
    if len(data) > _MAX_FILE_BYTES:
        raise ReportError(path, "", "is larger than any report", mend)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise ReportError(path, "", "is not JSON", mend) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ReportError(path, "format", f"is not {FORMAT!r}", mend)
    version = found.get("version")
    if type(version) is not int:  # pydantic takes what equals 1: true, 1.0
        raise ReportError(path, "version", "is not a whole number", mend)
    if version > VERSION:
        newer = f"is {version}, and this program reads {VERSION}"
        raise ReportError(path, "version", newer, "update go-debug-bench, or write the report with this version")
    try:
        report = Report.model_validate_json(data)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        raise ReportError(path, _place(detail["loc"]), _plain_message(detail["msg"]), mend) from None
    if repeated := next(_repeated(report), None):
        raise ReportError(path, *repeated, mend)
    return report


def _repeated(report: Report) -> Iterator[tuple[str, str]]:
    """What is there twice, as a field and a message: readers look tasks up by folder, and their checks by name."""
    for folder in _not_unique(task.folder for task in report.tasks):
        yield "tasks", f"the folder {folder!r} is there twice"
    for number, task in enumerate(report.tasks):
        for name in _not_unique(check.name for check in task.checks):
            yield f"tasks[{number}].checks", f"the check {name!r} is there twice"


def _not_unique(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _place(parts: tuple[Any, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _plain_message(message: str) -> str:
    return message[:1].lower() + message[1:]


if __name__ == "__main__":
    print(json_schema(), end="")
