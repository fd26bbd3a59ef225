package verb

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/refer"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
)

// A Writing answers POST, PUT and PATCH of a verb that accepts an input.
type Writing struct {
	Resource *table.Resource
	Endpoint Handler
	Verb     declare.Verb
	Shown    scan.Representation
	// Whole shows the members that clients choose too; nil if Shown has all.
	Whole    scan.Representation
	Columns  map[string]InputColumn // by the client's name
	ReadOnly map[string]bool        // names that clients read and cannot write
	Checks   bool                   // the input has a rule over several fields
	PathKey  *input.Field           // of PUT and PATCH: the field with the key of the path; nil without one
	Lists    *children.Lists        // the fields that set related rows; nil without one
}

// An InputColumn is a field of the input and the column that it writes.
type InputColumn struct {
	Input  *input.Field
	Column *schema.Field
}

// Serve returns the function that answers the requests of the verb.
func (w *Writing) Serve() func(*call.Call, *table.Request) (*table.Response, error) {
	serve := w.Endpoint.serve(w.step())
	if w.Endpoint.MayInsert() {
		return RetryTaken(serve)
	}
	return serve
}

// step is what the verb does with a decoded input.
func (w *Writing) step() step {
	if w.Endpoint.Route.Name == call.VerbCreate {
		return step{readOnly: w.ReadOnly, alone: w.simpleCreate, act: w.create, lists: w.Lists}
	}
	return step{readOnly: w.ReadOnly, alone: w.simpleChange, object: w.object, confirm: w.confirm, act: w.change, lists: w.Lists}
}

// create answers POST {path}/.
func (w *Writing) create(c *call.Call, r *table.Request, in *input.Decoded, _ reflect.Value, changes children.Changes) (*table.Response, error) {
	out, m, err := w.insert(c, in, changes)
	if err != nil {
		return nil, err
	}
	created := w.Resource.RowPath(r.Above, w.Resource.Key.Value(m.Elem()))
	return &table.Response{Status: w.Endpoint.Status, Value: out.Value, Version: out.Version, Created: created}, nil
}

// simple reports whether the write, without a read of the row before it, is one statement.
func (w *Writing) simple(in *input.Decoded) bool {
	_, flat := w.flatPlan()
	extra := w.Resource.Observed() || w.Resource.Slug != nil || w.Resource.Quota() != nil // needs statements of its own
	return flat && !extra && w.Verb.Fill == nil && w.Resource.Scope.Kind != declare.ScopeWhere && !w.refers(in) && !w.lists(in)
}

// simpleCreate reports whether a create is one statement. Below a parent, another one locks the
// parent's row.
func (w *Writing) simpleCreate(_ *call.Call, _ *table.Request, in *input.Decoded) bool {
	return w.Resource.Above == nil && w.simple(in)
}

// flatPlan returns the plan of the answer, nil without one, and whether the row alone is enough
// for the answer.
func (w *Writing) flatPlan() (*view.Plan, bool) {
	p, ok := w.Shown.(*view.Plan)
	return p, ok && p.Flat() && !w.silent()
}

// silent reports whether the verb answers without a body.
func (w *Writing) silent() bool { return w.Verb.Out == input.NoneType }

func (w *Writing) refers(in *input.Decoded) bool { return len(refer.In(w.Endpoint.Endpoint, in)) > 0 }

// lists reports whether the verb sets related rows. A new row has none yet, so a list that the body
// of a create lacks changes nothing.
func (w *Writing) lists(in *input.Decoded) bool {
	return w.Lists.Given(in, w.Endpoint.Partial() || w.Endpoint.Route.Name == call.VerbCreate)
}

// insert makes a new row of the input, runs the function of a Fills on it, and stores it and its
// related rows. It returns the answer and the row. If the row is not in the caller's Where scope, the error is
// 403.
func (w *Writing) insert(c *call.Call, in *input.Decoded, changes children.Changes) (out scan.SentRow, m reflect.Value, err error) {
	if m, err = w.NewRow(c, in); err != nil {
		return out, m, err
	}
	if err := rowslug.Fill(c, w.Resource, m.Elem()); err != nil {
		return out, m, err
	}
	store.Document(w.Resource, m.Elem())
	if err := store.Insert(c, w.Resource, m); err != nil {
		return out, m, err
	}
	out, err = w.show(c, m, in, changes)
	return out, m, err
}

// NewRow makes a new row of an input, as a pointer to its model, and runs the function of a Fills on it. It
// stores nothing.
func (w *Writing) NewRow(c *call.Call, in *input.Decoded) (m reflect.Value, err error) {
	m = bunmodel.New(w.Resource.Table)
	if len(w.guarded(c)) > 0 {
		if err := w.checkNew(c, in); err != nil {
			return m, err
		}
	}
	for _, col := range w.Columns {
		col.Column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.Input.Index))
	}
	if err := store.Stamp(c, w.Resource, m.Elem()); err != nil {
		return m, err
	}
	return m, w.fill(c, m, in)
}

// fill runs the function of a Fills on the row, and notes the row for Save. Without a function
// it does nothing.
func (w *Writing) fill(c *call.Call, m reflect.Value, in *input.Decoded) error {
	if w.Verb.Fill == nil {
		return nil
	}
	rows.NoteGiven(c, w.Resource, m)
	return w.Verb.Fill(c, m.Interface(), in.Value.Interface())
}

// show stores the related rows of a row that was just written, runs the second function of a
// FillsThen, and makes the answer. If the row is not in the caller's Where scope, the error is 403.
func (w *Writing) show(c *call.Call, m reflect.Value, in *input.Decoded, changes children.Changes) (out scan.SentRow, err error) {
	if err := changes.Store(c, m); err != nil {
		return out, err
	}
	if w.Verb.Then != nil {
		if err := w.Verb.Then(c, m.Interface(), in.Value.Interface()); err != nil {
			return out, err
		}
	}
	if err := store.Within(c, w.Resource, m.Elem()); err != nil {
		return out, err
	}
	return w.shown(c, m)
}

// shown makes the answer from a row. If the row alone is not enough, it reads the row again.
func (w *Writing) shown(c *call.Call, m reflect.Value) (scan.SentRow, error) {
	if w.silent() {
		return scan.SentRow{}, nil
	}
	version, known := w.Resource.Version.OfModel(m.Elem())
	if w.Resource.Version != nil && w.Verb.Then != nil { // it may have changed the row by statements of its own
		known = false
	}
	if p, flat := w.flatPlan(); flat && known {
		return scan.SentRow{Value: p.Fill(c, m.Elem()).Interface(), Version: version}, nil
	}
	return w.Resource.ShownByKey(c, w.Shown, w.Resource.Pk.Value(m.Elem()).Interface())
}

// blind reports whether a change does not need to read the row first. The Recorder of the API needs the row
// before the change if the body writes a column, and If-Match compares its version.
func (w *Writing) blind(c *call.Call, r *table.Request, in *input.Decoded) bool {
	return r.Match == nil && (!w.Resource.Observed() || len(w.assignments(in)) == 0) &&
		w.Resource.Key == w.Resource.Pk && w.Verb.Fill == nil && len(in.ReadOnly) == 0 &&
		!(w.Endpoint.Partial() && w.Checks) && w.Resource.Scope.Kind != declare.ScopeWhere && !w.renewsSlug(in) &&
		!w.moves(in) && !w.lists(in) && len(w.guarded(c)) == 0
}

// renewsSlug reports whether the verb writes the field that a renewed slug is made from.
func (w *Writing) renewsSlug(in *input.Decoded) bool {
	s := w.Resource.Slug
	if s == nil || !s.Renew {
		return false
	}
	for name, col := range w.Columns {
		if col.Column == s.From.Column && w.writes(in, name) {
			return true
		}
	}
	return false
}

// moves reports whether the verb may give the row to another owner, who may have a quota.
func (w *Writing) moves(in *input.Decoded) bool {
	if w.Resource.Quota() == nil {
		return false
	}
	_, written := w.sent(in)
	return store.Moves(w.Resource, written)
}

func (w *Writing) simpleChange(c *call.Call, r *table.Request, in *input.Decoded) bool {
	return !w.Endpoint.MayInsert() && w.blind(c, r, in) && w.simple(in)
}

// object reads the row, as [table.Resource.ModelOf] does, if the change is not blind or the
// input has references. Otherwise it returns an invalid value. It also returns an invalid value
// if the row does not exist and the PUT inserts it. A body with another key than the path is a
// validation error.
func (w *Writing) object(c *call.Call, r *table.Request, in *input.Decoded) (m reflect.Value, err error) {
	if err := w.checkKey(r, in); err != nil {
		return m, err
	}
	if w.blind(c, r, in) && !w.refers(in) {
		return m, nil
	}
	m, err = w.Resource.ModelOf(c, r)
	switch {
	case !w.Endpoint.MayInsert() || !fault.IsNotFound(err):
		return m, err
	case r.Match != nil:
		return m, conditional.Missing()
	}
	return reflect.Value{}, nil
}

// confirm returns the error 412 if the body sets related rows and no ETag of If-Match is that of the
// row as the caller sees it now: by a read, or by the answer of this verb. Related rows change without
// the version of the row, and the body would undo their changes. They are locked already.
func (w *Writing) confirm(c *call.Call, r *table.Request, in *input.Decoded, m reflect.Value) error {
	if r.Match == nil || r.Match.Any || !m.IsValid() || !w.lists(in) {
		return nil
	}
	defer state.Of(c).Rewind()() // the answer does not show what is read here
	version, _ := w.Resource.Version.OfModel(m.Elem())
	if !w.silent() {
		row, err := w.shown(c, m)
		if err != nil {
			return err
		}
		own, err := w.Endpoint.tagOf(c, &table.Response{Value: row.Value, Version: row.Version})
		if err != nil || r.Match.CheckWhole(version, own) == nil {
			return err
		}
	}
	read, err := w.Endpoint.current(c, r)
	if err != nil {
		return err
	}
	return r.Match.CheckWhole(version, read)
}

// checkKey returns a validation error if the body has another key than the path.
func (w *Writing) checkKey(r *table.Request, in *input.Decoded) error {
	if w.PathKey == nil || !in.Has(w.PathKey.Name) || in.Value.FieldByIndex(w.PathKey.Index).String() == r.Key {
		return nil
	}
	return problem.Invalid(problem.Fault{
		Pointer: naming.PointerTo(w.PathKey.Name), Code: "key", Detail: "must be the key in the path, because a key cannot change",
	})
}

// change answers PUT and PATCH {path}/{id}/. PUT sets the fields that the body lacks to their
// defaults; PATCH leaves them as they are. If the row does not exist, the PUT of a single
// resource inserts it, and any other request gets the error 404.
func (w *Writing) change(c *call.Call, r *table.Request, in *input.Decoded, m reflect.Value, changes children.Changes) (*table.Response, error) {
	resp := &table.Response{Status: w.Endpoint.Status}
	var out scan.SentRow
	var err error
	switch {
	case w.blind(c, r, in) && !(m.IsValid() && w.Resource.Recorded()): // a row that was read is not read again for the history
		out, err = w.changeBlind(c, r, in)
	case m.IsValid():
		out, err = w.changeRead(c, m, in, changes)
	default:
		err = problem.NotFound()
	}
	if w.Endpoint.MayInsert() && !m.IsValid() && fault.IsNotFound(err) {
		resp.Status, resp.Created = w.Endpoint.FirstStatus, w.Resource.ListPath()
		out, _, err = w.insert(c, in, changes)
	}
	resp.Value, resp.Version = out.Value, out.Version
	return resp, err
}

// changeBlind changes the row without reading it first. If the body writes no column, it only
// reads the row for the answer. Without a row, the error is 404.
func (w *Writing) changeBlind(c *call.Call, r *table.Request, in *input.Decoded) (none scan.SentRow, err error) {
	set := w.assignments(in)
	if len(set) == 0 && w.silent() {
		_, err := w.Resource.ModelOf(c, r)
		return none, err
	}
	if len(set) == 0 {
		shown, err := w.Shown.Write(c, w.Resource.Object(c, r), scan.Window{Rows: 2, Version: w.Resource.Version})
		if err != nil {
			return none, err
		}
		return shown.One()
	}
	out, err := w.changed(c, r, append(set, store.Touched(c, w.Resource)...))
	if err != nil {
		row, written := w.sent(in)
		return none, store.OfRow(c, w.Resource, row, written, err)
	}
	return out, nil
}

func (w *Writing) changed(c *call.Call, r *table.Request, set []store.Assignment) (scan.SentRow, error) {
	if w.Resource.Recorded() {
		m, err := store.UpdateRecorded(c, w.Resource, r, set)
		if err != nil {
			return scan.SentRow{}, err
		}
		return w.shown(c, m)
	}
	q := store.Updating(c, w.Resource, r, set)
	v := w.Resource.Version
	if p, flat := w.flatPlan(); flat && (v == nil || v.Column != nil) {
		return returned(c, p, q, r.Key, v)
	}
	return w.changedByKey(c, q)
}

// sent makes a row with the values that the verb writes, and lists their columns.
func (w *Writing) sent(in *input.Decoded) (row reflect.Value, written []*schema.Field) {
	row = reflect.New(w.Resource.Model).Elem()
	for name, col := range w.Columns {
		if w.writes(in, name) {
			col.Column.Value(row).Set(in.Value.FieldByIndex(col.Input.Index))
			written = append(written, col.Column)
		}
	}
	return row, written
}

// changedByKey runs an update, and reads the row again for its answer. If the update changes no
// row, the error is 404.
func (w *Writing) changedByKey(c *call.Call, q *bun.UpdateQuery) (none scan.SentRow, err error) {
	key := reflect.New(w.Resource.Pk.StructField.Type)
	rows, err := c.Session().Query(c, q.Returning("?", bun.Ident(w.Resource.Pk.Name)))
	if err != nil {
		return none, err
	}
	if err := cell.One(rows, &cell.Scanner{Column: w.Resource.Pk, Value: key.Elem()}); err != nil || w.silent() {
		return none, err
	}
	return w.Resource.ShownByKey(c, w.Shown, key.Elem().Interface())
}

// changeRead changes a row that was read, because the change is not blind. It writes the columns
// that [store.Changed] lists. If the row is then out of the caller's Where scope, the
// error is 403.
func (w *Writing) changeRead(c *call.Call, m reflect.Value, in *input.Decoded, changes children.Changes) (none scan.SentRow, err error) {
	if err := w.compareReadOnly(c, m, in); err != nil {
		return none, err
	}
	var before reflect.Value // of the row; a function may change what its columns point to, and a copy shares that
	if w.Verb.Fill == nil && w.Resource.Recorded() {
		before = bunmodel.Copy(w.Resource.Table, m.Elem()).Elem()
	}
	columns, err := w.ChangeRow(c, m, in)
	if err != nil {
		return none, err
	}
	if err := store.UpdateOver(c, w.Resource, before, m.Elem(), columns); err != nil {
		return none, err
	}
	if len(columns) == 0 && w.lists(in) {
		if err := store.CountUp(c, w.Resource, m.Elem()); err != nil {
			return none, err
		}
	}
	return w.show(c, m, in, changes)
}

// ChangeRow changes a row that was read, given as a pointer to its model, as an input says, and runs the function
// of a Fills on it. It returns the columns that [store.Changed] lists, and stores nothing.
func (w *Writing) ChangeRow(c *call.Call, m reflect.Value, in *input.Decoded) ([]*schema.Field, error) {
	if w.Endpoint.Partial() {
		w.Endpoint.complete(in, m.Elem())
	}
	if err := w.keep(c, in, m.Elem()); err != nil {
		return nil, err
	}
	if faults := in.Check(); len(faults) > 0 {
		return nil, problem.Invalid(faults...)
	}
	before := bunmodel.Copy(w.Resource.Table, m.Elem()).Elem()
	for name, col := range w.Columns {
		if w.writes(in, name) {
			col.Column.Value(m.Elem()).Set(in.Value.FieldByIndex(col.Input.Index))
		}
	}
	if w.Resource.Updated != nil {
		w.Resource.Updated.Value(m.Elem()).Set(cell.Value(w.Resource.Updated, c.Now))
	}
	if err := w.fill(c, m, in); err != nil {
		return nil, err
	}
	if err := rowslug.Renew(c, w.Resource, m.Elem()); err != nil {
		return nil, err
	}
	store.Document(w.Resource, m.Elem())
	return store.Changed(w.Resource, before, m.Elem()), nil
}

// writes reports whether the verb writes a field: all of them, or for PATCH those of the body.
func (w *Writing) writes(in *input.Decoded, name string) bool {
	return !w.Endpoint.Partial() || in.Has(name)
}

// assignments are the columns that the verb writes, and the stored search document if the verb
// writes a searched column.
func (w *Writing) assignments(in *input.Decoded) []store.Assignment {
	var set []store.Assignment
	for _, f := range w.Endpoint.Input.Fields {
		col, ok := w.Columns[f.Name]
		if !ok || !w.writes(in, f.Name) {
			continue
		}
		set = append(set, store.Assignment{Column: col.Column.Name, Value: cell.Param(in.Value.FieldByIndex(f.Index), col.Column)})
	}
	return append(set, w.redocument(in)...)
}

// redocument assigns the stored search document. The parts of fields that the verb does not
// write stay as they are stored. If the viewset has no stored document, or the verb writes no
// searched field, redocument returns nil.
func (w *Writing) redocument(in *input.Decoded) []store.Assignment {
	r := w.Resource
	if r.Search == nil || r.Search.StoredField == nil {
		return nil
	}
	parts := make([]*string, len(r.Search.Searched))
	changed := false
	for i, f := range r.Search.Searched {
		for name, col := range w.Columns {
			if col.Column == f.Column && w.writes(in, name) {
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
	return []store.Assignment{{Column: column, Value: r.API.DB.Kind().Redocument(column, parts)}}
}

// returned runs an UPDATE of the row with a key, and makes the answer from the row that the
// statement returns, with its version. If the statement changes no row, the error is 404.
func returned(c *call.Call, p *view.Plan, q *bun.UpdateQuery, key any, v *conditional.Version) (out scan.SentRow, err error) {
	found, err := c.Session().Write(c, q.Returning(v.Returning(p.Returning)), key)
	if err != nil {
		return out, err
	}
	sent, err := p.Sent(c, found, scan.Window{Version: v})
	if err != nil {
		return out, err
	}
	return sent.One()
}
