package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// A Change is a change that breaks clients.
type Change struct {
	ID      string `json:"id"`      // the rule, such as "api-path-removed-without-deprecation"
	Certain bool   `json:"certain"` // false if it breaks only some clients, such as a member that is no longer sent
	Method  string `json:"method"`  // "" for a change of the whole document
	Path    string `json:"path"`
	Text    string `json:"text"`
}

// String returns the change as one line.
func (c Change) String() string {
	effect := "may break clients"
	if c.Certain {
		effect = "breaks clients"
	}
	return fmt.Sprintf("%s: %s (%s, %s)", strings.TrimSpace(c.Method+" "+c.Path), c.Text, effect, c.ID)
}

// compareFiles returns the changes from one file to another that break clients. It is never nil
// without an error.
func compareFiles(from, to string) ([]Change, error) {
	before, err := readFile(from)
	if err != nil {
		return nil, err
	}
	after, err := readFile(to)
	if err != nil {
		return nil, err
	}
	return compare(before, after)
}

// readFile reads a document. It resolves only references within the document.
func readFile(name string) (*load.SpecInfo, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return readDocument(name, content)
}

func readDocument(name string, content []byte) (*load.SpecInfo, error) {
	document, err := load.NewSpecInfoFromData(openapi3.NewLoader(), content, name)
	if err != nil {
		return nil, fmt.Errorf("%s is not an OpenAPI document: %w", name, err)
	}
	if document.Spec.OpenAPI == "" || document.Spec.Paths == nil {
		return nil, errors.New(name + " is not an OpenAPI document: it has no openapi or no paths")
	}
	return document, nil
}

// levels are the rules whose level differs from that of the library: clients read a member that
// was always sent, even if the document does not require it.
var levels = map[string]checker.Level{checker.ResponseOptionalPropertyRemovedId: checker.WARN}

func compare(before, after *load.SpecInfo) ([]Change, error) {
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), before, after)
	if err != nil {
		return nil, err
	}
	words, all := checker.NewDefaultLocalizer(), []Change{}
	rules := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(levels))
	for _, c := range checker.CheckBackwardCompatibility(rules, report, sources) {
		all = append(all, Change{
			ID: c.GetId(), Certain: c.GetLevel() == checker.ERR, Method: c.GetOperation(), Path: c.GetPath(), Text: c.GetUncolorizedText(words),
		})
	}
	return all, nil
}
