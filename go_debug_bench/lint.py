"""What the Go lint found in a tree, and which of it is new. The rules are in ``gotools/lint/rules.go``."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from go_debug_bench.errors import InfrastructureError

__all__ = ["Finding", "new_findings", "parse_findings"]

_PHRASES = {
    "import": "imports {}",
    "dot-import": "imports the names of {} without their package",
    "use": "uses {}",
    "method": "uses a method called {}",
    "assign": "changes {}, or takes its address, in another package",
    "bodyless": "declares the function {} without a body",
    "predeclared": "redefines {}",
    "directive": "has a {} directive",
    "path": "names a path below {}",
    "unreadable": "cannot be read by the lint ({})",
}


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that a rule forbids, at the first place where the tree does it."""

    file: str
    line: int
    rule: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        """What is done, wherever: a module that does it already may do it elsewhere too."""
        return self.rule, self.detail

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {_PHRASES[self.rule].format(self.detail)}"


def parse_findings(stdout: bytes) -> tuple[Finding, ...]:
    """The findings that the lint program printed, sorted.

    Raises:
        InfrastructureError: it is not what the program prints.
    """
    try:
        found = tuple(Finding(**entry) for entry in json.loads(stdout)["findings"])
    except (ValueError, TypeError, KeyError) as error:
        raise InfrastructureError(f"the lint's report cannot be read: {stdout[:200]!r}") from error
    for finding in found:
        texts = (finding.file, finding.rule, finding.detail)
        if not all(isinstance(text, str) for text in texts) or type(finding.line) is not int:
            raise InfrastructureError(f"the lint's report has a malformed finding: {finding!r}")
        if finding.rule not in _PHRASES:
            raise InfrastructureError(f"the lint's report names an unknown rule: {finding.rule}")
    return tuple(sorted(found))


def new_findings(found: Collection[Finding], known: Collection[tuple[str, str]]) -> tuple[Finding, ...]:
    """The findings whose key is not ``known``, sorted: neither the pristine module nor the reference fix has it."""
    return tuple(sorted(finding for finding in found if finding.key not in known))
