package apicheck

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/naming"
)

// FindCallerID finds the type of the callers' ids, which the scopes of the resources need. It
// reports an authenticator whose type has no text, and one that states another type than an
// authenticator before it.
func (k Checker) FindCallerID() {
	var first call.Authenticator
	for _, scheme := range k.schemes() {
		if scheme == nil { // reported where it is declared
			continue
		}
		if err := access.CheckIDType(scheme); err != nil {
			k.Fault("framework.Config", "Authentication", err)
			continue
		}
		switch t := call.IDTypeOf(scheme); {
		case first == nil:
			first, k.API.CallerID = scheme, t
		case t != k.API.CallerID:
			k.Fault("framework.Config", "Authentication", naming.Sentence("the callers of %T have ids of type %s, those of %T of type %s; all callers of an API have ids of one type",
				first, k.API.CallerID, scheme, t))
		}
	}
}

// schemes lists the authenticators of the API, and those that viewsets, verbs and actions have
// instead.
func (k Checker) schemes() []call.Authenticator {
	all := append([]call.Authenticator{}, k.API.Config.Authentication...)
	for _, d := range k.Declared {
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
