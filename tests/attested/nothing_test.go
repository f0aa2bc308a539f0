// attests:
package attested

import "testing"

func testHelper(t testing.TB) { t.Helper() }
func BenchmarkNothing(b *testing.B) {
	testHelper(b)
	b.Run("sub", func(b *testing.B) {})
}
