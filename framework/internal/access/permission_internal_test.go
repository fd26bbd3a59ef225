package access

import (
	"strings"
	"testing"

	"trestle.example/framework/call"
)

// named is a program's own permission with the name of a framework's permission.
type named string

func (named) Permit(*call.Call) bool { return false }
func (n named) String() string       { return string(n) }

// wrapping is a permission that wraps another.
type wrapping struct{ call.Permission }

func (w wrapping) Unwrap() call.Permission { return w.Permission }

// TestTakesKnown: the kind of a permission decides, not its name.
func TestTakesKnown(t *testing.T) {
	for _, c := range []struct {
		permission call.Permission
		want       bool
	}{
		{Anyone(), true}, {Authenticated(), true}, {Staff(), false}, {Holds("anyone"), false}, {HoldsModel("authenticated"), false}, {PerModel("x"), false},
		{named("anyone"), false}, {named("authenticated"), false}, {nil, false},
		{All(), true}, {All(Anyone(), Authenticated()), true}, {All(Authenticated(), Staff()), false}, {All(named("anyone")), false},
		{Any(), false}, {Any(Staff(), Authenticated()), true}, {Any(Staff(), named("anyone")), false},
		{Not(Anyone()), false}, {Not(Not(Anyone())), false}, {OrReadOnly(Authenticated()), true}, {OrReadOnly(Staff()), false},
		{wrapping{Authenticated()}, true}, {wrapping{wrapping{Staff()}}, false}, {All(wrapping{Anyone()}), true},
	} {
		if got := TakesKnown(c.permission); got != c.want {
			t.Errorf("%v: %t", c.permission, got)
		}
	}
}

// TestNames: a combination names what it requires. The permission to retrieve a row names what reading requires.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		permission call.Permission
		name       string
	}{
		{All(Holds("a.b"), Staff()), "(a.b and staff)"}, {All(Anyone(), Staff()), "staff"}, {All(Anyone()), "anyone"}, {All(), "anyone"}, {Any(), "nobody"},
		{All(Authenticated(), Holds("a.b")), "a.b"}, {All(Authenticated(), Staff()), "staff"}, {Any(Authenticated(), Holds("a.b")), "(authenticated or a.b)"},
		{PermitsRetrieval(HoldsModel("x"), "x"), "x.view"}, {PermitsRetrieval(PerModel("x"), "x"), "authenticated"},
		{PermitsRetrieval(OrReadOnly(PerModel("x")), "x"), "anyone"}, {PermitsRetrieval(Any(Staff(), PerModel("x")), "x"), "(staff or authenticated)"},
		{All(PerModel("y"), PermitsRetrieval(HoldsModel("x"), "x")), "(y.add|change|delete to write and x.view)"},
		{All(PerModel("y"), PermitsRetrieval(PerModel("x"), "x")), "y.add|change|delete to write"},
		{All(All(Holds("a.b"), Authenticated()), Authenticated()), "a.b"}, {All(Any(Holds("a.b"), Holds("c.d")), Authenticated()), "(a.b or c.d)"},
		{All(Any(Holds("a.b"), Anyone()), Authenticated()), "((a.b or anyone) and authenticated)"}, {All(named("own"), Authenticated()), "(own and authenticated)"},
		{All(All(Holds("a.b"), Staff()), All(Staff(), Holds("c.d"))), "(a.b and staff and c.d)"},
		{All(PerModel("y"), PermitsRetrieval(OrReadOnly(Staff()), "x")), "y.add|change|delete to write"},
	} {
		if got := c.permission.String(); got != c.name {
			t.Errorf("%q, want %q", got, c.name)
		}
	}
}

// TestWhatPermissionsAreMadeOf: a combined permission returns its parts.
func TestWhatPermissionsAreMadeOf(t *testing.T) {
	own := named("own")
	for _, c := range []struct {
		permission call.Permission
		parts      int
	}{
		{All(Staff(), own), 2}, {Any(own, Staff()), 2}, {Not(own), 1}, {OrReadOnly(own), 1}, {All(), 0}, {Staff(), 0},
	} {
		found := false
		of := c.permission.(interface{ Unwrap() []call.Permission }).Unwrap()
		for _, part := range of {
			found = found || part == call.Permission(own)
		}
		if len(of) != c.parts || found != (c.parts > 0) {
			t.Errorf("%s is made of %v", c.permission, of)
		}
	}
}

// TestAPartThatIsNil: a combination with a nil part permits nothing.
func TestAPartThatIsNil(t *testing.T) {
	writes := &call.Call{Caller: &call.Caller{}, Route: call.Route{Method: "POST"}}
	for name, p := range map[string]call.Permission{
		"all of": All(Anyone(), nil), "any of": Any(nil), "not": Not(nil), "not any of": Not(Any(nil)), "or reading": OrReadOnly(nil), "any of others": Any(nil, All(nil)),
	} {
		if p.Permit(writes) || TakesKnown(p) {
			t.Errorf("%s: %s permits something", name, p)
		}
	}
}

func TestPermissionNames(t *testing.T) {
	longest := "patients." + strings.Repeat("v", 191)
	for name, want := range map[string]bool{
		"patients.view": true, "lab-results.sign_off2": true, longest: true, longest + "v": false,
		"patients": false, "patients.": false, ".view": false, "a.b.c": false, "Patients.view": false, "2.view": false, "patients.view\n": false, "": false,
	} {
		if IsPermissionName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
