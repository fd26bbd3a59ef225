package describe

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jinzhu/inflection"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// Words are the resource's path as words: "admin", "products".
func Words(r *table.Resource) []string {
	return strings.FieldsFunc(r.Path, func(ch rune) bool { return strings.ContainsRune("/-_", ch) })
}

// noun is what an input without a name is called: by its viewset, and by its action.
func (e Operation) noun() string {
	parts := singular(e.Resource)
	if !declare.IsVerb(e.Route.Name) {
		parts = append(parts, e.Route.Name)
	}
	return naming.Title(strings.Join(parts, " "))
}

// singular are the same words for one of them: "admin", "product".
func singular(r *table.Resource) []string {
	parts := Words(r)
	parts[len(parts)-1] = inflection.Singular(parts[len(parts)-1])
	return parts
}

// ID names the operation for generated clients: listPatients, getPatient,
// cancelOrder, unless it was given one. It depends on the endpoint's own path
// alone, so that it stays when others come; registration refuses two that are
// the same.
func (e Operation) ID() string {
	switch {
	case e.Named != "":
		return e.Named
	case e.Resource.Path == "":
		return "getRoot"
	}
	one, action := singular(e.Resource), e.Route.Name
	many, verb := Words(e.Resource), strings.ToLower(e.Route.Method)
	switch {
	case action == call.VerbList:
		return naming.Camel("list", many...)
	case declare.IsVerb(action):
		return naming.Camel(map[string]string{
			call.VerbCreate: "create", call.VerbRetrieve: "get", call.VerbUpdate: "replace", call.VerbPatch: "update", call.VerbDelete: "delete",
		}[action], one...)
	case e.OnObject && verb == "post":
		return naming.Camel(action, one...)
	case e.OnObject:
		return naming.Camel(verb, append(one, action)...)
	case verb == "post":
		return naming.Camel(many[0], append(many[1:], action)...)
	}
	return naming.Camel(verb, append(many, action)...)
}

// noun is what a person calls one of a resource's rows: "product".
func nounOf(r *table.Resource) string {
	words := strings.FieldsFunc(r.Declaration.Name, func(ch rune) bool { return strings.ContainsRune("-_", ch) })
	words[len(words)-1] = inflection.Singular(words[len(words)-1])
	return strings.Join(words, " ")
}

// summary is what the endpoint does in a few words: the first sentence of its
// doc, or what its verb is.
func (e Operation) summary() string {
	if first, _, _ := strings.Cut(e.Doc, ". "); first != "" {
		return strings.TrimSuffix(first, ".")
	}
	d := e.Resource.Declaration
	one, many, beside := nounOf(e.Resource), strings.NewReplacer("-", " ", "_", " ").Replace(d.Name), ""
	if d.Under != "" {
		beside = " (" + d.Under + ")"
	}
	article := "a "
	switch {
	case d.Single:
		article = "the caller's "
	case strings.ContainsRune("aeio", rune(one[0])):
		article = "an "
	}
	if e.Route.Name == call.VerbList {
		return "List " + many + beside
	}
	if verb := verbWords[e.Route.Name]; verb != "" {
		return verb + " " + article + one + beside
	}
	return naming.Title(e.Route.Name) + " " + one + beside
}

// verbWords are what the verbs do to one row.
var verbWords = map[string]string{
	call.VerbCreate: "Create", call.VerbRetrieve: "Get", call.VerbUpdate: "Replace", call.VerbPatch: "Change", call.VerbDelete: "Delete",
}

// description says the rest: the doc, for whom it is, and which rows. What the
// resource says of itself stands at its list.
func (e Operation) description() string {
	var parts []string
	if e.Route.Name == call.VerbList {
		parts = append(parts, e.Resource.Declaration.Doc)
	}
	if e.Doc != e.summary()+"." || e.Resource.Path == "" {
		parts = append(parts, e.Doc)
	}
	if e.Resource.Path != "" {
		parts = append(parts, e.audience())
	}
	if e.Resource.Strict {
		parts = append(parts, "Parameters and fields that it does not know are refused, as is an Idempotency-Key where none is described.")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// audience says who may use the endpoint, and which rows they have: nothing of
// rows where they have all.
func (e Operation) audience() string {
	who := "Permission: " + e.right(e.Permission)
	switch {
	case e.admits(nil):
		who = "For everybody"
	case e.admits(&call.Caller{ID: uuid.Max}):
		who = "For signed-in users"
	case e.admits(&call.Caller{ID: uuid.Max, Staff: true}):
		who = "For staff"
	}
	scope := e.Resource.Scope.Scope
	switch {
	case !e.HandsRows() || e.Route.Name == call.VerbCreate || scope.Kind != declare.ScopeOwn && scope.Kind != declare.ScopeVia:
		return who + "."
	case scope.Unless != nil:
		return who + "; one's own rows, and all of them with " + e.lifts(scope.Unless) + "."
	}
	return who + "; one's own rows."
}

// lifts names what lifts the scope at this endpoint.
func (e Operation) lifts(unless call.Permission) string {
	needed, view := rightIn(unless, e.Route), rightIn(unless, call.Route{Method: http.MethodGet})
	if needed == view {
		return "the permission " + needed
	}
	return "the permissions " + view + " and " + needed
}

// right is what a permission asks for at this endpoint: of a model's, the one
// that the method needs.
func (e Operation) right(p call.Permission) string { return rightIn(p, e.Route) }

// rightIn is what a permission asks for on a route.
func rightIn(p call.Permission, route call.Route) string {
	right := "." + route.Right()
	return strings.NewReplacer(".view|add|change|delete", right, ".add|change|delete to write", right).Replace(p.String())
}

// refusals are the codes by which the endpoint may refuse, by status and in
// order.
func (e Operation) refusals() map[int][]string {
	always := []string{
		problem.CodeInvalidParameter, problem.CodeInvalidHost, problem.CodeURITooLong,
		problem.CodeInternal, problem.CodeUnavailable, problem.CodeOverloaded,
	}
	found := map[string]bool{}
	for _, codes := range [][]string{always, e.refusesAtDoor(), e.refusesInput(), e.refusesRows(), e.Refuses} {
		for _, code := range codes {
			found[code] = true
		}
	}
	byStatus := map[int][]string{}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		status := e.Resource.API.Codes[code].Status
		byStatus[status] = append(byStatus[status], code)
	}
	return byStatus
}

// refusesAtDoor are the codes before anything is read: of schemes, throttles,
// guards and the permission.
func (e Operation) refusesAtDoor() (codes []string) {
	if len(e.Throttles) > 0 {
		codes = append(codes, problem.CodeThrottled)
	}
	for _, refuser := range access.AllParts[call.Refuser](e.Check) {
		codes = append(codes, refuser.Refuses()...)
	}
	if len(e.Authentication) > 0 {
		codes = append(codes, problem.CodeInvalidToken)
	}
	if !e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	if !access.TakesKnown(e.Permission) || !e.admits(&call.Caller{ID: uuid.Max}) {
		codes = append(codes, problem.CodeForbidden)
	}
	return codes
}

// admits asks the guards and the permission.
func (e Operation) admits(caller *call.Caller) bool {
	a := e.Catalog()
	return a.accessOf(e.Endpoint, a.PathOf(e.Endpoint), caller) != spec.AccessRefused
}

// refusesInput are the codes of what a request carries.
func (e Operation) refusesInput() (codes []string) {
	if e.Resource.Strict {
		codes = append(codes, problem.CodeInvalidIdempotencyKey) // where keys mean nothing
	}
	if e.IsWrite() {
		codes = append(codes, problem.CodePreconditionUnsupported)
	}
	if e.Input == nil {
		return codes
	}
	if e.TakesBody() {
		codes = append(codes, problem.CodeInvalidJSON, problem.CodeBodyTooLarge, problem.CodeUnsupportedMediaType, problem.CodeRequestTimeout)
		if len(e.Input.Fields) > 0 {
			codes = append(codes, problem.CodeValidationFailed)
		}
		if e.Resource.Strict {
			codes = append(codes, problem.CodeUnknownField)
		}
	}
	if e.Idempotent {
		codes = append(codes, problem.CodeInvalidIdempotencyKey, problem.CodeIdempotencyKeyReused, problem.CodeIdempotencyInProgress, problem.CodeThrottled)
	}
	return codes
}

// refusesRows are the codes of what is stored.
func (e Operation) refusesRows() (codes []string) {
	if e.OnObject {
		codes = append(codes, problem.CodeNotFound)
	}
	for _, part := range e.Listed {
		for _, refuser := range access.Parts[call.Refuser](part) {
			codes = append(codes, refuser.Refuses()...)
		}
	}
	switch e.Kind {
	case declare.VerbAccepts:
		codes = append(codes, problem.CodeUnique, problem.CodeConflict)
		codes = append(append(codes, e.refusesTaken()...), e.refusesOthers()...)
	case declare.VerbDeletes:
		codes = append(codes, problem.CodeReferenced)
	case declare.VerbDoes, declare.VerbChanges, declare.VerbAbsent: // functions reject what they declare, and may call Insert or Save
		if e.IsWrite() {
			codes = append(codes, e.refusesTaken()...)
		}
	case declare.VerbShows, declare.VerbComputes:
	}
	return codes
}

// refusesTaken are the codes of the resource's unique constraints and checks.
func (e Operation) refusesTaken() (codes []string) {
	for _, u := range e.Resource.Uniques {
		codes = append(codes, u.Code)
	}
	for _, k := range e.Resource.Checks {
		codes = append(codes, k.Code)
	}
	return codes
}

// refusesOthers are the codes of a row that would not be the caller's: one
// outside of the conditions of the scope, or one that nobody would own.
func (e Operation) refusesOthers() (codes []string) {
	scope := e.Resource.Scope
	if scope.Kind == declare.ScopeWhere {
		codes = append(codes, problem.CodeForbidden)
	}
	makes := e.Route.Name == call.VerbCreate || e.Route.Name == call.VerbUpdate && e.Resource.Declaration.Single
	if scope.Kind == declare.ScopeOwn && makes && e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	return codes
}

// successes are the statuses of what is answered.
func (e Operation) successes() []int {
	if e.FirstStatus == 0 || e.FirstStatus == e.Status {
		return []int{e.Status}
	}
	return []int{e.Status, e.FirstStatus}
}

// sentBack is the shape that the endpoint takes back as it showed it, beside
// what can be written; nil where anything else is taken too, or nothing of it.
func (e Operation) sentBack() reflect.Type {
	if !e.Resource.Strict || e.Kind != declare.VerbAccepts || e.Route.Name == call.VerbCreate || e.Out.Kind() != reflect.Struct {
		return nil
	}
	for f := range naming.ShapeFields(e.Out) {
		if e.Input.ByName[naming.JSONName(f)] == nil {
			return e.Out
		}
	}
	return nil
}
