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

// A Refuser is a part of a declaration, such as an [Authenticator], a
// [Throttle], a [Permission], a [Filter] or a [Pagination], that refuses
// requests by codes which the framework does not know of by itself: the
// reference lists them with every endpoint that has the part.
type Refuser interface {
	// Refuses returns the codes, which [Config.Codes] or the framework explain.
	Refuses() []string
}

// A Sender is a part of a declaration, as a [Refuser] is, that sets headers of
// its own in answers.
type Sender interface {
	// Sends returns the headers.
	Sends() []Header
}

// A Secured is an [Authenticator] that tells the reference how clients send its
// credentials. Without it the reference goes by the first word of Challenge.
type Secured interface {
	// Security returns the ways to send them with a method, of which one is
	// enough. The schemes of one way go together.
	Security(method string) [][]SecurityScheme
}

// A SecurityScheme is one piece of credentials in a request (OpenAPI 3.1,
// section 4.8.27): of the type http, with a Scheme such as "bearer", or in a
// header or cookie of its own, with In and Key.
type SecurityScheme struct {
	Name   string // what the reference calls it: "tokenAuth"; no schema gets that name, in any case of letters
	Scheme string // of the header Authorization: "bearer"
	Format string // what a bearer's token looks like, for people: "JWT"
	In     string // "header" or "cookie", without Scheme
	Key    string // the name of the header or cookie
	Doc    string // {prefix} in it stands for Config.Prefix
}

// A Header is one header of an answer or a request, for the reference.
type Header struct {
	Name     string
	Doc      string // {prefix} in it stands for Config.Prefix
	Required bool   // a request is refused without it; an answer that may have it always does
}

// securityOf is what a scheme tells of its credentials, or else what its
// challenge does.
func securityOf(scheme Authenticator, method string) [][]SecurityScheme {
	told := parts[Secured](scheme)
	if len(told) > 0 {
		return told[0].Security(method)
	}
	name, _, _ := strings.Cut(strings.ToLower(scheme.Challenge()), " ")
	if name == "" {
		return nil
	}
	return [][]SecurityScheme{{{Name: name + "Auth", Scheme: name, Doc: "The header Authorization, scheme " + name + "."}}}
}

// authorizationWords are those with which the header Authorization begins, by
// schemes, as their challenges spell them.
func authorizationWords(schemes []Authenticator) (words []string) {
	for _, scheme := range schemes {
		challenge, _, _ := strings.Cut(scheme.Challenge(), " ")
		for _, piece := range slices.Concat(securityOf(scheme, http.MethodGet)...) {
			word := challenge
			switch {
			case piece.Scheme == "" && piece.Key != "Authorization":
				continue
			case piece.Scheme != "" && !strings.EqualFold(piece.Scheme, challenge):
				word = strings.ToUpper(piece.Scheme[:1]) + piece.Scheme[1:]
			}
			if word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// parts are a declared part and what it wraps, as far as it tells by Unwrap,
// that have the methods of T.
func parts[T any](part any) (found []T) {
	if part == nil {
		return nil
	}
	if t, ok := part.(T); ok {
		found = append(found, t)
	}
	switch wrapper := part.(type) {
	case interface{ Unwrap() Authenticator }:
		return append(found, parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() Throttle }:
		return append(found, parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() Permission }:
		return append(found, parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() []Permission }:
		for _, inner := range wrapper.Unwrap() {
			found = append(found, parts[T](inner)...)
		}
	}
	return found
}

// doorParts are those of what a caller passes first.
func doorParts[T any](d door) (found []T) {
	for _, s := range d.authentication {
		found = append(found, parts[T](s)...)
	}
	for _, t := range d.throttles {
		found = append(found, parts[T](t)...)
	}
	return append(found, parts[T](d.permission)...)
}

// words are the resource's path as words: "admin", "products".
func (r *resource) words() []string {
	return strings.FieldsFunc(r.path, func(ch rune) bool { return strings.ContainsRune("/-_", ch) })
}

// noun is what an input without a name is called: by its viewset, and by its action.
func (e *endpoint) noun() string {
	parts := e.resource.one()
	if !isVerb(e.route.Name) {
		parts = append(parts, e.route.Name)
	}
	return naming.Title(strings.Join(parts, " "))
}

// one are the same words for one of them: "admin", "product".
func (r *resource) one() []string {
	parts := r.words()
	parts[len(parts)-1] = inflection.Singular(parts[len(parts)-1])
	return parts
}

// id names the operation for generated clients: listPatients, getPatient,
// cancelOrder, unless it was given one. It depends on the endpoint's own path
// alone, so that it stays when others come; registration refuses two that are
// the same.
func (e *endpoint) id() string {
	switch {
	case e.named != "":
		return e.named
	case e.resource.path == "":
		return "getRoot"
	}
	one, action := e.resource.one(), e.route.Name
	many, verb := e.resource.words(), strings.ToLower(e.route.Method)
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
func (r *resource) noun() string {
	words := strings.FieldsFunc(r.declaration.name, func(ch rune) bool { return strings.ContainsRune("-_", ch) })
	words[len(words)-1] = inflection.Singular(words[len(words)-1])
	return strings.Join(words, " ")
}

// summary is what the endpoint does in a few words: the first sentence of its
// doc, or what its verb is.
func (e *endpoint) summary() string {
	if first, _, _ := strings.Cut(e.doc, ". "); first != "" {
		return strings.TrimSuffix(first, ".")
	}
	d := e.resource.declaration
	one, many, beside := e.resource.noun(), strings.NewReplacer("-", " ", "_", " ").Replace(d.name), ""
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
func (e *endpoint) description() string {
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
func (e *endpoint) audience() string {
	who := "Permission: " + e.right(e.permission)
	switch {
	case e.admits(nil):
		who = "For everybody"
	case e.admits(&Caller{ID: uuid.Max}):
		who = "For signed-in users"
	case e.admits(&Caller{ID: uuid.Max, Staff: true}):
		who = "For staff"
	}
	scope := e.resource.scope.Scope
	switch {
	case !e.handsRows() || e.route.Name == verbCreate || scope.kind != scopeOwn && scope.kind != scopeVia:
		return who + "."
	case scope.unless != nil:
		return who + "; one's own rows, and all of them with " + e.lifts(scope.unless) + "."
	}
	return who + "; one's own rows."
}

// lifts names what lifts the scope at this endpoint.
func (e *endpoint) lifts(unless Permission) string {
	needed, view := rightIn(unless, e.route), rightIn(unless, Route{Method: http.MethodGet})
	if needed == view {
		return "the permission " + needed
	}
	return "the permissions " + view + " and " + needed
}

// right is what a permission asks for at this endpoint: of a model's, the one
// that the method needs.
func (e *endpoint) right(p Permission) string { return rightIn(p, e.route) }

// rightIn is what a permission asks for on a route.
func rightIn(p Permission, route Route) string {
	right := "." + route.Right()
	return strings.NewReplacer(".view|add|change|delete", right, ".add|change|delete to write", right).Replace(p.String())
}

// refusals are the codes by which the endpoint may refuse, by status and in
// order.
func (e *endpoint) refusals() map[int][]string {
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
func (e *endpoint) refusesAtDoor() (codes []string) {
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
func (e *endpoint) admits(caller *Caller) bool {
	a := e.resource.api
	return a.accessOf(e, a.info(e).Path, caller) != AccessRefused
}

// refusesInput are the codes of what a request carries.
func (e *endpoint) refusesInput() (codes []string) {
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

// takesBody reports whether a request may have a body that is read.
func (e *endpoint) takesBody() bool { return e.input != nil && e.route.Method != http.MethodGet }

// refusesRows are the codes of what is stored.
func (e *endpoint) refusesRows() (codes []string) {
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
func (e *endpoint) refusesTaken() (codes []string) {
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
func (e *endpoint) refusesOthers() (codes []string) {
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
func (e *endpoint) successes() []int {
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
func (e *endpoint) sentBack() reflect.Type {
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
