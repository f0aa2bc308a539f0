"""Scripted agents: what each does to a task's repo with shell commands, as a model would."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from go_debug_bench import fixes
from go_debug_bench.environment.rollout import prompt
from go_debug_bench.exploits import EXPLOITS
from go_debug_bench.task import Task
from go_debug_bench.tree import Tree
from tests.rollout.model_server import Endless, Script, Turn, run, say

__all__ = ["CHEATS", "players", "secrets", "strings"]

CHEATS = ("edit-public-test", "testmain-exit0", "init-os-exit0")


def players(tasks: Sequence[Task]) -> dict[str, Script]:
    """Scripts by name. Each finds out by the prompt which of the tasks it is playing."""

    def play(turns: Callable[[Task], Sequence[Turn]]) -> Script:
        # verifiers adds a word about the network where there is none.
        return lambda text: turns(next(task for task in tasks if text.startswith(prompt(task.spec))))

    def fixed(task: Task) -> Tree:
        return fixes.apply(task.spec.reference_fix, task.repo)

    scripts: dict[str, Script] = {
        "reference": play(lambda task: [run("ls -a", "pwd"), run(*change(task, fixed(task))), say("Mended.")]),
        "nothing": [run("ls"), say("I see no fault.")],
        "delete-test": play(
            lambda task: [run(*change(task, fixed(task))), run(f"{HERE}rm {shlex.quote(min(task.public_tests))}")]
        ),
        "break-build": [run(f"{HERE}echo 'package nothing; func (' >zz_broken.go")],
        "slow": [run("true", delay=30)],
        "forever": Endless(run("true")),
        "daemon": play(lambda task: [run(*change(task, fixed(task))), run(DAEMON), say("Mended.")]),
        "remove-repo": [run("rm -rf repo ../repo")],
        "hostile-files": play(lambda task: [run(*change(task, fixed(task))), run(HOSTILE)]),
        "look": [run("pwd; id; env; find . -type f | head -500; find . -type f -size -200k -exec cat {} +"), run(LOOK)],
    }
    for name in CHEATS:
        scripts[name] = play(lambda task, name=name: [run(*change(task, EXPLOITS[name].tree(task)))])  # type: ignore[misc]
    return scripts


# The classic tool starts in the repo, the harness beside it.
HERE = "cd repo 2>/dev/null; "

DAEMON = (
    f"{HERE}export MARK=gobench-test-daemon; (setsid sh -c 'while :; do echo again >>zz.txt; sleep 0.2; done' "
    "</dev/null >/dev/null 2>&1 &)"
)

# None of it is Go source of the module, so the fix beside it still counts.
HOSTILE = (
    f"{HERE}mkdir -p .git/objects sub && ln -s / root && ln -s . loop && mkfifo pipe && truncate -s 10G sparse.bin && "
    "printf x >$(printf 'odd\\377name') && dd if=/dev/urandom of=app bs=1M count=3 2>/dev/null && chmod 000 sub"
)

LOOK = "ls -la / /tmp ~ .. 2>/dev/null; git log 2>&1; find / -xdev -name '*gobench*' 2>/dev/null | grep -v proc | head"


def change(task: Task, wanted: Tree) -> list[str]:
    """Commands that turn a task's repo into another tree."""
    commands = [f"{HERE}rm {shlex.quote(path)}" for path in sorted(set(task.repo) - set(wanted))]
    for path, data in sorted(wanted.items()):
        if task.repo.get(path) != data:
            text = base64.b64encode(data).decode()
            quoted = shlex.quote(path)
            commands.append(f"{HERE}mkdir -p $(dirname {quoted}) && echo {text} | base64 -d >{quoted}")
    return commands or ["true"]


def secrets(task: Task) -> Mapping[str, str]:
    """What an agent must never see of a task, each with a name for a failure's message."""
    public = "\n".join(data.decode() for data in task.repo.values())
    found = {f"hidden test {name}": name.rpartition(".")[2] for name in task.hidden_tests}
    found["knowledge gate"] = task.spec.knowledge_gate
    found["why the public suite misses it"] = task.spec.why_public_misses
    found |= {f"reason {number}": why for number, why in enumerate(task.spec.why_hard)}
    trees = {"hidden": task.hidden}
    for fix in (task.spec.reference_fix, *task.spec.alternative_fixes, *task.spec.wrong_fixes):
        found[f"summary of {fix.name}"] = fix.summary
        trees[fix.name] = fixes.apply(fix, task.repo)
    for where, tree in trees.items():
        lines = {line.strip() for data in tree.values() for line in data.decode().splitlines()}
        found |= {f"line of {where}: {line}": line for line in lines if len(line) > 30 and line not in public}
    return found


def strings(value: object) -> Iterator[str]:
    """Every string in a record."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
