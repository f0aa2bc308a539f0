"""What happens before anything is proved: which modules are loaded, and how often each file is read and parsed."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from go_debug_bench import gosource, sound, tree
from go_debug_bench.errors import TaskError
from go_debug_bench.identity import code_digest
from go_debug_bench.kept import Kept
from go_debug_bench.task import load_task

TALLY = Path(__file__).parent / "examples" / "valid" / "tiny-tally"
LIGHT = {"errors", "loaded", "tasks_dir", "text"}
HEAVY = {"pydantic", "tree_sitter", "verifiers", "datasets", "rich", "click", "jinja2", "filelock", "platformdirs"}


def loaded_by(program: str) -> set[str]:
    """The modules that a program has loaded at its end, in a Python of its own."""
    argv = [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout.split())


@pytest.mark.parametrize("program", ["import go_debug_bench", "import pytest, pytest_gobench.plugin"])
def test_an_import_loads_nothing_heavy(program: str) -> None:
    """Every pytest run of every project pays for what the plugin loads."""
    loaded = loaded_by(program)
    assert not loaded & HEAVY
    assert {name.partition(".")[2] for name in loaded if name.startswith("go_debug_bench.")} <= LIGHT


def test_a_run_without_tasks_loads_nothing_more(pytester: pytest.Pytester) -> None:
    """The plugin is there in every run of every project that has it installed."""
    pytester.makepyfile("def test_it(): pass")
    loaded = loaded_by("import pytest\npytest.main(['-q', '-p', 'no:xdist', '-p', 'no:anyio'])")
    assert {name.partition(".")[2] for name in loaded if name.startswith("go_debug_bench.")} <= LIGHT


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """An empty memory of sound tasks."""
    kept = Kept(tmp_path / "sound")
    monkeypatch.setattr(sound, "_kept", lambda: kept)
    monkeypatch.setattr(sound, "is_as_loaded", lambda: True)  # whoever works on this package while its tests run
    return kept


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How many files are read of folders, and parsed as Go."""
    found: Counter[str] = Counter()

    def count(what: str, real: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object) -> object:
            found[what] += 1
            return real(*arguments)

        return counted

    monkeypatch.setattr(tree, "_read_regular", count("read", tree._read_regular))
    monkeypatch.setattr(gosource, "syntax", count("parsed", gosource.syntax))
    gosource.parse_go.cache_clear()
    code_digest()  # it reads the package's own files, once a process
    found.clear()
    yield found
    gosource.parse_go.cache_clear()


def test_a_task_is_parsed_once_and_when_it_is_known_not_at_all(memory: Kept, counts: Counter[str]) -> None:
    """Each file is read once whenever it is collected."""
    files = [path for path in TALLY.rglob("*") if path.is_file()]
    go = [path for path in files if path.suffix == ".go"]
    load_task(TALLY)
    assert counts == {"read": len(files), "parsed": len(go)}
    counts.clear()
    gosource.parse_go.cache_clear()
    load_task(TALLY)
    assert counts == {"read": len(files)}


@pytest.mark.parametrize("path", ["task.json", "repo/tally.go", "hidden/total_test.go", "repo/new.go"])
def test_a_task_that_changes_is_judged_again(memory: Kept, tmp_path: Path, path: str) -> None:
    """By content: neither the time of a file nor its size is asked."""
    folder = tmp_path / "tiny-tally"
    shutil.copytree(TALLY, folder)
    load_task(folder)
    assert len(list(memory.folder.iterdir())) == 1
    file = folder / path
    before = file.stat() if file.exists() else None
    spoilt = file.read_bytes().replace(b"{", b"(", 1) if before else b"packag x\n"
    file.write_bytes(spoilt)
    if before:
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(TaskError):
        load_task(folder)
    assert len(list(memory.folder.iterdir())) == 1


def test_a_folder_that_gets_a_stray_file_or_another_name_is_judged_again(memory: Kept, tmp_path: Path) -> None:
    """What was sound is the folder as a whole."""
    folder = tmp_path / "tiny-tally"
    shutil.copytree(TALLY, folder)
    load_task(folder)
    for spoil in (
        lambda: (folder / "link").symlink_to("task.json"),
        lambda: (folder / "repo" / "conftest.py").touch(),
        lambda: shutil.move(folder, tmp_path / "renamed"),
    ):
        spoil()
        place = folder if folder.exists() else tmp_path / "renamed"
        with pytest.raises(TaskError):
            load_task(place)
        (folder / "link").unlink(missing_ok=True)
        (folder / "repo" / "conftest.py").unlink(missing_ok=True)


def test_a_change_of_the_code_judges_every_task_again(
    memory: Kept, counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new rule holds for tasks that were known before it."""
    load_task(TALLY)
    monkeypatch.setattr(sound, "code_digest", lambda: "another")
    gosource.parse_go.cache_clear()
    counts.clear()
    load_task(TALLY)
    assert counts["parsed"] > 0


def test_a_memory_that_others_can_write_to_is_not_believed(memory: Kept, counts: Counter[str]) -> None:
    """The task is judged; nothing else changes."""
    load_task(TALLY)
    (entry,) = memory.folder.iterdir()
    entry.chmod(0o666)
    gosource.parse_go.cache_clear()
    counts.clear()
    load_task(TALLY)
    assert counts["parsed"] > 0


def test_without_a_place_for_a_memory_a_task_loads_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a machine on which nothing can be written."""
    monkeypatch.setenv("GOBENCH_CACHE", "/proc/nowhere")
    sound._kept.cache_clear()
    try:
        assert load_task(TALLY).id == "tiny-tally"
    finally:
        sound._kept.cache_clear()


@pytest.fixture
def many(pytester: pytest.Pytester) -> Path:
    """Forty copies of a task under names of their own."""
    spec = json.loads((TALLY / "task.json").read_bytes())
    for number in range(40):
        folder = pytester.path / "tasks" / f"tally-{number}"
        shutil.copytree(TALLY, folder)
        (folder / "task.json").write_text(json.dumps({**spec, "id": folder.name}))
    return pytester.path


def test_collecting_many_known_tasks_takes_little(
    pytester: pytest.Pytester, many: Path, memory: Kept, counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file is read twice, none is parsed, no fact of a check is written down, and no program starts."""
    from pytest_gobench.facts import Facts

    def run() -> float:
        begin = time.process_time()
        result = pytester.runpytest_inprocess("--gobench-tasks", "--collect-only", "-q", "-q")
        assert result.ret == pytest.ExitCode.OK
        return time.process_time() - begin

    run()
    counts.clear()
    monkeypatch.setattr(Facts, "to_json", lambda _: pytest.fail("facts at collection"))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program at collection"))
    seconds = run()
    assert counts == {"read": 40 * sum(path.is_file() for path in TALLY.rglob("*"))}
    assert seconds < 40 * 0.02  # of processor time; it takes a tenth of that
