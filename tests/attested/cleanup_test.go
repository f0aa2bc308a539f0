// attests: TestCleanup TestCleanup/sub TestCleanup/nested
package attested

import (
	"os"
	"testing"
)

func TestCleanup(t *testing.T) {
	file := t.TempDir() + "/file"
	t.Setenv("GIVEN", "1")
	t.Cleanup(func() { os.Remove(file) })
	t.Run("sub", func(t *testing.T) {
		t.Cleanup(func() {})
	})
	t.Run("nested", func(t *testing.T) {
		t.Cleanup(func() { t.Cleanup(func() { t.Log(t.Name()) }) })
	})
}
