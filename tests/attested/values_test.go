// attests: TestValues TestValues/function TestValues/method TestValues/expression TestValues/field TestValues/call TestValues/generic TestValues/spread TestTable TestTable/one TestTable/two TestTable/two/inner
package attested

import "testing"

type checker struct {
	check func(*testing.T)
}

func (c checker) method(t *testing.T)   { t.Log("method") }
func (c *checker) pointer(t *testing.T) { t.Log("pointer") }
func function(t *testing.T)             {}
func call(n int) func(t *testing.T)     { return func(t *testing.T) {} }
func generic[T any](t *testing.T)       { var zero T; t.Log(zero) }
func isSame[T comparable](t *testing.T, a, b T) bool {
	t.Helper()
	return a == b
}

type testFunc func(t *testing.T)

func TestValues(t *testing.T) {
	c := &checker{check: function}
	t.Run("function", function)
	t.Run("method", c.method)
	t.Run("expression", testFunc(c.pointer))
	t.Run("field", c.check)
	t.Run("call", call(1))
	t.Run("generic", generic[int])
	t.Run(
		"spread", // a comment
		func(t *testing.T) {
			isSame(t, 1, 2)
		}, // another
	)
}

func TestTable(t *testing.T) {
	for _, test := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"one", func(t *testing.T) {}},
		{"two", func(t *testing.T) { t.Run("inner", function) }},
	} {
		t.Run(test.name, test.check)
	}
}
