package openapi

import (
	"encoding/json"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// Write returns the document as its members. Paths and methods are in the order of declaration.
// Components without a reference are left out. The same API has the same document. The error
// names the API's Mistakes, every type whose own schema or list of values is not valid, and an
// error shape that cannot be encoded or whose schema is not valid. If an operation cannot be
// added to the document, the error names only that operation.
func Write(api *spec.API) (wire.Members, error) {
	w, err := write(api)
	if err != nil {
		return nil, err
	}
	paths, err := w.paths()
	if err != nil {
		return nil, err
	}
	w.doc.Paths.MapOfPathItemValues = nil // openapi-go would encode each operation again at every level above it
	root, err := members(w.doc)
	if err != nil {
		return nil, err
	}
	for i := range root {
		if root[i].Name == "paths" {
			root[i].Value = paths
		}
	}
	keepUsed(root)
	return root, nil
}

// paths are the operations by path and method, in the order of declaration.
func (w *writer) paths() (paths wire.Members, err error) {
	at := map[string]int{}
	for i, e := range w.api.Endpoints {
		one, err := members(w.operations[i])
		if err != nil {
			return nil, err
		}
		if _, known := at[e.Path]; !known {
			at[e.Path] = len(paths)
			paths.Add(e.Path, wire.Members{})
		}
		path := &paths[at[e.Path]]
		path.Value = path.Value.(wire.Members).With(wire.Members{{Name: strings.ToLower(e.Method), Value: one}})
	}
	return paths, nil
}

// members reads an object of openapi-go as its members in order.
func members(of json.Marshaler) (wire.Members, error) {
	text, err := of.MarshalJSON()
	if err != nil {
		return nil, err
	}
	document, err := wire.ReadOrdered(text)
	all, _ := document.(wire.Members) // it is an object
	return all, err
}

// Format returns the document as text in the format "json" or "yaml". Any other format is an
// error.
func Format(document wire.Members, format string) ([]byte, error) {
	switch format {
	case "json":
		return append(wire.IndentJSON(nil, document, ""), '\n'), nil
	case "yaml":
		return []byte(wire.FormatYAML(document, "")), nil
	}
	return nil, naming.Sentence("the reference is written as json or yaml, not as %q", format)
}
