package verb

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
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Writing answers POST, PUT and PATCH of a verb that accepts an input.
type Writing struct {
	Resource *table.Resource
	Endpoint Handler
	Verb     declare.Verb
	Shown    table.Representation
	Columns  map[string]InputColumn // by the client's name
	ReadOnly map[string]bool        // names that are shown and not written
	Checks   bool                   // the input has a rule over several fields
}

// An InputColumn is where one field of the input goes.
type InputColumn struct {
	Input  *input.Field
	Column *schema.Field
}

// ServeOf is what answers the requests of a verb.
func (w *Writing) ServeOf(verb string) func(*call.Call, *table.Request) (*table.Response, error) {
	return map[string]func(*call.Call, *table.Request) (*table.Response, error){
		call.VerbCreate: w.create, call.VerbUpdate: w.update, call.VerbPatch: w.patch,
	}[verb]
}

// decode reads the body, tells or refuses names that have no effect, and
// checks what can be checked without the database.
func (w *Writing) decode(c *call.Call, r *table.Request, partial bool) (*input.Decoded, error) {
	in, err := w.Endpoint.decode(c, r, partial, w.ReadOnly)
	if err != nil {
		return nil, err
	}
	wrong := w.Endpoint.ignoreFields(c, in)
	if w.Endpoint.Route.Name == call.VerbCreate { // there is no row yet whose values it could repeat
		wrong = append(wrong, w.ignoreReadOnly(c, in, nil)...)
	}
	return in, w.Endpoint.refuse(c, r, in, wrong)
}

// ignoreFields notes the names of a body that no field has; those that are not ignored
// are faults.
func (e Handler) ignoreFields(c *call.Call, in *input.Decoded) []problem.Fault {
	var faults []problem.Fault
	for _, pointer := range in.Unknown {
		near := e.Input.NearestPointer(pointer)
		if !e.Resource.Ignores(c, table.IgnoredName(pointer, near)) {
			faults = append(faults, fault.UnknownField(pointer, near))
		}
	}
	return faults
}

// create answers POST {path}/.
func (w *Writing) create(c *call.Call, r *table.Request) (*table.Response, error) {
	in, err := w.decode(c, r, false)
	if err != nil {
		return nil, err
	}
	var out any
	var m reflect.Value
	given := w.Endpoint.afresh(r, in, false, w.ReadOnly)
	err = call.Transact(c, w.simple(in), func(c *call.Call) error {
		in := given()
		if err := w.Endpoint.references(c, in); err != nil {
			return err
		}
		out, m, err = w.insert(c, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	created := w.Resource.RowPath(w.Resource.Key.Value(m.Elem()))
	return &table.Response{Status: w.Endpoint.StatusOr(http.StatusCreated), Value: out, Created: created}, nil
}

// simple reports whether one statement is the whole write.
func (w *Writing) simple(in *input.Decoded) bool {
	_, flat := w.flatPlan()
	return flat && w.Verb.Fill == nil && w.Resource.Scope.Kind != declare.ScopeWhere && !w.refers(in)
}

// flatPlan is the shape of the answer if it needs no second statement.
func (w *Writing) flatPlan() (*view.Plan, bool) {
	p, ok := w.Shown.(*view.Plan)
	return p, ok && p.Flat()
}

func (w *Writing) refers(in *input.Decoded) bool {
	return len(w.Endpoint.referencesIn(in)) > 0
}

// insert makes a new row of the input and stores it.
func (w *Writing) insert(c *call.Call, in *input.Decoded) (any, reflect.Value, error) {
	m := reflect.New(w.Resource.Model)
	for _, col := range w.Columns {
		col.Column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.Input.Index))
	}
	if err := w.Resource.Stamp(c, m.Elem()); err != nil {
		return nil, m, err
	}
	if err := w.fill(c, m, in); err != nil {
		return nil, m, err
	}
	w.Resource.Document(m.Elem())
	if err := w.Resource.Insert(c, m); err != nil {
		return nil, m, err
	}
	out, err := w.show(c, m)
	return out, m, err
}

// fill runs the declaration's own function on the row.
func (w *Writing) fill(c *call.Call, m reflect.Value, in *input.Decoded) error {
	if w.Verb.Fill == nil {
		return nil
	}
	call.ProgressOf(c).Sent = in.Has
	give(c, m)
	return w.Verb.Fill(c, m.Interface(), in.Value.Interface())
}

// show answers with a row that was just written.
func (w *Writing) show(c *call.Call, m reflect.Value) (any, error) {
	if err := w.Resource.Within(c, m.Elem()); err != nil {
		return nil, err
	}
	if p, flat := w.flatPlan(); flat {
		return p.Fill(m.Elem()).Interface(), nil
	}
	return w.Resource.ShownByKey(c, w.Shown, w.Resource.Pk.Value(m.Elem()).Interface())
}

// update answers PUT {path}/{id}/: what is absent returns to its default.
func (w *Writing) update(c *call.Call, r *table.Request) (*table.Response, error) {
	return w.change(c, r, false)
}

// patch answers PATCH {path}/{id}/: only what is present changes.
func (w *Writing) patch(c *call.Call, r *table.Request) (*table.Response, error) {
	return w.change(c, r, true)
}

func (w *Writing) change(c *call.Call, r *table.Request, partial bool) (*table.Response, error) {
	in, err := w.decode(c, r, partial)
	if err != nil {
		return nil, err
	}
	way := w.changeRead
	blind := w.blind(in, partial)
	if blind {
		way = w.changeBlind
	}
	puts := w.Resource.Declaration.Single && !partial
	resp := &table.Response{}
	given := w.Endpoint.afresh(r, in, partial, w.ReadOnly)
	run := func(c *call.Call) error {
		in := given()
		if err := w.exists(c, r, in); err != nil && !(puts && fault.IsNotFound(err)) {
			return err
		}
		if err := w.Endpoint.references(c, in); err != nil {
			return err
		}
		resp.Status = w.Endpoint.StatusOr(http.StatusOK)
		resp.Value, err = way(c, r, in, partial)
		if puts && fault.IsNotFound(err) {
			resp.Status, resp.Created = w.Endpoint.StatusOr(http.StatusCreated), w.Resource.ListPath()
			resp.Value, _, err = w.insert(c, in)
		}
		return err
	}
	if !puts {
		return resp, call.Transact(c, blind && w.simple(in), run)
	}
	again := call.Rewind(c)
	err = call.Transact(c, false, run)
	if isTaken(err) {
		// Another first PUT may have come between; this one replaces its row.
		again()
		err = call.Transact(c, false, run)
	}
	return resp, err
}

// isTaken tells a row that a unique constraint refused.
func isTaken(err error) bool {
	fault, ok := sqldb.Classify(err)
	return ok && fault.Kind == sqldb.Unique
}

// blind reports whether a change needs nothing of the row as it is.
func (w *Writing) blind(in *input.Decoded, partial bool) bool {
	return w.Resource.Key == w.Resource.Pk && w.Verb.Fill == nil && len(in.ReadOnly) == 0 &&
		!(partial && w.Checks) && w.Resource.Scope.Kind != declare.ScopeWhere
}

// exists answers 404 before it complains of a reference, so that faults do not
// tell which ids are taken.
func (w *Writing) exists(c *call.Call, r *table.Request, in *input.Decoded) error {
	if !w.refers(in) {
		return nil
	}
	_, err := w.Resource.ModelOf(c, r)
	return err
}

// changeBlind changes the row without reading it first.
func (w *Writing) changeBlind(c *call.Call, r *table.Request, in *input.Decoded, partial bool) (any, error) {
	set := w.assignments(in, partial)
	if len(set) == 0 {
		shown, err := w.Shown.Write(c, w.Resource.Object(c, r), table.Window{Rows: 2})
		if err != nil {
			return nil, err
		}
		return shown.One()
	}
	q := w.Resource.Updating(c, r, append(set, w.Resource.Touched(c)...))
	out, err := w.changed(c, r, q)
	if err != nil {
		row, written := w.sent(in, partial)
		return nil, w.Resource.OfRow(c, row, written, err)
	}
	return out, nil
}

func (w *Writing) changed(c *call.Call, r *table.Request, q *bun.UpdateQuery) (any, error) {
	if p, flat := w.flatPlan(); flat {
		return returned(c, p, q, r.Key)
	}
	return w.changedByKey(c, q)
}

// sent is a row with the values of the body, and which columns they are of.
func (w *Writing) sent(in *input.Decoded, partial bool) (row reflect.Value, written []*schema.Field) {
	row = reflect.New(w.Resource.Model).Elem()
	for name, col := range w.Columns {
		if !partial || in.Has(name) {
			col.Column.Value(row).Set(in.Value.FieldByIndex(col.Input.Index))
			written = append(written, col.Column)
		}
	}
	return row, written
}

// changedByKey runs an update and reads the row again for an answer that one
// statement cannot give.
func (w *Writing) changedByKey(c *call.Call, q *bun.UpdateQuery) (any, error) {
	key := reflect.New(w.Resource.Pk.StructField.Type)
	rows, err := c.Session().Query(c, q.Returning("?", bun.Ident(w.Resource.Pk.Name))) //nolint:rowserrcheck // One checks it
	if err != nil {
		return nil, err
	}
	if err := table.One(rows, &table.ColumnCell{Column: w.Resource.Pk, Value: key.Elem()}); err != nil {
		return nil, err
	}
	return w.Resource.ShownByKey(c, w.Shown, key.Elem().Interface())
}

// changeRead reads the row, locked, and changes it: the way for functions,
// for rules over several fields, and for bodies that repeat what is read-only.
func (w *Writing) changeRead(c *call.Call, r *table.Request, in *input.Decoded, partial bool) (any, error) {
	m, err := w.Resource.ModelOf(c, r)
	if err != nil {
		return nil, err
	}
	if err := w.compareReadOnly(c, m, in); err != nil {
		return nil, err
	}
	if partial {
		w.Endpoint.complete(in.Value, m.Elem(), in)
	}
	if faults := in.Check(); len(faults) > 0 {
		return nil, problem.Invalid(faults...)
	}
	before := reflect.New(w.Resource.Model).Elem()
	before.Set(m.Elem())
	for name, col := range w.Columns {
		if !partial || in.Has(name) {
			col.Column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.Input.Index))
		}
	}
	if w.Resource.Updated != nil {
		w.Resource.Updated.Value(m.Elem()).Set(table.TimeValue(w.Resource.Updated, c.Now))
	}
	if err := w.fill(c, m, in); err != nil {
		return nil, err
	}
	w.Resource.Document(m.Elem())
	if err := w.Resource.Store(c, m.Elem(), w.Resource.Changed(before, m.Elem())); err != nil {
		return nil, err
	}
	return w.show(c, m)
}

// assignments are the columns that the body changes.
func (w *Writing) assignments(in *input.Decoded, partial bool) []table.Assignment {
	var set []table.Assignment
	for _, f := range w.Endpoint.Input.Fields {
		col, ok := w.Columns[f.Name]
		if !ok || partial && !in.Has(f.Name) {
			continue
		}
		set = append(set, table.Assignment{Column: col.Column.Name, Value: table.Param(in.Value.FieldByIndex(f.Index), col.Column)})
	}
	return append(set, w.redocument(in, partial)...)
}

// compareReadOnly ignores or rejects read-only names of the body whose values differ from
// the row's, so that a client can send back what it read.
func (w *Writing) compareReadOnly(c *call.Call, m reflect.Value, in *input.Decoded) error {
	if len(in.ReadOnly) == 0 {
		return nil
	}
	before, err := w.shownAs(c, m)
	if err != nil {
		return err
	}
	return fault.RejectUnknown(w.ignoreReadOnly(c, in, before))
}

// shownAs is how the row was shown, member by member.
func (w *Writing) shownAs(c *call.Call, m reflect.Value) (map[string]jsontext.Value, error) {
	var value any
	var err error
	if p, flat := w.flatPlan(); flat {
		value = p.Fill(m.Elem()).Interface()
	} else if value, err = w.Resource.ShownByKey(c, w.Shown, w.Resource.Pk.Value(m.Elem()).Interface()); err != nil {
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
func (w *Writing) ignoreReadOnly(c *call.Call, in *input.Decoded, before map[string]jsontext.Value) []problem.Fault {
	var faults []problem.Fault
	for _, name := range slices.Sorted(maps.Keys(in.ReadOnly)) {
		if before != nil && sameJSON(in.ReadOnly[name], before[name]) {
			continue
		}
		if pointer := naming.PointerTo(name); !w.Resource.Ignores(c, table.IgnoredName(pointer, "")) {
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
func (w *Writing) redocument(in *input.Decoded, partial bool) []table.Assignment {
	r := w.Resource
	if r.Search == nil || r.Search.StoredField == nil {
		return nil
	}
	parts := make([]*string, len(r.Search.Searched))
	changed := false
	for i, f := range r.Search.Searched {
		for name, col := range w.Columns {
			if col.Column == f.Column && (!partial || in.Has(name)) {
				text := ""
				if v := reflect.Indirect(in.Value.FieldByIndex(col.Input.Index)); v.IsValid() {
					text = v.String()
				}
				parts[i], changed = &text, true
			}
		}
	}
	if !changed {
		return nil
	}
	column := r.Search.StoredField.Column.Name
	return []table.Assignment{{Column: column, Value: r.API.DB.Kind().Redocument(column, parts)}}
}

// returned runs an UPDATE of the row of a key that answers with the row it
// changed.
func returned(c *call.Call, p *view.Plan, q *bun.UpdateQuery, key any) (any, error) {
	found, err := c.Session().Write(c, q.Returning(p.Returning), key)
	if err != nil {
		return nil, err
	}
	if p.Writer == nil {
		if err := table.Only(found.Len()); err != nil {
			return nil, err
		}
		rows, _, err := p.Scan(found)
		if err != nil {
			return nil, err
		}
		return rows.Index(0).Addr().Interface(), nil
	}
	shown, err := p.Writer.Rows(found, table.Window{})
	if err != nil {
		return nil, err
	}
	return shown.One()
}
