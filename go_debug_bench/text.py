"""Text of others, made fit to be shown: bounded, and without anything that steers a reader's screen."""

from __future__ import annotations

import re

__all__ = ["one_line", "plain", "printable"]

# Escape sequences: with parameters (colours, cursor), with a string (titles, links), and the short ones. A string
# that its line does not end is shown: a terminal, too, would hide what follows, and that may be what matters.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x00-\x08\n-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# Control characters, and what is not seen but changes what is: code whose direction is turned reads otherwise than it
# is. The joiners stay, without which some scripts and emoji cannot be written.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_CUT = "…"


def plain(text: str, limit: int) -> str:
    """The text with newlines and tabs only, at most ``limit`` characters of it; what was not UTF-8 becomes U+FFFD."""
    text = text[: 8 * limit]  # escape sequences need room, but a flood is not searched
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    text = _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))
    return text if len(text) <= limit else text[: limit - 1] + _CUT


def one_line(text: str, limit: int) -> str:
    """``plain`` with every run of white space, newlines among them, as one space."""
    return plain(" ".join(plain(text, 2 * limit).split()), limit)


def printable(text: str, limit: int = 1_000) -> str:
    """One line that still tells names apart: what is not printable is written as Python's repr does."""
    shown = "".join(
        mark if mark.isprintable() else mark.encode("unicode_escape").decode("ascii") for mark in text[:limit]
    )
    return shown if len(text) <= limit and len(shown) <= limit else shown[: limit - 1] + _CUT
