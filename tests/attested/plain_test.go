// attests: TestPlain TestOneLine TestUnnamed TestBlank Test Test_underscore TestÜber TestComment
package attested

import "testing"

func TestPlain(t *testing.T) {
	t.Log("passes")
}

func TestOneLine(t *testing.T) { t.Log("passes") }

func TestUnnamed(*testing.T) {}

func TestBlank(_ *testing.T) {
	testing.Short()
}

func Test(t *testing.T) {}

func Test_underscore(t *testing.T) {}

func TestÜber(t *testing.T) {}

func TestComment(t *testing.T /* who */) /* what */ { // why
	t.Log("passes")
	// The last line is a comment. }
	/* So is this. */ // And this. }
}
