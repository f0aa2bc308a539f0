"""Where ``go-debug-bench`` finds tasks: one rule for all commands, and what is said where a task is not there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from go_debug_bench.cli.configured import configured
from go_debug_bench.cli.folders import where_to_write
from go_debug_bench.errors import GobenchError
from go_debug_bench.tasks_dir import task_folders, tasks_dir
from tests.commands import EXAMPLES, invoke, start, variables

PACKAGED = "worker-pool-leak"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in: somebody's repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add_task(folder: Path, name: str = "tiny-tally") -> None:
    """Put a task of the examples into a folder of tasks."""
    shutil.copytree(EXAMPLES / "valid" / name, folder / name)


def name_folders(here: Path, *folders: str) -> None:
    """Name folders of tasks in the configuration of pytest."""
    values = f"gobench_tasks = {json.dumps(folders)}\n"
    (here / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\n{values}", encoding="utf-8")


def listed(*arguments: str) -> list[str]:
    """The ids that ``list`` prints."""
    done = invoke("list", *arguments, valid=False)
    assert done.exit_code == 0, done.output
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def test_tasks_are_those_that_are_named_else_configured_else_here_else_packaged(here: Path) -> None:
    """Each stands back behind the one before."""
    packaged = [folder.name for folder in task_folders(tasks_dir())]
    assert listed() == packaged
    add_task(here / "tasks")
    assert listed() == ["tiny-tally"]
    add_task(here / "exercises", "build")
    name_folders(here, "exercises")
    assert listed() == ["build"]
    assert listed("--tasks", "tasks") == ["tiny-tally"]
    assert listed("--tasks", "packaged") == packaged


def test_a_folder_that_the_configuration_names_serves_every_command(here: Path) -> None:
    """As it serves verify and pytest."""
    add_task(here / "exercises")
    name_folders(here, "exercises")
    (here / "tasks").mkdir()  # which nobody looks at
    assert f"folder      {here / 'exercises' / 'tiny-tally'}" in invoke("show", "tiny-tally", valid=False).output
    assert invoke("checkout", "tiny-tally", "work", valid=False).exit_code == 0
    assert "is no checkout of tiny-tally" in invoke("grade", "tiny-tally", "exercises", valid=False).stderr
    checks = json.loads(invoke("doctor", "--json", valid=False).stdout)["checks"]
    assert checks[-1]["found"] == "1 in exercises, by gobench_tasks in pyproject.toml"
    process = start("verify", "tiny-tally", "-n", "0", "--", "-k", "vet-clean", cwd=here)
    stdout, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert "ok   go vet clean" in stdout


def test_of_several_configured_folders_all_are_read_and_the_first_is_written_to(here: Path) -> None:
    """An id that two of them have is ambiguous."""
    add_task(here / "first")
    add_task(here / "second", "build")
    name_folders(here, "first", "second")
    assert listed() == ["build", "tiny-tally"]
    assert f"folder      {here / 'second' / 'build'}" in invoke("show", "build", valid=False).output
    assert where_to_write("").roots == (Path("first"),)
    add_task(here / "second")
    done = invoke("show", "tiny-tally", valid=False)
    assert done.exit_code == 2
    assert "more than one task is called 'tiny-tally': first/tiny-tally, second/tiny-tally; choose" in done.stderr


def test_a_new_task_goes_where_the_other_commands_look(here: Path) -> None:
    """The folder is made; neither ./tasks nor the package's gets it."""
    name_folders(here, "exercises", "more")
    assert where_to_write("").roots == (Path("exercises"),)
    done = invoke("new", "late-fees", valid=False)
    assert done.exit_code == 0, done.output
    assert (here / "exercises" / "late-fees" / "task.json").is_file()
    assert "1. go-debug-bench verify late-fees\n" in done.output
    done = invoke("new", "late-fees", "--tasks", "packaged", valid=False)
    assert done.exit_code == 2
    assert "does not go among those of the package" in done.stderr
    assert not (tasks_dir() / "late-fees").exists()
    (here / "pyproject.toml").unlink()
    assert where_to_write("").roots == (Path("tasks"),)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\ngobench_tasks = ["my tasks", "b"]\n'),
        ("pyproject.toml", "[tool.pytest.ini_options]\ngobench_tasks = \"'my tasks' b\"\n"),
        ("pyproject.toml", '[tool.pytest]\ngobench_tasks = ["my tasks", "b"]\n'),
        ("pytest.toml", '[pytest]\ngobench_tasks = ["my tasks", "b"]\n'),
        ("pytest.ini", "[pytest]\ngobench_tasks =\n    'my tasks'\n    b\naddopts = -k %(odd)s\n"),
        ("tox.ini", "[tox]\nenvlist = a\n[pytest]\ngobench_tasks = 'my tasks' b\n"),
        ("setup.cfg", "[tool:pytest]\ngobench_tasks = 'my tasks' b\n"),
    ],
)
def test_the_configuration_is_read_as_pytest_reads_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    """From any of its files, here or in a folder above."""
    (pytester.path / file).write_text(text, encoding="utf-8")
    expected = [pytester.path / "my tasks", pytester.path / "b"]
    inner = pytester.mkdir("inner")
    for start_folder in (pytester.path, inner):
        found = configured(start_folder)
        assert found is not None
        assert (found.file, found.folders) == (pytester.path / file, expected)
        monkeypatch.chdir(start_folder)
        assert pytester.parseconfig().getini("gobench_tasks") == expected


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", b"[tool.pytest.ini_options"),
        ("pyproject.toml", b'[tool.pytest.ini_options]\ngobench_tasks = "\'open"\n'),
        ("pyproject.toml", b"[tool.pytest.ini_options]\ngobench_tasks = 3\n"),
        ("pyproject.toml", b"tool = 3\n"),
        ("pyproject.toml", b"\xff\xfe"),
        ("pyproject.toml", b"x = " + b"[" * 100_000),
        ("pytest.ini", b"no section\n"),
        ("pytest.ini", b"[pytest]\naddopts = -q\n"),
    ],
)
def test_a_configuration_that_says_nothing_is_passed_over(here: Path, file: str, text: bytes) -> None:
    """Whatever is wrong with it."""
    (here / file).write_bytes(text)
    add_task(here / "tasks")
    assert listed() == ["tiny-tally"]


def test_the_first_file_that_configures_pytest_is_the_only_one(here: Path) -> None:
    """As for pytest, even if it names no tasks."""
    name_folders(here, "exercises")
    (here / "pytest.ini").touch()
    assert configured(here) is None
    assert configured(here / "inner") is None
    (here / "pytest.ini").unlink()
    assert configured(here / "inner") is not None


# What is said of a task that is not there


@pytest.mark.parametrize("command", ["show ID", "checkout ID work", "grade ID work"])
def test_a_packaged_task_is_recognised_and_reached(here: Path, command: str) -> None:
    """Whoever has a folder of tasks gets at the package's by a word."""
    add_task(here / "tasks")
    done = invoke(*command.replace("ID", PACKAGED).split(), valid=False)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[1:] == [
        "looked in ./tasks",
        f"'{PACKAGED}' is one of the packaged tasks: add --tasks packaged",
    ]
    done = invoke(*command.replace("ID", PACKAGED).split(), "--tasks", "packaged", valid=False)
    assert PACKAGED in done.output or "work is not there" in done.stderr


def test_verify_knows_the_packaged_tasks_too(here: Path) -> None:
    """By the same word; without it, it says of an id what the others say."""
    add_task(here / "tasks")
    process = start("verify", PACKAGED, "-n", "0", cwd=here)
    assert process.communicate()[1].splitlines() == [
        f"ERROR: no task '{PACKAGED}': the tasks are tiny-tally",
        f"looked in {here / 'tasks'}",
        f"'{PACKAGED}' is one of the packaged tasks: add --tasks packaged to 'go-debug-bench verify'",
        "",
    ]
    assert process.returncode == 4
    process = start("verify", PACKAGED, "--tasks", "packaged", "-n", "0", "--", "--collect-only", "-qq", cwd=here)
    stdout, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert f"{PACKAGED}/task.json" in stdout + stderr


def test_without_a_folder_of_tasks_the_package_s_are_told_to_be_meant(here: Path) -> None:
    """By verify before it proves them, by the others where an id is not known."""
    why = "the packaged tasks, as there is no folder ./tasks and no pytest configuration names one"
    done = invoke("show", "worker-pool-leek", valid=False)
    assert done.stderr == f"Error: no task 'worker-pool-leek': did you mean {PACKAGED}?\nlooked in {why}\n"
    process = start("verify", "worker-pool-leek", "-n", "0", cwd=here)
    assert process.communicate()[1].splitlines()[:2] == [
        f"tasks: {why}",
        f"ERROR: no task 'worker-pool-leek': did you mean {PACKAGED}?",
    ]


def test_a_folder_called_packaged_is_named_with_a_dot(here: Path) -> None:
    """The word alone always means the package's."""
    add_task(here / "packaged")
    assert listed("--tasks", "./packaged") == ["tiny-tally"]
    assert PACKAGED in listed("--tasks", "packaged")


def test_somebody_who_stands_among_the_tasks_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One level too low; with a configuration above, the tasks are found from there too."""
    add_task(here / "tasks")
    monkeypatch.chdir(here / "tasks")
    done = invoke("show", "tiny-tally", valid=False)
    assert done.exit_code == 2
    assert "the current folder itself holds tasks: for those add --tasks ." in done.stderr
    done = invoke("new", "late-fees", valid=False)
    assert done.exit_code == 2
    assert "the current folder itself holds tasks" in done.stderr
    assert listed("--tasks", ".") == ["tiny-tally"]
    name_folders(here, "tasks")
    assert listed() == ["tiny-tally"]


def test_a_suggested_command_names_the_folder_that_was_chosen(here: Path) -> None:
    """Else it would look elsewhere."""
    add_task(here / "my tasks")
    done = invoke("grade", "tiny-tally", here, "--tasks", "my tasks")
    assert "go-debug-bench checkout tiny-tally NEW-DIR --tasks 'my tasks'" in done.stderr


def test_the_word_counts_in_the_variable_too(here: Path) -> None:
    """It is the same option."""
    process = start("list", cwd=here, env=variables(GOBENCH_TASKS="packaged"))
    assert PACKAGED in process.communicate()[0]
    with pytest.raises(GobenchError, match="does not go among"):
        where_to_write("packaged")
