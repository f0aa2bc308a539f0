// attests: TestDot TestDot/sub
package attested

import . "testing"

func TestDot(t *T) { t.Run("sub", func(t *T) { AllocsPerRun(1, func() {}) }) }
