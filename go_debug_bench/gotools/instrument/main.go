// Command instrument makes the tests of the given files attest: each test and
// subtest that passes says so through package wrap of the module -module,
// which no submission can.
//
//	func TestX(t *testing.T) { … }   becomes   func TestX(t *testing.T) { wrap.Test(t, func(t *wrap.T) { … })}
//	t.Run(name, f)                   becomes   t.Run(name, wrap.Sub(f))
//	t.Cleanup(f)                     becomes   t.Cleanup(wrap.Cleanup(t, f))
//
// The last two for every t that is declared as a *testing.T in the file. A
// subtest that is run by other means does not attest, and so does not count
// as passed.
//
// Files are rewritten in place, by position: every line keeps its number.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// name is the identifier of package wrap in instrumented files.
const name = "gobenchAttest"

func main() {
	module := flag.String("module", "", "`path` of the module that holds package wrap")
	flag.Parse()
	for _, path := range flag.Args() {
		if err := rewrite(path, *module); err != nil {
			fmt.Fprintln(os.Stderr, "instrument:", err)
			os.Exit(1)
		}
	}
}

func rewrite(path, module string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := instrument(source, module+"/wrap")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, changed, 0o644)
}

// edit puts text in place of the bytes from an offset to another.
type edit struct {
	from, to int
	text     string
}

// instrument returns the source of a test file with its tests attesting.
func instrument(source []byte, wrap string) ([]byte, error) {
	set := token.NewFileSet()
	// The parser resolves what is declared within a file: that tells one t from
	// another.
	file, err := parser.ParseFile(set, "", source, 0)
	if err != nil {
		return nil, err
	}
	r := &rewriter{set: set, source: source, testing: importNames(file, "testing")}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && r.isTest(function) {
			r.test(function)
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			r.call(call)
		}
		return true
	})
	if len(r.edits) == 0 {
		return source, nil // an import would be unused
	}
	r.insert(file.Name.End(), fmt.Sprintf("; import %s %q", name, wrap))
	return r.apply(), nil
}

// importNames are the names under which a file imports a package.
func importNames(file *ast.File, path string) []string {
	var names []string
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, "\"`") == path {
			if spec.Name != nil {
				names = append(names, spec.Name.Name)
			} else {
				names = append(names, path[strings.LastIndexByte(path, '/')+1:])
			}
		}
	}
	return names
}

type rewriter struct {
	set     *token.FileSet
	source  []byte
	testing []string // names of package testing in the file
	edits   []edit
}

func (r *rewriter) offset(pos token.Pos) int { return r.set.Position(pos).Offset }

func (r *rewriter) insert(pos token.Pos, text string) {
	r.edits = append(r.edits, edit{r.offset(pos), r.offset(pos), text})
}

func (r *rewriter) replace(node ast.Node, text string) {
	r.edits = append(r.edits, edit{r.offset(node.Pos()), r.offset(node.End()), text})
}

// isTest is the go command's own rule.
func (r *rewriter) isTest(function *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(function.Name.Name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	kind := function.Type
	return ok && !unicode.IsLower(first) && function.Recv == nil && function.Body != nil &&
		kind.TypeParams == nil && kind.Results == nil &&
		len(kind.Params.List) == 1 && len(kind.Params.List[0].Names) <= 1 && r.isPointerToT(kind.Params.List[0].Type)
}

// isPointerToT reports whether an expression is the type *testing.T.
func (r *rewriter) isPointerToT(expression ast.Expr) bool {
	star, ok := expression.(*ast.StarExpr)
	return ok && r.isOfTesting(star.X, "T")
}

// isOfTesting reports whether an expression is a name of package testing.
func (r *rewriter) isOfTesting(expression ast.Expr, wanted string) bool {
	from := "."
	if selector, ok := expression.(*ast.SelectorExpr); ok {
		ident, ok := selector.X.(*ast.Ident)
		if !ok || ident.Obj != nil {
			return false
		}
		expression, from = selector.Sel, ident.Name
	}
	ident, ok := expression.(*ast.Ident)
	return ok && ident.Obj == nil && ident.Name == wanted && slices.Contains(r.testing, from)
}

// test makes a top-level test attest.
func (r *rewriter) test(function *ast.FuncDecl) {
	field := function.Type.Params.List[0]
	outer, inner := "gobenchT", "_"
	switch {
	case len(field.Names) == 0:
		r.insert(field.Type.Pos(), outer+" ")
	case field.Names[0].Name == "_":
		r.replace(field.Names[0], outer)
	default:
		outer, inner = field.Names[0].Name, field.Names[0].Name
	}
	r.insert(function.Body.Lbrace+1, fmt.Sprintf(" %s.Test(%s, func(%s *%s.T) {", name, outer, inner, name))
	r.insert(function.Body.Rbrace, "})")
}

// call wraps the function of a t.Run or a t.Cleanup.
func (r *rewriter) call(call *ast.CallExpr) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	t, ok := selector.X.(*ast.Ident)
	if !ok {
		return
	}
	kind := declaredType(t)
	isT := r.isPointerToT(kind)
	function := call.Args[len(call.Args)-1]
	switch {
	case isT && selector.Sel.Name == "Run" && len(call.Args) == 2:
		r.insert(function.Pos(), name+".Sub(")
	case (isT || r.isOfTesting(kind, "TB")) && selector.Sel.Name == "Cleanup" && len(call.Args) == 1:
		r.insert(function.Pos(), fmt.Sprintf("%s.Cleanup(%s, ", name, t.Name))
	default:
		return
	}
	r.insert(function.End(), ")")
}

// declaredType is the type that a parameter or variable of the file is declared
// with, or nil if it is not known.
func declaredType(ident *ast.Ident) ast.Expr {
	if ident.Obj == nil || ident.Obj.Kind != ast.Var {
		return nil
	}
	switch declaration := ident.Obj.Decl.(type) {
	case *ast.Field:
		return declaration.Type
	case *ast.ValueSpec:
		return declaration.Type
	}
	return nil
}

// apply returns the source with the edits made. Of several at one place, the
// first that was asked for comes first.
func (r *rewriter) apply() []byte {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, edit := range r.edits {
		out.Write(r.source[at:edit.from])
		out.WriteString(edit.text)
		at = edit.to
	}
	out.Write(r.source[at:])
	return out.Bytes()
}
