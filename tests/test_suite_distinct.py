"""Which tasks of a folder are nearly the same, and which are only alike. No Go runs."""

import json
import re
import shutil
import time
from pathlib import Path

import pytest

from go_debug_bench.suite import PLACEHOLDER, Neighbours
from go_debug_bench.task import load_task, load_tasks
from go_debug_bench.tasks_dir import tasks_dir

EXAMPLES = Path(__file__).parent / "examples"
COPIED = "eventbus-aliasing"


def copy(name: str, target: Path, **fields: object) -> Path:
    """A task of this repository under another name, with other fields."""
    shutil.copytree(tasks_dir() / name, target)
    spec = json.loads((target / "task.json").read_text())
    (target / "task.json").write_text(json.dumps({**spec, "id": target.name, **fields}))
    return target


def told(gate: str) -> dict[str, object]:
    """A prompt and a gate that no other task has."""
    return {"prompt": f"Something is amiss with {gate}.", "knowledge_gate": gate}


def found(folder: Path) -> list[str]:
    """What is found about a task, as a reader sees it."""
    return [str(finding) for finding in Neighbours().like(load_task(folder))]


def test_the_tasks_of_this_repository_are_apart() -> None:
    """All of them, in one pass."""
    neighbours = Neighbours()
    assert [str(item) for task in load_tasks() for item in neighbours.like(task)] == []


def test_a_copy_is_found_from_both_sides(tmp_path: Path) -> None:
    """Its code, its prompt and its gate, with the other task and the nearest file of each."""
    copy(COPIED, tmp_path / "one")
    copy(COPIED, tmp_path / "two")
    for own, other in (("one", "two"), ("two", "one")):
        code, prompt, gate = found(tmp_path / own)
        match = re.fullmatch(
            rf"(\S+): the task shares 100% of its code, names aside, with {other}, most with its (\S+)", code
        )
        assert match
        assert match[1] == match[2]
        assert prompt == f"task.json: prompt: shares 100% of its text with that of {other}"
        assert gate.startswith(f"task.json: knowledge_gate: is that of {other}: 'appending to list")


def test_new_names_texts_and_comments_hide_no_copy(tmp_path: Path) -> None:
    """Nor do new names of files."""
    copy(COPIED, tmp_path / "one")
    copied = copy(COPIED, tmp_path / "two", **told("maps"))
    for path in sorted(copied.rglob("*.go")):
        code = re.sub(r"(?m)^(\s*)//.*$", r"\1// another comment", path.read_text())
        code = re.sub(r"\b(event|topic|name|sub|bus|order|Publish|Subscribe)\b", r"\1ual", code)
        path.with_name(f"new_{path.name}").write_text(f"// Rewritten.\n\n{code}")
        path.unlink()
    (line,) = found(tmp_path / "one")
    share = re.search(r"shares (\d+)% of its code, names aside, with two", line)
    assert share
    assert int(share[1]) > 90


@pytest.mark.parametrize("change", ["{ // a\n", "{ /* a */\n", "{ /* a\n b */", " {\n", "{ \t\n"])
def test_comments_and_blanks_at_line_ends_hide_no_copy(tmp_path: Path, change: str) -> None:
    """They are all of the way from one to the other."""
    copy(COPIED, tmp_path / "one")
    copied = copy(COPIED, tmp_path / "two", **told("maps"))
    for path in sorted(copied.rglob("*.go")):
        path.write_text(path.read_text().replace("{\n", change))
    (line,) = found(tmp_path / "one")
    assert "shares 100% of its code, names aside, with two" in line


def test_a_part_that_was_taken_over_is_found(tmp_path: Path) -> None:
    """One file of another task, in a module of its own that is as large as that."""
    copy("timer-len-poll", tmp_path / "one")
    taken = copy(COPIED, tmp_path / "two")
    for name in ("house.go", "hold.go", "sweep.go"):
        shutil.copy(tasks_dir() / "timer-len-poll" / "repo" / name, taken / "repo" / f"taken_{name}")
        change = (taken / "repo" / f"taken_{name}").read_text().replace("package boxoffice", "package eventbus")
        (taken / "repo" / f"taken_{name}").write_text(change)
    (line,) = found(tmp_path / "one")
    assert "of its code, names aside, with two, most with its repo/taken_" in line


@pytest.mark.parametrize("part", ["prompt", "knowledge_gate"])
def test_a_story_or_a_gate_that_was_taken_over_is_found(tmp_path: Path, part: str) -> None:
    """With other code around it; a prompt in other letters and with another end is the same one."""
    text = json.loads((tasks_dir() / COPIED / "task.json").read_text())[part]
    lines = text if isinstance(text, str) else "\n".join(text)
    copy(COPIED, tmp_path / "one")
    copy("timer-len-poll", tmp_path / "two", **{part: lines.upper()})
    (line,) = found(tmp_path / "two")
    assert line.startswith(f"task.json: {part}: ")
    assert " of one" in line


def test_what_is_still_to_write_is_not_compared(tmp_path: Path) -> None:
    """Two scaffolds have the same words, and fail for them already."""
    words = {"prompt": f"{PLACEHOLDER}: " + "word for word " * 30, "knowledge_gate": f"{PLACEHOLDER}: a b c d e f g h"}
    copy(COPIED, tmp_path / "one", **words)
    copy("timer-len-poll", tmp_path / "two", **words)
    assert found(tmp_path / "one") == []


def test_toys_are_not_compared() -> None:
    """There is one way only to add up a list: code of a few lines, and short texts, are alike by nature."""
    for name in ("tiny-tally", "build"):
        assert found(EXAMPLES / "valid" / name) == []
    assert found(EXAMPLES / "broken" / "fails-wrong") == []


def test_what_lies_beside_and_is_no_task_is_passed_by(tmp_path: Path) -> None:
    """It is a problem of its own, found by its own checks."""
    own = copy(COPIED, tmp_path / "one")
    copy(COPIED, tmp_path / "renamed").rename(tmp_path / "other")
    (tmp_path / "no-json" / "repo").mkdir(parents=True)
    for name, content in (("empty", ""), ("not-json", "{"), ("a-list", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.json").write_text(content)
    (tmp_path / "a-link").symlink_to(own)
    (tmp_path / "too-large").mkdir()
    (tmp_path / "too-large" / "task.json").write_bytes(b" " * (2 << 20))
    (tmp_path / "a-folder" / "task.json").mkdir(parents=True)
    assert found(own) == []


def test_hostile_files_beside_a_task_take_little_time(tmp_path: Path) -> None:
    """Comments and texts that are never closed, and lines without a word, are read once."""
    own = copy(COPIED, tmp_path / "one")
    copied = copy("timer-len-poll", tmp_path / "two")
    for number, filler in enumerate(("/* ", "`", '"\\', "'\\", "(", "x ", "// ")):
        (copied / "repo" / f"f{number}.go").write_text(filler * (400_000 // len(filler)))
    begin = time.process_time()
    assert found(own) == []
    assert time.process_time() - begin < 5


def test_each_folder_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tasks lie in it."""
    from go_debug_bench.suite import distinct

    for name in ("one", "two", "three"):
        copy(COPIED, tmp_path / name)
    read: list[str] = []
    real = distinct._read

    def counted(folder: Path) -> object:
        read.append(folder.name)
        return real(folder)

    monkeypatch.setattr(distinct, "_read", counted)
    neighbours = Neighbours()
    for task in load_tasks(tmp_path):
        assert len(neighbours.like(task)) == 6
    assert sorted(read) == ["one", "three", "two"]
