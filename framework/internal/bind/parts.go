package bind

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/apicheck"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// parts finds out whether the answer of an action is sent in parts. If so, it sets the plan of the
// endpoint, adds the error codes of the plan, and reports the settings that make no sense with it.
func (b *binder) parts(e *table.Endpoint, a declare.Action, fault func(error)) {
	if e.Parts = stream.Compile(a.Out, a.Media, b.api.Config.Case, fault); e.Parts == nil {
		return
	}
	e.Out = nil
	if e.Parts.Element != nil {
		apicheck.CheckShown(e.Parts.Element, map[reflect.Type]bool{}, fault)
	}
	switch {
	case a.Idempotent:
		fault(naming.Sentence("Idempotent stores the answer, and an answer that is sent in parts cannot be stored; leave Idempotent out"))
	case e.IsWrite() && !a.Untransacted:
		fault(naming.Sentence("its answer is sent after the transaction of its function; write Untransacted, and change rows by Call.InTx"))
	case a.Status == http.StatusNoContent || a.Status == http.StatusResetContent || a.Status == http.StatusPartialContent:
		fault(naming.Sentence("Answers(%d) is for another kind of answer; an answer that is sent in parts has a body", a.Status))
	}
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeNotAcceptable)
	ranges := e.Parts.ServesRanges(e.Route.Method, cmp.Or(a.Status, http.StatusOK))
	if ranges {
		e.Refuses = append(e.Refuses, problem.CodeRangeNotSatisfiable, problem.CodePreconditionFailed)
	}
	e.Sends = append(slices.Clip(e.Sends), partsHeaders(e.Parts, ranges)...)
	if e.Parts.HasEvents() {
		e.Takes = append(slices.Clip(e.Takes), call.Header{Name: "Last-Event-ID", Doc: "The id of the last event that the client received, to go on from there."})
	}
}

// partsHeaders lists the headers of answers that are sent in parts.
func partsHeaders(p *stream.Plan, ranges bool) (all []call.Header) {
	if p.HasEvents() {
		return []call.Header{{Name: "X-Accel-Buffering", Doc: "no for a stream of events: a proxy passes each one on at once."}}
	}
	if p.Element == nil {
		all = append(all, call.Header{Name: "Content-Disposition", Doc: "Whether a browser saves or shows the bytes, and the name of the file."})
	}
	if ranges {
		all = append(
			all,
			call.Header{Name: "Accept-Ranges", Doc: "bytes, if parts can be requested."},
			call.Header{Name: "Content-Range", Doc: "The part that was sent, and the number of all bytes."},
			call.Header{Name: "ETag", Doc: "The version of the bytes."},
			call.Header{Name: "Last-Modified", Doc: "The time of their last change."},
		)
	}
	return all
}

// checkWhole reports that the function of a verb returns a stream or bytes.
func checkWhole(out reflect.Type, fault func(error)) {
	if stream.Compile(out, nil, naming.AsInGo, func(error) {}) != nil {
		fault(naming.Sentence("its function returns %s, which is sent in parts; only an action may, such as one of framework.Get or OnCollection", out))
	}
}
