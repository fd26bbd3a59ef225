package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A picture shows which packages may import which: names of nodes, and the nodes right
// below each.
type picture struct {
	folder string              // of the packages that it shows
	nodes  map[string]string   // by the path of a package
	below  map[string][]string // by the name of a node
}

var (
	nodeLabel    = regexp.MustCompile(`(\w+)\["([^:"]+)[^"]*"\]`)
	mermaidBlock = regexp.MustCompile("(?s)```mermaid\n(.*?)```")
)

// TestPicturesOfPackages compares the pictures with the imports: what a package imports
// is below it.
func TestPicturesOfPackages(t *testing.T) {
	found := mermaidBlock.FindAllStringSubmatch(read(t, "docs/explanation/packages.md"), -1)
	for i, folder := range []string{"framework", "framework/sqldb", "framework/program"} {
		p := readPicture(folder, found[i][1])
		imports := 0
		for _, edge := range importsBelow(t, folder) {
			from, to := p.node(edge[0]), p.node(edge[1])
			if from == to || !strings.HasPrefix(edge[1]+"/", folder+"/") {
				continue
			}
			if imports++; !p.reaches(from, to) {
				t.Errorf("packages.md, picture of %s: %s imports %s, which is not below it", folder, edge[0], edge[1])
			}
		}
		if imports == 0 {
			t.Errorf("no import below %s was compared", folder)
		}
	}
}

func readPicture(folder, text string) picture {
	p := picture{folder, map[string]string{folder: path.Base(folder)}, map[string][]string{}}
	group := "" // which has arrows to its members
	for line := range strings.Lines(text) {
		for _, label := range nodeLabel.FindAllStringSubmatch(line, -1) {
			for name := range strings.SplitSeq(label[2], ", ") {
				p.nodes[path.Join(folder, name)] = label[1]
			}
			if group != "" {
				p.below[group] = append(p.below[group], label[1])
			}
		}
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && words[0] == "subgraph":
			group = strings.Split(words[1], "[")[0]
		case len(words) > 0 && words[0] == "end":
			group = ""
		}
		steps := strings.Split(nodeLabel.ReplaceAllString(line, "$1"), "-->")
		for i := range steps[:len(steps)-1] {
			for from := range strings.SplitSeq(steps[i], "&") {
				for to := range strings.SplitSeq(steps[i+1], "&") {
					from, to := strings.TrimSpace(from), strings.TrimSpace(to)
					p.below[from] = append(p.below[from], to)
				}
			}
		}
	}
	return p
}

// node is the node of a package: its own, or that of the folder around it.
func (p picture) node(name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		if node := p.nodes[at]; node != "" && (at != p.folder || name == p.folder) {
			return node
		}
	}
	return path.Base(name) // a picture of one folder names its nodes as the packages
}

// reaches reports whether arrows lead from one node to another.
func (p picture) reaches(from, to string) bool {
	seen := map[string]bool{from: true}
	for open := []string{from}; len(open) > 0; open = open[1:] {
		for _, next := range p.below[open[0]] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// importsBelow are the imports between the packages of the module, in the files below a
// folder that are no tests.
func importsBelow(t *testing.T, folder string) (edges [][2]string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if of, ours := strings.CutPrefix(imported, "trestle.example/"); ours {
				edges = append(edges, [2]string{path.Dir(name), of})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return edges
}
