// Package scaffold has the commands that write source code: new writes a project, and generate
// adds a resource to one.
package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"path"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// parsed are the templates. Their delimiters differ from those of migrations.
var parsed = template.Must(template.New("").Delims("[[", "]]").ParseFS(templates, "templates/*.tmpl"))

// render returns a file that is made from a template. It formats Go code.
func render(name, from string, data any) (file, error) {
	var text bytes.Buffer
	if err := parsed.ExecuteTemplate(&text, from+".tmpl", data); err != nil {
		return file{}, err
	}
	content := text.Bytes()
	if path.Ext(name) == ".go" {
		formatted, err := format.Source(content)
		if err != nil {
			return file{}, fmt.Errorf("%s: %w", name, err)
		}
		content = formatted
	}
	return file{name: name, content: content}, nil
}

// renderAll returns the files, each name with its template.
func renderAll(data any, pairs ...[2]string) ([]file, error) {
	var all []file
	for _, pair := range pairs {
		made, err := render(pair[0], pair[1], data)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// article returns the article of a noun at the beginning of a sentence.
func article(noun string) string {
	if strings.ContainsAny(noun[:1], "AEIOUaeiou") {
		return "An"
	}
	return "A"
}
