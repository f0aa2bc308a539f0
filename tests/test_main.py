"""``python -m pytest_gobench`` and ``verify_tasks.py``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = Path(__file__).parent / "examples"


def run(*arguments: str, program: str = "-m pytest_gobench", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, *program.split(), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("program", ["-m pytest_gobench", "verify_tasks.py"])
def test_the_matrix_goes_to_standard_output_and_the_rest_to_standard_error(program: str) -> None:
    """Whoever pipes it gets the matrix alone, and 0 when every claim holds."""
    alone = ("-n", "0", "--", "--gobench-exploits=off")
    done = run("--tasks", str(EXAMPLES / "valid"), "tiny-tally", *alone, program=program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "=== tiny-tally  (package tally, medium) ===",
        "    ok   go vet clean",
        "    ok   public suite passes",
        "    strategy                    build  tamper  hidden  reward",
        "    unfixed                      True   False   False     0.1",
        "    reference fix                True   False    True     1.1",
        "    cheat: delete a test         True    True   False     0.1",
        "    broken: does not compile    False   False   False     0.0",
    ]
    assert "14 passed" in done.stderr


def test_a_failed_claim_is_a_line_and_an_exit_status_of_one() -> None:
    """With ``FAIL`` in place of ``ok``, and the failure explained on standard error."""
    others = ("alternative", "reference", "unfixed", "delete", "compiling", "skip", "public")
    only = " and ".join(f"not {name}" for name in others)
    done = run("--tasks", str(EXAMPLES / "broken"), "fails-vet-clean", "fails-wrong", "--", "-k", only)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "=== fails-vet-clean  (package tally, medium) ===",
        "    FAIL go vet clean",
        "",
        "=== fails-wrong  (package tally, medium) ===",
        "    ok   go vet clean",
        "",
        "FAIL fails-vet-clean vet-clean: files are not formatted",
        "FAIL fails-wrong wrong[one-more]: it earns 1.1: all 6 hidden and public tests pass",
    ]
    assert "mend    run go fmt ./... in the task's repo" in done.stderr


def test_an_unknown_id_is_an_error_with_the_nearest_names() -> None:
    """And nothing is run."""
    done = run("worker-pool-leek")
    assert done.returncode == 4
    assert done.stdout == ""
    assert "no task 'worker-pool-leek': did you mean worker-pool-leak?" in done.stderr


def test_a_folder_without_tasks_is_an_error(tmp_path: Path) -> None:
    """A run that would prove nothing does not pass."""
    done = run("--tasks", str(tmp_path))
    assert done.returncode == 4
    assert "no task in" in done.stderr


def test_a_malformed_task_is_not_proved(tmp_path: Path) -> None:
    """Its problems are told, and the exit status is not 0."""
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "task.json").write_text("{}")
    done = run("--tasks", str(tmp_path), "-n", "0")
    assert done.returncode not in (0, 5)
    assert "task 'odd' is malformed" in done.stderr


def test_the_help_teaches_by_example() -> None:
    """With the exit statuses."""
    done = run("--help")
    assert done.returncode == 0
    assert "worker-pool-leak" in done.stdout
    assert "exit status" in done.stdout


def test_no_go_is_one_clear_error() -> None:
    """Exit status 4, as for any usage error of pytest."""
    env = {**os.environ, "GOBENCH_GO": "/nonexistent/go"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest_gobench"], cwd=ROOT, capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 4
    assert "GOBENCH_GO=/nonexistent/go does not run" in done.stderr
    assert done.stdout == ""
