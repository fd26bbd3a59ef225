// Package modelhook finds hooks of bun's models that the framework's statements do not call.
package modelhook

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// A Group lists the model hooks of bun for one kind of statement. bun calls hooks from its own
// Exec and Scan; the framework sends statements without them.
type Group []modelHook

type modelHook struct {
	name    string
	iface   reflect.Type
	instead string // what a declaration uses instead
}

func hook[H any](instead string) modelHook {
	t := reflect.TypeFor[H]()
	return modelHook{strings.TrimSuffix(t.Name(), "Hook"), t, instead}
}

func (h modelHook) isOf(model reflect.Type) bool { return reflect.PointerTo(model).Implements(h.iface) }

// OfSelect returns the hooks of SELECT. Those of CREATE TABLE and DROP TABLE have no group,
// because the framework has no such statement: a migration is SQL. [CheckScan] checks the
// hooks of scanning.
func OfSelect() Group {
	const instead = "narrow rows by Scope, and make what is shown by framework.Computes"
	return Group{hook[bun.BeforeSelectHook](instead), hook[bun.AfterSelectHook](instead)}
}

// OfInsert returns the hooks of INSERT.
func OfInsert() Group {
	const before = "fill the row in framework.Fills, or do all of it in framework.Does"
	return Group{hook[schema.BeforeAppendModelHook](before), hook[bun.BeforeInsertHook](before), hook[bun.AfterInsertHook](afterStored)}
}

// OfUpdate returns the hooks of UPDATE.
func OfUpdate() Group {
	const before = "fill the row in framework.Fills, or do all of it in framework.Changes"
	return Group{hook[schema.BeforeAppendModelHook](before), hook[bun.BeforeUpdateHook](before), hook[bun.AfterUpdateHook](afterStored)}
}

// OfDelete returns the hooks of DELETE.
func OfDelete() Group {
	const before = "delete in a function of framework.Changes"
	return Group{hook[schema.BeforeAppendModelHook](before), hook[bun.BeforeDeleteHook](before),
		hook[bun.AfterDeleteHook](before + ", which calls AfterCommit of its framework.Call for what must follow the commit")}
}

// afterStored replaces the hooks after a row is stored.
const afterStored = "store other rows in the second function of framework.FillsThen; " +
	"do what must follow the commit by AfterCommit of its framework.Call"

// Check reports each hook of the group that a model has.
func (g Group) Check(model reflect.Type, fault func(error)) {
	for _, h := range g {
		if h.isOf(model) {
			fault(naming.Sentence("%s has the hook %s of bun, which the framework's statements do not call; %s", model.Name(), h.name, h.instead))
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
	const instead = "show it by framework.Computes, which scans the model"
	for _, h := range (Group{hook[schema.BeforeScanRowHook](instead), hook[schema.AfterScanRowHook](instead)}) {
		if h.isOf(table.Type) {
			fault(naming.Sentence("%s has the hook %s of bun, which is not called where a view is read from columns; %s", table.Type.Name(), h.name, h.instead))
		}
	}
}
