"""Measure how much honest code the lint would refuse.

Two kinds of code are linted. The fixes of this repository's tasks, each as a submission: none may be refused. And
the standard library, each package and then each file as if it were new code in a task: an upper bound, as it is the
code that has the best reasons to do what the lint forbids.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from go_debug_bench import fixes, tree
from go_debug_bench.launcher import build_tool
from go_debug_bench.lint import Finding, new_findings, parse_findings
from go_debug_bench.task import load_tasks
from go_debug_bench.toolchain import RELEASE, Toolchain, environment, find_toolchain
from go_debug_bench.workspace import cache_dir

# The parts of the standard library that make Go, run it, or test it: no task is about such code.
_MACHINERY = ("cmd", "debug", "go", "internal", "runtime", "syscall", "testing", "unsafe", "vendor")
# What only code of the runtime, of a processor or of an operating system needs: it is most of what is flagged.
_MACHINE_KEYS = {("import", "unsafe"), ("import", "syscall"), ("directive", "go:linkname")}
_ROOM = "module golang.org/x\n"  # what the standard library vendors counts as its own


def lint(binary: Path, files: tree.Tree) -> tuple[Finding, ...]:
    """The findings in a tree."""
    with tempfile.TemporaryDirectory() as folder:
        tree.write(files, Path(folder))
        done = subprocess.run([binary, folder], stdout=subprocess.PIPE, check=True)
    return parse_findings(done.stdout)


def packages(toolchain: Toolchain) -> dict[str, dict[str, bytes]]:
    """The files of each package of the standard library, as they are built here."""
    with tempfile.TemporaryDirectory() as home:
        env = environment(toolchain, home=Path(home), cache=Path(home) / "cache")
        argv = [toolchain.go, "list", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles `/`}}", "std"]
        listed = subprocess.run(argv, cwd="/", env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in listed.splitlines():
        path, folder, names = line.split(" ")
        found[path] = {name: (Path(folder) / name).read_bytes() for name in names.split("/") if name}
    return {path: files for path, files in found.items() if files}


def is_machinery(path: str) -> bool:
    """Whether a package belongs to what makes, runs or tests Go."""
    return path.split("/")[0] in _MACHINERY or "internal" in path.split("/")


def is_of_the_machine(finding: Finding) -> bool:
    """Whether portable code in Go alone could not do it."""
    return finding.key in _MACHINE_KEYS or finding.rule == "bodyless"


def lint_fixes(binary: Path) -> tuple[int, list[str]]:
    """How many fixes there are, and those that would be refused."""
    refused = []
    count = 0
    for task in load_tasks():
        reference = fixes.apply(task.spec.reference_fix, task.repo)
        known = {finding.key for files in (task.repo, reference) for finding in lint(binary, files)}
        for name, fix in task.fixes().items():
            count += 1
            refused += [
                f"{task.id} {name}: {finding}"
                for finding in new_findings(lint(binary, fixes.apply(fix, task.repo)), known)
            ]
    return count, refused


def report(title: str, found: Mapping[str, Sequence[Finding]], *, examples: int) -> None:
    """Print how many units are flagged, by which rule and for what."""
    flagged = {path: findings for path, findings in found.items() if findings}
    share = 100 * len(flagged) / len(found)
    print(f"\n{title}: {len(flagged)} of {len(found)} flagged ({share:.1f}%)")
    rules: dict[str, list[str]] = defaultdict(list)
    alone: Counter[str] = Counter()
    details: dict[str, Counter[str]] = defaultdict(Counter)
    for path, findings in flagged.items():
        names = {finding.rule for finding in findings}
        for name in names:
            rules[name].append(path)
        if len(names) == 1:
            alone.update(names)
        for finding in findings:
            details[finding.rule][finding.detail] += 1
    for rule, paths in sorted(rules.items(), key=lambda item: (-len(item[1]), item[0])):
        why = ", ".join(f"{detail} {count}" for detail, count in details[rule].most_common(examples))
        print(f"  {rule:<12} {len(paths):>4}, {alone[rule]:>3} by it alone: {why}")


def each_file(contents: dict[str, dict[str, bytes]]) -> Iterable[tuple[str, dict[str, bytes]]]:
    """Every file as a tree of its own."""
    for path, files in contents.items():
        for name, data in files.items():
            yield f"{path}/{name}", {name: data}


def main() -> int:
    """Print the rates; exit with 1 if a fix of a task would be refused."""
    parser = argparse.ArgumentParser(description="Measure how much honest code the lint would refuse.")
    parser.add_argument("--examples", type=int, default=8, metavar="N", help="details shown per rule (default 8)")
    parser.add_argument("--list", action="store_true", help="list the flagged packages outside Go's machinery")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every package's findings to a file")
    options = parser.parse_args()
    toolchain = find_toolchain(RELEASE)
    binary = build_tool("lint", toolchain, cache=cache_dir(), build_cache=cache_dir() / "go-build")

    count, refused = lint_fixes(binary)
    print(f"fixes of this repository's tasks: {len(refused)} of {count} refused")
    for line in refused:
        print(f"  {line}")

    contents = packages(toolchain)
    found = {path: lint(binary, {"go.mod": _ROOM.encode(), **files}) for path, files in contents.items()}
    ordinary = {path: files for path, files in contents.items() if not is_machinery(path)}
    report(f"{toolchain.version} standard library, packages", found, examples=options.examples)
    title = "without internal packages and those that make, run or test Go"
    report(f"packages {title}", {path: found[path] for path in ordinary}, examples=options.examples)
    single = {path: lint(binary, {"go.mod": _ROOM.encode(), **files}) for path, files in each_file(ordinary)}
    report(f"files {title}", single, examples=options.examples)
    for unit, all_findings in (("packages", {path: found[path] for path in ordinary}), ("files", single)):
        portable = {
            path: [finding for finding in findings if not is_of_the_machine(finding)]
            for path, findings in all_findings.items()
        }
        what = "flagged for more than unsafe, syscall, linkname and missing bodies"
        report(f"the same {unit}, {what}", portable, examples=options.examples)
    if options.list:
        for path in ordinary:
            if found[path]:
                print(f"{path}: {'; '.join(str(finding) for finding in found[path])}")
    if options.json:
        options.json.write_text(json.dumps({path: [str(f) for f in findings] for path, findings in found.items()}))
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
