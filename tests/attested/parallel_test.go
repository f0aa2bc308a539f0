// attests: TestParallel TestParallel/one TestParallel/two TestParallel/one/deep TestParallelFails/good
package attested

import (
	"testing"
	"time"
)

func TestParallel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Millisecond)
			if name == "one" {
				t.Run("deep", func(t *testing.T) { t.Parallel() })
			}
		})
	}
}

func TestParallelFails(t *testing.T) {
	t.Run("good", func(t *testing.T) { t.Parallel() })
	t.Run("late", func(t *testing.T) {
		t.Parallel()
		time.Sleep(20 * time.Millisecond)
		t.Error("fails after the body of the parent") // fails here
	})
}
