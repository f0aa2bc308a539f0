package main

import (
	"go/scanner"
	"go/token"
)

// maxNesting bounds how deep syntax may nest, in tokens. It is far above what
// people write and generate, and keeps the stack of the parser small.
const maxNesting = 10_000

// nestsTooDeeply reports whether a file's syntax could nest deeper than
// maxNesting. The compiler takes more than go/parser does, so a file that is
// too deep for this program must be found, not skipped.
//
// Syntax nests within brackets, and between two separators without any
// (------x, chan chan int, a: b: c: ...). The tokens since the last separator,
// summed over the open brackets, are thus an upper bound of the depth. Only a
// chain of else-ifs nests across separators.
func nestsTooDeeply(data []byte) bool {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(data)), data, nil, 0)

	type frame struct{ since, elses int }
	open := []frame{{}}
	depth := 0
	for {
		_, tok, _ := s.Scan()
		top := &open[len(open)-1]
		switch tok {
		case token.EOF:
			return false
		case token.SEMICOLON, token.COMMA:
			depth -= top.since - top.elses
			top.since = top.elses
			continue
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) > 1 {
				depth -= top.since
				open = open[:len(open)-1]
			}
			continue
		}
		top.since++
		depth++
		if depth > maxNesting {
			return true
		}
		switch tok {
		case token.ELSE:
			top.elses++
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, frame{})
		}
	}
}
