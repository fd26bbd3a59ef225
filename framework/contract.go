package framework

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jinzhu/inflection"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// words are the resource's path as words: "admin", "products".
func words(r *resource) []string {
	return strings.FieldsFunc(r.path, func(ch rune) bool { return strings.ContainsRune("/-_", ch) })
}

// noun is what an input without a name is called: by its viewset, and by its action.
func (e operation) noun() string {
	parts := singular(e.resource)
	if !isVerb(e.route.Name) {
		parts = append(parts, e.route.Name)
	}
	return naming.Title(strings.Join(parts, " "))
}

// singular are the same words for one of them: "admin", "product".
func singular(r *resource) []string {
	parts := words(r)
	parts[len(parts)-1] = inflection.Singular(parts[len(parts)-1])
	return parts
}

// id names the operation for generated clients: listPatients, getPatient,
// cancelOrder, unless it was given one. It depends on the endpoint's own path
// alone, so that it stays when others come; registration refuses two that are
// the same.
func (e operation) id() string {
	switch {
	case e.named != "":
		return e.named
	case e.resource.path == "":
		return "getRoot"
	}
	one, action := singular(e.resource), e.route.Name
	many, verb := words(e.resource), strings.ToLower(e.route.Method)
	switch {
	case action == verbList:
		return naming.Camel("list", many...)
	case isVerb(action):
		return naming.Camel(map[string]string{
			verbCreate: "create", verbRetrieve: "get", verbUpdate: "replace", verbPatch: "update", verbDelete: "delete",
		}[action], one...)
	case e.onObject && verb == "post":
		return naming.Camel(action, one...)
	case e.onObject:
		return naming.Camel(verb, append(one, action)...)
	case verb == "post":
		return naming.Camel(many[0], append(many[1:], action)...)
	}
	return naming.Camel(verb, append(many, action)...)
}

// noun is what a person calls one of a resource's rows: "product".
func nounOf(r *resource) string {
	words := strings.FieldsFunc(r.declaration.name, func(ch rune) bool { return strings.ContainsRune("-_", ch) })
	words[len(words)-1] = inflection.Singular(words[len(words)-1])
	return strings.Join(words, " ")
}

// summary is what the endpoint does in a few words: the first sentence of its
// doc, or what its verb is.
func (e operation) summary() string {
	if first, _, _ := strings.Cut(e.doc, ". "); first != "" {
		return strings.TrimSuffix(first, ".")
	}
	d := e.resource.declaration
	one, many, beside := nounOf(e.resource), strings.NewReplacer("-", " ", "_", " ").Replace(d.name), ""
	if d.under != "" {
		beside = " (" + d.under + ")"
	}
	article := "a "
	switch {
	case d.single:
		article = "the caller's "
	case strings.ContainsRune("aeio", rune(one[0])):
		article = "an "
	}
	if e.route.Name == verbList {
		return "List " + many + beside
	}
	if verb := verbWords[e.route.Name]; verb != "" {
		return verb + " " + article + one + beside
	}
	return naming.Title(e.route.Name) + " " + one + beside
}

// verbWords are what the verbs do to one row.
var verbWords = map[string]string{
	verbCreate: "Create", verbRetrieve: "Get", verbUpdate: "Replace", verbPatch: "Change", verbDelete: "Delete",
}

// description says the rest: the doc, for whom it is, and which rows. What the
// resource says of itself stands at its list.
func (e operation) description() string {
	var parts []string
	if e.route.Name == verbList {
		parts = append(parts, e.resource.declaration.doc)
	}
	if e.doc != e.summary()+"." || e.resource.path == "" {
		parts = append(parts, e.doc)
	}
	if e.resource.path != "" {
		parts = append(parts, e.audience())
	}
	if e.resource.strict {
		parts = append(parts, "Parameters and fields that it does not know are refused, as is an Idempotency-Key where none is described.")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// audience says who may use the endpoint, and which rows they have: nothing of
// rows where they have all.
func (e operation) audience() string {
	who := "Permission: " + e.right(e.permission)
	switch {
	case e.admits(nil):
		who = "For everybody"
	case e.admits(&Caller{ID: uuid.Max}):
		who = "For signed-in users"
	case e.admits(&Caller{ID: uuid.Max, Staff: true}):
		who = "For staff"
	}
	scope := e.resource.scope.scope
	switch {
	case !e.handsRows() || e.route.Name == verbCreate || scope.kind != scopeOwn && scope.kind != scopeVia:
		return who + "."
	case scope.unless != nil:
		return who + "; one's own rows, and all of them with " + e.lifts(scope.unless) + "."
	}
	return who + "; one's own rows."
}

// lifts names what lifts the scope at this endpoint.
func (e operation) lifts(unless Permission) string {
	needed, view := rightIn(unless, e.route), rightIn(unless, Route{Method: http.MethodGet})
	if needed == view {
		return "the permission " + needed
	}
	return "the permissions " + view + " and " + needed
}

// right is what a permission asks for at this endpoint: of a model's, the one
// that the method needs.
func (e operation) right(p Permission) string { return rightIn(p, e.route) }

// rightIn is what a permission asks for on a route.
func rightIn(p Permission, route Route) string {
	right := "." + route.Right()
	return strings.NewReplacer(".view|add|change|delete", right, ".add|change|delete to write", right).Replace(p.String())
}

// refusals are the codes by which the endpoint may refuse, by status and in
// order.
func (e operation) refusals() map[int][]string {
	always := []string{
		problem.CodeInvalidParameter, problem.CodeInvalidHost, problem.CodeURITooLong,
		problem.CodeInternal, problem.CodeUnavailable, problem.CodeOverloaded,
	}
	found := map[string]bool{}
	for _, codes := range [][]string{always, e.refusesAtDoor(), e.refusesInput(), e.refusesRows(), e.refuses} {
		for _, code := range codes {
			found[code] = true
		}
	}
	byStatus := map[int][]string{}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		status := e.resource.api.codes[code].Status
		byStatus[status] = append(byStatus[status], code)
	}
	return byStatus
}

// refusesAtDoor are the codes before anything is read: of schemes, throttles,
// guards and the permission.
func (e operation) refusesAtDoor() (codes []string) {
	if len(e.throttles) > 0 {
		codes = append(codes, problem.CodeThrottled)
	}
	for _, refuser := range doorParts[Refuser](e.door) {
		codes = append(codes, refuser.Refuses()...)
	}
	if len(e.authentication) > 0 {
		codes = append(codes, problem.CodeInvalidToken)
	}
	if !e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	if !takesKnown(e.permission) || !e.admits(&Caller{ID: uuid.Max}) {
		codes = append(codes, problem.CodeForbidden)
	}
	return codes
}

// admits asks the guards and the permission.
func (e operation) admits(caller *Caller) bool {
	a := e.catalog()
	return a.accessOf(e.endpoint, a.pathOf(e.endpoint), caller) != AccessRefused
}

// refusesInput are the codes of what a request carries.
func (e operation) refusesInput() (codes []string) {
	if e.resource.strict {
		codes = append(codes, problem.CodeInvalidIdempotencyKey) // where keys mean nothing
	}
	if e.isWrite() {
		codes = append(codes, problem.CodePreconditionUnsupported)
	}
	if e.input == nil {
		return codes
	}
	if e.takesBody() {
		codes = append(codes, problem.CodeInvalidJSON, problem.CodeBodyTooLarge, problem.CodeUnsupportedMediaType, problem.CodeRequestTimeout)
		if len(e.input.Fields) > 0 {
			codes = append(codes, problem.CodeValidationFailed)
		}
		if e.resource.strict {
			codes = append(codes, problem.CodeUnknownField)
		}
	}
	if e.idempotent {
		codes = append(codes, problem.CodeInvalidIdempotencyKey, problem.CodeIdempotencyKeyReused, problem.CodeIdempotencyInProgress, problem.CodeThrottled)
	}
	return codes
}

// refusesRows are the codes of what is stored.
func (e operation) refusesRows() (codes []string) {
	if e.onObject {
		codes = append(codes, problem.CodeNotFound)
	}
	for _, part := range e.listed {
		for _, refuser := range parts[Refuser](part) {
			codes = append(codes, refuser.Refuses()...)
		}
	}
	switch e.kind {
	case verbAccepts:
		codes = append(codes, problem.CodeUnique, problem.CodeConflict)
		codes = append(append(codes, e.refusesTaken()...), e.refusesOthers()...)
	case verbDeletes:
		codes = append(codes, problem.CodeReferenced)
	case verbDoes, verbChanges, verbAbsent: // functions reject what they declare, and may call Insert or Save
		if e.route.Method != http.MethodGet {
			codes = append(codes, e.refusesTaken()...)
		}
	case verbShows, verbComputes:
	}
	return codes
}

// refusesTaken are the codes of the resource's unique constraints and checks.
func (e operation) refusesTaken() (codes []string) {
	for _, u := range e.resource.uniques {
		codes = append(codes, u.Code)
	}
	for _, k := range e.resource.checks {
		codes = append(codes, k.Code)
	}
	return codes
}

// refusesOthers are the codes of a row that would not be the caller's: one
// outside of the conditions of the scope, or one that nobody would own.
func (e operation) refusesOthers() (codes []string) {
	scope := e.resource.scope
	if scope.kind == scopeWhere {
		codes = append(codes, problem.CodeForbidden)
	}
	makes := e.route.Name == verbCreate || e.route.Name == verbUpdate && e.resource.declaration.single
	if scope.kind == scopeOwn && makes && e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	return codes
}

// successes are the statuses of what is answered.
func (e operation) successes() []int {
	switch {
	case e.status != 0:
		return []int{e.status}
	case e.kind == verbAccepts && e.route.Name == verbCreate:
		return []int{http.StatusCreated}
	case e.kind == verbAccepts && e.route.Name == verbUpdate && e.resource.declaration.single:
		return []int{http.StatusOK, http.StatusCreated}
	}
	return []int{http.StatusOK}
}

// sentBack is the shape that the endpoint takes back as it showed it, beside
// what can be written; nil where anything else is taken too, or nothing of it.
func (e operation) sentBack() reflect.Type {
	if !e.resource.strict || e.kind != verbAccepts || e.route.Name == verbCreate || e.out.Kind() != reflect.Struct {
		return nil
	}
	for f := range naming.ShapeFields(e.out) {
		if e.input.ByName[naming.JSONName(f)] == nil {
			return e.out
		}
	}
	return nil
}
