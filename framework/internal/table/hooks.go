package table

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/naming"
)

// A HookGroup lists the model hooks of bun for one kind of statement, and what a declaration
// uses instead. bun calls hooks from its own Exec and Scan; the framework sends statements
// without them.
type HookGroup struct {
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

// HooksOfSelect are the hooks of SELECT. Those of CREATE TABLE and DROP TABLE have no group,
// because the framework has no such statement: a migration is SQL. [ScanHooks] checks the
// hooks of scanning.
func HooksOfSelect() HookGroup {
	return HookGroup{[]modelHook{hook[bun.BeforeSelectHook](), hook[bun.AfterSelectHook]()},
		"narrow rows by Scope, and make what is shown by framework.Computes"}
}

// HooksOfInsert are the hooks of INSERT.
func HooksOfInsert() HookGroup {
	return HookGroup{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeInsertHook](), hook[bun.AfterInsertHook]()},
		"fill the row in framework.Fills, or do all of it in framework.Does"}
}

// HooksOfUpdate are the hooks of UPDATE.
func HooksOfUpdate() HookGroup {
	return HookGroup{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeUpdateHook](), hook[bun.AfterUpdateHook]()},
		"fill the row in framework.Fills, or do all of it in framework.Changes"}
}

// HooksOfDelete are the hooks of DELETE.
func HooksOfDelete() HookGroup {
	return HookGroup{[]modelHook{hook[schema.BeforeAppendModelHook](), hook[bun.BeforeDeleteHook](), hook[bun.AfterDeleteHook]()},
		"delete in a function of framework.Changes"}
}

// Check reports each hook of the group that a model has.
func (g HookGroup) Check(model reflect.Type, fault func(error)) {
	for _, h := range g.hooks {
		if h.isOf(model) {
			fault(naming.Sentence("%s has the hook %s of bun, which the framework's statements do not call; %s", model.Name(), h.name, g.instead))
		}
	}
}

// Skipped is an error about a hook of the group that a function's Insert or Save
// would skip.
func (g HookGroup) Skipped(function string, model reflect.Type) (err error) {
	g.Check(model, func(found error) { err = naming.Sentence("framework.%s: %w", function, found) })
	return err
}

// ScanHooks reports the scan hooks of a model: a view reads columns without making a model,
// so it would skip them.
func ScanHooks(table *schema.Table, fault func(error)) {
	g := HookGroup{[]modelHook{hook[schema.BeforeScanRowHook](), hook[schema.AfterScanRowHook]()},
		"show it by framework.Computes, which scans the model"}
	for _, h := range g.hooks {
		if h.isOf(table.Type) {
			fault(naming.Sentence("%s has the hook %s of bun, which is not called where a view is read from columns; %s", table.Type.Name(), h.name, g.instead))
		}
	}
}
