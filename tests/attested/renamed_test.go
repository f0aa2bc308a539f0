// attests: TestRenamed TestRenamed/sub TestSecondName
package attested

import (
	check "testing"
	other "testing"
)

func TestRenamed(t *check.T) { t.Run("sub", func(t *check.T) {}) }

func TestSecondName(t *other.T) {}
