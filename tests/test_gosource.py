"""Reading what a Go file declares without running Go."""

import pytest

from go_debug_bench.gosource import parse_go

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
