"""What the documentation says is what the code does; CI builds its pages with warnings as errors."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import verifiers.v1 as vf

from docs.from_code import PARTS, filled
from docs.from_code.commands import all_commands
from docs.from_code.plugin import Declared
from go_debug_bench import exploit_claim
from go_debug_bench.checks import Check, Prover
from go_debug_bench.exploits import Exploit, honest, process
from go_debug_bench.grading import Grader
from go_debug_bench.task import load_task

pytestmark = pytest.mark.filterwarnings("default")  # those of verifiers and what it imports are not ours

ROOT = Path(__file__).parent.parent
PAGES = {str(path.relative_to(ROOT / "docs")): path.read_text(encoding="utf-8") for path in ROOT.glob("docs/**/*.md")}
NOT_BY_NAME = {"NO_COLOR", "TMPDIR", "MODAL_TOKEN_SECRET", "PATH", "HOME"}
"""Variables of the table that libraries read for us, or that are passed on as they are."""
_NAME = r"(?:GOBENCH|PYTEST|PRIME|MODAL|E2B)_[A-Z_]+"
OF_THE_TESTS = {"GOBENCH_BROWSER", "GOBENCH_CONTAINERS"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its caption, and its lines."""

    language: str
    caption: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in its order."""
    fence = re.compile(
        r"^```(?:\{code-block\} )?(?P<language>[\w{}-]+)\n(?::caption: (?P<caption>[^\n]*)\n\n?)?(?P<text>.*?)^```$",
        re.MULTILINE | re.DOTALL,
    )
    for found in fence.finditer(page):
        yield Block(found["language"], found["caption"] or "", found["text"])


def commands_of(page: str) -> Iterator[str]:
    """What a page tells to type, one command a line."""
    for block in blocks(page):
        lines = block.text.splitlines()
        if block.language == "console":
            yield from (line.removeprefix("$ ") for line in lines if line.startswith("$ "))
        elif block.language in ("sh", "yaml"):
            yield from (re.sub(r"^\s*- (?:run: )?", "", line) for line in lines)


class Reader:
    """Somebody who does in an empty folder what a page says, and compares what is printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        # What the reader has not set: this run is a pytest's, perhaps one with workers.
        own = ("PYTEST_", "GOBENCH_TASKS")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.variables = {**kept, "PATH": path, "NO_COLOR": "1", "COLUMNS": "80"}

    def follow(self, page: str) -> None:
        """Write the files, set the fields and run the commands of a page."""
        for block in blocks(page):
            if block.language == "console":
                self._run(block.text)
            elif block.caption.endswith(", these fields"):
                path = self.folder / block.caption.removesuffix(", these fields")
                fields = json.loads(path.read_text(encoding="utf-8")) | json.loads(block.text)
                path.write_text(json.dumps(fields, indent=2), encoding="utf-8")
            elif block.caption:
                path = self.folder / block.caption
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")

    def _run(self, session: str) -> None:
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", f"(exit {self.status}); {command}"],
                cwd=self.folder,
                env=self.variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
                check=False,
            )
            self.status = done.returncode
            assert re.fullmatch(_pattern(expected), done.stdout), f"$ {command}\n{done.stdout}\nand not\n{expected}"


def _pattern(expected: str) -> str:
    """A line of three dots stands for any lines, and three dots in a line for any text of it."""
    lines = [
        "(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in expected.splitlines()
    ]
    return "".join(lines)


def test_the_tutorial_ends_with_a_proven_task(tmp_path: Path, grader: Grader) -> None:
    """Followed to the letter from an empty folder, it prints what it says, and the last run is green."""
    if not grader.boxes.isolated:
        pytest.skip("nothing here isolates a submission, and the tutorial grades one")
    reader = Reader(tmp_path)
    reader.follow(PAGES["tutorial.md"])
    assert reader.status == 0
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    (task,) = report["tasks"]
    assert {check["outcome"] for check in task["checks"]} == {"passed"}
    assert {"stable", "reference-passes"} <= {check["kind"] for check in task["checks"]}


def test_every_variable_that_the_code_reads_is_in_the_table() -> None:
    """And none that nobody reads."""
    read = {name for package in ("go_debug_bench", "pytest_gobench") for name in _variables(ROOT / package)}
    cells = re.findall(r"^\| (`.*?) \|", PAGES["reference/variables.md"], re.MULTILINE)
    table = {name for cell in cells for name in re.findall(r"`([A-Z0-9_]+)`", cell)}
    assert table == read | NOT_BY_NAME | OF_THE_TESTS


def _variables(package: Path) -> Iterator[str]:
    """What is read from the environment by name, and every constant that can be nothing but such a name."""
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.getenv", "os.environ.get", "environ.get"):
                yield from (str(word.value) for word in node.args[:1] if isinstance(word, ast.Constant))
            elif isinstance(node, ast.Constant) and re.fullmatch(_NAME, str(node.value)):
                yield str(node.value)


def test_every_option_that_a_page_names_exists() -> None:
    """The plugin's wherever they are named, the commands' where they are typed."""
    known = {
        name: {option for parameter in command.params for option in (*parameter.opts, "--help")}
        for name, command in all_commands()
    }
    declared = Declared()
    for name, page in PAGES.items():
        assert set(re.findall(r"--gobench-[a-z]+", page)) <= set(declared.options), name
        assert set(re.findall(r"\bgobench_[a-z]+\b", page)) <= {*declared.ini, "gobench_tasks"}, name
        for command in commands_of(page):
            if command.startswith("go-debug-bench "):
                words = shlex.split(command.partition(" > ")[0].partition(" -- ")[0])
                called = " ".join(words[:3]) if words[1] == "report" else " ".join(words[:2])
                options = {word.partition("=")[0] for word in words if word.startswith("-") and word != "--"}
                assert called in known or words[1].startswith("-"), command
                assert options <= known.get(called, options), command


@pytest.mark.parametrize("name", ["howto/ci.md", "howto/own-repository.md"])
def test_a_ci_names_its_folder_of_tasks(name: str) -> None:
    """Without a name, a run from the wrong folder would prove the package's tasks and be green."""
    runs = [words for words in map(str.split, commands_of(PAGES[name])) if "--gobench-tasks" in words]
    assert all(words[words.index("--gobench-tasks") + 1] == "tasks" for words in runs)
    assert runs or name != "howto/ci.md"


def test_every_file_that_a_page_names_is_there() -> None:
    """Paths of this repository, as they stand in code."""
    for name, page in PAGES.items():
        for path in re.findall(r"`((?:tests|benchmarks|go_debug_bench|pytest_gobench|\.ci)/[\w./-]+)`", page):
            assert (ROOT / path).exists(), f"{name}: {path}"


def test_every_part_is_asked_for() -> None:
    """By a page; a part that a page asks for and there is not is an error."""
    asked = re.findall(r"^<!-- from code: ([a-z-]+) -->$", "\n".join(PAGES.values()), re.MULTILINE)
    assert sorted(asked) == sorted(PARTS)
    with pytest.raises(KeyError):
        filled("<!-- from code: no-such-part -->")


def test_the_toml_of_the_training_page_is_taken() -> None:
    """By the classes that verifiers and prime-rl parse it with."""
    documents = [tomllib.loads(block.text) for block in blocks(PAGES["howto/train.md"]) if block.language == "toml"]
    assert len(documents) == 3
    for document in documents:
        sources: list[dict[str, Any]] = document.get("orchestrator", {}).get("train", {}).get("source", [document])
        for source in sources:
            env = source["env"]
            taskset = {"id": "go-debug-bench", **env["taskset"]}
            agent = {**env.get("agent", {}), "harness": {"id": "bash"}}
            config = vf.resolve_env_config({"taskset": taskset, "agent": agent})
            assert list(vf.load_environment(config).taskset)


@pytest.mark.parametrize("number", [0, 1])
def test_the_exploits_of_the_page_hold(number: int, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand there: the attack is not paid, and the honest control is."""
    text = [block.text for block in blocks(PAGES["howto/exploits.md"]) if block.language == "python"][number]
    made: Exploit = eval(text, {**vars(process), **vars(honest)})  # noqa: S307  (our own page)
    monkeypatch.setattr(exploit_claim, "EXPLOITS", {made.name: made})
    task = load_task(ROOT / "tests" / "examples" / "valid" / "tiny-tally")
    verdict = Prover(grader=grader).run(Check(kind="exploit", fix=made.name), task)
    assert verdict.ok, verdict.found
    assert made.paid == (number == 1)


def test_every_command_is_explained() -> None:
    """In its help, which the reference is made of."""
    for name, command in all_commands():
        assert command.help, name
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        assert all(option.help for option in options), name
