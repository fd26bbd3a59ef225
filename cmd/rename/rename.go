package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A change is the new content of a file.
type change struct {
	name    string
	content []byte
	mode    fs.FileMode
}

// rename replaces the module path in the files below root. It writes the names of the changed
// files, and the lines that still have the old path, to out. It changes nothing if the new
// path is not valid, or if a Go file would no longer be valid.
func rename(root *os.Root, to string, out io.Writer) error {
	if err := module.CheckPath(to); err != nil {
		return fmt.Errorf("%w; a module path is written as example.org/trestle", err)
	}
	content, err := root.ReadFile("go.mod")
	if err != nil {
		return fmt.Errorf("run this in the root of the repository: %w", err)
	}
	from := modfile.ModulePath(content)
	if from == "" {
		return fmt.Errorf("go.mod has no module line")
	}
	if from == to {
		return fmt.Errorf("the module path is %s already", to)
	}
	changes, left, err := plan(root.FS(), from, to)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := root.WriteFile(c.name, c.content, c.mode); err != nil {
			return err
		}
		fmt.Fprintln(out, c.name)
	}
	fmt.Fprintf(out, "%d files have the path %s now, instead of %s.\n", len(changes), to, from)
	for _, line := range left {
		fmt.Fprintf(out, "%s is a part of another name here; edit it by hand: %s\n", from, line)
	}
	return nil
}

// skipped are folders whose files are not source.
var skipped = []string{".git", ".bin", "node_modules", "data", "dist"}

// plan returns the changes, and the lines that keep the old path.
func plan(files fs.FS, from, to string) (changes []change, left []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		c, lines, err := planFile(files, name, from, to)
		if c != nil {
			changes = append(changes, *c)
		}
		left = append(left, lines...)
		return err
	})
	return changes, left, err
}

// planFile returns the change of one file, or nil, and the lines that keep the old path.
func planFile(files fs.FS, name, from, to string) (*change, []string, error) {
	old, err := fs.ReadFile(files, name)
	if err != nil || bytes.IndexByte(old, 0) >= 0 {
		return nil, nil, err
	}
	content := replacePath(string(old), from, to)
	content = replacePath(content, regexp.QuoteMeta(from), regexp.QuoteMeta(to)) // in the pattern of a script
	left := linesWith(name, content, from, to)
	if content == string(old) {
		return nil, left, nil
	}
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, nil, err
	}
	changed := []byte(content)
	if path.Ext(name) == ".go" {
		if changed, err = format.Source(changed); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return &change{name, changed, info.Mode().Perm()}, left, nil
}

// replacePath replaces a module path where it stands alone or begins a longer path. It keeps
// it as the domain of an e-mail address, and as a part of another word. The escapes \t and \n of
// Go source may precede it.
func replacePath(text, from, to string) string {
	found := regexp.MustCompile(`(^|[^\w.@/-]|\\[tn])` + regexp.QuoteMeta(from) + `($|[^\w.-]|\.(?:$|\W))`)
	for range 2 { // two paths with one character between them are found in two passes
		text = found.ReplaceAllString(text, "${1}"+strings.ReplaceAll(to, "$", "$$")+"${2}")
	}
	return text
}

// linesWith returns the lines that have the old path outside of the new one, as "file:line: text".
func linesWith(name, content, from, to string) (lines []string) {
	for i, line := range strings.Split(content, "\n") {
		if strings.Contains(strings.ReplaceAll(line, to, ""), from) {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", name, i+1, strings.TrimSpace(line)))
		}
	}
	return lines
}
