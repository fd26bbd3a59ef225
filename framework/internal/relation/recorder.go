package relation

import "trestle.example/framework/query"

// A Recorder is a source that records the fields which a filter finds, as fields of the row of the
// list.
type Recorder struct {
	query.Source

	row    query.Source // of the row of the list
	prefix string       // of the paths of this source, seen from the row
	fields *[]query.Field
}

// NewRecorder makes a recorder of a resource.
func NewRecorder(row query.Source) *Recorder {
	return &Recorder{Source: row, row: row, fields: new([]query.Field)}
}

// Fields lists the fields that were found, also by the recorders of [Recorder.Relation].
func (r *Recorder) Fields() []query.Field { return *r.fields }

// Field implements [query.Source].
func (r *Recorder) Field(name string) (query.Field, error) { return r.record(name, r.Source.Field) }

// FieldAt implements [query.Source].
func (r *Recorder) FieldAt(path string) (query.Field, error) {
	return r.record(path, r.Source.FieldAt)
}

// Relation implements [query.Source]. The related rows are a recorder too.
func (r *Recorder) Relation(path string) (query.Source, query.RelatedRows, error) {
	source, related, err := r.Source.Relation(path)
	if err != nil {
		return nil, nil, err
	}
	return &Recorder{Source: source, row: r.row, prefix: r.prefix + path + ".", fields: r.fields}, related, nil
}

func (r *Recorder) record(path string, find func(string) (query.Field, error)) (query.Field, error) {
	f, err := find(path)
	if err != nil {
		return f, err
	}
	recorded := f
	if r.prefix != "" {
		if recorded, err = r.row.FieldAt(r.prefix + path); err != nil {
			return f, err
		}
	}
	*r.fields = append(*r.fields, recorded)
	return f, nil
}
