package bind

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/naming"
)

// findCallerID finds the type of the callers' ids, which the scopes of the resources need. It
// reports an authenticator whose type has no text, and one that states another type than an
// authenticator before it.
func (b *binder) findCallerID() {
	var first call.Authenticator
	for _, scheme := range b.schemes() {
		if scheme == nil { // reported where it is declared
			continue
		}
		if err := access.CheckIDType(scheme); err != nil {
			b.fault("framework.Config", "Authentication", err)
			continue
		}
		switch t := call.IDTypeOf(scheme); {
		case first == nil:
			first, b.api.CallerID = scheme, t
		case t != b.api.CallerID:
			b.fault("framework.Config", "Authentication", naming.Sentence("the callers of %T have ids of type %s, those of %T of type %s; all callers of an API have ids of one type",
				first, b.api.CallerID, scheme, t))
		}
	}
}

// schemes lists the authenticators of the API, and those that viewsets, verbs and actions have
// instead.
func (b *binder) schemes() []call.Authenticator {
	all := append([]call.Authenticator{}, b.api.Config.Authentication...)
	for _, d := range b.declared {
		all = append(all, d.Authentication...)
		for _, v := range d.Verbs {
			all = append(all, v.Authentication...)
		}
		for _, a := range d.Actions {
			all = append(all, a.Authentication...)
		}
	}
	return all
}
