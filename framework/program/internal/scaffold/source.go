package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/program/internal/exit"
)

// registryFile is the file of a project that lists its resources.
const registryFile = "resources.go"

// A source is the Go code in the root of a project.
type source struct {
	Package   string              // its name
	names     map[string]string   // each name that the package declares, with its file
	resources map[string]declared // each resource of the package, by its name
}

// A declared is a resource that the package declares.
type declared struct{ model, table string }

// readSource reads the Go files of a project, its tests too.
func readSource(project fs.FS) (source, error) {
	s := source{names: map[string]string{}, resources: map[string]declared{}}
	if err := requireProject(project); err != nil {
		return s, err
	}
	names, err := fs.Glob(project, "*.go")
	if err != nil {
		return s, err
	}
	tables := map[string]string{} // of the models
	for _, name := range names {
		content, err := fs.ReadFile(project, name)
		if err != nil {
			return s, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			return s, fmt.Errorf("the project must compile before a resource is added to it: %w", err)
		}
		if name == registryFile {
			s.Package = parsed.Name.Name
		}
		s.addFile(name, parsed, tables)
	}
	for name, found := range s.resources {
		found.table = tables[found.model]
		s.resources[name] = found
	}
	return s, nil
}

// requireProject returns an error if the folder is not that of a project.
func requireProject(project fs.FS) error {
	for _, name := range []string{"go.mod", registryFile, migrationFolder} {
		if _, err := fs.Stat(project, name); errors.Is(err, fs.ErrNotExist) {
			return exit.Misused("there is no %s here; run this in the folder of a project that the command new has written", name)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// resourceNames returns the names of the resources, sorted.
func (s source) resourceNames() []string { return slices.Sorted(maps.Keys(s.resources)) }

// addFile adds the names and the resources that a file declares, and the tables of its models.
func (s source) addFile(name string, parsed *ast.File, tables map[string]string) {
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s.names[d.Name.Name] = name
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.addSpec(name, spec, tables)
			}
		}
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok {
			s.addResource(literal)
		}
		return true
	})
}

func (s source) addSpec(name string, spec ast.Spec, tables map[string]string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		s.names[spec.Name.Name] = name
		if model, ok := spec.Type.(*ast.StructType); ok {
			tables[spec.Name.Name] = tableOf(model)
		}
	case *ast.ValueSpec:
		for _, declared := range spec.Names {
			s.names[declared.Name] = name
		}
	}
}

// tableOf returns the table that the tags of a model name, or "".
func tableOf(model *ast.StructType) string {
	for _, f := range model.Fields.List {
		if f.Tag == nil || len(f.Names) > 0 {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		for option := range strings.SplitSeq(reflect.StructTag(tag).Get("bun"), ",") {
			if table, ok := strings.CutPrefix(option, "table:"); ok {
				return table
			}
		}
	}
	return ""
}

// addResource adds the resource that a literal declares: ViewSet[Model]{Name: "name"}.
func (s source) addResource(literal *ast.CompositeLit) {
	of, ok := literal.Type.(*ast.IndexExpr)
	if !ok {
		return
	}
	generic, isSelector := of.X.(*ast.SelectorExpr)
	model, isName := of.Index.(*ast.Ident)
	if !isSelector || !isName || generic.Sel.Name != "ViewSet" {
		return
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isKey := pair.Key.(*ast.Ident)
		value, isText := pair.Value.(*ast.BasicLit)
		if isKey && isText && key.Name == "Name" && value.Kind == token.STRING {
			if name, err := strconv.Unquote(value.Value); err == nil {
				s.resources[path.Base(name)] = declared{model: model.Name}
			}
		}
	}
}
