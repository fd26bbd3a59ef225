package stream

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A Plan is the answer of an endpoint that is sent in parts: its media types, and the type of
// an element if it is a stream. It is safe for concurrent use.
type Plan struct {
	Element reflect.Type // nil for bytes
	formats []*Format
	fixed   bool // the content has its media type, whatever the client accepts
}

// Compile makes the plan of a function that returns out, and reports each mistake. It returns
// nil if the answer is one JSON value.
func Compile(out reflect.Type, declared []Media, names naming.Case, fault func(error)) *Plan {
	element, isStream := ElementOf(out)
	switch {
	case isStream:
		return compileStream(element, declared, names, fault)
	case out == reflect.TypeFor[Content]():
		return compileContent(declared, fault)
	case isIterator(out):
		fault(naming.Sentence("its function returns %s; a stream is an iter.Seq2[T, error], so that an element can be an error", out))
	case out == reflect.TypeFor[*Content]():
		fault(naming.Sentence("its function returns a pointer; return framework.Content itself"))
	case len(declared) > 0:
		fault(naming.Sentence("As(%q) is for a function that returns iter.Seq2[T, error] or framework.Content; this one returns %s, which is sent as JSON", declared[0], out))
	}
	return nil
}

// ElementOf returns T if a type is iter.Seq2[T, error] or has the same underlying type.
func ElementOf(t reflect.Type) (element reflect.Type, ok bool) {
	if t == nil || t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || !t.CanSeq2() {
		return nil, false
	}
	yield := t.In(0)
	return yield.In(0), yield.In(1) == reflect.TypeFor[error]()
}

// isIterator reports whether a type is an iterator without an error.
func isIterator(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Func && (t.CanSeq() || t.CanSeq2())
}

func compileStream(element reflect.Type, declared []Media, cased naming.Case, fault func(error)) *Plan {
	if len(declared) == 0 {
		declared = []Media{NDJSON}
	}
	p, renamed := &Plan{Element: element}, wire.CompileNames(element, cased)
	for _, m := range declared {
		if !slices.Contains(streamable, m) {
			names := mediaNames(streamable)
			fault(naming.Sentence("As(%q): a stream is sent as one of %s%s", m, strings.Join(names, ", "), naming.DidYouMean(string(m), names)))
			continue
		}
		f := NewFormat(m)
		switch m {
		case NDJSON:
			f.encoder = func(h Hider) encoder { return ndjson{h, renamed} }
		case EventStream:
			f.encoder, f.events = func(h Hider) encoder { return events{h, renamed} }, true
		case CSV, ExactCSV:
			table, err := compileCSV(element, m == ExactCSV, cased)
			if err != nil {
				fault(naming.Sentence("As(%q): %w", m, err))
				continue
			}
			f.encoder = table.without
		}
		p.add(f, fault)
	}
	return p
}

func compileContent(declared []Media, fault func(error)) *Plan {
	if len(declared) == 0 {
		fault(naming.Sentence("its function returns framework.Content, but no media type is declared; write As(\"application/pdf\") or the like"))
	}
	p := &Plan{}
	for _, m := range declared {
		f, err := parseFormat(m)
		if err != nil {
			fault(naming.Sentence("As(%q): %w", m, err))
			continue
		}
		p.add(f, fault)
	}
	return p
}

func (f *Format) addParam(name, value string) {
	if f.params == nil {
		f.params = map[string]string{}
	}
	f.params[name] = value
}

// add adds a format, and reports one whose media type the plan has already.
func (p *Plan) add(f *Format, fault func(error)) {
	if slices.Contains(p.Media(), f.media) {
		fault(naming.Sentence("As: %s is declared twice", f.media))
		return
	}
	p.formats = append(p.formats, f)
}

// Media lists the media types without parameters. The first is the default.
func (p *Plan) Media() []string {
	all := make([]string, len(p.formats))
	for i, f := range p.formats {
		all[i] = f.media
	}
	return all
}

// HasEvents reports whether the answer may be an event stream.
func (p *Plan) HasEvents() bool {
	return slices.ContainsFunc(p.formats, func(f *Format) bool { return f.events })
}

// ServesRanges reports whether the answer to a method may be a part of the bytes, or none
// because the client has them: for bytes by GET.
func (p *Plan) ServesRanges(method string, status int) bool {
	return p.Element == nil && method == http.MethodGet && status == http.StatusOK
}

// Negotiates reports whether the header Accept decides which media type the answer has.
func (p *Plan) Negotiates() bool { return !p.fixed && len(p.formats) > 1 }

// Choose returns the format that the client of a request prefers. If the client accepts none,
// the error is 406 and lists the media types of the endpoint. The format of a download is nil: it
// is known when the file is.
func (p *Plan) Choose(r *http.Request) (*Format, error) {
	if p.fixed {
		return nil, nil
	}
	if f := choose(r.Header.Values("Accept"), p.formats); f != nil {
		return f, nil
	}
	offered := p.Media()
	e := problem.Refuse(http.StatusNotAcceptable, problem.CodeNotAcceptable, fmt.Sprintf(
		"The header Accept excludes every media type of this endpoint; it has %s.", strings.Join(offered, ", ")))
	return nil, e.With(problem.NotAcceptableDetails{Offered: offered})
}
