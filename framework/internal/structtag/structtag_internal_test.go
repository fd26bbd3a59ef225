package structtag

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"trestle.example/framework/internal/rule"
)

// The types are made by reflection, because go vet rejects malformed tags in source code.
func TestMalformedStructTags(t *testing.T) {
	for tag, want := range map[string]string{
		`json:"title" validate:"required"`: "",
		`  json:"title"   doc:"a \"b\""  `: "",
		`json:"title",validate:"required"`: "struct.F: the tag `json:\"title\",validate:\"required\"` needs a space before `,validate:\"required\"`",
		`json: "slug"`:                     "struct.F: the tag `json: \"slug\"` is malformed at `json: \"slug\"`; write pairs key:\"value\" with a space between them",
		`json:"a" validate`:                "struct.F: the tag `json:\"a\" validate` is malformed at `validate`; write pairs key:\"value\" with a space between them",
		`json:"a`:                          "struct.F: the tag `json:\"a` is malformed at `json:\"a`; write pairs key:\"value\" with a space between them",
		`json:'a'`:                         "struct.F: the tag `json:'a'` is malformed at `json:'a'`; write pairs key:\"value\" with a space between them",
		"json:\"a\"\tdoc:\"b\"":            "struct.F: the tag `json:\"a\"\tdoc:\"b\"` needs a space before `\tdoc:\"b\"`",
		`json:"a" json:"b"`:                "struct.F: the tag `json:\"a\" json:\"b\"` has the key \"json\" twice, and the second is not read",
	} {
		said := ""
		typ := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)}})
		NewChecker(nil).Check(typ, func(err error) { said += err.Error() })
		if said != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tag, said, want)
		}
	}
}

// The page docs/reference/tags.md has a row for each tag and each rule, and no other row.
func TestTagsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference", "tags.md"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)(?:=\\.\\.\\.)?`(?:, `(\\w+)`)? \\|").FindAllStringSubmatch(string(page), -1) {
		have[row[1]] = true
		have[row[2]] = true
	}
	delete(have, "")
	want := slices.Concat(ownTags, rule.Names())
	for _, name := range want {
		if !have[name] {
			t.Errorf("docs/reference/tags.md has no row for %q", name)
		}
	}
	for name := range have {
		if !slices.Contains(want, name) {
			t.Errorf("docs/reference/tags.md has a row for %q, which is neither a tag nor a rule", name)
		}
	}
}
