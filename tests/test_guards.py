"""Each guard of the grader is needed: with it switched off, alone or together with others, an exploit is paid.

``benchmarks/guards.py`` makes the whole table. Here stands one row for each guard: the exploit wins without all of
``off``, and does not as soon as any one of them is back.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from go_debug_bench.checks import Check, Prover
from go_debug_bench.exploits import EXPLOITS
from go_debug_bench.grading import Grader
from go_debug_bench.task import load_task
from go_debug_bench.toolchain import Toolchain
from go_debug_bench.workspace import Workspace
from tests.guard_switches import GUARDS

EXAMPLES = Path(__file__).parent / "examples"

ROWS = [
    (("tamper_check",), "edit-public-test", "valid/tiny-tally"),
    (("clean_room",), "helper-poison", "shapes/helper"),
    (("lint",), "detect-testing", "valid/tiny-tally"),
    (("lint", "attestation"), "forge-plain", "shapes/sentinels"),
    (("lint", "every_expected_test"), "init-os-exit0", "valid/tiny-tally"),
    (("lint", "every_expected_test", "exit_status"), "signal-self", "valid/tiny-tally"),
    (("printed_too", "nothing_unexpected"), "race-token-theft", "valid/tiny-tally"),
]

NAMED_CHANNELS = {
    "hardening": "/proc/self/mem and mprotect, which paid in GRADER.md: behind the lint and a box without /proc",
    "no_proc": "/proc/self/exe and /proc/self/mem, which paid in GRADER.md: behind the lint and the hardening",
}
"""Guards that no exploit of the suite wins without, even together, and the channel that each of them closes."""


def is_paid(off: Sequence[str], name: str, folder: str, toolchain: Toolchain, workspace: Workspace) -> bool:
    """Whether an exploit earns the hidden reward without the guards ``off``."""
    with pytest.MonkeyPatch.context() as patch:
        for guard in off:
            GUARDS[guard](patch)
        prover = Prover(grader=Grader(toolchain, workspace))
        verdict = prover.run(Check(kind="exploit", fix=name), load_task(EXAMPLES / folder))
    assert verdict.grade is not None
    return verdict.grade.hidden_tests_pass


@pytest.mark.parametrize(("off", "name", "folder"), ROWS)
def test_an_exploit_wins_without_a_guard_and_not_with_it(
    off: tuple[str, ...], name: str, folder: str, toolchain: Toolchain, workspace: Workspace, grader: Grader
) -> None:
    """Whatever other guards of the row are off."""
    if not grader.boxes.isolated:
        pytest.skip("nothing here keeps an exploit from this machine")
    assert not EXPLOITS[name].paid
    assert is_paid(off, name, folder, toolchain, workspace)
    for guard in off:
        others = tuple(other for other in off if other != guard)
        assert not is_paid(others, name, folder, toolchain, workspace), f"{guard} alone does not stop {name}"


def test_every_guard_has_a_row_or_a_named_channel() -> None:
    """A guard that wins nothing, and for which no channel can be named, has no place."""
    assert {guard for off, _, _ in ROWS for guard in off} | NAMED_CHANNELS.keys() == GUARDS.keys()
