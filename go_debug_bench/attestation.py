"""Proof that a test passed, which a submission cannot print.

Each expected test has a token of its own, made for one run. The test binary alone learns them, through a descriptor
that is read and closed before any code of the submission runs, and it hands a token out only when its test, made to
attest by ``gotools/instrument``, has passed. A token is as good as a signature over the name with a key that is used
once, and needs no cryptography in the binary. What the submission prints, or writes to the report itself, proves
nothing.
"""

from __future__ import annotations

import contextlib
import hmac
import random
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from go_debug_bench.identity import own_files
from go_debug_bench.tree import Tree

__all__ = [
    "ATTEST_FOLDER",
    "Attested",
    "attest_module",
    "attesting_module",
    "new_tokens",
    "read_report",
    "token_table",
]

ATTEST_FOLDER = ".gobench"
"""Where the module that attests lies in the clean room: a dot folder, which ./... passes over."""

_FAILED = "!"
"""What the binary reports of a test that did not pass, in place of its token."""

_SOURCE = Path(__file__).parent / "gotools" / "attest"
_SOURCE_MODULE = b"gobench.tools/attest"


@dataclass(frozen=True, kw_only=True)
class Attested:
    """What a report proves: the tests that passed, and names that were reported without a token that fits."""

    passed: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()


def new_tokens(names: Collection[str]) -> dict[str, str]:
    """A fresh token for each test, by the name that Go knows it by."""
    return {name: secrets.token_hex(16) for name in names}


def token_table(tokens: Mapping[str, str]) -> bytes:
    """The tokens as the test binary reads them, in no order, among as many decoys.

    A decoy has the name of a test that might be there and is not: no honest run reports it, and whoever reports all
    that the table holds gives himself away.
    """
    # Hundreds of draws from the system's own source took longer than all else; the tokens themselves come from there.
    generator = random.Random(secrets.randbits(256))  # noqa: S311
    entries = list({**new_tokens(_decoys(tokens, generator)), **tokens}.items())
    generator.shuffle(entries)
    return "".join(f"{name}\0{token}\n" for name, token in entries).encode()


def _decoys(names: Collection[str], generator: random.Random) -> set[str]:
    """Names like those of the suite: the tests' own, with the last parts of others."""
    tests = sorted({name.partition("/")[0] for name in names})
    parts = sorted({name.rpartition("/")[2] for name in names if "/" in name}) or ["empty", "one", "many", "nested"]
    pick = generator.choice
    made = {f"{pick(tests)}/{pick(parts)}" for _ in range(2 * len(names) + 4)} if tests else set()
    made |= {f"{name}_{pick(parts)}" for name in names}
    return made - set(names)


def read_report(report: bytes, tokens: Mapping[str, str]) -> Attested:
    """Judge a report, which may hold anything: whoever runs in the binary can write to it.

    A test that fails says so, and nobody can take that back, though its token may stand there too.
    """
    passed, failed, unknown = set(), set(), set()
    for line in report.split(b"\n")[:-1]:
        name, _, token = line.decode("utf-8", "replace").partition("\0")
        expected = tokens.get(name)
        if token == _FAILED:
            failed.add(name)
        elif expected is not None and hmac.compare_digest(expected.encode(), token.encode()):
            passed.add(name)
        else:
            unknown.add(name)
    return Attested(passed=frozenset(passed - failed), unknown=frozenset(unknown - passed))


def attest_module(cache: Path) -> str:
    """Path of the module that attests, made once for a cache.

    It sorts before all others, so that the package that takes the tokens is initialised first. No submission can
    import it: half of the path is a secret of this cache.
    """
    path = cache / "attest-module"
    with contextlib.suppress(FileExistsError):
        fresh = cache / f"attest-module.{secrets.token_hex(8)}"
        fresh.write_text(f"0.{secrets.token_hex(16)}")
        fresh.chmod(0o600)
        try:
            path.hardlink_to(fresh)
        finally:
            fresh.unlink()
    return path.read_text()


def attesting_module(path: str) -> Tree:
    """The files of the module that attests, under the module path that it has in a clean room."""
    files = {name: data.replace(_SOURCE_MODULE, path.encode()) for name, data in own_files(_SOURCE).items()}
    files["go.mod"] = f"module {path}\n\ngo 1.24\n".encode()
    return {f"{ATTEST_FOLDER}/{name}": data for name, data in files.items()}
