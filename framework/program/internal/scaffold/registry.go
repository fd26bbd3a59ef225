package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
)

// register returns the registry file with one more resource in its list. It inserts text and
// changes nothing else, so comments and formatting stay.
func register(content []byte, viewset string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, registryFile, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	call, err := findList(parsed)
	if err != nil {
		return nil, err
	}
	closing := files.Position(call.Rparen).Offset
	inserted := viewset
	if last := len(call.Args) - 1; last >= 0 {
		inserted = ", " + viewset
		if files.Position(call.Args[last].End()).Line < files.Position(call.Rparen).Line {
			closing, inserted = bytes.LastIndexByte(content[:closing], '\n')+1, "\t\t"+viewset+",\n"
		}
	}
	changed := append(append(bytes.Clone(content[:closing]), inserted...), content[closing:]...)
	if _, err := format.Source(changed); err != nil {
		return nil, fmt.Errorf("the resource cannot be added to the list in %s: %w", registryFile, err)
	}
	return changed, nil
}

// findList returns the only call of a method Register.
func findList(parsed *ast.File) (*ast.CallExpr, error) {
	var found []*ast.CallExpr
	ast.Inspect(parsed, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Register" {
				found = append(found, call)
			}
		}
		return true
	})
	switch {
	case len(found) == 0:
		return nil, errors.New(registryFile + " has no call of api.Register, whose list a resource is added to; write one: api.Register(site.Identity.ViewSet())")
	case len(found) > 1:
		return nil, fmt.Errorf("%s has %d calls of Register; one is needed, so that it is clear which list a resource is added to", registryFile, len(found))
	case found[0].Ellipsis.IsValid():
		return nil, errors.New(registryFile + " passes a slice to Register; list the resources in the call, so that one can be added")
	}
	return found[0], nil
}
