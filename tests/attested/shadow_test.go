// attests: TestShadow TestShadow/real TestShadowedPackage TestShadowedPackage/sub TestGlobalName
package attested

import "testing"

type runner struct{ ran []string }

func (r *runner) Run(name string, f func(int)) { f(1); r.ran = append(r.ran, name) }
func (r *runner) Cleanup(f func() error)       { _ = f() }

func TestShadow(t *testing.T) {
	t.Run("real", func(t *testing.T) {})
	func(t *runner) {
		t.Run("not a test", func(int) {})
		t.Cleanup(func() error { return nil })
	}(&runner{})
	{
		t := &runner{}
		t.Run("not a test", func(int) {})
	}
	for _, t := range []*runner{{}, {}} {
		t.Run("not a test", func(int) {})
	}
}

func TestShadowedPackage(testing *testing.T) {
	testing.Run("sub", function)
}

var t = &runner{}

func TestGlobalName(*testing.T) { t.Run("not a test", func(int) {}) }
