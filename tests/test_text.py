"""Text of others, made fit to be shown."""

import time

import pytest

from go_debug_bench.text import one_line, plain, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x1b]0;unclosed FAIL\nnext\x07", "0;unclosed FAIL\nnext"),
        ("\x9dunclosed FAIL\x1b[0m.", "unclosed FAIL."),
        ("bell\x07 back\x08 null\x00", "bell back null"),
        ("\x1b", ""),
        ("tab\tand\r\nline\n", "tab\tand\nline\n"),
        ("over\rwritten", "overwritten"),
        ("if admin\u202e }\u2066", "if admin }"),
        ("a\u061cb\u2028c\u200bd\xade\u2064f\U000e0041g", "abcdefg"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("byte \udcff", "byte \ufffd"),
        ("äöü ✓ 漢", "äöü ✓ 漢"),
    ],
)
def test_text_of_tools_steers_no_screen(text: str, shown: str) -> None:
    """Neither a terminal's nor a reader's, by escape sequences, control characters or turned direction."""
    assert plain(text, 100) == shown


def test_text_is_bounded() -> None:
    """In characters, with a mark where it was cut; also if it is nothing but escape sequences."""
    assert plain("x" * 100, 10) == "x" * 9 + "…"
    assert plain("x" * 10, 10) == "x" * 10
    assert one_line("a\n b\t\tc ", 10) == "a b c"
    assert len(plain("\x1b[0m" * 10_000_000, 10)) <= 10
    assert printable("x" * 100, 10) == printable("x" * 9 + "\n", 10) == "x" * 9 + "…"


@pytest.mark.parametrize("opening", ["\x1b]", "\x9d", "\x1b[", "\x1b[1;", "\x1bP\x9d"])
def test_no_text_takes_long_to_clean(opening: str) -> None:
    """A flood of openings without an end costs no more than its length."""
    begin = time.process_time()
    plain(opening * 100_000, 100_000)
    assert time.process_time() - begin < 2
