"""Loading tasks: everything that is wrong with one is said at once, and no Go runs."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.errors import GobenchError, TaskError, UnknownTaskError
from go_debug_bench.task import load_task, load_tasks, test_id
from go_debug_bench.tasks_dir import task_folders, tasks_dir

EXAMPLES = Path(__file__).parent / "examples"
Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a valid task, to be spoilt."""
    return Path(shutil.copytree(EXAMPLES / "valid" / "tiny-tally", tmp_path / "tiny-tally"))


def spec(**changes: Any) -> Change:
    """Replace fields of ``task.json``; a callable changes the old value."""

    def change(folder: Path) -> None:
        path = folder / "task.json"
        fields = json.loads(path.read_text())
        for name, value in changes.items():
            fields[name] = value(fields[name]) if callable(value) else value
        path.write_text(json.dumps(fields))

    return change


def text(path: str, content: str) -> Change:
    """Write a file of the task."""

    def change(folder: Path) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)

    return change


def edited(path: str, find: str, replace: str) -> Change:
    """Replace a text in a file of the task."""

    def change(folder: Path) -> None:
        before = (folder / path).read_text()
        assert find in before
        (folder / path).write_text(before.replace(find, replace))

    return change


def with_edits(*edits: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Give a fix other edits."""
    return lambda fix: {**fix, "edits": list(edits)}


def in_first(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[list[Any]], list[Any]]:
    """Change the first of a list of fixes."""
    return lambda fixes: [change(fixes[0]), *fixes[1:]]


HIDDEN = 'package tally_test\n\nimport "testing"\n\nfunc {name}({arguments}) {{}}\n'

PROBLEMS: dict[str, tuple[Change, str]] = {
    "no task.json": (lambda f: (f / "task.json").unlink(), "task.json: is missing"),
    "not JSON": (text("task.json", "{]"), "task.json: is not JSON"),
    "not UTF-8": (lambda f: (f / "task.json").write_bytes(b"\xff"), "task.json: is not UTF-8"),
    "task.json is a folder": (
        lambda f: ((f / "task.json").unlink(), (f / "task.json").mkdir()),
        "task.json: is a folder; it must be a file",
    ),
    "unknown field": (spec(hint="x"), "task.json: hint: unknown field"),
    "id unlike the folder": (
        spec(id="other"),
        "task.json: id: is 'other' but the folder is called 'tiny-tally'; make them equal",
    ),
    "empty prompt": (spec(prompt=[" "]), "task.json: prompt: must not be empty"),
    "no such package": (spec(package="other"), "task.json: package: 'other' is no package of the repo; it has tally"),
    "find occurs never": (
        spec(reference_fix=with_edits({"file": "tally.go", "find": "zzz", "replace": ""})),
        "task.json: reference_fix.edits[0]: find occurs 0 times in tally.go",
    ),
    "find occurs twice": (
        spec(wrong_fixes=in_first(with_edits({"file": "tally.go", "find": "total", "replace": ""}))),
        "task.json: wrong_fixes[0].edits[0]: find occurs",
    ),
    "fix changes nothing": (
        spec(alternative_fixes=in_first(with_edits({"file": "tally.go", "find": "i < 3", "replace": "i < 3"}))),
        "task.json: alternative_fixes[0].edits: change nothing",
    ),
    "fix touches a test": (
        spec(reference_fix=with_edits({"file": "tally_test.go", "delete": True})),
        "task.json: reference_fix.edits[0]: touches a test, tally_test.go",
    ),
    "fix touches go.mod": (
        spec(reference_fix=with_edits({"file": "go.mod", "delete": True})),
        "task.json: reference_fix.edits[0]: go.mod is not a Go source file",
    ),
    "two fixes alike": (
        spec(alternative_fixes=lambda fixes: [fixes[0], {**fixes[0], "name": "again"}]),
        "task.json: alternative_fixes[1]: gives the very same code as alternative_fixes[0]",
    ),
    "two fixes alike but for white space and comments": (
        spec(
            alternative_fixes=lambda fixes: [
                fixes[0],
                {
                    **fixes[0],
                    "name": "again",
                    "edits": [{**e, "replace": f"// So.\n{e['replace']} "} for e in fixes[0]["edits"]],
                },
            ]
        ),
        "task.json: alternative_fixes[1]: gives the very same code as alternative_fixes[0], white space and comments",
    ),
    "fix of white space alone": (
        spec(wrong_fixes=in_first(with_edits({"file": "tally.go", "find": "i < 3", "replace": "i  <  3"}))),
        "task.json: wrong_fixes[0]: gives the very same code as the unfixed repo, white space and comments aside",
    ),
    "two fixes of one name": (
        spec(wrong_fixes=in_first(lambda fix: {**fix, "name": "add-all"})),
        "task.json: wrong_fixes[0].name: 'add-all' is the name of reference_fix too",
    ),
    "mutant that does not apply": (
        spec(
            equivalent_mutants=[
                {"name": "m", "summary": "M.", "why": "W.", "edits": [{"file": "x.go", "delete": True}]}
            ]
        ),
        "task.json: equivalent_mutants[0].edits[0]: x.go is not in the repo",
    ),
    "fix name that -k cannot select": (
        spec(wrong_fixes=in_first(lambda fix: {**fix, "name": "a[b]"})),
        "task.json: wrong_fixes[0].name: must be lower-case letters, digits and hyphens",
    ),
    "unknown fail_to_pass": (
        spec(fail_to_pass=["TestTotalOfMany/five", "TestNone"]),
        "task.json: fail_to_pass[1]: 'TestNone' is no hidden test; the hidden suite has TestTotalOfMany",
    ),
    "public test in fail_to_pass": (
        spec(fail_to_pass=["TestTotalOfTwo"]),
        "task.json: fail_to_pass[0]: 'TestTotalOfTwo' is no hidden test",
    ),
    "fail_to_pass twice": (
        spec(fail_to_pass=["TestTotalOfMany/five", "TestTotalOfMany/five"]),
        "task.json: fail_to_pass[1]: 'TestTotalOfMany/five' is listed twice",
    ),
    "parent in fail_to_pass": (
        spec(fail_to_pass=["TestTotalOfMany", "TestTotalOfMany/five"]),
        "task.json: fail_to_pass[0]: 'TestTotalOfMany' is the parent of another entry; parents are implied",
    ),
    "hidden file in the repo": (
        text("repo/total_test.go", HIDDEN.format(name="TestOther", arguments="t *testing.T")),
        "hidden/total_test.go: is in the agent's repo too; a hidden file is hidden",
    ),
    "no go.mod": (lambda f: (f / "repo/go.mod").unlink(), "repo/go.mod: is missing; the repo is one Go module"),
    "dependencies": (
        text("repo/go.mod", "module example.com/tally\n\ngo 1.24\n\nrequire example.com/x v1.0.0\n"),
        "repo/go.mod: has dependencies; a task uses the standard library only",
    ),
    "dependencies in a block": (
        text("repo/go.mod", "module example.com/tally\n\ngo 1.24\n\nrequire (\n\texample.com/x v1.0.0\n)\n"),
        "repo/go.mod: has dependencies; a task uses the standard library only",
    ),
    "toolchain line": (
        text("repo/go.mod", "module example.com/tally\n\ngo 1.24\n\ntoolchain go1.24.1\n"),
        "repo/go.mod: has a line 'toolchain go1.24.1'; it may hold 'module' and 'go' only",
    ),
    "no module line": (text("repo/go.mod", "go 1.24\n"), "repo/go.mod: has no module line"),
    "another go line": (
        text("repo/go.mod", "module example.com/tally\n\ngo 1.23\n"),
        "repo/go.mod: must have the line 'go 1.24', as task.json says",
    ),
    "nested module": (
        text("repo/sub/go.mod", "module sub\n"),
        "repo/sub/go.mod: does not belong in a task; the repo is one module without dependencies",
    ),
    "go.work": (text("repo/go.work", "go 1.24\n"), "repo/go.work: does not belong in a task"),
    "vendored": (text("repo/vendor/x/x.go", "package x\n"), "repo/vendor/x/x.go: is vendored"),
    "source that Go ignores": (text("repo/_old/x.go", "package x\n"), "repo/_old/x.go: is ignored by the go command"),
    "source that does not parse": (
        text("repo/x.go", "package tally\nfunc {\n"),
        "repo/x.go: does not parse as Go: line 2, at 'func {'",
    ),
    "no source": (lambda f: (f / "repo/tally.go").unlink(), "repo: holds no Go source besides tests"),
    "no hidden test": (lambda f: (f / "hidden/total_test.go").unlink(), "hidden: holds no test"),
    "no hidden folder": (lambda f: shutil.rmtree(f / "hidden"), "hidden: is missing; it must be a folder"),
    "hidden source": (text("hidden/x.go", "package tally\n"), "hidden/x.go: is neither a test nor below testdata/"),
    "hidden test inside the package": (
        edited("hidden/total_test.go", "package tally_test", "package tally"),
        "hidden/total_test.go: package: is 'tally'; tests use the public API, from 'package tally_test'",
    ),
    "public test inside the package": (
        edited("repo/tally_test.go", "package tally_test", "package tally"),
        "repo/tally_test.go: package: is 'tally'; tests use the public API, from 'package tally_test'",
    ),
    "hidden test of no package": (
        text("hidden/sub/x_test.go", HIDDEN.format(name="TestX", arguments="t *testing.T")),
        "hidden/sub/x_test.go: tests a folder that holds no package of the repo",
    ),
    "hidden TestMain": (
        text("hidden/x_test.go", HIDDEN.format(name="TestMain", arguments="m *testing.M")),
        "hidden/x_test.go: TestMain: a TestMain decides the exit status",
    ),
    "public TestMain": (
        text("repo/x_test.go", HIDDEN.format(name="TestMain", arguments="m *testing.M")),
        "repo/x_test.go: TestMain: a TestMain decides the exit status",
    ),
    "hidden fuzz test": (
        text("hidden/x_test.go", HIDDEN.format(name="FuzzX", arguments="f *testing.F")),
        "hidden/x_test.go: FuzzX: a hidden suite holds Test functions only",
    ),
    "hidden example": (
        text("hidden/x_test.go", HIDDEN.format(name="ExampleX", arguments="")),
        "hidden/x_test.go: ExampleX: a hidden suite holds Test functions only",
    ),
    "hidden benchmark": (
        text("hidden/x_test.go", HIDDEN.format(name="BenchmarkX", arguments="b *testing.B")),
        "hidden/x_test.go: BenchmarkX: a hidden suite holds Test functions only",
    ),
    "one name twice": (
        text("hidden/x_test.go", HIDDEN.format(name="TestTotalOfTwo", arguments="t *testing.T")),
        "hidden/x_test.go: TestTotalOfTwo: is declared in repo/tally_test.go too",
    ),
    "symlink": (
        lambda f: (f / "repo/link.go").symlink_to("tally.go"),
        "repo/link.go: is a symlink; a task holds regular, readable files only",
    ),
    "symlinked folder": (
        lambda f: ((f / "hidden").rename(f.parent / "h"), (f / "hidden").symlink_to(f.parent / "h")),
        "hidden: is a symlink; a task holds regular, readable files only",
    ),
    "FIFO": (lambda f: os.mkfifo(f / "repo/pipe"), "repo/pipe: is not a regular file"),
    "conftest": (
        text("conftest.py", "raise SystemExit('ran')\n"),
        "conftest.py: is a Python file; a task folder holds none, and none is ever run",
    ),
    "Python deep inside": (text("repo/tools/gen.py", ""), "repo/tools/gen.py: is a Python file"),
    "Python symlink": (lambda f: (f / "repo/x.py").symlink_to("/x"), "repo/x.py: is a Python file"),
    "pytest configuration": (
        text("repo/pytest.ini", "[pytest]\n"),
        "repo/pytest.ini: configures pytest, which could make it run code",
    ),
    "hidden test under a build constraint": (
        edited("hidden/total_test.go", "package tally_test", "//go:build race\n\npackage tally_test"),
        "hidden/total_test.go: has a build constraint",
    ),
    "hidden test of one system": (
        text("hidden/x_windows_test.go", HIDDEN.format(name="TestX", arguments="t *testing.T")),
        "hidden/x_windows_test.go: has a build constraint, in it or in its name",
    ),
    "TestMain in a folder that is nearly testdata": (
        text("hidden/mytestdata/x_test.go", HIDDEN.format(name="TestMain", arguments="m *testing.M")),
        "hidden/mytestdata/x_test.go: TestMain: a TestMain decides the exit status",
    ),
    "fix below a file": (
        spec(reference_fix=with_edits({"file": "tally.go/x.go", "create": "package x"})),
        "task.json: reference_fix.edits[0]: creates tally.go/x.go, where a file stands in the place of a folder",
    ),
    "fix with an impossible path": (
        spec(reference_fix=with_edits({"file": "a\0.go", "create": "package x"})),
        "task.json: reference_fix.edits[0].file: must be a path relative to the repo",
    ),
    "hidden test that counts goroutines": (
        edited("hidden/total_test.go", "t.Run(c", "_ = runtime.NumGoroutine()\n\t\tt.Run(c"),
        "hidden/total_test.go: runtime.NumGoroutine(: look for this module's frames",
    ),
    "hidden test that may be short": (
        edited("hidden/total_test.go", "t.Run(c", "_ = testing.Short()\n\t\tt.Run(c"),
        "hidden/total_test.go: testing.Short(: a hidden suite is the same in every run",
    ),
    "stray file": (
        text("NOTES.md", ""),
        "NOTES.md: does not belong here; a task folder holds task.json, repo, hidden",
    ),
    "too large": (
        text("repo/big.txt", "x" * ((1 << 20) + 1)),
        ".: the task folder is refused: repo/big.txt is larger than 1048576 bytes",
    ),
}


@pytest.mark.parametrize("what", PROBLEMS)
def test_a_malformed_task_is_told_where_and_how_to_mend_it(folder: Path, what: str) -> None:
    """One spoilt thing gives one clear problem that names the file and the field."""
    change, expected = PROBLEMS[what]
    change(folder)
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    lines = [str(problem) for problem in caught.value.problems]
    assert any(line.startswith(expected) for line in lines), lines


def test_all_problems_of_a_task_are_reported_at_once(folder: Path) -> None:
    """Those of ``task.json``, of the folder and of the Go files together, each once, in a fixed order."""
    for change in (
        spec(id="other", fail_to_pass=["TestNone"]),
        text("conftest.py", ""),
        text("repo/x.go", "package tally\nfunc {"),
    ):
        change(folder)
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    assert [(problem.file, problem.field) for problem in caught.value.problems] == [
        ("conftest.py", ""),
        ("repo/x.go", ""),
        ("task.json", "fail_to_pass[0]"),
        ("task.json", "id"),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (text("hidden/total_test.go", "package\n"), "hidden/total_test.go: does not parse as Go: line 1, at 'package'"),
        (text("repo/tally_test.go", "/*"), "repo/tally_test.go: does not parse as Go: line 1, at '/*'"),
    ],
)
def test_what_does_not_parse_is_the_only_problem(folder: Path, change: Change, expected: str) -> None:
    """What it would declare is not known, so nothing is said of that."""
    change(folder)
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    assert [str(problem) for problem in caught.value.problems] == [expected]


def test_source_that_does_not_parse_is_no_missing_package(folder: Path) -> None:
    """Nor do its tests test nothing; that a fix does not apply to it is true all the same."""
    text("repo/tally.go", "pakage tally\n")(folder)
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    assert [str(problem) for problem in caught.value.problems if "find occurs" not in problem.message] == [
        "repo/tally.go: does not parse as Go: line 1, at 'pakage tally'"
    ]


def test_problems_of_the_code_are_reported_even_when_task_json_is_malformed(folder: Path) -> None:
    """A typing error in one file does not hide what is wrong with another."""
    spec(hint="x")(folder)
    (folder / "repo/go.mod").unlink()
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    assert {problem.file for problem in caught.value.problems} == {"task.json", "repo/go.mod"}


def test_what_only_looks_odd_is_allowed(folder: Path) -> None:
    """Helpers called like examples, data called like tests, and a generator that is not built."""
    text("hidden/testdata/sample_test.go", "package whatever\n\nfunc TestMain() {}\n")(folder)
    text("repo/gen.go", "//go:build ignore\n\npackage main\n\nfunc main() {}\n")(folder)
    edited("hidden/total_test.go", "func TestTotal", "func Examples() {}\n\nfunc FuzzyMatch() {}\n\nfunc TestTotal")(
        folder
    )
    task = load_task(folder)
    assert task.hidden_tests == ("TestTotalOfMany",)
    assert task.test_packages == ("",)


def test_loading_a_task_runs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Collecting is pure reading: no process starts."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "fork", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    task = load_task(folder)
    assert task.imports == ("example.com/tally", "testing")


def test_a_task_knows_its_tests_and_packages() -> None:
    """Tests below the module's root carry their folder."""
    task = load_task(EXAMPLES / "valid" / "build")
    assert task.hidden_tests == ("TestTotalOfMany", "report.TestReportOfFile")
    assert task.test_packages == ("", "report")
    assert set(task.public_tests) == {"tally_test.go", "report/report_test.go"}
    assert list(task.fixes()) == ["add-all", "by-index", "from-the-end", "one-more", "skip-the-first"]
    assert test_id("", "TestX/a") == "TestX/a"
    assert test_id("a/b", "TestX") == "a/b.TestX"


@pytest.mark.parametrize("path", ["repo/tally.go", "hidden/total_test.go", "task.json"])
def test_the_digest_changes_with_everything_that_decides_a_grade(folder: Path, path: str) -> None:
    """A kept baseline of another task must never be taken."""
    before = load_task(folder).digest
    assert load_task(folder).digest == before
    if path == "task.json":
        spec(timeout_seconds=21)(folder)
    else:
        (folder / path).write_text((folder / path).read_text() + "\n")
    assert load_task(folder).digest != before


def test_the_shipped_tasks_load_and_are_named_by_id() -> None:
    """All of them, or those asked for in the order asked."""
    everything = load_tasks()
    assert {"config-omitempty", "eventbus-aliasing", "worker-pool-leak"} <= {task.id for task in everything}
    assert [task.id for task in load_tasks(ids=["worker-pool-leak", "config-omitempty"])] == [
        "worker-pool-leak",
        "config-omitempty",
    ]
    assert [task.id for task in everything] == [path.name for path in task_folders(tasks_dir())]


def test_unknown_ids_and_empty_folders_are_clear_errors(tmp_path: Path) -> None:
    """The nearest id is named; a folder without tasks says what a task is."""
    with pytest.raises(UnknownTaskError, match="did you mean worker-pool-leak"):
        load_tasks(ids=["worker-pool-leaks"])
    with pytest.raises(GobenchError, match=r"no task in .*: a task is a folder that holds a task\.json"):
        load_tasks(tmp_path)


def test_a_folder_that_is_not_there_is_a_task_error(tmp_path: Path) -> None:
    """The same kind of error as any other problem."""
    with pytest.raises(TaskError, match="is not a readable folder"):
        load_task(tmp_path / "none")
