// attests: TestAlias TestAlias/loop
package attested

import "testing"

// The first two are run by means that instrument does not follow: they stay
// without proof.
func TestAlias(t *testing.T) {
	tt := t
	tt.Run("alias", func(t *testing.T) {})
	run := t.Run
	run("bound", func(t *testing.T) {})
	for range 1 {
		t.Run("loop", func(t *testing.T) {})
	}
}
