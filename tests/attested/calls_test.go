// attests: TestCalls TestCalls/as_subtest TestCalled
package attested

import "testing"

// A test that is called is a part of its caller, and attests once.
func TestCalls(t *testing.T) {
	TestCalled(t)
	t.Run("as subtest", TestCalled)
}

func TestCalled(t *testing.T) {}

// The part returned, the whole did not.
func TestCallsAndFails(t *testing.T) {
	TestCalled(t)
	t.FailNow() // the line is not reported
}
