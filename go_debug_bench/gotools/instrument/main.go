// Command instrument makes the tests of the given files attest: each test and
// subtest that passes says so through package wrap of the module -module,
// which no submission can.
//
//	func TestX(t *testing.T) { … }   calls   wrap.Test(t, func(t *testing.T) { … })
//	t.Run(name, f)                   runs    wrap.Sub(f)
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
	file, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	r := &rewriter{set: set, source: source, testing: importName(file, "testing")}
	if r.testing == "" {
		return source, nil // it can hold helpers only
	}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		r.body(function.Body, r.parameters(function.Type))
		if function.Recv == nil && isTest(function.Name.Name) && len(r.parameters(function.Type)) == 1 {
			r.test(function)
		}
	}
	if len(r.edits) == 0 {
		return source, nil
	}
	r.insert(file.Name.End(), fmt.Sprintf("; import %s %q", name, wrap))
	return r.apply(), nil
}

// importName is the name under which a file imports a package, or "".
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, "\"`") == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path[strings.LastIndexByte(path, '/')+1:]
		}
	}
	return ""
}

// isTest is the go command's own rule, for names in ASCII.
func isTest(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && name != "TestMain" && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z'))
}

type rewriter struct {
	set     *token.FileSet
	source  []byte
	testing string // name of package testing in the file
	edits   []edit
}

func (r *rewriter) offset(pos token.Pos) int { return r.set.Position(pos).Offset }

func (r *rewriter) insert(pos token.Pos, text string) {
	r.edits = append(r.edits, edit{r.offset(pos), r.offset(pos), text})
}

func (r *rewriter) replace(node ast.Node, text string) {
	r.edits = append(r.edits, edit{r.offset(node.Pos()), r.offset(node.End()), text})
}

// parameters are the names of a function's *testing.T parameters; "" is one
// without a name.
func (r *rewriter) parameters(function *ast.FuncType) []string {
	var names []string
	for _, field := range function.Params.List {
		if !r.isT(field.Type) {
			continue
		}
		if len(field.Names) == 0 {
			names = append(names, "")
		}
		for _, ident := range field.Names {
			names = append(names, ident.Name)
		}
	}
	return names
}

// isT reports whether an expression is the type *testing.T.
func (r *rewriter) isT(expression ast.Expr) bool {
	star, ok := expression.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := star.X.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "T" {
		return false
	}
	ident, ok := selector.X.(*ast.Ident)
	return ok && ident.Name == r.testing
}

// test makes a top-level test attest.
func (r *rewriter) test(function *ast.FuncDecl) {
	field := function.Type.Params.List[0]
	outer, inner := "gobenchT", "_"
	switch parameter := r.parameters(function.Type)[0]; parameter {
	case "":
		r.insert(field.Type.Pos(), outer+" ")
	case "_":
		r.replace(field.Names[0], outer)
	default:
		outer, inner = parameter, parameter
	}
	kind := r.source[r.offset(field.Type.Pos()):r.offset(field.Type.End())]
	r.insert(function.Body.Lbrace+1, fmt.Sprintf(" %s.Test(%s, func(%s %s) {", name, outer, inner, kind))
	r.insert(function.Body.Rbrace, "})")
}

// body wraps the subtests that a function runs on a *testing.T, be it a
// parameter of its own or of a function around it.
func (r *rewriter) body(block *ast.BlockStmt, names []string) {
	ast.Inspect(block, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			r.body(node.Body, append(slices.Clone(names), r.parameters(node.Type)...))
			return false
		case *ast.CallExpr:
			r.call(node, names)
		}
		return true
	})
}

// call wraps the function of a t.Run.
func (r *rewriter) call(call *ast.CallExpr, names []string) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Run" || len(call.Args) != 2 {
		return
	}
	ident, ok := selector.X.(*ast.Ident)
	if !ok || !slices.Contains(names, ident.Name) {
		return
	}
	r.insert(call.Args[1].Pos(), name+".Sub(")
	r.insert(call.Args[1].End(), ")")
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
