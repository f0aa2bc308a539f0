// attests: TestDepth TestDepth/a TestDepth/a/b TestDepth/a/b/c TestDepth/with_space TestDepth/with_space#01 TestDepth/#00
package attested

import "testing"

func TestDepth(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		t.Run("b", func(u *testing.T) {
			u.Run("c", func(*testing.T) {})
		})
	})
	for range 2 {
		t.Run("with space", func(t *testing.T) { t.Log() })
	}
	t.Run("", func(_ *testing.T) {})
}
