"""Reading what a Go file declares without running Go."""

import pytest

from go_debug_bench.gosource import levelled, parse_go

FILE = b"""// Package comment: package nonsense
package ring_test

import "fmt"

import (
	stdtime "time"
	_ "embed"
	`net/http`
)

/* func TestInAComment(t *testing.T) {} */
const text = `
func TestInAString(t *testing.T) {}
`

func TestOne(t *testing.T) { t.Run("sub", func(t *testing.T) {}) }

func (s *Suite) TestMethod(t *testing.T) {}

func helper[T any](v T) { fmt.Println(stdtime.Now(), http.MethodGet, v) }

func TestMain(m *testing.M) {}
"""


def test_package_imports_and_functions_are_read() -> None:
    """Comments, strings, methods and literals do not count."""
    file = parse_go(FILE)
    assert file.package == "ring_test"
    assert file.imports == ("fmt", "time", "embed", "net/http")
    assert file.functions == ("TestOne", "helper", "TestMain")
    assert not file.broken


@pytest.mark.parametrize("source", [b"", b"package", b"package a\nfunc {\n", b"\x00\xff\xfe", b"// no clause\n"])
def test_what_is_no_go_is_broken_and_nothing_raises(source: bytes) -> None:
    """Task folders are hostile input."""
    assert parse_go(source).broken


@pytest.mark.parametrize(
    ("source", "where"),
    [
        (b"package a\n\nfunc A() {}\n\nfunc {\n", "line 5, at 'func {'"),
        (b"package a\n\nfunc A() {\n\tb(1\n\tc()\n}\n", "line 4, at 'b(1'"),
        (b"package a\n\nfunc A() {\n\tb()\n", "line 5, where '}' is missing"),
        (b"package a\n\nfunc A() {\n\tif b {\n\t\tc()\n}\n\nfunc B() {\n}\n", "line 8, at 'func B() {'"),
        (b'package a\n\nvar b = "c\n', "line 3, at 'var b = \"c'"),
        (b"package a\n\nfunc " + b"{" * 100, f"line 3, at 'func {'{' * 54}…'"),
        (b"\x00\x1b[0m\xff", "line 1, at '\\x00\\x1b[0m\ufffd'"),
        (b"// no clause\n", "it has no package clause"),
    ],
)
def test_what_is_no_go_is_shown_with_its_line(source: bytes, where: str) -> None:
    """The first place that the grammar does not know, short and printable."""
    assert parse_go(source).broken == where


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (b"package a\n\nfunc  (t  T) X( ) int { return  1+2 } // three\n", True),
        (b"package a\r\n\r\n\r\n/* c */\r\nfunc (t T) X() int {return 1 + 2}", True),
        (b"package a\n\nfunc (t *T) X() int { return 1 + 2 }\n", False),
        (b"package a\n\nfunc (t T) X() int { return\n1 + 2 }\n", False),
        (b"package a\n\n//go:noinline\nfunc (t T) X() int { return 1 + 2 }\n", False),
    ],
)
def test_levelled_sources_are_the_same_where_their_tokens_are(other: bytes, *, same: bool) -> None:
    """White space and comments do not count; line ends, which end statements, and directives do."""
    source = b"package a\n\nfunc (t T) X() int { return 1 + 2 }\n"
    assert (levelled(source) == levelled(other)) is same


@pytest.mark.parametrize("quotes", ["``", '""', "''"])
def test_the_white_space_of_literals_counts(quotes: str) -> None:
    """And what looks like a comment in them is none."""
    one, two = (f"var s = {quotes[0]}{text}{quotes[1]}\n".encode() for text in ("a // b", "a //  b"))
    assert levelled(one) != levelled(two)
