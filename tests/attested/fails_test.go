// attests: TestFails/good TestSkips/good TestGoexits/good TestFailsInHelper/good
package attested

import (
	"runtime"
	"testing"
)

func good(t *testing.T) {}

func TestFails(t *testing.T) {
	t.Run("good", good)
	t.Run("now", func(t *testing.T) {
		t.FailNow()
	})
	t.Run("error", func(t *testing.T) {
		t.Error("fails") // fails here
	})
	t.Run("late", func(t *testing.T) {
		defer t.Error("fails") // not reported as a line
	})
	t.Run("cleanup", func(t *testing.T) {
		t.Cleanup(func() { t.Error("fails") }) // fails here
	})
	t.Run("deep", func(t *testing.T) { t.Run("er", func(t *testing.T) { t.Fatal("fails") }) }) // fails here
}

func TestSkips(t *testing.T) {
	t.Run("good", good)
	t.Run("skip", func(t *testing.T) { t.Skip() })
	t.Run("now", func(t *testing.T) { t.SkipNow() })
	t.Skip("and the whole")
}

func TestGoexits(t *testing.T) {
	t.Run("good", good)
	t.Run("body", func(t *testing.T) { runtime.Goexit() })
}

func TestGoexitsInCleanup(t *testing.T) {
	t.Cleanup(func() { t.Log("the check that is never reached"); runtime.Goexit() })
}

func TestGoexitsInDefer(t *testing.T) {
	defer runtime.Goexit()
}

func register(tb testing.TB) { tb.Cleanup(func() { runtime.Goexit() }) }

func TestGoexitsInCleanupOfHelper(t *testing.T) { register(t) }

func fail(t *testing.T) {
	t.Helper()
	t.Error("fails")
}

func TestFailsInHelper(t *testing.T) {
	t.Run("good", good)
	fail(t) // fails here
	func() {
		fail(t) // fails here
	}()
	t.Run("sub", func(t *testing.T) {
		fail(t) // fails here
	})
}
