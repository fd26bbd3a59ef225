// Package modelhook finds hooks of bun's models that the framework's statements do not call.
package modelhook

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// A Group lists the model hooks of bun for one kind of statement, and what a declaration
// uses instead. bun calls hooks from its own Exec and Scan; the framework sends statements
// without them.
type Group struct {
	hooks   []modelHook
	instead string
}

type modelHook struct {
	name  string
	iface reflect.Type
}

func hook[H any]() modelHook {
	t := reflect.TypeFor[H]()
	return modelHook{strings.TrimSuffix(t.Name(), "Hook"), t}
}

func (h modelHook) isOf(model reflect.Type) bool { return reflect.PointerTo(model).Implements(h.iface) }

// OfSelect returns the hooks of SELECT. Those of CREATE TABLE and DROP TABLE have no group,
// because the framework has no such statement: a migration is SQL. [CheckScan] checks the
// hooks of scanning.
func OfSelect() Group {
	return Group{[]modelHook{hook[bun.BeforeSelectHook](), hook[bun.AfterSelectHook]()},
		"narrow rows by Scope, and make what is shown by framework.Computes"}
}

// OfInsert returns the hooks of INSERT.
func OfInsert() Group {
	return Group{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeInsertHook](), hook[bun.AfterInsertHook]()},
		"fill the row in framework.Fills, or do all of it in framework.Does"}
}

// OfUpdate returns the hooks of UPDATE.
func OfUpdate() Group {
	return Group{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeUpdateHook](), hook[bun.AfterUpdateHook]()},
		"fill the row in framework.Fills, or do all of it in framework.Changes"}
}

// OfDelete returns the hooks of DELETE.
func OfDelete() Group {
	return Group{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeDeleteHook](), hook[bun.AfterDeleteHook]()},
		"delete in a function of framework.Changes"}
}

// Check reports each hook of the group that a model has.
func (g Group) Check(model reflect.Type, fault func(error)) {
	for _, h := range g.hooks {
		if h.isOf(model) {
			fault(naming.Sentence("%s has the hook %s of bun, which the framework's statements do not call; %s", model.Name(), h.name, g.instead))
		}
	}
}

// Skipped returns an error if a model has a hook of the group: the function Insert or Save would
// skip it. If the model has several hooks of the group, the error names the last.
func (g Group) Skipped(function string, model reflect.Type) (err error) {
	g.Check(model, func(found error) { err = naming.Sentence("framework.%s: %w", function, found) })
	return err
}

// CheckScan reports the scan hooks of a model. A view that reads columns does not scan into a
// model, so it would skip these hooks.
func CheckScan(table *schema.Table, fault func(error)) {
	g := Group{[]modelHook{hook[schema.BeforeScanRowHook](), hook[schema.AfterScanRowHook]()},
		"show it by framework.Computes, which scans the model"}
	for _, h := range g.hooks {
		if h.isOf(table.Type) {
			fault(naming.Sentence("%s has the hook %s of bun, which is not called where a view is read from columns; %s", table.Type.Name(), h.name, g.instead))
		}
	}
}
