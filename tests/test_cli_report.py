"""``go-debug-bench report diff``: the reports themselves are tested elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands import invoke
from tests.reports import check, failed, report, task


def test_what_got_worse_is_told_and_decides_the_exit_status(tmp_path: Path) -> None:
    """From old to new one check fails; the other way round it is mended."""
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(report(task("tiny-tally", [check("wrong[one-more]")])).to_json())
    bad.write_text(report(task("tiny-tally", [failed("wrong[one-more]")])).to_json())
    done = invoke("report", "diff", good, bad)
    assert done.exit_code == 1
    assert "tiny-tally wrong[one-more]: passed -> failed" in done.stdout
    done = invoke("report", "diff", bad, good)
    assert (done.exit_code, "failed -> passed" in done.stdout) == (0, True)
    same = invoke("report", "diff", good, good)
    assert (same.exit_code, same.stdout) == (0, "no change\n")


def test_the_comparison_for_programs(tmp_path: Path) -> None:
    """One document, with its version."""
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(report(task("tiny-tally", [check("vet-clean")])).to_json())
    bad.write_text(report(task("tiny-tally", [failed("vet-clean")]), task("other")).to_json())
    done = invoke("report", "diff", good, bad, "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert (document["format"], document["version"]) == ("go-debug-bench comparison", 1)
    assert (document["worse"], document["added"]) == (True, ["other"])
    (change,) = document["outcomes"]
    assert (change["task"], change["check"], change["after"]) == ("tiny-tally", "vet-clean", "failed")


def test_a_file_that_is_no_report_is_a_usage_error(tmp_path: Path) -> None:
    """The file is named, with what to give instead."""
    (tmp_path / "odd.json").write_text("{}")
    done = invoke("report", "diff", tmp_path / "odd.json", tmp_path / "none.json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{tmp_path / 'odd.json'}: format: is not" in done.stderr
    assert "--gobench-report" in done.stderr
    good = tmp_path / "good.json"
    good.write_text(report(task()).to_json())
    done = invoke("report", "diff", good, tmp_path / "none.json")
    assert (done.exit_code, "cannot be read: No such file" in done.stderr) == (2, True)
