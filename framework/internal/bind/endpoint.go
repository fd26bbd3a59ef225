package bind

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// newEndpoint makes an endpoint, and reports mistakes in its own rules. A permission,
// authentication or throttles that are nil are taken from the viewset. The caller sets the path,
// the input, the output and the function.
func (b *binder) newEndpoint(r *table.Resource, place, name, method string, own declare.Rules) *table.Endpoint {
	b.checkStatus(r, place, own.Status)
	b.checkCodes(r, place, own.Refuses)
	b.checkKeys(own, method, b.at(r, place))
	checkRules(own, b.at(r, place))
	schemes := naming.Inherited(own.Authentication, r.Access.Authentication)
	return &table.Endpoint{
		Resource: r, Route: call.Route{ViewSet: r.Path, Name: name, Method: method}, Status: own.Status, Unwrapped: own.Unwrapped,
		SignsIn: own.SignsIn, Secret: own.Secret,
		Untransacted: own.Untransacted, Idempotent: own.Idempotent || b.keepsAnswer(own, method, schemes),
		Refuses: own.Refuses, Named: own.Named, Sends: own.Sends, Takes: own.Takes,
		Middleware: slices.Concat(r.Declaration.Middleware, own.Middleware),
		Check: access.Check{
			Permission:     cmp.Or(own.Permission, r.Access.Permission),
			Authentication: schemes,
			Throttles:      naming.Inherited(own.Throttles, r.Access.Throttles),
		},
	}
}

// keepsAnswer reports whether an endpoint honours Idempotency-Key without a declaration. A key belongs
// to a caller, so an endpoint without authentication honours none.
func (b *binder) keepsAnswer(own declare.Rules, method string, schemes []call.Authenticator) bool {
	return b.api.Config.IdempotencyKeys > 0 && len(schemes) > 0 && own.KeepsAnswer(method)
}

// checkKeys reports an endpoint that is declared as idempotent and cannot be.
func (b *binder) checkKeys(own declare.Rules, method string, fault func(error)) {
	if own.Idempotent && b.api.Config.IdempotencyKeys < 0 {
		fault(naming.Sentence("Idempotent needs stored keys, and Config.IdempotencyKeys is %d, which stores none; leave out one of them", b.api.Config.IdempotencyKeys))
		return
	}
	declare.CheckIdempotent(own, method, fault)
}

// queryInput adds a query parameter for each field of the input of an endpoint that reads. A
// field that is an object, a slice, a map or an interface is reported and gets no parameter.
func (b *binder) queryInput(e *table.Endpoint, in reflect.Type, fault func(error)) {
	e.Asks = true
	for _, f := range e.Input.Fields {
		t := naming.Indirect(f.Typ)
		if f.Value.Optional {
			t = naming.Indirect(input.OptionalValue(f.Typ))
		}
		if f.Nested != nil || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Interface {
			fault(naming.Sentence("%s.%s is %s; GET reads its input from the query string, one plain value each", in.Name(), f.GoName, f.Typ))
			continue
		}
		e.Params = append(e.Params, query.Param{Name: f.Name, Doc: f.Doc, Type: t, Enum: f.Enum})
	}
}

// actionPattern is the canonical pattern of the path of an action.
func actionPattern(r *table.Resource, a declare.Action) string {
	base := strings.TrimSuffix(r.ListPath(), "/")
	if a.OnObject {
		base = strings.TrimSuffix(r.ItemPath(), "/")
	}
	return base + "/" + a.Name + r.Slash
}

// placeOf is the place of an action in the declaration of its viewset.
func placeOf(a declare.Action) string {
	switch {
	case a.Bulk != "":
		return declare.BulkName
	case a.History:
		return declare.HistoryName
	case a.Reads:
		return audit.Place
	case a.Restore:
		return "soft delete"
	case a.Totals:
		return declare.TotalsName
	}
	return fmt.Sprintf("action %q", a.Name)
}
