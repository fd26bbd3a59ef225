// Package scoping binds the scope and the writers of a viewset to columns and to other viewsets, and finds the mistakes in them.
package scoping

import (
	"net/http"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// Bind binds the Scope and the Writers of a viewset, and reports each mistake with its place in the declaration.
func Bind(r *table.Resource, report func(place string, err error)) {
	d := r.Declaration
	at := func(place string) func(error) { return func(err error) { report(place, err) } }
	if d.Scope.Kind == declare.ScopeMissing {
		report("scope", naming.Sentence("no scope; say which rows a caller has: framework.Own, Via, Where or Public"))
	}
	r.Scope = bindScope(r, d.Scope, scopeOf, at("scope"))
	if s := d.Scope; d.Single && (s.Kind != declare.ScopeOwn || s.Unless != nil) {
		report("single", naming.Sentence("the scope of a single resource is framework.Own without Unless: the row is the caller's own"))
	}
	r.Scope.Above = r.Above
	r.Writers = bindScope(r, d.Writers, writersOf, at("writers")).AsWriters()
	if r.Above != nil && r.Above.ByWriters {
		r.Writers.Above = r.Above
	}
	checkWriters(r, at("writers"))
}

// scopeOf and writersOf return the declaration of a viewset that a Via continues with.
func scopeOf(d *declare.Declaration) declare.Scope { return d.Scope }

func writersOf(d *declare.Declaration) declare.Scope { return d.Writers }

// checkWriters reports Writers that can have no effect.
func checkWriters(r *table.Resource, fault func(error)) {
	d := r.Declaration
	switch {
	case d.Writers.Kind == declare.ScopeMissing && d.Writers.Unless != nil:
		fault(naming.Sentence("Unless needs a rule to lift; begin with framework.Own, Via or Where"))
	case !r.HasWriters():
	case d.Writers.Kind == declare.ScopePublic:
		fault(naming.Sentence("Public lets every caller change every row in scope, as without Writers; leave it out"))
	case d.Single:
		fault(naming.Sentence("a single resource is the caller's own row; leave Writers out"))
	case r.Scope.Kind == declare.ScopeOwn && r.Scope.Unless == nil && r.Writers.Kind == declare.ScopeOwn && r.Scope.Column == r.Writers.Column:
		fault(naming.Sentence("the scope leaves a caller only the rows that the caller owns; leave Writers out, or widen the scope"))
	}
}

// CheckWritten reports Writers of a viewset that changes no row, and actions of ByReaders for
// which Writers has no effect.
func CheckWritten(r *table.Resource, fault func(error)) {
	creates := slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Route.Name == call.VerbCreate })
	changes := slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.OnObject && e.IsWrite() })
	owns := r.Writers.Kind == declare.ScopeOwn && (creates || isRelated(r))
	if r.Writers.Above == nil && r.HasWriters() && !changes && !owns {
		fault(naming.Sentence("no verb, action or file of the viewset changes a row; leave Writers out"))
	}
}

// isRelated reports whether a relation leads to the viewset. The Own of its Writers then names the
// owner for toggles and for mine.
func isRelated(r *table.Resource) bool {
	for _, other := range r.API.Resources {
		if slices.ContainsFunc(other.Relations.All(), func(rel *relation.Relation) bool { return rel.Target == relation.Viewset(r) }) {
			return true
		}
	}
	return false
}

// ByWriters reports whether Writers decides who may use an action. It reports an action of
// ByReaders that has no Writers.
func ByWriters(e *table.Endpoint, a declare.Action, fault func(error)) bool {
	switch {
	case a.ByReaders && !e.Resource.HasWriters():
		fault(naming.Sentence("ByReaders has no effect: the viewset has no Writers; leave it out"))
	case a.ByReaders && a.Method == http.MethodGet:
		fault(naming.Sentence("ByReaders has no effect on an action that only reads; leave it out"))
	}
	return !a.ByReaders && a.Toggle == nil && Changes(e)
}

// Changes reports whether an endpoint changes a row, and its viewset has Writers. If the Writers of a
// parent apply, it includes what adds rows below the parent.
func Changes(e *table.Endpoint) bool {
	return e.IsWrite() && (e.OnObject && e.Resource.HasWriters() || e.Resource.Writers.Above != nil)
}

// bindScope finds the columns of a scope, or of Writers, and reports each mistake. of returns the
// declarations of the viewsets that a Via leads through.
func bindScope(r *table.Resource, s declare.Scope, of func(*declare.Declaration) declare.Scope, fault func(error)) table.BoundScope {
	b := table.BoundScope{Scope: s}
	access.CheckPermission(s.Unless, fault)
	if s.Kind == declare.ScopeOwn && s.Owner == nil || s.Kind == declare.ScopeWhere && s.Where == nil {
		fault(naming.Sentence("it was given no function"))
		return b
	}
	switch s.Kind {
	case declare.ScopeOwn:
		var err error
		if b.Column, err = ownerColumn(r, s); err != nil {
			fault(err)
		}
	case declare.ScopeVia:
		f, err := r.Field(s.Field)
		if err != nil {
			fault(err)
			break
		}
		target, err := r.API.LookUp(s.Target)
		if err != nil {
			fault(err)
			break
		}
		if err := viaLeads(r, f, target, of); err != nil {
			fault(err)
			break
		}
		b.Column, b.Via = f.Column, target
	}
	return b
}

// viaLeads checks that a Via leads to an owner: its field refers to the target's primary key, the
// target is not Public, and the chain of targets does not lead back to r. In Writers, a Public
// target may have Writers.
func viaLeads(r *table.Resource, f query.Field, target *table.Resource, of func(*declare.Declaration) declare.Scope) error {
	if f.Type != target.Pk.IndirectType {
		return naming.Sentence("Via field %q is %s, but the key of %s is %s", f.Name, f.Type, target.Path, target.Pk.IndirectType)
	}
	if err := r.CheckReference(f.Column, target); err != nil {
		return naming.Sentence("Via field %q: %w", f.Name, err)
	}
	next, seen := of(target.Declaration).Kind, target.Declaration.Scope.Kind
	if target.Above == nil && seen == declare.ScopePublic && (next == declare.ScopePublic || next == declare.ScopeMissing) {
		return naming.Sentence("Via %q leads to %s, which is Public: its rows have no owner, so every caller would have every row; say Public, or lead to a viewset with Own", f.Name, target.Path)
	}
	for at, steps := target, 0; steps <= len(r.API.Resources); steps++ {
		if at == r {
			return naming.Sentence("Via %q leads back to %s; one of them must have an owner of its own", target.Path, r.Path)
		}
		next, ok := viaTarget(at, of)
		if !ok {
			break
		}
		at = next
	}
	return nil
}

// viaTarget is the viewset that a viewset's own Via names. It returns false if the scope, or the
// Writers, is not a Via or names no viewset.
func viaTarget(r *table.Resource, of func(*declare.Declaration) declare.Scope) (*table.Resource, bool) {
	s := of(r.Declaration)
	target, err := r.API.LookUp(s.Target)
	return target, err == nil && s.Kind == declare.ScopeVia
}

// ownerColumn finds the column whose address the accessor returns. It returns an error without
// one, and for a column that cannot have the ids of the callers.
func ownerColumn(r *table.Resource, s declare.Scope) (*schema.Field, error) {
	if s.Model != r.Model {
		return nil, naming.Sentence("Own takes a field of %s, this viewset's model is %s", s.Model.Name(), r.Model.Name())
	}
	model := bunmodel.New(r.Table)
	address, ids := bunmodel.AddressIn(model, s.Owner), r.API.CallerID
	for _, f := range r.Table.Fields {
		switch {
		case f.Value(model.Elem()).Addr().Interface() != address:
		case ids != nil && f.IndirectType != ids:
			return f, naming.Sentence("Own takes the column %s of type %s, but the ids of callers are %s; own by a column of that type, or give the authenticators the method CallerID", f.Name, f.IndirectType, ids)
		default:
			return f, nil
		}
	}
	return nil, naming.Sentence("Own must return the address of a column of %s", r.Model.Name())
}
