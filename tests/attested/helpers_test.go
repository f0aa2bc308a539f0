// attests: TestHelper TestHelper/sub TestHelper/method TestHelper/literal TestHelper/package TestHelper/two TestVariable TestVariable/sub
package attested

import "testing"

var literal = func(t *testing.T) { t.Run("package", func(t *testing.T) {}) }

type suite struct{}

func (suite) run(t *testing.T) { t.Run("method", func(t *testing.T) {}) }

func sub(name string, t *testing.T) bool {
	t.Helper()
	return t.Run(name, func(t *testing.T) {})
}

func two(a, t *testing.T) { t.Run("two", func(*testing.T) {}) }

func TestHelper(t *testing.T) {
	sub("sub", t)
	suite{}.run(t)
	local := func(t *testing.T) { t.Run("literal", func(t *testing.T) {}) }
	local(t)
	literal(t)
	two(t, t)
}

func TestVariable(t *testing.T) {
	var same *testing.T = t
	same.Run("sub", function)
}
