"""What a hostile task, file or program cannot do to a report and to the terminal of the run that makes it."""

import dataclasses
import json
import os
import secrets
import shutil
from pathlib import Path

import pytest

from go_debug_bench.checks import Verdict, checks_of
from go_debug_bench.report.model import read_report
from go_debug_bench.task import load_task
from go_debug_bench.text import printable
from go_debug_bench.toolchain import Toolchain
from pytest_gobench.facts import Facts, shown_folder
from pytest_gobench.reporting import write_atomically
from pytest_gobench.summary import explain, matrix

EXAMPLES = Path(__file__).parent / "examples"
FORGED = "\x1b[2J\u202ePASSED all\n=== 14 passed ==="


def test_no_planted_link_is_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one in the report's place nor one that has the name of the file beside it, were that guessed."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "out" / "r.json"
    path.parent.mkdir()
    for name in ("r.json", f".r.json.{os.getpid()}", ".gobench-guessed"):
        (path.parent / name).symlink_to(victim)
    write_atomically(path, "report")
    assert (path.read_text(), path.is_symlink()) == ("report", False)
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    with pytest.raises(FileExistsError):
        write_atomically(path, "another")
    assert (path.read_text(), victim.read_text()) == ("report", "precious")


def test_a_report_has_the_mode_that_the_umask_gives(tmp_path: Path) -> None:
    """As whatever else a run writes: a server or a colleague may be meant to read it."""
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "r.json", "report")
    finally:
        os.umask(before)
    assert (tmp_path / "r.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_malformed_task_forges_no_line_and_steers_no_screen(pytester: pytest.Pytester, workers: str) -> None:
    """By the names of its folder, of its files, or of a field; each stays recognisable, in the document too."""
    for folder in ("tiny-tally", f"odd{FORGED}"):
        spec = json.loads((EXAMPLES / "valid" / "tiny-tally" / "task.json").read_text())
        shutil.copytree(EXAMPLES / "valid" / "tiny-tally", pytester.path / "tasks" / folder, dirs_exist_ok=True)
        (pytester.path / "tasks" / folder / f"file{FORGED}").touch()
        (pytester.path / "tasks" / folder / "task.json").write_text(json.dumps({**spec, f"field{FORGED}": 1}))
    result = pytester.runpytest_subprocess("--gobench-tasks", "-n", workers, "--gobench-report=r.json")
    shown = printable(FORGED)
    output = result.stdout.str() + result.stderr.str()
    assert not {mark for mark in output if mark != "\n" and not mark.isprintable()}
    assert "=== 14 passed ===" not in output.splitlines()
    assert f"  file{shown}: does not belong here" in output
    assert f"field{shown}: unknown field" in output
    assert f"in tasks/odd{shown}/task.json" in output
    odd, tally = read_report(pytester.path / "r.json").tasks
    assert (odd.folder, tally.folder) == (f"tasks/odd{shown}", "tasks/tiny-tally")
    assert f"file{shown}" in {problem.file for problem in tally.problems}


def test_what_an_error_or_a_reason_quotes_forges_no_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reason is one line; of an error that quotes a program's output, only the first line is the error's own."""
    monkeypatch.setenv("GOBENCH_GO", f"/nowhere/{FORGED}")
    shutil.copytree(EXAMPLES / "valid" / "tiny-tally", pytester.path / "tasks" / "tiny-tally")
    pytester.makeini("[pytest]\ngobench_tasks = tasks\n")
    pytester.makepyfile(
        spoil=f"""
        from go_debug_bench.errors import InfrastructureError

        def pytest_runtest_call(item):
            if item.name == "public-green":
                raise InfrastructureError("the lint failed: it says\\n" + {FORGED!r})
        """
    )
    result = pytester.runpytest_subprocess("-p", "spoil", "-n", "0", "-rs", "-k", "vet-clean or public-green")
    result.assert_outcomes(skipped=1, failed=1)
    assert not {mark for mark in result.stdout.str() if mark != "\n" and not mark.isprintable()}
    result.stdout.fnmatch_lines(["the lint failed: it says", "| PASSED all", "| === 14 passed ==="])
    result.stdout.fnmatch_lines(["SKIPPED*GOBENCH_GO=/nowhere/PASSED all === 14 passed === does not run*"])
    assert "=== 14 passed ===" not in result.outlines

    missing = pytester.runpytest_subprocess("--gobench-tasks", "-n", "0", f"nowhere{FORGED}")
    assert not {mark for mark in missing.stderr.str() if mark != "\n" and not mark.isprintable()}


def test_what_is_shown_of_a_failed_claim_is_clean(toolchain: Toolchain) -> None:
    """Names, findings and what Go printed: one line each, and each line of Go's is marked as somebody else's."""
    tiny_tally = load_task(EXAMPLES / "valid" / "tiny-tally")
    spec = tiny_tally.spec.model_copy(update={"title": FORGED, "package": FORGED, "family": FORGED})
    task = dataclasses.replace(tiny_tally, spec=spec)
    verdict = Verdict(ok=False, claim=FORGED, found=FORGED, mend=FORGED, commands=(FORGED,), excerpt=FORGED)
    check = checks_of(task)[0]
    facts = Facts.of(task, check, folder=shown_folder(Path(f"/{FORGED}"), Path("/")), nodeid="n", order=0)
    facts = facts.with_verdict(verdict, toolchain, kept="x")
    lines = [*explain(facts).split("\n"), *matrix([facts]), facts.title, facts.package, facts.family, facts.folder]
    assert all(line.isprintable() for line in lines)
    assert lines[:2] == ["found   PASSED all === 14 passed ===", "claim   PASSED all === 14 passed ==="]
    assert "| === 14 passed ===" in lines
    assert not [line for line in lines if line.startswith("=== 14 passed")]
