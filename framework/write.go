package framework

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A writing answers POST, PUT and PATCH of a verb that accepts an input.
type writing struct {
	resource *resource
	endpoint handler
	verb     verb
	shown    representation
	columns  map[string]inputColumn // by the client's name
	readOnly map[string]bool        // names that are shown and not written
	checks   bool                   // the input has a rule over several fields
}

// An inputColumn is where one field of the input goes.
type inputColumn struct {
	input  *input.Field
	column *schema.Field
}

func (w *writing) serveOf(verb string) func(*Call, *request) (*response, error) {
	return map[string]func(*Call, *request) (*response, error){
		verbCreate: w.create, verbUpdate: w.update, verbPatch: w.patch,
	}[verb]
}

// decode reads the body, tells or refuses names that have no effect, and
// checks what can be checked without the database.
func (w *writing) decode(c *Call, r *request, partial bool) (*input.Decoded, error) {
	in, err := w.endpoint.decode(c, r, partial, w.readOnly)
	if err != nil {
		return nil, err
	}
	wrong := w.endpoint.ignoreFields(c, in)
	if w.endpoint.route.Name == verbCreate { // there is no row yet whose values it could repeat
		wrong = append(wrong, w.ignoreReadOnly(c, in, nil)...)
	}
	return in, w.endpoint.refuse(c, r, in, wrong)
}

// ignoreFields notes the names of a body that no field has; those that are not ignored
// are faults.
func (e handler) ignoreFields(c *Call, in *input.Decoded) []problem.Fault {
	var faults []problem.Fault
	for _, pointer := range in.Unknown {
		near := e.input.NearestPointer(pointer)
		if !e.resource.ignores(c, ignoredName(pointer, near)) {
			faults = append(faults, problem.UnknownField(pointer, near))
		}
	}
	return faults
}

// create answers POST {path}/.
func (w *writing) create(c *Call, r *request) (*response, error) {
	in, err := w.decode(c, r, false)
	if err != nil {
		return nil, err
	}
	var out any
	var m reflect.Value
	given := w.endpoint.afresh(r, in, false, w.readOnly)
	err = transact(c, w.simple(in), func(c *Call) error {
		in := given()
		if err := w.endpoint.references(c, in); err != nil {
			return err
		}
		out, m, err = w.insert(c, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	created := w.resource.rowPath(w.resource.key.Value(m.Elem()))
	return &response{status: w.endpoint.statusOr(http.StatusCreated), value: out, created: created}, nil
}

// simple reports whether one statement is the whole write.
func (w *writing) simple(in *input.Decoded) bool {
	_, flat := w.flatPlan()
	return flat && w.verb.fill == nil && w.resource.scope.kind != scopeWhere && !w.refers(in)
}

// flatPlan is the shape of the answer if it needs no second statement.
func (w *writing) flatPlan() (*plan, bool) {
	p, ok := w.shown.(*plan)
	return p, ok && p.flat()
}

func (w *writing) refers(in *input.Decoded) bool {
	return len(w.endpoint.referencesIn(in)) > 0
}

// insert makes a new row of the input and stores it.
func (w *writing) insert(c *Call, in *input.Decoded) (any, reflect.Value, error) {
	m := reflect.New(w.resource.model)
	for _, col := range w.columns {
		col.column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.input.Index))
	}
	if err := w.resource.stamp(c, m.Elem()); err != nil {
		return nil, m, err
	}
	if err := w.fill(c, m, in); err != nil {
		return nil, m, err
	}
	w.resource.document(m.Elem())
	if err := w.resource.insert(c, m); err != nil {
		return nil, m, err
	}
	out, err := w.show(c, m)
	return out, m, err
}

// fill runs the declaration's own function on the row.
func (w *writing) fill(c *Call, m reflect.Value, in *input.Decoded) error {
	if w.verb.fill == nil {
		return nil
	}
	progressOf(c).sent = in.Has
	give(c, m)
	return w.verb.fill(c, m.Interface(), in.Value.Interface())
}

// show answers with a row that was just written.
func (w *writing) show(c *Call, m reflect.Value) (any, error) {
	if err := w.resource.within(c, m.Elem()); err != nil {
		return nil, err
	}
	if p, flat := w.flatPlan(); flat {
		return p.fill(m.Elem()).Interface(), nil
	}
	return w.resource.shownByKey(c, w.shown, w.resource.pk.Value(m.Elem()).Interface())
}

// update answers PUT {path}/{id}/: what is absent returns to its default.
func (w *writing) update(c *Call, r *request) (*response, error) { return w.change(c, r, false) }

// patch answers PATCH {path}/{id}/: only what is present changes.
func (w *writing) patch(c *Call, r *request) (*response, error) { return w.change(c, r, true) }

func (w *writing) change(c *Call, r *request, partial bool) (*response, error) {
	in, err := w.decode(c, r, partial)
	if err != nil {
		return nil, err
	}
	way := w.changeRead
	blind := w.blind(in, partial)
	if blind {
		way = w.changeBlind
	}
	puts := w.resource.declaration.single && !partial
	resp := &response{}
	given := w.endpoint.afresh(r, in, partial, w.readOnly)
	run := func(c *Call) error {
		in := given()
		if err := w.exists(c, r, in); err != nil && !(puts && problem.IsNotFound(err)) {
			return err
		}
		if err := w.endpoint.references(c, in); err != nil {
			return err
		}
		resp.status = w.endpoint.statusOr(http.StatusOK)
		resp.value, err = way(c, r, in, partial)
		if puts && problem.IsNotFound(err) {
			resp.status, resp.created = w.endpoint.statusOr(http.StatusCreated), w.resource.listPath()
			resp.value, _, err = w.insert(c, in)
		}
		return err
	}
	if !puts {
		return resp, transact(c, blind && w.simple(in), run)
	}
	again := rewind(c)
	err = transact(c, false, run)
	if isTaken(err) {
		// Another first PUT may have come between; this one replaces its row.
		again()
		err = transact(c, false, run)
	}
	return resp, err
}

// isTaken tells a row that a unique constraint refused.
func isTaken(err error) bool {
	fault, ok := sqldb.Classify(err)
	return ok && fault.Kind == sqldb.Unique
}

// blind reports whether a change needs nothing of the row as it is.
func (w *writing) blind(in *input.Decoded, partial bool) bool {
	return w.resource.key == w.resource.pk && w.verb.fill == nil && len(in.ReadOnly) == 0 && !(partial && w.checks) && w.resource.scope.kind != scopeWhere
}

// exists answers 404 before it complains of a reference, so that faults do not
// tell which ids are taken.
func (w *writing) exists(c *Call, r *request, in *input.Decoded) error {
	if !w.refers(in) {
		return nil
	}
	_, err := w.resource.modelOf(c, r)
	return err
}

// changeBlind changes the row without reading it first.
func (w *writing) changeBlind(c *Call, r *request, in *input.Decoded, partial bool) (any, error) {
	set := w.assignments(in, partial)
	if len(set) == 0 {
		shown, err := w.shown.Write(c, w.resource.object(c, r), window{rows: 2})
		if err != nil {
			return nil, err
		}
		return shown.one()
	}
	q := w.resource.updating(c, r, append(set, w.resource.touched(c)...))
	out, err := w.changed(c, r, q)
	if err != nil {
		row, written := w.sent(in, partial)
		return nil, w.resource.ofRow(c, row, written, err)
	}
	return out, nil
}

func (w *writing) changed(c *Call, r *request, q *bun.UpdateQuery) (any, error) {
	if p, flat := w.flatPlan(); flat {
		return returned(c, p, q, r.key)
	}
	return w.changedByKey(c, q)
}

// sent is a row with the values of the body, and which columns they are of.
func (w *writing) sent(in *input.Decoded, partial bool) (row reflect.Value, written []*schema.Field) {
	row = reflect.New(w.resource.model).Elem()
	for name, col := range w.columns {
		if !partial || in.Has(name) {
			col.column.Value(row).Set(in.Value.FieldByIndex(col.input.Index))
			written = append(written, col.column)
		}
	}
	return row, written
}

// changedByKey runs an update and reads the row again for an answer that one
// statement cannot give.
func (w *writing) changedByKey(c *Call, q *bun.UpdateQuery) (any, error) {
	key := reflect.New(w.resource.pk.StructField.Type)
	rows, err := c.Session().Query(c, q.Returning("?", bun.Ident(w.resource.pk.Name)))
	if err != nil {
		return nil, err
	}
	if err := one(rows, &columnCell{column: w.resource.pk, value: key.Elem()}); err != nil {
		return nil, err
	}
	return w.resource.shownByKey(c, w.shown, key.Elem().Interface())
}

// changeRead reads the row, locked, and changes it: the way for functions,
// for rules over several fields, and for bodies that repeat what is read-only.
func (w *writing) changeRead(c *Call, r *request, in *input.Decoded, partial bool) (any, error) {
	m, err := w.resource.modelOf(c, r)
	if err != nil {
		return nil, err
	}
	if err := w.compareReadOnly(c, m, in); err != nil {
		return nil, err
	}
	if partial {
		w.endpoint.complete(in.Value, m.Elem(), in)
	}
	if faults := in.Check(); len(faults) > 0 {
		return nil, problem.Invalid(faults...)
	}
	before := reflect.New(w.resource.model).Elem()
	before.Set(m.Elem())
	for name, col := range w.columns {
		if !partial || in.Has(name) {
			col.column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.input.Index))
		}
	}
	if w.resource.updated != nil {
		w.resource.updated.Value(m.Elem()).Set(timeValue(w.resource.updated, c.Now))
	}
	if err := w.fill(c, m, in); err != nil {
		return nil, err
	}
	w.resource.document(m.Elem())
	if err := w.resource.store(c, m.Elem(), w.resource.changed(before, m.Elem())); err != nil {
		return nil, err
	}
	return w.show(c, m)
}

// assignments are the columns that the body changes.
func (w *writing) assignments(in *input.Decoded, partial bool) []assignment {
	var set []assignment
	for _, f := range w.endpoint.input.Fields {
		col, ok := w.columns[f.Name]
		if !ok || partial && !in.Has(f.Name) {
			continue
		}
		set = append(set, assignment{column: col.column.Name, value: param(in.Value.FieldByIndex(f.Index), col.column)})
	}
	return append(set, w.redocument(in, partial)...)
}

// compareReadOnly ignores or rejects read-only names of the body whose values differ from
// the row's, so that a client can send back what it read.
func (w *writing) compareReadOnly(c *Call, m reflect.Value, in *input.Decoded) error {
	if len(in.ReadOnly) == 0 {
		return nil
	}
	before, err := w.shownAs(c, m)
	if err != nil {
		return err
	}
	return problem.RefuseUnknown(w.ignoreReadOnly(c, in, before))
}

// shownAs is how the row was shown, member by member.
func (w *writing) shownAs(c *Call, m reflect.Value) (map[string]jsontext.Value, error) {
	var value any
	var err error
	if p, flat := w.flatPlan(); flat {
		value = p.fill(m.Elem()).Interface()
	} else if value, err = w.resource.shownByKey(c, w.shown, w.resource.pk.Value(m.Elem()).Interface()); err != nil {
		return nil, err
	}
	text, err := wire.Encode(value)
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	err = json.Unmarshal(text, &members)
	return members, err
}

// ignoreReadOnly notes the read-only names of the body, unless their values are those of
// before; those that are not ignored are faults.
func (w *writing) ignoreReadOnly(c *Call, in *input.Decoded, before map[string]jsontext.Value) []problem.Fault {
	var faults []problem.Fault
	for _, name := range slices.Sorted(maps.Keys(in.ReadOnly)) {
		if before != nil && sameJSON(in.ReadOnly[name], before[name]) {
			continue
		}
		if pointer := naming.PointerTo(name); !w.resource.ignores(c, ignoredName(pointer, "")) {
			faults = append(faults, problem.Fault{Pointer: pointer, Code: problem.CodeUnknownField, Detail: "is read-only"})
		}
	}
	return faults
}

// sameJSON compares two values whatever their spelling.
func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// redocument changes the stored search document along with the fields it is
// made of; parts whose fields stay are kept as they are stored.
func (w *writing) redocument(in *input.Decoded, partial bool) []assignment {
	r := w.resource
	if r.search == nil || r.search.storedField == nil {
		return nil
	}
	parts := make([]*string, len(r.search.searched))
	changed := false
	for i, f := range r.search.searched {
		for name, col := range w.columns {
			if col.column == f.Column && (!partial || in.Has(name)) {
				text := ""
				if v := reflect.Indirect(in.Value.FieldByIndex(col.input.Index)); v.IsValid() {
					text = v.String()
				}
				parts[i], changed = &text, true
			}
		}
	}
	if !changed {
		return nil
	}
	column := r.search.storedField.Column.Name
	return []assignment{{column: column, value: r.api.db.Kind().Redocument(column, parts)}}
}

// returned runs an UPDATE of the row of a key that answers with the row it
// changed.
func returned(c *Call, p *plan, q *bun.UpdateQuery, key any) (any, error) {
	found, err := c.Session().Write(c, q.Returning(p.returning), key)
	if err != nil {
		return nil, err
	}
	if p.writer == nil {
		if err := only(found.Len()); err != nil {
			return nil, err
		}
		rows, _, err := p.scan(found)
		if err != nil {
			return nil, err
		}
		return rows.Index(0).Addr().Interface(), nil
	}
	shown, err := p.writer.rows(found, window{})
	if err != nil {
		return nil, err
	}
	return shown.one()
}
