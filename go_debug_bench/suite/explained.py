"""Whether a solver can know what the hidden tests use."""

from __future__ import annotations

import re
from collections import defaultdict

from go_debug_bench.fixes import is_built
from go_debug_bench.gosource import parse_go
from go_debug_bench.suite.finding import Finding
from go_debug_bench.suite.goapi import Declared, Use, declared, read_source, uses
from go_debug_bench.task import Task
from go_debug_bench.tree import is_test_file

__all__ = ["unexplained"]

# fmt, errors, io, sort, heap and the encoders say what these do.
_KNOWN_METHODS = re.compile(
    "Error|Unwrap|Is|As|String|GoString|Format|Read|Write|Close|Seek|ReadFrom|WriteTo|ReadAt|WriteAt|Len|Less|Swap|Push"
    "|Pop|(Unm|M)arshal(JSON|Text|Binary)|ServeHTTP"
)
_MEND = "say in a doc comment what it means, use it in a public test, or name it in the prompt"


def unexplained(task: Task) -> list[Finding]:
    """The exported names of the module that hidden tests use and that nothing explains to the agent.

    A doc comment explains, its own or that of its group, and so do a public test that uses the name, and a prompt,
    a README or another doc comment that mentions it. Of a field or method only the name is known: it is explained if
    any of that name is.
    """
    candidates: dict[str, list[Declared]] = defaultdict(list)
    for item in declared(task.repo):
        if not item.owner or item.owner[:1].isupper():
            candidates[item.name].append(item)
    packages = _packages(task)
    public = {use.name for data in task.public_tests.values() for use in uses(data, packages)}
    said = _said(task)
    found: dict[str, Finding] = {}
    seen: set[tuple[str, str]] = set()
    for path, data in sorted(task.hidden.items()):
        for use in uses(data, packages) if is_test_file(path) else ():
            if (use.name, use.package) in seen:
                continue
            seen.add((use.name, use.package))
            declarations = [item for item in candidates[use.name] if _may_be(use, item, task)]
            explained = use.name in public or use.name in said or any(map(_explains_itself, declarations))
            if declarations and not explained:
                found.setdefault(use.name, _finding(declarations[0], path, use))
    return list(found.values())


def _finding(item: Declared, path: str, use: Use) -> Finding:
    where = f" in {use.test}" if use.test else ""
    return Finding(
        place=f"repo/{item.file}:{item.line}",
        what=f"the {item.kind} {item.title} has no doc comment, and hidden/{path}:{use.line} uses it{where}",
        mend=_MEND,
    )


def _may_be(use: Use, item: Declared, task: Task) -> bool:
    """Whether a use can mean a declaration: one of the package that is named, or any field or method."""
    if not use.package:
        return bool(item.owner)
    return not item.owner and use.package == task.import_path(item.file.rpartition("/")[0])


def _explains_itself(item: Declared) -> bool:
    return bool(item.doc) or (item.kind == "method" and bool(_KNOWN_METHODS.fullmatch(item.name)))


def _packages(task: Task) -> dict[str, str]:
    """Import path -> name of the module's packages."""
    return {
        task.import_path(path.rpartition("/")[0]): parse_go(data).package
        for path, data in task.repo.items()
        if is_built(path) and not is_test_file(path)
    }


def _said(task: Task) -> set[str]:
    """The words of the prompt, of READMEs and of all documentation, but for the capitals that begin a sentence."""
    texts = [re.sub(r"(^|[.!?:]\s+|\n)([A-Z][a-z]*)(?=\s)", r"\1", task.spec.prompt)]
    for path, data in task.repo.items():
        if path.endswith(".go") and not is_test_file(path):
            texts += [comment.text for comment in read_source(data).comments if comment.documents]
        elif path.rpartition("/")[2].casefold().startswith("readme"):
            texts.append(data.decode("utf-8", "replace"))
    return set(re.findall(r"\w+", "\n".join(texts)))
