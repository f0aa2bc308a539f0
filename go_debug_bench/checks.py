"""What a valid task must show: its checks, in the order in which an author wants to see them fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from go_debug_bench.claims import CLAIMS
from go_debug_bench.proving import Bench, Check, Verdict
from go_debug_bench.task import Task
from go_debug_bench.verdicts import KEPT, RUN_GO, VerdictCache, subject_of

__all__ = ["Check", "Prover", "Verdict", "checks_of"]

_BESIDE_THE_REFERENCE = frozenset({"unfixed-fails", "alternative", "wrong", "exploit"})
"""Kinds of checks that judge a tree by the tests that the reference fix passes."""


@dataclass(kw_only=True)
class Prover(Bench):
    """Runs checks, and asks ``verdicts`` first, but for one that is to keep its trees.

    ``warm`` is called before each claim that is proved by running Go.
    """

    verdicts: VerdictCache | None = None
    warm: Callable[[], None] = lambda: None

    def run(self, check: Check, task: Task) -> Verdict:
        """Prove one claim.

        Raises:
            InfrastructureError: the machinery failed, so nothing is known of the claim.
        """
        if self.verdicts is None or self.keep or check.kind not in KEPT:
            return self._prove(check, task)
        subject = subject_of(self.grader, task, check)
        found = self.verdicts.find(subject)
        if found is None:
            found = self._prove(check, task)
            self.verdicts.keep(subject, found)
        return found

    def _prove(self, check: Check, task: Task) -> Verdict:
        if check.kind in RUN_GO:
            self.warm()
        if check.kind in _BESIDE_THE_REFERENCE:
            baseline = self.baseline(task)
            if not baseline.sound:
                return Verdict(
                    ok=False,
                    claim=f"{check.name} holds beside a reference fix that passes",
                    found=f"the reference fix does not pass here, so nothing can be said: {baseline.reason}",
                    mend="mend the reference fix first: see reference-passes",
                )
        return CLAIMS[check.kind](self, task, check)


def checks_of(task: Task, *, repeat: int = 0, exploits: Sequence[str] = ()) -> tuple[Check, ...]:
    """The checks of a task in the order in which an author wants to see them fail."""
    named = {
        "alternative": [fix.name for fix in task.spec.alternative_fixes],
        "wrong": [fix.name for fix in task.spec.wrong_fixes],
        "exploit": exploits,
        "stable": [""] if repeat else [],
    }
    return tuple(Check(kind=kind, fix=name) for kind in CLAIMS for name in named.get(kind, [""]))
