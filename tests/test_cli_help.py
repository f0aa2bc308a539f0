"""``go-debug-bench``: help that teaches by example and loads nothing, and completion."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from go_debug_bench import __version__
from go_debug_bench.cli.command import COMMANDS, PROGRAM_NAME, cli
from go_debug_bench.cli.options import Examples
from tests.commands import EXAMPLES, PROGRAM, invoke, variables

HEAVY = ("pydantic", "pytest", "verifiers", "rich", "tree_sitter", "jinja2", "platformdirs", "filelock")


def all_commands() -> dict[str, click.Command]:
    """Every command, those of groups too, by the words that call it."""
    found: dict[str, click.Command] = {"": cli}
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": made for inner, made in command.commands.items()}
    return found


ALL = all_commands()


@pytest.mark.parametrize("words", ALL)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_with_examples(words: str, option: str) -> None:
    """In a few seconds of reading: what it does, its options, and commands to copy."""
    done = invoke(*words.split(), option)
    assert done.exit_code == 0
    assert "Examples:\n  " in done.output
    assert all(example in done.output for example in examples_of(ALL[words]))


def examples_of(command: click.Command) -> list[str]:
    """The command lines of its examples."""
    assert isinstance(command, Examples)
    return list(command.examples)


@pytest.mark.parametrize("line", sorted({line for command in ALL.values() for line in examples_of(command)}))
def test_every_example_is_a_command_line_that_parses(line: str) -> None:
    """With options and arguments that there are."""
    part = next(part for part in line.replace("$(", "|").replace(")", "|").split("|") if PROGRAM_NAME in part)
    words = shlex.split(part.split(">")[0].strip(' "'))
    assert words.pop(0) == PROGRAM_NAME
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None
        command = found
    command.make_context("example", words)


def test_examples_that_build_on_each_other_work(tmp_path: Path) -> None:
    """Somebody who copies them one after the other gets what they promise."""
    script = """
        go-debug-bench list | cut -f1
        go-debug-bench list --family channels --difficulty hard
        go-debug-bench show worker-pool-leak --solution
        go-debug-bench checkout worker-pool-leak work
        go-debug-bench schema grade
        go-debug-bench new late-fees --family time --package fees
        go-debug-bench schema > tasks/task.schema.json
    """
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / PROGRAM_NAME).write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    (folder / PROGRAM_NAME).chmod(0o755)
    env = variables(PATH=f"{folder}:{os.environ['PATH']}")
    done = subprocess.run(["sh", "-euc", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "work" / "repo" / "go.mod").is_file()
    assert (tmp_path / "tasks" / "late-fees" / "task.json").is_file()


def test_the_help_loads_nothing_heavy() -> None:
    """Neither does the completion of commands: who asks for help does not wait for pydantic."""
    script = (
        "import sys\n"
        "from go_debug_bench.cli.command import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stderr.splitlines()[-1]
    assert "'click'" in loaded
    assert [name for name in HEAVY if f"'{name}'" in loaded] == []


@pytest.mark.parametrize("words", [words for words in ALL if words])
def test_a_command_s_own_help_loads_nothing_heavy(words: str) -> None:
    """The modules of commands load what they need when they run."""
    script = (
        "import sys\n"
        "from go_debug_bench.cli.command import cli\n"
        f"cli([*{words.split()!r}, '--help'], standalone_mode=False)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert [name for name in HEAVY if f"'{name}'" in done.stderr.splitlines()[-1]] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    """The list is kept apart from the commands, so that it loads none of them."""
    words = COMMANDS[name][1].rstrip(".").split(":")[0].split()
    said = (ALL[name].help or "").split()
    assert words[0] == said[0]


def test_the_version_is_the_package_s() -> None:
    """In one line, for a bug report."""
    done = invoke("--version")
    assert done.output == f"go-debug-bench {__version__}\n"


# Completion


def completed(line: str, **env: str) -> list[str]:
    """What bash is offered at the end of a command line."""
    words = line.split(" ")
    asked = {"_GO_DEBUG_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(PROGRAM, env=variables(**asked, **env), capture_output=True, text=True, check=True)
    return [answer.removeprefix("plain,") for answer in done.stdout.split()]


def test_commands_and_ids_complete(tmp_path: Path) -> None:
    """Ids from the folder that the command would use; a name that a shell might take for more is left out."""
    assert completed("go-debug-bench ch") == ["checkout"]
    assert completed("go-debug-bench report d") == ["diff"]
    assert completed(f"go-debug-bench grade --tasks {EXAMPLES / 'valid'} ti") == ["tiny-tally"]
    assert completed("go-debug-bench verify ", GOBENCH_TASKS=str(EXAMPLES / "valid")) == ["build", "tiny-tally"]
    for name in ("$(reboot)", "plain-task"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.json").write_text("{}")
    assert completed(f"go-debug-bench show --tasks {tmp_path} ") == ["plain-task"]
    assert completed("go-debug-bench show --tasks /nonexistent w") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_this_program(shell: str) -> None:
    """Nobody needs to know how click is asked."""
    done = invoke("completion", shell)
    assert done.exit_code == 0
    assert f"_GO_DEBUG_BENCH_COMPLETE={shell}_complete" in done.output


def test_bash_takes_the_script() -> None:
    """And has a completion for the command then."""
    script = f'eval "$({shlex.join(PROGRAM)} completion bash)"; complete -p go-debug-bench'
    done = subprocess.run(["bash", "-ec", script], env=variables(), capture_output=True, text=True, check=True)
    assert "_go_debug_bench_completion" in done.stdout
