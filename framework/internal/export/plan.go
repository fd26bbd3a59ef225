package export

import (
	"fmt"
	"iter"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowtext"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Param is the query parameter that chooses the format of a list.
const Param = "format"

// A Plan is the formats of a list. It does not change once it is compiled. A nil Plan is that of a list that is
// sent as JSON alone.
type Plan struct {
	formats []*Format // JSON first, which is the default
}

// A Format is one format of a list.
type Format struct {
	Name   string // the value of the parameter, and the end of the name of a file: "csv"
	Media  stream.Media
	sent   *stream.Format
	fields []rowtext.Field // of a row of CSV
}

// exported are the formats that a list may have beside JSON, by the names that clients use.
var exported = []struct {
	media stream.Media
	name  string
}{{stream.CSV, "csv"}, {stream.ExactCSV, "csv"}, {stream.NDJSON, "ndjson"}}

// Compile makes the plan of a list whose rows are shown by a type, and reports each mistake.
func Compile(out reflect.Type, declared []stream.Media, cased naming.Case, fault func(error)) *Plan {
	p := &Plan{formats: []*Format{{Name: "json", Media: asJSON, sent: stream.NewFormat(asJSON)}}}
	for _, media := range declared {
		f, err := formatOf(media, out, cased)
		if err == nil && slices.Contains(p.Names(), f.Name) {
			err = naming.Sentence("%s is declared twice", f.Name)
		}
		if err != nil {
			fault(err)
			continue
		}
		p.formats = append(p.formats, f)
	}
	return p
}

const asJSON stream.Media = "application/json"

func formatOf(media stream.Media, out reflect.Type, cased naming.Case) (*Format, error) {
	var known []string
	for _, one := range exported {
		if one.media != media {
			known = append(known, string(one.media))
			continue
		}
		f := &Format{Name: one.name, Media: media, sent: stream.NewFormat(media)}
		if media == stream.NDJSON {
			return f, nil
		}
		var err error
		f.fields, err = rowtext.FieldsOf(out, cased)
		return f, err
	}
	return nil, naming.Sentence("a list is exported as one of %s, not as %q%s", strings.Join(known, ", "), media, naming.DidYouMean(string(media), known))
}

// Names are the values of the parameter.
func (p *Plan) Names() (names []string) {
	for _, f := range p.formats {
		names = append(names, f.Name)
	}
	return names
}

// Media are the media types beside JSON, without parameters.
func (p *Plan) Media() (media []string) {
	if p == nil {
		return nil
	}
	for _, f := range p.formats[1:] {
		media = append(media, f.sent.Media())
	}
	return media
}

// Param describes the parameter.
func (p *Plan) Param() query.Param {
	doc := "The format of the answer. Every format but json has all rows of the list, and takes no parameters of pages. Defaults to the one that the header Accept prefers, or else json."
	return query.Param{Name: Param, Doc: doc, Enum: p.Names()}
}

// Choose returns the format of a request: the one that the value of the parameter names or, without a value, the one
// that its header Accept prefers. It returns nil for JSON, which is also for a header that accepts no format.
func (p *Plan) Choose(value string, r *http.Request) (*Format, error) {
	if p == nil {
		return nil, nil
	}
	for i, f := range p.formats {
		if f.Name == value {
			return p.at(i), nil
		}
	}
	if value != "" {
		return nil, problem.InvalidParameter(Param, problem.OneOf(p.Names(), value))
	}
	var sent []*stream.Format
	for _, f := range p.formats {
		sent = append(sent, f.sent)
	}
	return p.at(slices.Index(sent, stream.Preferred(r.Header.Values("Accept"), sent))), nil
}

func (p *Plan) at(i int) *Format {
	if i < 1 {
		return nil
	}
	return p.formats[i]
}

// Answer makes the answer with rows that are read in parts, each a JSON array. The file has a name, and the end
// of the format.
func (f *Format) Answer(status int, name string, hidden *fieldrule.Hidden, parts iter.Seq2[jsontext.Value, error]) *stream.Answer {
	file := mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%s.%s", name, f.Name)})
	return stream.NewRows(status, f.sent, f.writer(hidden), http.Header{"Content-Disposition": {file}}, parts)
}

func (f *Format) writer(hidden *fieldrule.Hidden) stream.RowWriter {
	if f.Media == stream.NDJSON {
		return rowtext.Lines{}
	}
	return rowtext.NewSheet(f.fields, f.Media == stream.ExactCSV, hidden)
}
