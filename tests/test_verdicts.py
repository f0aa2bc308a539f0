"""The verdict cache: what it answers, what makes it run a check again, and that nothing planted in it is believed."""

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from go_debug_bench.checks import Check, Prover, Verdict
from go_debug_bench.errors import InfrastructureError
from go_debug_bench.grading import Grader
from go_debug_bench.identity import NOT_THE_GRADER, PACKAGE, code_digest, is_as_loaded, toolchain_identity
from go_debug_bench.isolation import Isolation
from go_debug_bench.kept import Kept
from go_debug_bench.task import Task, load_task
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.verdicts import KEPT, Subject, VerdictCache, subject_of
from go_debug_bench.workspace import cache_dir
from pytest_gobench.caching import is_on

TALLY = Path(__file__).parent / "examples" / "valid" / "tiny-tally"
VET = Check(kind="vet-clean")
HOLDS = Verdict(ok=True, claim="go vet is clean")


@pytest.fixture(scope="module")
def task() -> Task:
    """The smallest valid task."""
    return load_task(TALLY)


@pytest.fixture
def cache(tmp_path: Path) -> VerdictCache:
    """An empty cache."""
    return VerdictCache(kept=Kept(tmp_path / "verdicts"))


@pytest.fixture
def subject(grader: Grader, task: Task) -> Subject:
    """What decides whether go vet is clean."""
    return subject_of(grader, task, VET)


def entry(cache: VerdictCache) -> Path:
    """The only file of a cache."""
    (path,) = cache.kept.folder.iterdir()
    return path


def test_a_kept_verdict_comes_back_and_says_that_it_was_kept(cache: VerdictCache, subject: Subject) -> None:
    """With its claim; nothing is known of anything else."""
    assert cache.find(subject) is None
    cache.keep(subject, HOLDS)
    assert cache.find(subject) == replace(HOLDS, cached=True)
    assert (cache.hits, cache.ignored) == (1, {})


def test_a_failure_is_never_kept(cache: VerdictCache, subject: Subject) -> None:
    """Its author wants to see it again, with all that Go says."""
    cache.keep(subject, Verdict(ok=False, claim="go vet is clean", found="it is not"))
    assert not cache.kept.folder.exists()


def test_a_kept_grade_has_its_facts_and_no_output_of_tests(
    cache: VerdictCache, grader: Grader, task: Task, subject: Subject
) -> None:
    """The matrix needs the facts."""
    verdict = Prover(grader=grader).run(Check(kind="reference-passes"), task)
    cache.keep(subject, verdict)
    found = cache.find(subject)
    assert found
    assert found.grade
    assert verdict.grade
    assert (found.grade.reward, found.grade.compiles, found.grade.code) == (1.1, True, "passed")
    assert [(test.name, test.outcome) for test in found.grade.tests] == [
        (test.name, test.outcome) for test in verdict.grade.tests
    ]
    assert found.grade.log == ""
    assert {test.output for test in found.grade.tests} == {""}


def _with_spec(task: Task, **changes: object) -> Task:
    return replace(task, spec=task.spec.model_copy(update=changes))


@pytest.mark.parametrize(
    "change",
    [
        lambda task: replace(task, hidden={**task.hidden, min(task.hidden): task.hidden[min(task.hidden)] + b"\n"}),
        lambda task: replace(task, repo={**task.repo, "tally.go": task.repo["tally.go"] + b"\n"}),
        lambda task: replace(task, repo={**task.repo, "go.mod": task.repo["go.mod"] + b"\n"}),
        lambda task: _with_spec(task, timeout_seconds=task.spec.timeout_seconds + 1),
        lambda task: _with_spec(task, fail_to_pass=task.spec.fail_to_pass[1:]),
        lambda task: _with_spec(task, reference_fix=task.spec.alternative_fixes[0]),
        lambda task: _with_spec(task, id="another"),
    ],
    ids=["hidden test", "source", "go.mod", "time limit", "fail_to_pass", "reference fix", "id"],
)
def test_a_change_of_the_task_is_another_subject(
    grader: Grader, task: Task, subject: Subject, change: Callable[[Task], Task]
) -> None:
    """One byte of any part is enough."""
    assert subject_of(grader, change(task), VET) != subject


def test_every_field_of_a_task_is_part_of_the_subject(grader: Grader, task: Task, subject: Subject) -> None:
    """Also one that somebody adds to the model later."""
    for name, value in task.spec.model_dump().items():
        changed = _with_spec(task, **{name: repr(value) + "x"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pydantic's, about values of another type
            assert subject_of(grader, changed, VET) != subject, name


def test_another_check_is_another_subject(grader: Grader, task: Task, subject: Subject) -> None:
    """Two wrong fixes of a task differ in their names alone."""
    assert len({json.dumps(dict(subject_of(grader, task, Check(kind="wrong", fix=name)))) for name in "ab"}) == 2


@pytest.mark.parametrize("program", ["go", "gofmt", "compile", "link", "vet", "test2json"])
def test_another_go_is_another_subject(
    grader: Grader, task: Task, subject: Subject, tmp_path: Path, program: str
) -> None:
    """By the content of each program that builds or judges."""
    same = grader.toolchain
    for name in ("bin", "pkg"):
        shutil.copytree(same.goroot / name, tmp_path / name, copy_function=os.symlink)
    assert _subject_with(grader, task, replace(same, goroot=tmp_path)) == subject
    (path,) = (path for path in tmp_path.rglob(program) if path.is_file())
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content + b"\0")
    toolchain_identity.cache_clear()
    assert _subject_with(grader, task, replace(same, goroot=tmp_path)) != subject


def test_another_release_of_go_is_another_subject(grader: Grader, task: Task, subject: Subject) -> None:
    """Whatever its programs are."""
    assert _subject_with(grader, task, replace(grader.toolchain, version="go1.24.99")) != subject


def _subject_with(grader: Grader, task: Task, toolchain: Toolchain) -> Subject:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grader, "toolchain", toolchain)
        return subject_of(grader, task, VET)


def test_another_isolation_is_another_subject(grader: Grader, task: Task, subject: Subject) -> None:
    """What a submission can do depends on it."""
    if grader.isolation is Isolation.NONE:
        pytest.skip("no isolation here")
    bare = Grader(grader.toolchain, grader.workspace, isolation=Isolation.NONE)
    assert subject_of(bare, task, VET) != subject


def test_another_kernel_is_another_subject_of_an_exploit(
    grader: Grader, task: Task, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel is what keeps it in; go vet is the same on any."""
    attack = Check(kind="exploit", fix="os-exit")
    before = subject_of(grader, task, attack)
    monkeypatch.setattr("platform.release", lambda: "9.9.9-other")
    assert subject_of(grader, task, attack) != before
    assert subject_of(grader, task, VET) == subject


@pytest.mark.parametrize("path", ["grading.py", "gotools/lint/rules.go", "exploits/honest.py", "gotools/go.mod"])
def test_a_change_of_the_grader_is_another_digest(tmp_path: Path, path: str) -> None:
    """Any file of the package counts, in Python and in Go; caches of Python and tasks in a wheel do not."""
    copies = [tmp_path / name for name in ("same", "changed")]
    for copy in copies:
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copies[0] / "__pycache__").mkdir()
    (copies[0] / "__pycache__" / "x.pyc").touch()
    (copies[0] / "tasks" / "one").mkdir(parents=True)
    (copies[0] / "tasks" / "one" / "task.json").touch()
    with (copies[1] / path).open("a") as file:
        file.write("\n")
    same, changed = map(code_digest, copies)
    assert same == code_digest(PACKAGE)
    assert changed != same


def test_a_package_of_links_has_the_digest_of_what_they_lead_to(tmp_path: Path) -> None:
    """Some installers link every file, or whole folders; what has no file is no package."""
    linked = tmp_path / "linked"
    shutil.copytree(PACKAGE, linked, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__"))
    assert code_digest(linked) == code_digest(PACKAGE)
    folders = tmp_path / "folders"
    folders.mkdir()
    for entry in PACKAGE.iterdir():
        (folders / entry.name).symlink_to(entry)
    assert code_digest(folders) == code_digest(PACKAGE)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InfrastructureError, match="has no files"):
        code_digest(tmp_path / "empty")


def test_nothing_is_kept_of_code_that_was_written_to_since_it_was_loaded(
    cache: VerdictCache, subject: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest on the disk is that of other code than the one that runs."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "claims.py").touch()
    now = time.time_ns()
    assert is_as_loaded(package, since=now + 10**9)
    assert not is_as_loaded(package, since=now - 10**9)
    monkeypatch.setattr("go_debug_bench.verdicts.is_as_loaded", lambda: False)
    cache.keep(subject, HOLDS)
    assert cache.find(subject) is None


def test_checks_import_nothing_that_the_digest_leaves_out() -> None:
    """Or a change of it could go unseen."""
    program = "import sys, go_debug_bench.checks; print(*(n for n in sys.modules if n.startswith('go_debug_bench.')))"
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    rooms = {name.split(".")[1] for name in done.stdout.split()}
    assert "grading" in rooms
    assert not rooms & NOT_THE_GRADER


def _edit(path: Path, old: bytes, new: bytes, *, sealed: bool) -> None:
    """Change an entry, and make its sum fit if it is to be sealed."""
    body = path.read_bytes().partition(b"\n")[2]
    assert old in body
    body = body.replace(old, new)
    told = sha256(body).hexdigest().encode() if sealed else path.read_bytes().partition(b"\n")[0]
    path.write_bytes(told + b"\n" + body)


def _as_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(b""), "is cut or was edited"),
        (lambda path: path.write_bytes(path.read_bytes()[:-10]), "is cut or was edited"),
        (lambda path: path.write_bytes(b"{}"), "is cut or was edited"),
        (lambda path: _edit(path, b"is clean", b"is dirty", sealed=False), "is cut or was edited"),
        (lambda path: _edit(path, b'"ok":true', b'"ok":false', sealed=True), "holds no passed check"),
        (lambda path: _edit(path, b'"ok":true', b'"ok":1', sealed=True), "is no entry of this version"),
        (lambda path: _edit(path, b"vet-clean", b"wrong[x]", sealed=True), "is about something else"),
        (lambda path: path.write_bytes(path.read_bytes() + b" " * (1 << 20)), "is too large"),
        (lambda path: path.chmod(0o620), "can be written by others"),
        (lambda path: path.chmod(0o602), "can be written by others"),
        (_as_link, "is a link"),
        (_as_pipe, "is no file"),
        (_as_folder, "is no file"),
    ],
    ids=[
        "empty", "cut", "json", "edited", "failed", "odd ok", "of another check", "large", "group", "others", "link",
        "pipe", "folder",
    ],
)  # fmt: skip
def test_a_spoilt_entry_is_ignored_and_said(
    cache: VerdictCache, subject: Subject, spoil: Callable[[Path], object], reason: str
) -> None:
    """Whatever it became: the check runs again."""
    cache.keep(subject, HOLDS)
    spoil(entry(cache))
    assert cache.find(subject) is None
    assert cache.ignored == {reason: 1}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_an_entry_of_another_user_is_ignored(cache: VerdictCache, subject: Subject) -> None:
    """The cache is private, but a folder may have been shared before."""
    cache.keep(subject, HOLDS)
    os.chown(entry(cache), 54_321, -1)
    assert cache.find(subject) is None
    assert cache.ignored == {"belongs to somebody else": 1}


def test_an_entry_that_is_copied_from_another_task_is_ignored(
    cache: VerdictCache, grader: Grader, task: Task, subject: Subject
) -> None:
    """Its name is nothing that is believed: the entry says itself what it is about."""
    other = subject_of(grader, _with_spec(task, id="another"), VET)
    cache.keep(other, HOLDS)
    copied = entry(cache)
    cache.keep(subject, HOLDS)
    (target,) = (path for path in cache.kept.folder.iterdir() if path != copied)
    shutil.copy(copied, target)
    assert cache.find(subject) is None
    assert cache.ignored == {"is about something else": 1}
    assert cache.find(other) is not None


def test_a_spoilt_entry_is_replaced(cache: VerdictCache, subject: Subject) -> None:
    """A link itself, and not what it leads to."""
    cache.keep(subject, HOLDS)
    path = entry(cache)
    victim = cache.kept.folder.parent / "victim"
    victim.write_text("mine")
    path.unlink()
    path.symlink_to(victim)
    assert cache.find(subject) is None
    cache.keep(subject, HOLDS)
    assert cache.find(subject) is not None
    assert victim.read_text() == "mine"


def test_a_cache_that_cannot_be_written_stops_nothing(subject: Subject, tmp_path: Path) -> None:
    """It is said."""
    (tmp_path / "file").touch()
    cache = VerdictCache(kept=Kept(tmp_path / "file" / "verdicts"))
    cache.keep(subject, HOLDS)
    assert cache.ignored == {"cannot be written (Not a directory)": 1}


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    """What was not used for the longest time goes; what was used stays."""
    for number in range(9):
        Kept(tmp_path).write(str(number), b"")
        os.utime(tmp_path / str(number), (number, number))
    assert Kept(tmp_path).read("0") == b""
    Kept(tmp_path, limit=8).write("new", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "4", "5", "6", "7", "8", "new"]


def test_a_cached_check_starts_no_program(
    cache: VerdictCache, grader: Grader, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that keeps its trees, or looks for flakes, starts them all the same."""
    prover = Prover(grader=grader, verdicts=cache)
    first = prover.run(VET, task)
    started: list[object] = []
    real = grader.host.run
    monkeypatch.setattr(grader.host, "run", lambda *arguments: started.append(arguments) or real(*arguments))
    assert prover.run(VET, task) == replace(first, cached=True)
    assert started == []
    keeping = Prover(grader=grader, verdicts=cache, keep=cache.kept.folder.parent / "kept")
    assert keeping.run(VET, task) == first
    assert started
    assert (cache.kept.folder.parent / "kept" / task.id / VET.folder / "go.mod").is_file()
    assert "stable" not in KEPT


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A task, in a project with an empty verdict cache beside the warm tools."""
    folder = tmp_path / "gobench"
    folder.mkdir(mode=0o700)
    for name in ("go-build", "tools"):
        (folder / name).symlink_to(cache_dir() / name)
    monkeypatch.setenv("GOBENCH_CACHE", str(folder))
    shutil.copytree(TALLY, pytester.path / "tasks" / "tiny-tally")
    return pytester.path


SAID = "gobench: * checks answered from the verdict cache*"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_second_run_is_answered_from_the_cache(pytester: pytest.Pytester, project: Path, workers: str) -> None:
    """It says so, and shows the same matrix."""
    run = ["--gobench-tasks", "--gobench-cache", "-n", workers, "-k", "vet-clean or wrong"]
    first = pytester.runpytest_subprocess(*run)
    second = pytester.runpytest_subprocess(*run)
    for result in (first, second):
        result.assert_outcomes(passed=3)
    first.stdout.no_fnmatch_line(SAID)
    second.stdout.fnmatch_lines(["gobench: 3 checks answered from the verdict cache; --gobench-cache=off runs all"])
    assert _matrix(first.outlines) == _matrix(second.outlines)


def _matrix(lines: list[str]) -> list[str]:
    begin = next(number for number, line in enumerate(lines) if line.startswith("=== tiny-tally"))
    return lines[begin : begin + 2]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_spoilt_entries_are_said_once(pytester: pytest.Pytester, project: Path, tmp_path: Path, workers: str) -> None:
    """With their number and the reasons, from all workers together; and the run after it has replaced them."""
    run = ["--gobench-tasks", "--gobench-cache", "-n", workers, "-k", "vet-clean or wrong"]
    pytester.runpytest_subprocess(*run).assert_outcomes(passed=3)
    kept = sorted((tmp_path / "gobench" / "verdicts").iterdir())
    assert len(kept) == 3
    kept[0].write_bytes(b"x")
    kept[1].write_bytes(b"y")
    kept[2].chmod(0o666)
    result = pytester.runpytest_subprocess(*run)
    result.assert_outcomes(passed=3)
    said = "gobench: ignored 3 cache entries: 1 can be written by others, 2 is cut or was edited"
    assert result.outlines.count(said) == 1
    pytester.runpytest_subprocess(*run).stdout.fnmatch_lines([SAID])


def test_a_changed_hidden_test_is_proved_again(pytester: pytest.Pytester, project: Path) -> None:
    """One byte of it."""
    run = ["--gobench-tasks", "--gobench-cache", "-k", "vet-clean"]
    pytester.runpytest(*run)
    (hidden, *_) = (project / "tasks" / "tiny-tally" / "hidden").glob("*_test.go")
    hidden.write_bytes(hidden.read_bytes() + b"\n")
    pytester.runpytest(*run).stdout.no_fnmatch_line(SAID)
    pytester.runpytest(*run).stdout.fnmatch_lines([SAID])


def test_the_option_takes_no_path_for_its_value(pytester: pytest.Pytester, project: Path) -> None:
    """Alone it means on."""
    for _ in range(2):
        result = pytester.runpytest("--gobench-tasks", "-k", "vet-clean", "--gobench-cache", "tasks/tiny-tally")
    result.stdout.fnmatch_lines([SAID])


class _Config:
    """What the plugin asks of pytest's configuration."""

    def __init__(self, option: str | None, ini: str) -> None:
        self._option = option
        self._ini = ini

    def getoption(self, _: str) -> str | None:
        return self._option

    def getini(self, _: str) -> str:
        return self._ini


@pytest.mark.parametrize(
    ("option", "ini", "ci", "on"),
    [
        (None, "off", None, False),
        (None, "auto", None, True),
        (None, "auto", "true", False),
        (None, "auto", "1", False),
        (None, "auto", "false", True),
        (None, "auto", "", True),
        (None, "on", "true", True),
        ("on", "off", "true", True),
        ("off", "on", None, False),
        ("auto", "on", "true", False),
    ],
)
def test_the_option_wins_and_auto_is_off_in_ci(option: str | None, ini: str, ci: str | None, on: bool) -> None:  # noqa: FBT001
    """As CI systems set the variable CI."""
    assert is_on(_Config(option, ini), {} if ci is None else {"CI": ci}) is on  # type: ignore[arg-type]


def test_by_default_nothing_is_kept(pytester: pytest.Pytester, project: Path, tmp_path: Path) -> None:
    """A project asks for it."""
    pytester.runpytest("--gobench-tasks", "-k", "vet-clean").assert_outcomes(passed=1)
    assert not (tmp_path / "gobench" / "verdicts").exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["-o", "gobench_cache=maybe"], "gobench_cache = 'maybe': it must be one of off, on, auto"),
        (["--gobench-cache=maybe"], "--gobench-cache='maybe': it must be one of off, on, auto"),
    ],
)
def test_an_unknown_mode_is_refused(pytester: pytest.Pytester, project: Path, option: list[str], said: str) -> None:
    """With the modes that there are."""
    result = pytester.runpytest("--gobench-tasks", *option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}"])
