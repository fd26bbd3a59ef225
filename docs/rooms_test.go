package docs_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A package is small enough to be read as a whole, and its files have an order.
const (
	mostLines  = 2200 // of the files of a package below framework/internal that are no tests
	mostMutual = 12   // files of a package that depend on each other
)

// TestSizesOfPackages: a package of the engine that grows beyond the limit is split.
func TestSizesOfPackages(t *testing.T) {
	for folder, files := range sourcesBelow(t, "framework/internal") {
		lines := 0
		for _, name := range files {
			lines += strings.Count(read(t, name), "\n")
		}
		if lines > mostLines {
			t.Errorf("%s has %d lines; split it, so that no package has more than %d", folder, lines, mostLines)
		}
	}
}

// TestMutualFiles: few files of a package depend on each other. Package auth is an exception.
func TestMutualFiles(t *testing.T) {
	for folder, files := range sourcesBelow(t, "framework") {
		if folder == "framework/auth" {
			continue
		}
		if group := largestMutual(usesBetween(t, files)); len(group) > mostMutual {
			t.Errorf("%s: %d files depend on each other, at most %d may: %s", folder, len(group), mostMutual, strings.Join(group, ", "))
		}
	}
}

// sourcesBelow lists the files that are no tests, by their folder.
func sourcesBelow(t *testing.T, folder string) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := fs.WalkDir(os.DirFS(root), folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			files[path.Dir(name)] = append(files[path.Dir(name)], name)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	return files
}

// usesBetween has, for each file of a package, the files whose declarations it uses. The types of other packages are
// unknown, so a method that a type has from another package counts for no file.
func usesBetween(t *testing.T, names []string) map[string][]string {
	t.Helper()
	set, info := token.NewFileSet(), &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	checker := types.Config{Importer: noImports{}, Error: func(error) {}}
	own, _ := checker.Check("own", set, files, info)
	uses := map[string][]string{}
	for ident, object := range info.Uses {
		from, to := path.Base(set.Position(ident.Pos()).Filename), path.Base(set.Position(object.Pos()).Filename)
		if object.Pkg() == own && from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// noImports knows no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// largestMutual is the largest group of nodes that reach each other.
func largestMutual(arrows map[string][]string) (largest []string) {
	reached := map[string]map[string]bool{}
	for from := range arrows {
		seen := map[string]bool{}
		for open := []string{from}; len(open) > 0; open = open[1:] {
			for _, next := range arrows[open[0]] {
				if !seen[next] {
					seen[next] = true
					open = append(open, next)
				}
			}
		}
		reached[from] = seen
	}
	for _, one := range slices.Sorted(maps.Keys(reached)) {
		var group []string
		for other := range reached[one] {
			if reached[other][one] {
				group = append(group, other)
			}
		}
		if len(group) > len(largest) {
			largest = slices.Sorted(slices.Values(group))
		}
	}
	return largest
}
