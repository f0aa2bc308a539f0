"""What the plugin collects, by which names, and what it never runs. No test here starts Go."""

import json
import shutil
from pathlib import Path

import pytest

from go_debug_bench.tasks_dir import tasks_dir

EXAMPLES = Path(__file__).parent / "examples"
CHECKS = [
    "written",
    "vet-clean",
    "public-green",
    "unfixed-fails",
    "reference-passes",
    "delete-test-cheat",
    "non-compiling",
    "alternative[by-index]",
    "alternative[from-the-end]",
    "wrong[one-more]",
    "wrong[skip-the-first]",
    "discreet",
    "explained",
    "distinct",
]


@pytest.fixture(autouse=True)
def no_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts Go here gets an error."""
    monkeypatch.setenv("GOBENCH_GO", "/nonexistent/go")


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A project with two tasks, one of them in a folder called build, and a Python test."""
    for name in ("tiny-tally", "build"):
        add_task(pytester, name)
    pytester.makepyfile(test_python="def test_python(): pass")
    pytester.makeini("[pytest]\ngobench_tasks = tasks\n")
    return pytester.path


def add_task(pytester: pytest.Pytester, name: str, new_id: str = "") -> Path:
    """Copy a valid example into the project's ``tasks`` folder, under a new id if one is given."""
    folder = pytester.path / "tasks" / (new_id or name)
    shutil.copytree(EXAMPLES / "valid" / name, folder)
    spec = json.loads((folder / "task.json").read_text())
    (folder / "task.json").write_text(json.dumps({**spec, "id": folder.name}))
    return folder


def collected(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """Node ids that a run would take."""
    result = pytester.runpytest("--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line]


def ids(task: str, *checks: str) -> list[str]:
    """Node ids of a task's checks."""
    return [f"tasks/{task}/task.json::{check}" for check in checks or CHECKS]


def test_node_ids_are_the_task_json_and_the_check(pytester: pytest.Pytester, project: Path) -> None:
    """In a fixed order, whatever the task's folder is called."""
    assert collected(pytester, "--gobench-tasks") == ids("build") + ids("tiny-tally")


def test_the_ini_value_adds_tasks_to_an_ordinary_run(pytester: pytest.Pytester, project: Path) -> None:
    """Without the flag, Python tests and tasks run together."""
    assert collected(pytester) == [*ids("build"), *ids("tiny-tally"), "test_python.py::test_python"]


def test_without_flag_and_ini_value_the_plugin_does_nothing(pytester: pytest.Pytester, project: Path) -> None:
    """A project that has no Go tasks never notices the plugin."""
    pytester.makeini("[pytest]\n")
    result = pytester.runpytest("--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ["test_python.py::test_python"]
    result.stdout.no_fnmatch_line("*gobench:*")


def test_the_flag_runs_tasks_alone(pytester: pytest.Pytester, project: Path) -> None:
    """Also when a folder of the command line holds Python tests."""
    (project / "tasks" / "test_beside.py").write_text("def test_beside(): pass\n")
    assert collected(pytester, "--gobench-tasks", "tasks") == ids("build") + ids("tiny-tally")
    assert "tasks/test_beside.py::test_beside" in collected(pytester)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["tasks/tiny-tally/task.json::reference-passes"], ids("tiny-tally", "reference-passes")),
        (["tasks/tiny-tally/task.json::wrong[one-more]"], ids("tiny-tally", "wrong[one-more]")),
        (["tasks/tiny-tally/task.json::wrong"], ids("tiny-tally", "wrong[one-more]", "wrong[skip-the-first]")),
        (["tasks/tiny-tally/task.json"], ids("tiny-tally")),
        (["tasks/tiny-tally"], ids("tiny-tally")),
        (["tasks/build", "tasks/tiny-tally/task.json::vet-clean"], [*ids("build"), *ids("tiny-tally", "vet-clean")]),
        (["-k", "tiny-tally"], ids("tiny-tally")),
        (["-k", "tiny-tally and unfixed-fails"], ids("tiny-tally", "unfixed-fails")),
        (["-k", "unfixed-fails"], [*ids("build", "unfixed-fails"), *ids("tiny-tally", "unfixed-fails")]),
        (["-k", "one-more and build"], ids("build", "wrong[one-more]")),
        (["-m", "gobench"], ids("build") + ids("tiny-tally")),
        (["-m", "not gobench"], ["test_python.py::test_python"]),
    ],
)
def test_tasks_and_checks_are_selected_as_any_test_is(
    pytester: pytest.Pytester, project: Path, arguments: list[str], expected: list[str]
) -> None:
    """By node id, folder, file, keyword or marker, with the ini value or the flag."""
    assert collected(pytester, *arguments) == expected
    if expected != ["test_python.py::test_python"]:
        assert collected(pytester, "--gobench-tasks", *arguments) == expected


def test_the_flag_needs_no_ini_value(pytester: pytest.Pytester, project: Path) -> None:
    """With no path it takes ./tasks, else it takes what it is given."""
    pytester.makeini("[pytest]\n")
    assert collected(pytester, "--gobench-tasks") == ids("build") + ids("tiny-tally")
    assert collected(pytester, "--gobench-tasks", "tasks/build") == ids("build")
    assert collected(pytester, "--gobench-tasks", "tasks/build/task.json::vet-clean") == ids("build", "vet-clean")
    (project / "tasks").rename(project / "exercises")
    assert len(collected(pytester, "--gobench-tasks", "exercises")) == 2 * len(CHECKS)


def test_tasks_outside_of_the_project_are_taken(pytester: pytest.Pytester, project: Path, tmp_path: Path) -> None:
    """By folder, task, file or node id."""
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(project / "tasks", elsewhere)
    assert len(collected(pytester, "--gobench-tasks", str(elsewhere))) == 2 * len(CHECKS)
    assert len(collected(pytester, "--gobench-tasks", str(elsewhere / "build"))) == len(CHECKS)
    assert len(collected(pytester, "--gobench-tasks", str(elsewhere / "build" / "task.json"))) == len(CHECKS)
    one = collected(pytester, "--gobench-tasks", f"{elsewhere / 'build' / 'task.json'}::vet-clean")
    assert [line.split("::")[1] for line in one] == ["vet-clean"]


def test_the_packaged_tasks_are_the_last_resort(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder without tasks the flag alone proves those of the package."""
    shutil.copytree(EXAMPLES / "valid", tmp_path / "packaged")
    monkeypatch.setattr("go_debug_bench.tasks_dir._PACKAGED", tmp_path / "packaged")
    assert len(collected(pytester, "--gobench-tasks")) == 2 * len(CHECKS)


def test_only_direct_children_are_tasks(pytester: pytest.Pytester, project: Path) -> None:
    """A task.json deeper down, or in another folder, is none."""
    (project / "tasks" / "group").mkdir()
    shutil.copytree(project / "tasks" / "tiny-tally", project / "tasks" / "group" / "tiny-tally")
    shutil.copytree(project / "tasks" / "tiny-tally", project / "elsewhere" / "tiny-tally")
    assert collected(pytester, "--gobench-tasks") == ids("build") + ids("tiny-tally")


def test_repeat_adds_the_stable_check(pytester: pytest.Pytester, project: Path) -> None:
    """Once per task, and only when asked for."""
    lines = collected(pytester, "--gobench-tasks", "--gobench-repeat", "3")
    assert [line for line in lines if "stable" in line] == [*ids("build", "stable"), *ids("tiny-tally", "stable")]


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_repeat_takes_a_positive_number(pytester: pytest.Pytester, project: Path, number: str) -> None:
    """Anything else is a usage error that names the option."""
    result = pytester.runpytest_subprocess("--gobench-tasks", f"--gobench-repeat={number}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--gobench-repeat*"])


@pytest.mark.parametrize("arguments", [["--gobench-tasks"], [], ["tasks"], ["tasks/evil"], ["-n", "2"]])
@pytest.mark.parametrize("place", ["conftest.py", "repo/conftest.py", "repo/test_evil.py", "__init__.py"])
def test_python_in_a_task_is_never_run(
    pytester: pytest.Pytester, project: Path, place: str, arguments: list[str]
) -> None:
    """Neither when pytest walks there nor when it starts there; the task is reported."""
    add_task(pytester, "tiny-tally", "evil")
    ran = project / "ran"
    (project / "tasks" / "evil" / place).write_text(f"open({str(ran)!r}, 'w')\n")
    result = pytester.runpytest_subprocess("--collect-only", *arguments)
    assert not ran.exists()
    assert result.ret != 0
    (result.stderr if result.ret == pytest.ExitCode.USAGE_ERROR else result.stdout).fnmatch_lines([f"*{place}*"])


@pytest.mark.parametrize("arguments", [["tasks/test-evil/task.json::vet-clean"], ["tasks"], ["--gobench-tasks"], []])
def test_a_conftest_that_pytest_would_load_before_collecting_is_not_run(
    pytester: pytest.Pytester, project: Path, arguments: list[str]
) -> None:
    """Pytest loads those of the arguments' folders, and of folders called test* in them, at its start."""
    add_task(pytester, "tiny-tally", "test-evil")
    ran = project / "ran"
    (project / "tasks" / "test-evil" / "conftest.py").write_text(f"open({str(ran)!r}, 'w')\n")
    pytester.makeini("[pytest]\ngobench_tasks = tasks\ntestpaths = tasks\n")
    result = pytester.runpytest_subprocess(*arguments)
    assert not ran.exists()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test-evil/conftest.py lies in a task folder*remove it*"])


@pytest.mark.parametrize(
    "arguments", [["tasks/evil"], ["tasks/evil/task.json::vet-clean"], ["--gobench-tasks", "tasks/evil"]]
)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pytest.ini", "[pytest]\npython_files = *.py\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\npython_files = ['*.py']\n"),
    ],
)
def test_pytest_is_not_configured_by_a_task(
    pytester: pytest.Pytester, project: Path, name: str, content: str, arguments: list[str]
) -> None:
    """Its configuration could name code to run."""
    folder = add_task(pytester, "tiny-tally", "evil")
    ran = project / "ran"
    (folder / name).write_text(content)
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\nclass W(Warning): pass\n")
    result = pytester.runpytest_subprocess(*arguments)
    assert not ran.exists()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*evil/{name} lies in a task folder*"])


def test_tasks_behind_a_link_are_tasks(pytester: pytest.Pytester, project: Path) -> None:
    """Of their folder, or of one task."""
    (project / "link").symlink_to("tasks")
    assert len(collected(pytester, "--gobench-tasks", "link")) == 2 * len(CHECKS)
    assert len(collected(pytester, "--gobench-tasks", "link/build")) == len(CHECKS)


def test_an_absolute_test_path_does_no_harm(pytester: pytest.Pytester) -> None:
    """Other projects' settings are theirs."""
    pytester.makepyfile(test_python="def test_python(): pass")
    pytester.makeini(f"[pytest]\ntestpaths = {pytester.path}\n")
    pytester.runpytest().assert_outcomes(passed=1)


def test_ignored_tasks_are_not_collected(pytester: pytest.Pytester, project: Path) -> None:
    """As pytest's own options say."""
    assert collected(pytester, "--gobench-tasks", "--ignore=tasks/build") == ids("tiny-tally")
    assert collected(pytester, "--gobench-tasks", "--ignore-glob=*/tiny-*") == ids("build")


def test_a_malformed_task_is_an_error_of_that_task_alone(pytester: pytest.Pytester, project: Path) -> None:
    """Every problem is listed, without a traceback, and the other tasks are collected."""
    folder = add_task(pytester, "tiny-tally", "spoilt")
    (folder / "repo" / "go.mod").unlink()
    (folder / "task.json").write_text((folder / "task.json").read_text().replace('"title"', '"titel"'))
    result = pytester.runpytest("--gobench-tasks", "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ids("build") + ids("tiny-tally")
    result.stdout.fnmatch_lines(
        [
            "*ERROR collecting tasks/spoilt/task.json*",
            "task 'spoilt' is malformed (3 problems):",
            "  repo/go.mod: is missing; the repo is one Go module",
            "  task.json: titel: unknown field; did you mean 'title'?",
            "  task.json: title: is missing",
        ],
        consecutive=True,
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("make", ["missing", "folder", "link"])
def test_a_task_json_that_is_no_file_is_reported(pytester: pytest.Pytester, project: Path, make: str) -> None:
    """A folder of that name or a dangling link is a malformed task; without any, the folder is no task."""
    path = add_task(pytester, "tiny-tally", "odd") / "task.json"
    path.unlink()
    if make == "folder":
        path.mkdir()
    elif make == "link":
        path.symlink_to("/nonexistent")
    result = pytester.runpytest("--gobench-tasks", "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == ids("build") + ids("tiny-tally")
    assert (result.ret == pytest.ExitCode.OK) is (make == "missing")


@pytest.mark.parametrize("arguments", [["empty"], ["test_python.py"]])
def test_no_task_is_an_error(pytester: pytest.Pytester, project: Path, arguments: list[str]) -> None:
    """With the flag, a run that would prove nothing does not pass."""
    (project / "empty").mkdir()
    result = pytester.runpytest("--gobench-tasks", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*no task in *{arguments[0]}: a task is a folder that holds a task.json*"])


def test_a_path_that_is_not_there_is_a_usage_error(pytester: pytest.Pytester, project: Path) -> None:
    """The package's tasks do not stand in for it."""
    for path in ("tasks/worker", "no-tasks"):
        result = pytester.runpytest("--gobench-tasks", path)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: no task in {project / path}: a task is a folder that holds a task.json"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_no_go_is_one_clear_error_with_the_flag(pytester: pytest.Pytester, project: Path, workers: str) -> None:
    """Before the first check, naming what was tried and the mend."""
    result = pytester.runpytest_subprocess("--gobench-tasks", "-n", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*GOBENCH_GO=/nonexistent/go does not run*it must be the go command of a Go 1.24*"])


def test_no_go_fails_each_check_of_a_strict_project(pytester: pytest.Pytester, project: Path) -> None:
    """The Python tests still run."""
    pytester.makeini("[pytest]\ngobench_tasks = tasks\ngobench_strict = true\n")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=2 * len(CHECKS))
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.fnmatch_lines(["GOBENCH_GO=/nonexistent/go does not run*"])


def test_no_go_skips_the_checks_elsewhere(pytester: pytest.Pytester, project: Path) -> None:
    """With the mend in the reason."""
    result = pytester.runpytest("-rs")
    result.assert_outcomes(passed=1, skipped=2 * len(CHECKS))
    result.stdout.fnmatch_lines(["SKIPPED*GOBENCH_GO=/nonexistent/go does not run*"])


def test_the_wrong_go_is_named_with_its_version(pytester: pytest.Pytester, project: Path) -> None:
    """An explicit choice is refused, not passed over."""
    fake = project / "go"
    (project / "root" / "bin").mkdir(parents=True)
    (project / "root" / "bin" / "go").touch()
    fake.write_text(f"#!/bin/sh\nprintf '%s\\n' {project}/root go1.23.4 linux amd64\n")
    fake.chmod(0o755)
    result = pytester.runpytest("--gobench-tasks", f"--gobench-go={fake}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--gobench-go={fake} is go1.23.4; it must be the go command of a Go 1.24"])


def test_the_header_says_where_tasks_are_looked_for(pytester: pytest.Pytester, project: Path) -> None:
    """Relative to where pytest was called."""
    pytester.runpytest("--collect-only").stdout.fnmatch_lines(["gobench: tasks in tasks"])


def test_the_header_says_if_the_tasks_are_the_package_s(pytester: pytest.Pytester) -> None:
    """A CI that has lost its folder of tasks would be green over those of somebody else."""
    result = pytester.runpytest("--gobench-tasks", "--collect-only")
    assert [line for line in result.outlines if line.startswith("gobench: tasks in ")] == [
        f"gobench: tasks in {tasks_dir()}: those of the package, as there is no ./tasks and no gobench_tasks"
    ]
    result = pytester.runpytest("--gobench-tasks", "--collect-only", str(tasks_dir() / "worker-pool-leak"))
    assert f"gobench: tasks in {tasks_dir()}" in result.outlines


def test_ids_that_two_folders_have_are_proved_in_both(pytester: pytest.Pytester, project: Path) -> None:
    """And one that none has is told with the folders that were searched."""
    shutil.copytree(project / "tasks" / "build", project / "more" / "build")
    pytester.makeini("[pytest]\ngobench_tasks = tasks more\n")
    both = [*ids("build"), *(name.replace("tasks/", "more/") for name in ids("build"))]
    assert collected(pytester, "--gobench-tasks", "--gobench-id=build") == both
    result = pytester.runpytest("--gobench-tasks", "--gobench-id=worker-pool-leak")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "ERROR: no task 'worker-pool-leak': the tasks are build, tiny-tally",
            f"looked in {project / 'tasks'}, {project / 'more'}",
            "'worker-pool-leak' is one of the packaged tasks: add --tasks packaged to 'go-debug-bench verify'",
        ],
        consecutive=True,
    )


def test_the_options_are_explained(pytester: pytest.Pytester) -> None:
    """``--help`` teaches."""
    result = pytester.runpytest("--help")
    for option in ("--gobench-tasks", "--gobench-go", "--gobench-repeat", "--gobench-keep", "gobench_strict"):
        result.stdout.fnmatch_lines([f"*{option}*"])
