"""Work that is done once for a run: every process gets the same answer, whatever became of the one that worked."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from go_debug_bench.kept import Kept
from go_debug_bench.once import Once


def test_whoever_comes_second_gets_the_answer_of_the_first(tmp_path: Path) -> None:
    """Also when both ask at the same time."""
    calls: list[int] = []

    def work() -> bytes:
        calls.append(1)
        return b"done"

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: Once(tmp_path).answer("key", work), range(8)))
    assert answers == [b"done"] * 8
    assert len(calls) == 1
    assert Once(tmp_path).answer("other", lambda: b"else") == b"else"


def test_an_empty_answer_is_one(tmp_path: Path) -> None:
    """A build that went well has nothing more to say."""
    assert Once(tmp_path).answer("key", lambda: b"") == b""
    assert Once(tmp_path).answer("key", lambda: b"again") == b""


def test_work_that_fails_is_left_to_the_next_one(tmp_path: Path) -> None:
    """Whether it raises or has no answer."""
    once = Once(tmp_path)
    with pytest.raises(ZeroDivisionError):
        once.answer("key", lambda: bytes(1 // 0))
    assert once.answer("key", lambda: None) is None
    assert once.answer("key", lambda: b"done") == b"done"


def test_a_full_disk_costs_the_sharing_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No half of an answer stays: the next one works again."""

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert Once(tmp_path).answer("key", lambda: b"first") == b"first"
    assert {path.suffix for path in tmp_path.iterdir()} <= {".lock"}
    assert Once(tmp_path).answer("key", lambda: b"second") == b"second"


def test_what_cannot_be_read_is_done_again(tmp_path: Path) -> None:
    """A link, a folder or a file of others is no answer."""
    (tmp_path / "key").symlink_to("nowhere")
    assert Once(tmp_path).answer("key", lambda: b"done") == b"done"


def test_an_answer_too_large_to_keep_is_given_all_the_same(tmp_path: Path) -> None:
    """And nothing is written that a reader would refuse."""
    kept = Kept(tmp_path, max_bytes=3)
    kept.write("small", b"abc")
    kept.write("large", b"abcd")
    assert kept.read("small") == b"abc"
    assert kept.read("large") is None
