"""``go-debug-bench new``: a task that collects, and whose failing checks lead its author to a valid one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.cli import scaffold
from go_debug_bench.cli.scaffold import Wish
from go_debug_bench.model import json_schema
from go_debug_bench.suite.written import PLACEHOLDER
from go_debug_bench.task import load_task
from tests.commands import invoke, start


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in: somebody's repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*arguments: str | Path) -> Any:
    """Run the command without a folder of tasks."""
    return invoke("new", *arguments, valid=False)


def test_a_new_task_is_a_valid_one(here: Path) -> None:
    """All rules of a task's folder hold at once; every text is a placeholder."""
    done = new("shelf-loses-books")
    assert done.exit_code == 0, done.output
    task = load_task(here / "tasks" / "shelf-loses-books")
    assert (task.spec.package, task.spec.difficulty, task.spec.family) == ("shelf", "hard", "other")
    for text in (task.spec.title, task.spec.prompt, task.spec.knowledge_gate, task.spec.why_public_misses):
        assert text.startswith(f"{PLACEHOLDER}: ")
    assert sorted(path.name for path in (here / "tasks").iterdir()) == ["shelf-loses-books", "task.schema.json"]


def test_what_the_author_says_is_taken_over(here: Path) -> None:
    """In task.json, in go.mod and in every file."""
    done = new("late-fees", "--package", "fees", "--family", "time", "--difficulty", "expert", "--tasks", here / "mine")
    assert done.exit_code == 0, done.output
    task = load_task(here / "mine" / "late-fees")
    assert (task.spec.package, task.spec.family, task.spec.difficulty) == ("fees", "time", "expert")
    assert task.repo["go.mod"] == b"module example.com/fees\n\ngo 1.24\n"
    assert f"go-debug-bench verify late-fees --tasks {here / 'mine'}" in done.output


def test_an_editor_finds_the_schema(here: Path) -> None:
    """Beside the tasks, and current; one that is there already is left alone."""
    new("first-task")
    spec = json.loads((here / "tasks" / "first-task" / "task.json").read_text())
    schema = here / "tasks" / "first-task" / spec["$schema"]
    assert schema.read_text() == json_schema()
    schema.write_text("mine")
    new("second-task")
    assert schema.read_text() == "mine"


def test_in_a_checkout_of_this_project_its_own_schema_is_named(here: Path) -> None:
    """No second copy of it is made."""
    (here / "go_debug_bench").mkdir()
    (here / "go_debug_bench" / "task.schema.json").write_text("{}")
    new("first-task")
    spec = json.loads((here / "tasks" / "first-task" / "task.json").read_text())
    assert (here / "tasks" / "first-task" / spec["$schema"]).resolve() == here / "go_debug_bench" / "task.schema.json"
    assert [path.name for path in (here / "tasks").iterdir()] == ["first-task"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Shelf"], "ID: 'Shelf' must be lower-case words joined by hyphens, like 'worker-pool-leak'"),
        (["a/b"], "ID: 'a/b' must be"),
        (["../up"], "ID: '../up' must be"),
        ([""], "ID: '' must be"),
        (["and"], "'and' is a word of pytest's -k expressions"),
        (["a" * 81], "ID: is longer than 80 characters"),
        (["con"], "--package: 'con' is a name that Windows keeps and no module path may have; choose another"),
        (["select-never-ends"], "--package: 'select' is a Go keyword; choose another; name the package with --package"),
        (["2nd-try"], "--package: '2nd' must be a Go package name; name the package with --package"),
        (["x", "--package", "string"], "'string' is a predeclared name of Go"),
        (["x", "--package", "main"], "'main' is a name that no test can import"),
        (["x", "--package", "x_test"], "'x_test' is the name of a package of tests"),
        (["x", "--package", "internal"], "the go command treats apart"),
        (["x", "--package", "testing"], "the scaffold itself imports"),
        (["x", "--package", 'a"b'], "--package: 'a\"b' must be a Go package name"),
        (["x", "--family", "Big Ones"], "--family: 'Big Ones' must be a lower-case word"),
        (["x", "--difficulty", "easy"], "'easy' is not one of 'medium', 'hard', 'expert'"),
    ],
)
def test_a_name_that_cannot_be_is_refused_before_anything_is_written(
    here: Path, arguments: list[str], said: str
) -> None:
    """With the reason, as a usage error."""
    done = new(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert list(here.iterdir()) == []


def test_what_is_there_is_not_touched(here: Path) -> None:
    """Not even an empty folder or a dangling link."""
    (here / "tasks").mkdir()
    (here / "tasks" / "one-task").mkdir()
    (here / "tasks" / "two-task").symlink_to("nowhere")
    for name in ("one-task", "two-task"):
        done = new(name)
        assert done.exit_code == 2
        assert f"tasks/{name} is there already" in done.stderr
    assert sorted(path.name for path in (here / "tasks").iterdir()) == ["one-task", "two-task"]


def test_a_place_that_cannot_be_is_a_usage_error(here: Path) -> None:
    """It says what to give instead."""
    new("one-task")
    inside = new("other-task", "--tasks", here / "tasks" / "one-task")
    assert inside.exit_code == 2
    assert f"is a task itself; give the folder around it, --tasks {here / 'tasks'}" in inside.stderr
    nowhere = new("other-task", "--tasks", here / "no" / "such")
    assert nowhere.exit_code == 2
    assert f"there is no folder {here / 'no'}" in nowhere.stderr


@pytest.mark.parametrize("moment", ["write", "load_task", "json_schema"])
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_left_of_an_interrupted_one(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    there: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    """Whenever Ctrl-C comes: neither a part of the task, nor the schema, nor a folder of tasks that was new."""
    if there:
        (here / "tasks").mkdir()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"go_debug_bench.{'tree' if moment == 'write' else 'cli.scaffold'}.{moment}", interrupt)
    done = new("one-task")
    assert done.exit_code == 130
    assert [str(path.relative_to(here)) for path in here.rglob("*")] == (["tasks"] if there else [])


def test_the_schema_goes_again_if_the_task_cannot_be_put_in_place(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step may fail too."""
    (here / "tasks").mkdir()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    assert new("one-task").exit_code == 3
    assert list((here / "tasks").iterdir()) == []


@pytest.mark.parametrize("package", ["shelf", "x_linux", "sortie", "v2"])
def test_any_package_name_gives_a_module_that_collects(here: Path, package: str) -> None:
    """Also one that would make the go command ignore a file that is called like it."""
    scaffold.write(Wish(id="one-task", package=package, family="other", difficulty="hard"), here / "tasks")
    load_task(here / "tasks" / "one-task")


# The way from a new task to a valid one


def failing(folder: Path) -> tuple[list[str], str]:
    """The checks of the task that fail, in order, and what verify says about them."""
    process = start("verify", "shelf-loses-books", "-n", "0", "--", "-p", "no:cacheprovider", cwd=folder)
    stdout, stderr = process.communicate(timeout=300)
    names = re.findall(r"(?m)^FAIL shelf-loses-books (\S+):", stdout)
    assert process.returncode == (1 if names else 0), stdout + stderr
    return names, stderr


def rewrite(folder: Path, changes: Mapping[str, Callable[[str], str]]) -> None:
    """Change files of the task; each must change."""
    for path, change in changes.items():
        file = folder / "tasks" / "shelf-loses-books" / path
        before = file.read_text()
        assert change(before) != before, path
        file.write_text(change(before))


def without_marker(text: str) -> str:
    """A text whose placeholders are gone: what they ask for is as good as an answer."""
    return text.replace(f"{PLACEHOLDER}: ", "").replace(PLACEHOLDER, "")


def replacement(*lines: str) -> dict[str, str]:
    """An edit of the line that puts the defect into the module."""
    return {"file": "names.go", "find": "\tsort.Strings(names[1:])\n", "replace": "\n".join([*lines, ""])}


FIXES = {
    "reference_fix": [replacement("\tsort.Strings(names)")],
    "alternative_fixes": [
        replacement("\tsort.Sort(sort.StringSlice(names))"),
        replacement("\tsort.Slice(names, func(i, j int) bool { return names[i] < names[j] })"),
    ],
    "wrong_fixes": [
        replacement("\tif len(names) < 2 {", "\t\treturn names", "\t}", "\tsort.Strings(names[1:])"),
        replacement("\tsort.Sort(sort.Reverse(sort.StringSlice(names)))"),
    ],
}
WORDS = {
    "title": "Reports start with the wrong shelf",
    "prompt": "Our report begins with another shelf each time.\n\nThe order of what Names returns must be stable.",
    "knowledge_gate": "A slice expression leaves out what stands before its first index.",
    "why_public_misses": "It looks at counts alone.",
    "why_hard": ["The symptom comes and goes, as a map is walked in another order each time."],
}


def with_defect(source: str) -> str:
    """The first name is left out of the order."""
    return source.replace("sort.Strings(names)", "sort.Strings(names[1:])").replace(
        "names := make([]string, 0, len(c.counts))\n",
        "if len(c.counts) == 0 {\n\t\treturn nil\n\t}\n\tnames := make([]string, 0, len(c.counts))\n",
    )


def with_strict_test(source: str) -> str:
    """A map is walked from anywhere: only many attempts see the defect every time."""
    body = source[source.index("\tvar counter") : source.rindex("}")]
    indented = "".join(f"\t{line}" if line.strip() else line for line in body.splitlines(keepends=True))
    return source.replace(body, f"\tfor range 200 {{\n{indented}\t}}\n")


def test_the_failing_checks_lead_an_author_to_a_valid_task(here: Path) -> None:
    """Nothing but what they name is changed, one step after the other, until nothing fails."""
    assert new("shelf-loses-books").exit_code == 0
    # First of all: what is to be written, in the order in which to write it.
    names, said = failing(here)
    assert names == ["written", "unfixed-fails", "wrong[hurried-guess]", "wrong[another-guess]"]
    places = [
        said.index(place) for place in ("knowledge_gate", "repo/counter.go:3", "counter_test.go:9", "reference_fix")
    ]
    assert places == sorted(places)

    # The words are there, the defect is not: the hidden suite has nothing to see.
    task = here / "tasks" / "shelf-loses-books"
    spec = json.loads((task / "task.json").read_text())
    spec |= {**WORDS, "family": "slices"}
    (task / "task.json").write_text(without_marker(json.dumps(spec)))
    places_of_code = ("repo/counter.go", "repo/counter_test.go", "hidden/names_test.go")
    rewrite(here, dict.fromkeys(places_of_code, without_marker))
    names, said = failing(here)
    assert names == ["unfixed-fails", "wrong[hurried-guess]", "wrong[another-guess]"]
    assert "the hidden suite passes on the unfixed repo: it does not see the defect" in said

    # With the defect, a test that sees it and the fixes of it, one wrong fix does more than it should.
    rewrite(here, {"repo/names.go": with_defect, "hidden/names_test.go": with_strict_test})
    spec = json.loads((task / "task.json").read_text())
    for field, edits in FIXES.items():
        fixes = spec[field] if isinstance(spec[field], list) else [spec[field]]
        for fix, edit in zip(fixes, edits, strict=True):
            fix["edits"] = [edit]
    spec["wrong_fixes"][1]["edits"] = [replacement("\tsort.Stable(sort.StringSlice(names))")]
    (task / "task.json").write_text(json.dumps(spec))
    names, said = failing(here)
    assert names == ["wrong[another-guess]"]
    assert "add a hidden test for the clause of the contract that the fix breaks" in said

    # It was no wrong fix. With one, every check holds.
    spec["wrong_fixes"][1]["edits"] = [FIXES["wrong_fixes"][1]]
    (task / "task.json").write_text(json.dumps(spec))
    assert failing(here)[0] == []
