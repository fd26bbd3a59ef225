package stream

import (
	"iter"
	"net/http"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// A RowWriter writes rows that are JSON already. One answer uses it, in one goroutine.
type RowWriter interface {
	// Head appends what comes before the first row.
	Head(b []byte) []byte
	// Rows appends the rows of a JSON array.
	Rows(b []byte, rows jsontext.Value) ([]byte, error)
}

// NewRows makes the answer of an endpoint whose rows are read in parts, each a JSON array. header has more
// headers of the answer; an error does not have them.
func NewRows(status int, f *Format, w RowWriter, header http.Header, parts iter.Seq2[jsontext.Value, error]) *Answer {
	own := *f
	own.encoder = func(Hider) encoder { return rowEncoder{w, f.media == string(NDJSON)} }
	return &Answer{Status: status, format: &own, rows: reflect.ValueOf(parts), header: header}
}

// A rowEncoder is the encoder of a RowWriter.
type rowEncoder struct {
	RowWriter

	lines bool // a line may have an error
}

func (r rowEncoder) head(b []byte) []byte { return r.Head(b) }

func (r rowEncoder) element(b []byte, value any) ([]byte, error) {
	return r.Rows(b, value.(jsontext.Value)) //nolint:forcetypeassert // NewRows takes no other
}

func (r rowEncoder) failure(b, problem []byte) ([]byte, bool) {
	if r.lines {
		return ndjson{}.failure(b, problem)
	}
	return b, false
}
