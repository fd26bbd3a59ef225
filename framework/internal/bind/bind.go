package bind

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/created"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/expression"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/quota"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/scoping"
	"trestle.example/framework/internal/search"
	"trestle.example/framework/internal/shadow"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wrapping"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// BindAll checks the declarations and replaces the resources and the error codes of the
// registry. Without a database, this is the only error and nothing changes. If there are other
// mistakes, the error lists them, one per line, and the registry is not complete.
func BindAll(a *table.Registry, declared []*declare.Declaration) error {
	if a.Config.DB == nil {
		return naming.Sentence("framework.Config: DB is not set; open one with sqldb.Open")
	}
	a.Resources, a.Codes = nil, codesOf(a.Config.Codes)
	a.Rows = rows.New(a)
	b := newBinder(a, declared)
	b.checks.CheckConfig()
	b.registerModels()
	for _, d := range declared {
		b.open(d)
	}
	if !nested.Bind(a, b.faultOf) {
		return b.err() // the paths of viewsets are wrong, so each name of one would be a mistake too
	}
	restore.Bind(a, b.faultOf)
	audit.Bind(a, b.faultOf)
	b.bindRelations()
	b.bindReserved()
	b.bindSlugs()
	b.bindRows()
	for _, r := range a.Resources {
		b.bind(r)
	}
	b.later(func() { wrapping.Check(a, b.faultOf) })
	b.later(func() { audit.RecordAll(a, b.faultOf) })
	nested.Check(a, b.faultOf)
	for _, fn := range b.after {
		fn()
	}
	created.Bind(a.Resources)
	b.checks.SetStatuses()
	shadow.Check(b.api.Resources, b.fault)
	b.checks.CheckTags()
	describe.NewCatalog(a).FindSignIn()
	b.checks.CheckShapes()
	b.checks.CheckNames()
	b.checks.CheckIDs()
	b.checks.CheckQuotas()
	seal(a.Resources)
	return b.err()
}

// codesOf has the error codes of answers: those of the framework and those of the program.
func codesOf(own []problem.CodeInfo) map[string]problem.CodeInfo {
	all := map[string]problem.CodeInfo{}
	for _, code := range append(problem.BuiltinCodes(), own...) {
		if !code.IsFault() {
			all[code.Code] = code
		}
	}
	return all
}

// bindRelations binds the relations and the scopes of all resources, and names the functions of
// related rows, which may use the owner that a scope names.
func (b *binder) bindRelations() {
	for _, r := range b.api.Resources {
		r.BindRelations(func(place string, err error) { b.fault(r.Path, place, err) })
	}
	b.checks.FindCallerID()
	for _, r := range b.api.Resources {
		scoping.Bind(r, func(place string, err error) { b.fault(r.Path, place, err) })
	}
	quota.Bind(b.api, b.faultOf)
	for _, r := range b.api.Resources {
		b.nameFunctions(r)
	}
	for _, r := range b.api.Resources {
		r.Fields = fieldrule.Bind(r.Path, r.Declaration.Fields, r.FieldAt, []*schema.Field{r.Pk, r.DeclaredKey()}, b.at(r, "fields"))
	}
}

var pathName = regexp.MustCompile(`^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$`)

// isPath reports whether the names in the path of a viewset are valid. The name of a nested viewset is
// one segment; its parent checks the rest.
func isPath(d *declare.Declaration) bool {
	if d.Parent != nil {
		return pathName.MatchString(d.Name) && !strings.Contains(d.Name, "/")
	}
	return pathName.MatchString(d.Path())
}

// open adds the resource of a declaration to the registry, with the parts that other
// declarations may refer to: its path, its model and the names of its fields. If the path is
// invalid or registered already, or if the model is unusable or does not have exactly one
// primary key, it reports this and adds nothing.
func (b *binder) open(d *declare.Declaration) {
	name := d.Path()
	if !isPath(d) {
		b.fault(fmt.Sprintf("%q", name), "", naming.Sentence("the name of a viewset is its path: letters, digits, - and _"))
		return
	}
	for _, other := range b.api.Resources {
		if other.Path == name {
			b.fault(name, "", naming.Sentence("this name is registered twice, for %s and %s", other.Model.Name(), d.Model.Name()))
			return
		}
	}
	model, err := b.tableOf(d.Model)
	if err == nil && len(model.PKs) != 1 {
		err = naming.Sentence("%s must have one primary key, tagged `bun:\",pk\"`; it has %d", d.Model.Name(), len(model.PKs))
	}
	if err != nil {
		b.fault(name, "", err)
		return
	}
	r := &table.Resource{
		API: b.api, Declaration: d, Path: name, Model: d.Model, Table: model, Pk: model.PKs[0], Key: model.PKs[0],
		Names: map[string]query.Field{}, Shown: map[reflect.Type]scan.Representation{}, Inputs: map[reflect.Type]*input.Shape{},
	}
	r.InsertSkips, r.SaveSkips = modelhook.OfInsert().Skipped("Insert", d.Model), modelhook.OfUpdate().Skipped("Save", d.Model)
	r.Inserting = sqldb.NewTemplate(func(v sqldb.Values) schema.QueryAppender { return store.InsertWhole(r, v) })
	b.settle(r)
	b.nameFields(r)
	r.OpenRelations()
	b.useModels(r)
	b.findFiles(r)
	b.api.Resources = append(b.api.Resources, r)
}

// settle sets the strictness, the slash and the access check of a viewset: its own settings, or
// else those of the API. It also finds the columns of its timestamps.
func (b *binder) settle(r *table.Resource) {
	d := r.Declaration
	r.Strict = cmp.Or(d.Strict, b.api.Config.Strict) == declare.Strict
	r.Slash = "/"
	if cmp.Or(d.Slash, b.api.Config.Slash) == declare.WithoutSlash {
		r.Slash = ""
	}
	r.Access = access.Check{
		Authentication: naming.Inherited(d.Authentication, b.api.Config.Authentication),
		Throttles:      naming.Inherited(d.Throttles, b.api.Config.Throttles),
		Permission:     cmp.Or(d.Permission, b.api.Config.Permission),
	}
	r.Created, r.Updated = bunmodel.TimeColumn(r.Table, "CreatedAt"), bunmodel.TimeColumn(r.Table, "UpdatedAt")
}

// nameFields records the names that clients use for fields, from the JSON names in every
// input and output type of the viewset's verbs.
func (b *binder) nameFields(r *table.Resource) {
	for _, v := range r.Declaration.Verbs {
		for _, shape := range []reflect.Type{v.In, v.Out} {
			if shape == nil || shape.Kind() != reflect.Struct {
				continue
			}
			for f := range b.api.Config.Case.Fields(shape) {
				b.nameField(r, v.Name, shape, f)
			}
		}
	}
}

func (b *binder) nameField(r *table.Resource, verb string, shape reflect.Type, f reflect.StructField) {
	column := bunmodel.ColumnOf(r.Table, f.Name)
	if column == nil || f.Tag.Get("from") != "" {
		return
	}
	if _, err := datatype.EnumValues(column.IndirectType); err != nil {
		b.fault(r.Path, verb, err)
	}
	if err := datatype.CheckType(column.IndirectType); err != nil {
		b.fault(r.Path, verb, naming.Sentence("%s.%s, %s: %w", r.Model.Name(), column.GoName, column.IndirectType, err))
	}
	name := naming.JSONName(f)
	if known, ok := r.Names[name]; ok && known.Column != column {
		b.fault(r.Path, verb, naming.Sentence("%s calls %s %q, another shape calls %s that", shape.Name(), f.Name, name, known.GoName))
		return
	}
	r.Names[name] = r.FieldOf(name, column)
}

// nameFunctions names the functions of related rows in the views of the verbs, so that filters and
// orders find them.
func (b *binder) nameFunctions(r *table.Resource) {
	for _, v := range r.Declaration.Verbs {
		if v.Out == nil || v.Out.Kind() != reflect.Struct {
			continue
		}
		for f := range b.api.Config.Case.Fields(v.Out) {
			r.Relations.NameFunction(naming.JSONName(f), f.Tag.Get("from"), f.Type)
		}
	}
}

// bind resolves every name of a declaration and makes its endpoints.
func (b *binder) bind(r *table.Resource) {
	d := r.Declaration
	fault := func(place string, err error) { b.fault(r.Path, place, err) }
	access.CheckPermission(d.Permission, b.at(r, "permission"))
	access.CheckListed(d.Authentication, "authenticator", b.at(r, "authentication"))
	access.CheckListed(d.Throttles, "throttle", b.at(r, "throttles"))
	checkMiddleware(d.Middleware, b.at(r, "middleware"))
	if d.Lookup != "" {
		if f, err := r.Field(d.Lookup); err != nil {
			fault("lookup", err)
		} else {
			r.Key = f.Column
		}
	}
	r.Search = search.Bind(r, r.Table, b.api.DB, d.Search, fault)
	r.Ordering = ordering.Bind(r, d.Ordering, d.Ranked != nil, fault)
	listing.CheckDefault(r, r.Ordering, fault)
	r.Expression = expression.Bind(r, d.FilterExpression, b.at(r, "filter expression"))
	r.BindUnindexed(fault)
	b.bindConstraints(r)
	b.bindVerbs(r)
	b.bindActions(r)
	b.bindFiles(r)
	b.bindCache(r)
	checkExports(r, b.at(r, "export"))
	checkExpression(r, b.at(r, "filter expression"))
	checkTotals(d.Totals, b.at(r, declare.TotalsName))
	restore.Check(r, b.at(r, "soft delete"))
	b.later(func() { wrapping.Wrap(r, b.faultOf) })
	b.checkSelect(r)
	b.later(func() {
		maskAll(r, b.at(r, "fields"))
		b.hideUnasked(r)
	})
	scoping.CheckWritten(r, b.at(r, "writers"))
}
