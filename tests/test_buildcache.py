"""The shared build cache: bounded, and never emptied under a command that uses it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from go_debug_bench.buildcache import BuildCache
from go_debug_bench.grading import Grader


@pytest.fixture
def cache(tmp_path: Path) -> BuildCache:
    """A cache of 3,000 bytes that may have 2,000."""
    folder = tmp_path / "go-build"
    for name in ("00/a", "00/b", "ff/c"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(1000))
    return BuildCache(folder, limit=2000)


def test_a_cache_that_is_too_large_is_emptied(cache: BuildCache) -> None:
    """After a command that took long enough to fill it."""
    assert cache.bound(60)
    assert not cache.folder.exists()
    assert not cache.bound(60)


def test_a_cache_within_its_limit_stays(cache: BuildCache) -> None:
    """Every entry of it."""
    (cache.folder / "ff" / "c").unlink()
    assert not cache.bound(60)
    assert len(list(cache.folder.rglob("?"))) == 2


def test_short_commands_look_now_and_then(cache: BuildCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as their share of the time says, as a look is not free."""
    draws = iter([0.5, 0.02, 0.001])
    monkeypatch.setattr("random.random", lambda: next(draws))
    assert [cache.bound(0.6) for _ in range(3)] == [False, False, True]


def test_a_cache_in_use_is_emptied_later(cache: BuildCache) -> None:
    """A go command fails when its entries go away: whoever empties waits for those that use it, in any thread."""
    emptied = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with cache.used(), BuildCache(cache.folder).used():
            waiting = pool.submit(lambda: cache.bound(60) and emptied.set())
            assert not emptied.wait(0.3)
            assert (cache.folder / "00" / "a").exists()
        waiting.result(timeout=10)
    assert emptied.is_set()


def test_what_was_warmed_is_warm_again(grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each of the commands that follow would compile the standard library for itself."""
    host = grader.host
    cache = BuildCache(tmp_path / "go-build", limit=1)
    monkeypatch.setattr(host, "_build_cache", cache)
    monkeypatch.setattr(host, "_warmed", {("errors",)})
    monkeypatch.setattr("random.random", lambda: 0.0)
    (tmp_path / "go.mod").write_text("module small\n")
    (tmp_path / "small.go").write_text("package small\n")
    assert host.go(tmp_path, "build").ok
    assert len(list((cache.folder / "warm").iterdir())) == 1
    assert len(list(cache.folder.glob("*/*-d"))) > 5
