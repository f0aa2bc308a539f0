package main

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lineDirective is a comment that renames the lines below it.
var lineDirective = regexp.MustCompile(`^(//|/\*)line .*:[0-9]+(\*/)?$`)

// majorVersion is the last element of an import path that names no package.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// inspector collects the findings of one file.
type inspector struct {
	module  module
	file    source
	fset    *token.FileSet
	imports map[string][]string // import paths by the name that the file knows them by
	allowed map[*ast.SelectorExpr]bool
	found   map[finding]bool
}

// inspect returns what one file does, unsorted.
func inspect(m module, file source) []finding {
	in := &inspector{
		module:  m,
		file:    file,
		fset:    token.NewFileSet(),
		imports: map[string][]string{},
		allowed: map[*ast.SelectorExpr]bool{},
		found:   map[finding]bool{},
	}
	in.run()
	found := make([]finding, 0, len(in.found))
	for f := range in.found {
		found = append(found, f)
	}
	return found
}

func (in *inspector) run() {
	if in.file.data == nil {
		in.reportLine(1, "unreadable", "no regular file")
		return
	}
	// Not skipped: what this parser refuses, the compiler may take.
	if nestsTooDeeply(in.file.data) {
		in.reportLine(1, "unreadable", "nested too deeply")
		return
	}
	// The deprecated resolution is what is wanted here: of one file, without types.
	tree, err := parser.ParseFile(in.fset, "", in.file.data, parser.ParseComments)
	if err != nil {
		in.reportLine(1, "unreadable", "not Go")
		return
	}
	for _, spec := range tree.Imports {
		in.importSpec(spec)
	}
	for _, group := range tree.Comments {
		for _, comment := range group.List {
			in.comment(comment, comment.Pos() < tree.Package)
		}
	}
	for _, decl := range tree.Decls {
		in.declaration(decl)
		if general, ok := decl.(*ast.GenDecl); !ok || general.Tok != token.IMPORT {
			ast.Inspect(decl, in.node)
		}
	}
}

func (in *inspector) report(pos token.Pos, rule, detail string) {
	// The real position, whatever //line says.
	in.reportLine(in.fset.PositionFor(pos, false).Line, rule, detail)
}

func (in *inspector) reportLine(line int, rule, detail string) {
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	in.found[finding{in.file.path, line, rule, strings.ToValidUTF8(detail, "?")}] = true
}

// known notes the name of an import. An honest file has one import of a name:
// so many make every selector cost as much.
func (in *inspector) known(name, importPath string) {
	const most = 20
	if len(in.imports[name]) == most {
		in.reportLine(1, "unreadable", "too many imports of one name")
	}
	if len(in.imports[name]) < most {
		in.imports[name] = append(in.imports[name], importPath)
	}
}

func (in *inspector) importSpec(spec *ast.ImportSpec) {
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return // the parser has checked it
	}
	if forbidsImport(in.module, importPath) {
		in.report(spec.Pos(), "import", importPath)
	}
	if spec.Name == nil {
		for _, name := range in.names(importPath) {
			in.known(name, importPath)
		}
		return
	}
	if spec.Name.Name == "." {
		// A name without its package is a name that no other rule sees.
		in.report(spec.Pos(), "dot-import", importPath)
	}
	in.guarded(spec.Name)
	in.known(spec.Name.Name, importPath)
}

// names are the names that an imported package may have: one, unless files of
// several packages lie in one folder.
func (in *inspector) names(importPath string) []string {
	if names := in.module.names[importPath]; len(names) > 0 {
		return names
	}
	folder, last := path.Split(importPath)
	if majorVersion.MatchString(last) && folder != "" {
		last = path.Base(folder)
	}
	return []string{last}
}

func (in *inspector) comment(comment *ast.Comment, inHeader bool) {
	text := comment.Text
	for _, prefix := range bannedDirectives {
		if strings.HasPrefix(text, prefix) {
			in.report(comment.Pos(), "directive", strings.TrimPrefix(prefix, "//"))
		}
	}
	if inHeader && (constraint.IsGoBuild(text) || constraint.IsPlusBuild(text)) {
		in.constraint(comment)
	}
	// Stack frames that seem to come from another file than the submission's.
	if lineDirective.MatchString(text) {
		in.report(comment.Pos(), "directive", "line")
	}
}

func (in *inspector) constraint(comment *ast.Comment) {
	expression, err := constraint.Parse(comment.Text)
	if err != nil {
		return // so says the go command
	}
	expression.Eval(func(tag string) bool {
		if bannedTags[tag] {
			in.report(comment.Pos(), "directive", "go:build "+tag)
		}
		return false
	})
}

// declaration judges what is declared at package level.
func (in *inspector) declaration(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Body == nil {
			// Its code is assembly or another package's, by linkname.
			in.report(decl.Pos(), "bodyless", decl.Name.Name)
		}
		if decl.Recv == nil {
			in.guarded(decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				in.guarded(spec.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					in.guarded(name)
				}
			}
		}
	}
}

func (in *inspector) guarded(name *ast.Ident) {
	if guardedNames[name.Name] {
		in.report(name.Pos(), "predeclared", name.Name)
	}
}

func (in *inspector) node(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.CallExpr:
		in.call(node)
	case *ast.SelectorExpr:
		in.selector(node)
	case *ast.BasicLit:
		in.literal(node)
	case *ast.AssignStmt:
		for _, target := range node.Lhs {
			in.changed(target)
		}
	case *ast.IncDecStmt:
		in.changed(node.X)
	case *ast.RangeStmt:
		in.changed(node.Key)
		in.changed(node.Value)
	case *ast.UnaryExpr:
		if node.Op == token.AND {
			in.changed(node.X)
		}
	}
	return true
}

// call notes the calls of forbidden functions that may be made.
func (in *inspector) call(call *ast.CallExpr) {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if ok && in.packages(selector) == nil {
		if arguments, banned := bannedCalls[selector.Sel.Name]; banned && arguments == len(call.Args) {
			in.report(selector.Sel.Pos(), "method", selector.Sel.Name)
		}
	}
	if !ok || len(call.Args) != 1 || !slices.Contains(in.packages(selector), "runtime") {
		return
	}
	argument, ok := call.Args[0].(*ast.BasicLit)
	if ok && selector.Sel.Name == "GOMAXPROCS" && argument.Value == "0" {
		in.allowed[selector] = true
	}
}

func (in *inspector) selector(selector *ast.SelectorExpr) {
	name := selector.Sel.Name
	if bannedMethods[name] {
		in.report(selector.Sel.Pos(), "method", name)
	}
	for importPath, methods := range bannedMethodsOf {
		if methods[name] && in.module.imports[importPath] && in.packages(selector) == nil {
			in.report(selector.Sel.Pos(), "method", name)
		}
	}
	for _, importPath := range in.packages(selector) {
		if bannedUses[importPath][name] && !in.allowed[selector] {
			in.report(selector.Pos(), "use", importPath+"."+name)
		}
	}
}

// packages are the import paths that a selector may select from; none if it
// selects a field or a method.
func (in *inspector) packages(selector *ast.SelectorExpr) []string {
	// An import is not resolved; what is declared in the file is.
	if name, ok := selector.X.(*ast.Ident); ok && name.Obj == nil {
		return in.imports[name.Name]
	}
	return nil
}

func (in *inspector) literal(literal *ast.BasicLit) {
	if literal.Kind != token.STRING {
		return
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return
	}
	for _, part := range bannedPaths {
		if strings.Contains(value+"/", part) {
			in.report(literal.Pos(), "path", strings.TrimSuffix(part, "/"))
		}
	}
}

// changed judges what is assigned to or has its address taken: a variable of
// another package, or a part of one. Stops changing what the tests, or the
// packages that run them, rely on: flag.CommandLine, io.EOF, a test helper.
func (in *inspector) changed(target ast.Expr) {
	for {
		switch part := target.(type) {
		case *ast.ParenExpr:
			target = part.X
		case *ast.StarExpr:
			target = part.X
		case *ast.IndexExpr:
			target = part.X
		case *ast.TypeAssertExpr:
			target = part.X
		case *ast.SelectorExpr:
			packages := in.packages(part)
			for _, importPath := range packages {
				// The module's own packages are the submission's to change anyway.
				if !in.module.holds(importPath) {
					in.report(part.Pos(), "assign", importPath+"."+part.Sel.Name)
				}
			}
			if packages != nil {
				return
			}
			target = part.X
		default:
			return
		}
	}
}

// packageName is what a file's package clause says, or "". The go command
// leaves out files of a package called documentation.
func packageName(file source) string {
	tree, err := parser.ParseFile(token.NewFileSet(), "", file.data, parser.PackageClauseOnly)
	if err != nil || tree.Name.Name == "documentation" {
		return ""
	}
	return tree.Name.Name
}

// importsOf lists what a file imports, as far as it parses.
func importsOf(file source) []string {
	if file.data == nil || nestsTooDeeply(file.data) {
		return nil
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "", file.data, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var paths []string
	for _, spec := range tree.Imports {
		if importPath, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, importPath)
		}
	}
	return paths
}
