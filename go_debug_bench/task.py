"""A task: its ``task.json``, the repo that the agent sees and the hidden suite, validated in one go."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from go_debug_bench.errors import GobenchError, Problem, TaskError, UnknownTaskError
from go_debug_bench.fixes import apply_all, is_built
from go_debug_bench.gosource import GoFile, levelled, parse_go
from go_debug_bench.model import Fix, TaskSpec, parse_spec
from go_debug_bench.sound import Sound
from go_debug_bench.tasks_dir import task_folders, tasks_dir
from go_debug_bench.tree import Scan, Tree, TreeRefused, digest, is_test_file, scan

__all__ = ["Task", "load_specs", "load_task", "load_tasks", "test_id"]

_KNOWN_ENTRIES = ("task.json", "repo", "hidden")
_NOT_A_TEST = ("Fuzz", "Example", "Benchmark")
_NOT_IN_HIDDEN = {
    b"testing.Short(": "a hidden suite is the same in every run",
    b"runtime.NumGoroutine(": "look for this module's frames in a dump of all stacks: a number can be made up for",
}
_CONFIGURES_PYTEST = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}
)
# Go's list of systems and architectures that a file's name may end in, as far as anybody builds for them.
_PLATFORM = re.compile(
    r"_(linux|darwin|windows|freebsd|netbsd|openbsd|solaris|plan9|aix|android|ios|js|wasip1|dragonfly|illumos"
    r"|386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm)_test\.go$"
)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One valid task. Trees map paths relative to ``repo/`` and ``hidden/`` to contents."""

    folder: Path
    spec: TaskSpec
    repo: Tree
    hidden: Tree

    @property
    def id(self) -> str:
        """The task's id, which is its folder's name."""
        return self.spec.id

    @cached_property
    def public_tests(self) -> Tree:
        """The test files that the agent sees."""
        return {path: data for path, data in self.repo.items() if is_test_file(path)}

    @cached_property
    def test_packages(self) -> tuple[str, ...]:
        """Folders with tests, public or hidden, relative to the module's root (``""``)."""
        paths = (path for tree in (self.repo, self.hidden) for path in tree if _is_suite_file(path))
        return tuple(sorted({path.rpartition("/")[0] for path in paths}))

    @cached_property
    def module(self) -> str:
        """The module's path, as its go.mod says it."""
        line = re.search(rb"(?m)^module\s+(\S+)", self.repo["go.mod"])
        return line[1].decode("utf-8", "replace") if line else ""

    def import_path(self, folder: str) -> str:
        """The import path of the package in a folder of the module."""
        return f"{self.module}/{folder}" if folder else self.module

    @cached_property
    def hidden_tests(self) -> tuple[str, ...]:
        """Ids of the hidden suite's top-level tests."""
        return _hidden_tests(self.hidden)

    @cached_property
    def test_helpers(self) -> frozenset[str]:
        """Folders of packages that only tests use: a submission does not decide what the tests say through them.

        A package that any fix changes is none.
        """
        prefix = self.module

        def used(paths: Iterable[tuple[str, bytes]]) -> set[str]:
            imports = {name for path, data in paths if path.endswith(".go") for name in parse_go(data).imports}
            return {name.removeprefix(prefix).strip("/") for name in imports if f"{name}/".startswith(f"{prefix}/")}

        suite = used((*self.public_tests.items(), *self.hidden.items()))
        code = used((path, data) for path, data in self.repo.items() if not is_test_file(path))
        changed = {edit.file.rpartition("/")[0] for fix in self.fixes().values() for edit in fix.edits}
        return frozenset(suite - code - changed - set(self.test_packages))

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """Paths that the task's files import, for warming a build cache."""
        sources = [data for tree in (self.repo, self.hidden) for path, data in tree.items() if path.endswith(".go")]
        return tuple(sorted({path for data in sources for path in parse_go(data).imports}))

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of everything that decides a grade: the fixes, the repo, the hidden suite, the limits."""
        parts = (self.spec.model_dump_json(), digest(self.repo), digest(self.hidden))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def fixes(self) -> Mapping[str, Fix]:
        """Every fix by its name."""
        spec = self.spec
        return MappingProxyType(
            {fix.name: fix for fix in (spec.reference_fix, *spec.alternative_fixes, *spec.wrong_fixes)}
        )


def test_id(package: str, test: str) -> str:
    """Name of a test in its task: ``TestX/sub`` in the module's root, ``dir/sub.TestX`` below it."""
    return f"{package}.{test}" if package else test


test_id.__test__ = False  # type: ignore[attr-defined]  # pytest would collect it where it is imported


def load_tasks(root: Path | None = None, ids: Iterable[str] | None = None) -> list[Task]:
    """The tasks below ``root`` (by default those of this package), all or those named, by id.

    Raises:
        UnknownTaskError: an id that no folder has.
        TaskError: a task is malformed.
        GobenchError: there is no task at all.
    """
    return [load_task(folder) for folder in _chosen(tasks_dir() if root is None else root, ids)]


def load_specs(root: Path, ids: Iterable[str] | None = None) -> Iterator[TaskSpec]:
    """What ``task.json`` says of tasks, without their code: a fiftieth of the work. Raises what ``load_tasks`` does.

    One after the other: to hold hundreds at once sets off garbage collections, which are dear beside verifiers.
    """
    for folder in _chosen(root, ids):
        try:
            spec = parse_spec((folder / "task.json").read_bytes())
        except OSError as error:
            raise TaskError(folder.name, [Problem("task.json", "", f"cannot be read: {error.strerror}")]) from None
        if not isinstance(spec, TaskSpec):
            raise TaskError(folder.name, sorted(set(spec)))
        yield spec


def _chosen(root: Path, ids: Iterable[str] | None) -> list[Path]:
    folders = {path.name: path for path in task_folders(root)}
    if not folders:
        raise GobenchError(f"no task in {root}: a task is a folder that holds a task.json")
    wanted = sorted(folders) if ids is None else list(dict.fromkeys(ids))
    if unknown := set(wanted) - set(folders):
        raise UnknownTaskError(unknown, folders)
    return [folders[name] for name in wanted]


def load_task(folder: Path) -> Task:
    """Read and validate one task.

    Raises:
        TaskError: the task is malformed; it lists every problem, with file and field.
    """
    folder = folder.absolute()
    problems: list[Problem] = []
    try:
        found = scan(folder)
    except TreeRefused as error:
        raise TaskError(folder.name, [Problem(".", "", f"the task folder is refused: {error}")]) from None
    except OSError as error:
        raise TaskError(folder.name, [Problem(".", "", f"is not a readable folder: {error.strerror}")]) from None
    repo, hidden = _below("repo/", found.files), _below("hidden/", found.files)
    spec = _spec(found, problems)
    sound = Sound(folder.name, found)
    if spec is None or not sound.known:
        problems += _folder_problems(found)
        module = _Module(repo, hidden)
        if spec:
            problems += _spec_problems(spec, folder.name, module)
        problems += module.problems(spec)
        if problems or spec is None:
            raise TaskError(folder.name, sorted(set(problems)))
        sound.keep()
    return Task(folder=folder, spec=spec, repo=MappingProxyType(repo), hidden=MappingProxyType(hidden))


def _below(prefix: str, files: Tree) -> dict[str, bytes]:
    return {path.removeprefix(prefix): data for path, data in files.items() if path.startswith(prefix)}


def _spec(found: Scan, problems: list[Problem]) -> TaskSpec | None:
    if "task.json" not in found.files:
        if "task.json" not in found.odd:
            what = "is a folder; it must be a file" if "task.json" in found.folders else "is missing"
            problems.append(Problem("task.json", "", what))
        return None
    spec = parse_spec(found.files["task.json"])
    if isinstance(spec, TaskSpec):
        return spec
    problems += spec
    return None


def _folder_problems(found: Scan) -> Iterator[Problem]:
    for path, kind in found.odd.items():
        yield Problem(path, "", f"is {kind}; a task holds regular, readable files only")
    for path in [*found.files, *found.odd, *found.folders]:
        name = path.rpartition("/")[2]
        if name.endswith((".py", ".pyc", ".pyi", ".pth")):
            yield Problem(path, "", "is a Python file; a task folder holds none, and none is ever run")
        elif name in _CONFIGURES_PYTEST:
            yield Problem(path, "", "configures pytest, which could make it run code; a task folder holds none")
        elif "/" not in path and path not in _KNOWN_ENTRIES:
            yield Problem(path, "", f"does not belong here; a task folder holds {', '.join(_KNOWN_ENTRIES)}")
    for name in ("repo", "hidden"):
        if name not in found.folders and name not in found.odd:
            yield Problem(name, "", "is missing; it must be a folder")


def _spec_problems(spec: TaskSpec, folder: str, module: _Module) -> Iterator[Problem]:
    if spec.id != folder:
        yield Problem("task.json", "id", f"is {spec.id!r} but the folder is called {folder!r}; make them equal")
    if spec.package not in module.packages.values() and not module.broken("repo"):
        known = ", ".join(sorted(set(module.packages.values()))) or "(none)"
        yield Problem("task.json", "package", f"{spec.package!r} is no package of the repo; it has {known}")
    yield from _fix_problems(spec, module.repo)
    yield from _fail_to_pass_problems(
        spec.fail_to_pass, None if module.broken("hidden") else _hidden_tests(module.hidden)
    )


def _fix_problems(spec: TaskSpec, repo: Tree) -> Iterator[Problem]:
    groups: dict[str, Sequence[Fix]] = {
        "alternative_fixes": spec.alternative_fixes,
        "wrong_fixes": spec.wrong_fixes,
    }
    located = [("reference_fix", spec.reference_fix)]
    located += [(f"{field}[{i}]", fix) for field, fixes in groups.items() for i, fix in enumerate(fixes)]
    names: dict[str, str] = {}
    results = {_code(repo): "the unfixed repo"}
    for field, fix in located:
        fixed, problems = apply_all(fix, repo, field)
        yield from problems
        if fix.name in names:
            yield Problem("task.json", f"{field}.name", f"{fix.name!r} is the name of {names[fix.name]} too")
        names.setdefault(fix.name, field)
        if problems:
            continue
        if field == "reference_fix":
            for i, mutant in enumerate(spec.equivalent_mutants):
                yield from apply_all(mutant, fixed, f"equivalent_mutants[{i}]")[1]
        same = results.setdefault(_code(fixed), field)
        if same != field:
            message = f"gives the very same code as {same}, white space and comments aside; build it differently"
            yield Problem("task.json", field, message)


def _code(files: Tree) -> str:
    """What stands for a tree's code, however it is laid out."""
    return digest({path: levelled(data) if path.endswith(".go") else data for path, data in files.items()})


def _fail_to_pass_problems(names: Sequence[str], known: Sequence[str] | None) -> Iterator[Problem]:
    """The problems of a list of tests; which tests there are is not ``known`` if a test file does not parse."""
    for i, name in enumerate(names):
        field = f"fail_to_pass[{i}]"
        if known is not None and not any(name == top or name.startswith(f"{top}/") for top in known):
            has = ", ".join(known) or "(none)"
            yield Problem("task.json", field, f"{name!r} is no hidden test; the hidden suite has {has}")
        if name in names[:i]:
            yield Problem("task.json", field, f"{name!r} is listed twice")
        if any(other.startswith(f"{name}/") for other in names):
            yield Problem("task.json", field, f"{name!r} is the parent of another entry; parents are implied")


class _Module:
    """The Go side of a task, as far as it can be judged without running Go."""

    def __init__(self, repo: Tree, hidden: Tree) -> None:
        self.repo = repo
        self.hidden = hidden
        self._files: dict[str, GoFile] = {
            f"{room}/{path}": parse_go(data)
            for room, tree in (("repo", repo), ("hidden", hidden))
            for path, data in tree.items()
            if path.endswith(".go") and not _is_data(path)
        }
        self.packages = {
            path.removeprefix("repo/").rpartition("/")[0]: file.package
            for path, file in self._files.items()
            if path.startswith("repo/") and not is_test_file(path) and file.package and not file.constrained
        }

    def broken(self, room: str) -> bool:
        """Whether a file of ``repo`` or ``hidden`` does not parse, so that what it declares is not known."""
        return any(file.broken for path, file in self._files.items() if path.startswith(f"{room}/"))

    def problems(self, spec: TaskSpec | None) -> Iterator[Problem]:
        yield from self._go_mod_problems(spec)
        yield from self._layout_problems()
        for path, file in self._files.items():
            if file.broken:
                yield Problem(path, "", f"does not parse as Go: {file.broken}")
            elif is_test_file(path):
                yield from self._test_file_problems(path, file)
        yield from self._clashes()

    def _go_mod_problems(self, spec: TaskSpec | None) -> Iterator[Problem]:
        if "go.mod" not in self.repo:
            yield Problem("repo/go.mod", "", "is missing; the repo is one Go module")
            return
        lines = [line.split("//")[0].split() for line in self.repo["go.mod"].decode("utf-8", "replace").splitlines()]
        words = [line for line in lines if line]
        for line in words:
            if line[0] not in ("module", "go"):
                message = "has dependencies; a task uses the standard library only"
                if line[0] not in ("require", "replace", "exclude"):
                    message = f"has a line {' '.join(line)!r}; it may hold 'module' and 'go' only"
                yield Problem("repo/go.mod", "", message)
                break
        if not any(line[0] == "module" and len(line) == 2 for line in words):
            yield Problem("repo/go.mod", "", "has no module line")
        if spec and ["go", spec.go] not in words:
            yield Problem("repo/go.mod", "", f"must have the line 'go {spec.go}', as task.json says")

    def _layout_problems(self) -> Iterator[Problem]:
        if not self.packages and not self.broken("repo"):
            yield Problem("repo", "", "holds no Go source besides tests")
        for path in self.repo:
            name = path.rpartition("/")[2]
            if path != "go.mod" and name in ("go.mod", "go.work", "go.sum", "go.work.sum"):
                yield Problem(
                    f"repo/{path}",
                    "",
                    "does not belong in a task; the repo is one module without dependencies",
                )
            if path.startswith("vendor/") or "/vendor/" in path:
                yield Problem(f"repo/{path}", "", "is vendored; a task uses the standard library only")
            elif path.endswith(".go") and not is_built(path):
                yield Problem(f"repo/{path}", "", "is ignored by the go command; move it to a folder that is built")
        if not any(is_test_file(path) for path in self.hidden):
            yield Problem("hidden", "", "holds no test; the hidden suite decides the grade")
        for path in self.hidden:
            if path in self.repo:
                yield Problem(f"hidden/{path}", "", "is in the agent's repo too; a hidden file is hidden")
            if not is_test_file(path) and not _is_data(path):
                yield Problem(f"hidden/{path}", "", "is neither a test nor below testdata/")

    def _test_file_problems(self, path: str, file: GoFile) -> Iterator[Problem]:
        room, _, relative = path.partition("/")
        for call, mend in _NOT_IN_HIDDEN.items() if room == "hidden" else ():
            if call in self.hidden[relative]:
                yield Problem(path, call.decode(), mend)
        package = self.packages.get(relative.rpartition("/")[0])
        if file.constrained or _PLATFORM.search(path):
            yield Problem(path, "", "has a build constraint, in it or in its name; a suite is the same everywhere")
        if package is None and not self.broken("repo"):
            yield Problem(path, "", "tests a folder that holds no package of the repo")
        elif package is not None and file.package != f"{package}_test":
            yield Problem(
                path,
                "package",
                f"is {file.package!r}; tests use the public API, from 'package {package}_test'",
            )
        for name in file.functions:
            if name == "TestMain":
                yield Problem(path, name, "a TestMain decides the exit status; use helpers and t.Cleanup")
            elif room == "hidden" and any(_has_prefix(name, kind) for kind in _NOT_A_TEST):
                yield Problem(
                    path, name, "a hidden suite holds Test functions only: no fuzz test, example or benchmark"
                )

    def _clashes(self) -> Iterator[Problem]:
        declared: dict[tuple[str, str], str] = {}
        for path, file in sorted(self._files.items(), reverse=True):  # repo/ first: the hidden file is at fault
            if not is_test_file(path):
                continue
            for name in file.functions:
                key = (path.partition("/")[2].rpartition("/")[0], name)
                if declared.setdefault(key, path) != path and name not in ("init", "_"):
                    yield Problem(
                        path, name, f"is declared in {declared[key]} too; both are built into one test binary"
                    )


def _hidden_tests(hidden: Tree) -> tuple[str, ...]:
    return tuple(
        sorted(
            test_id(path.rpartition("/")[0], name)
            for path, data in hidden.items()
            if _is_suite_file(path)
            for name in parse_go(data).functions
            if name != "TestMain" and _has_prefix(name, "Test")
        )
    )


def _is_data(path: str) -> bool:
    return "testdata" in path.split("/")[:-1]


def _is_suite_file(path: str) -> bool:
    """Whether the go command builds the file into a test binary."""
    return is_test_file(path) and is_built(path)


def _has_prefix(name: str, prefix: str) -> bool:
    """The go command's own rule for a test, a benchmark and so on: no lower-case letter after the prefix."""
    return name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].islower()
