package describe

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// Words splits the path of a resource into words: "admin", "products". Names of parents are in the
// singular: "article", "comments".
func Words(r *table.Resource) (words []string) {
	parts := strings.Split(r.Path, "/{}/")
	for i, part := range parts {
		of := strings.FieldsFunc(part, func(ch rune) bool { return strings.ContainsRune("/-_", ch) })
		if last := len(of) - 1; last >= 0 && i < len(parts)-1 {
			of[last] = naming.Singular(of[last])
		}
		words = append(words, of...)
	}
	return words
}

// noun is the name of the schema of an input whose type has no name. It consists of the words
// of the viewset, and of the name of an action.
func (e Operation) noun() string {
	parts := singular(e.Resource)
	if !declare.IsVerb(e.Route.Name) {
		parts = append(parts, e.Route.Name)
	}
	return naming.Title(strings.Join(parts, " "))
}

// singular is like [Words], with the last word in the singular: "admin", "product".
func singular(r *table.Resource) []string {
	parts := Words(r)
	parts[len(parts)-1] = naming.Singular(parts[len(parts)-1])
	return parts
}

// ID is the operationId, which generated clients use as the name of a method: listPatients,
// getPatient, cancelOrder, or the id in the declaration. It depends only on this endpoint, so new
// endpoints never change it. Package bind reports two equal ids as a mistake.
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
	case e.Bulk != nil && e.Bulk.Each:
		return naming.Camel("bulk", append([]string{bulkWords[e.Route.Method], "each"}, many...)...)
	case e.Bulk != nil:
		return naming.Camel("bulk", append([]string{bulkWords[e.Route.Method]}, many...)...)
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

// nounOf returns the words for one row of a resource in descriptions: "product", "order line".
func nounOf(r *table.Resource) string {
	words := strings.FieldsFunc(r.Declaration.Name, func(ch rune) bool { return strings.ContainsRune("-_", ch) })
	words[len(words)-1] = naming.Singular(words[len(words)-1])
	return strings.Join(words, " ")
}

// summary describes the endpoint in a few words: the first sentence of its Doc, or else its
// verb and its resource.
func (e Operation) summary() string {
	if first, _, _ := strings.Cut(e.Doc, ". "); first != "" {
		return strings.TrimSuffix(first, ".")
	}
	d := e.Resource.Declaration
	one, many, beside := nounOf(e.Resource), strings.NewReplacer("-", " ", "_", " ").Replace(d.Name), ""
	switch {
	case e.Resource.Above != nil:
		parent := e.Resource.Above.Parent
		beside = " of " + articled(parent.Declaration, nounOf(parent))
	case d.Under != "":
		beside = " (" + d.Under + ")"
	}
	if e.File != nil {
		return fileWords[e.Route.Method] + " the " + e.File.Name + " of " + articled(d, one) + beside
	}
	switch {
	case e.Bulk != nil && e.Bulk.Each:
		return naming.Title(bulkWords[e.Route.Method]) + " several " + many + beside + ", one by one"
	case e.Bulk != nil:
		return naming.Title(bulkWords[e.Route.Method]) + " several " + many + beside
	case e.Route.Name == call.VerbList:
		return "List " + many + beside
	case e.Pagination != nil:
		return "List " + many + ": " + e.Route.Name + beside
	}
	if verb := verbWords[e.Route.Name]; verb != "" {
		return verb + " " + articled(d, one) + beside
	}
	return naming.Title(e.Route.Name) + " " + one + beside
}

// articled puts an article before the words for one row of a resource.
func articled(d *declare.Declaration, one string) string {
	switch {
	case d.Single:
		return "the caller's " + one
	case strings.ContainsRune("aeio", rune(one[0])):
		return "an " + one
	}
	return "a " + one
}

// fileWords are the first words of the summaries of files, by method.
var fileWords = map[string]string{http.MethodGet: "Download", http.MethodPut: "Upload", http.MethodDelete: "Delete"}

// bulkWords are what the methods for several rows do.
var bulkWords = map[string]string{
	http.MethodPost: "create", http.MethodPut: "replace", http.MethodPatch: "change", http.MethodDelete: "delete",
}

// verbWords are the first words of the summaries of verbs on one row.
var verbWords = map[string]string{
	call.VerbCreate: "Create", call.VerbRetrieve: "Get", call.VerbUpdate: "Replace", call.VerbPatch: "Change", call.VerbDelete: "Delete",
}

// description is the endpoint's Doc, the callers that may use it, and the rows that they have. A
// Doc that is only the summary and a full stop is left out, except at the API root. The description
// of a list begins with the Doc of its resource. A strict resource adds a sentence about unknown
// names.
func (e Operation) description() string {
	var parts []string
	if e.Route.Name == call.VerbList {
		parts = append(parts, e.Resource.Declaration.Doc)
	}
	if e.Doc != e.summary()+"." || e.Resource.Path == "" {
		parts = append(parts, e.Doc)
	}
	if e.Bulk != nil && e.Bulk.Each {
		parts = append(parts, "Each item is done or rejected by itself. The answer has a result for each, in their order: the status, and the row or the error, of a request for its row alone.")
	}
	if e.Resource.Path != "" {
		parts = append(parts, e.audience()+e.belowWhat())
	}
	if e.hasQuota() {
		parts = append(parts, e.Resource.Quota().Doc())
	}
	if e.Resource.Strict {
		parts = append(parts, "Unknown parameters and fields are rejected, and so is an Idempotency-Key if the operation does not list this header.")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// audience describes the callers that may use the endpoint, and which rows they may change by
// Writers. If the scope limits callers to their own rows, it adds which rows they have. It does not
// add them for a create, or for an endpoint for which the framework reads no rows.
func (e Operation) audience() string {
	who := "Permission: " + e.right(e.Permission)
	switch {
	case e.admits(nil):
		who = "For all callers"
	case e.admits(e.Catalog().InventCaller()):
		who = "For signed-in users"
	case e.admits(e.Catalog().inventStaff()):
		who = "For staff"
	}
	scope := e.Resource.Scope.Scope
	switch {
	case e.ByWriters && (!e.OnObject || e.Resource.Declaration.Writers.Kind == declare.ScopeMissing): // of the parent alone
		return who + "."
	case e.ByWriters && e.Resource.Writers.Unless != nil:
		return who + "; " + changeable(e.Resource.Writers.Kind == declare.ScopeWhere) + ", or all that the caller may see with the permission " + e.right(e.Resource.Writers.Unless) + "."
	case e.ByWriters:
		return who + "; " + changeable(e.Resource.Writers.Kind == declare.ScopeWhere) + "."
	case !e.HandsRows() || e.Route.Name == call.VerbCreate || scope.Kind != declare.ScopeOwn && scope.Kind != declare.ScopeVia:
		return who + "."
	case scope.Unless != nil:
		return who + "; the caller's own rows, or all rows with " + e.lifts(scope.Unless) + "."
	}
	return who + "; the caller's own rows."
}

// changeable describes the rows that Writers lets a caller change.
func changeable(where bool) string {
	if where {
		return "only rows that the caller may change"
	}
	return "only the caller's own rows"
}

// lifts names the permissions that give a caller every row at this endpoint. A write on a row
// also requires the permission to read.
func (e Operation) lifts(unless call.Permission) string {
	needed, view := rightIn(unless, e.Route), rightIn(unless, call.Route{Method: http.MethodGet})
	if needed == view {
		return "the permission " + needed
	}
	return "the permissions " + view + " and " + needed
}

// right describes what a permission requires at this endpoint: see [rightIn].
func (e Operation) right(p call.Permission) string { return rightIn(p, e.Route) }

// rightIn describes what a permission requires on a route. Of the permissions of a model, it
// names only the one that the route's method requires.
func rightIn(p call.Permission, route call.Route) string {
	if route.Reads() {
		return access.Reading(p)
	}
	return writing(p.String(), route)
}

// neededIn lists the names of all that a permission requires on a route, each as [rightIn] names it.
func neededIn(p call.Permission, route call.Route) []string {
	if route.Reads() {
		return access.Needed(p, access.Reading)
	}
	return access.Needed(p, func(p call.Permission) string { return writing(p.String(), route) })
}

// writing is the name of a permission for a route that writes.
func writing(name string, route call.Route) string {
	right := "." + route.Right()
	return strings.NewReplacer(".view|add|change|delete", right, ".add|change|delete to write", right).Replace(name)
}

// failures lists the error codes that the endpoint may answer, sorted, by status.
func (e Operation) failures() map[int][]string {
	always := []string{
		problem.CodeInvalidParameter, problem.CodeInvalidHost, problem.CodeURITooLong,
		problem.CodeInternal, problem.CodeUnavailable, problem.CodeOverloaded,
	}
	found := map[string]bool{}
	for _, codes := range [][]string{always, e.refusesAccess(), e.refusesInput(), e.refusesRows(), e.refusesFile(), e.Refuses} {
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

// refusesAccess lists the error codes of the access check and of the guards: they are answered
// before the body is read.
func (e Operation) refusesAccess() (codes []string) {
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
	if !access.TakesKnown(e.Permission) || !e.admits(e.Catalog().InventCaller()) {
		codes = append(codes, problem.CodeForbidden)
	}
	return codes
}

// admits reports whether the guards and the permission permit a caller.
func (e Operation) admits(caller *call.Caller) bool {
	a := e.Catalog()
	return a.accessOf(e.Endpoint, a.PathOf(e.Endpoint), caller) != spec.AccessRefused
}

// ReadsAnonymously reports whether an anonymous caller may use the endpoint, and there may be rows in its scope.
func (e Operation) ReadsAnonymously() bool {
	return e.admits(nil) && !e.Resource.Scope.IsEmpty(e.Catalog().imagined(e.Route, nil, nil))
}

// refusesInput lists the error codes for mistakes in the headers and the body of a request.
func (e Operation) refusesInput() (codes []string) {
	if e.Resource.Strict {
		codes = append(codes, problem.CodeInvalidIdempotencyKey) // if the endpoint does not accept keys
	}
	if e.IsWrite() {
		codes = append(codes, problem.CodePreconditionUnsupported)
	}
	if e.Matches() {
		codes = append(codes, problem.CodePreconditionFailed)
	}
	if e.NeedsMatch() {
		codes = append(codes, problem.CodePreconditionRequired)
	}
	if e.Idempotent {
		codes = append(codes, problem.CodeInvalidIdempotencyKey, problem.CodeIdempotencyKeyReused, problem.CodeIdempotencyInProgress, problem.CodeThrottled)
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
	return codes
}

// refusesRows lists the error codes that depend on the stored rows, and those of filters and
// pagination.
func (e Operation) refusesRows() (codes []string) {
	if e.OnObject || e.Resource.Above != nil {
		codes = append(codes, problem.CodeNotFound)
	}
	codes = append(codes, e.refusesReaders()...)
	if e.hasQuota() {
		codes = append(codes, problem.CodeQuotaExceeded)
	}
	if e.Bulk != nil && e.Bulk.Each { // the others are in results
		return codes
	}
	for _, part := range e.Listed {
		for _, refuser := range access.Parts[call.Refuser](part) {
			codes = append(codes, refuser.Refuses()...)
		}
	}
	kind := e.Kind
	if e.Bulk != nil {
		kind = e.Resource.Declaration.Verbs.Get(e.Route.Name).Kind
	}
	switch kind {
	case declare.VerbAccepts:
		codes = append(codes, problem.CodeUnique, problem.CodeConflict)
		codes = append(append(codes, e.refusesTaken()...), e.refusesOthers()...)
	case declare.VerbDeletes:
		codes = append(codes, problem.CodeReferenced)
	case declare.VerbDoes, declare.VerbChanges, declare.VerbAbsent: // functions reject what they declare, and may call Insert or Save
		if e.IsWrite() && e.File == nil {
			codes = append(codes, e.refusesTaken()...)
		}
	case declare.VerbShows, declare.VerbComputes:
	}
	return codes
}

// refusesFile lists the error codes of a file: of its body, or of its ranges and conditions.
func (e Operation) refusesFile() (codes []string) {
	switch {
	case e.File == nil:
	case e.Route.Method == http.MethodPut:
		codes = []string{problem.CodeInvalidUpload, problem.CodeFileTooLarge, problem.CodeUnsupportedFileType, problem.CodeRequestTimeout}
	case e.Route.Method == http.MethodGet:
		codes = []string{problem.CodeRangeNotSatisfiable, problem.CodePreconditionFailed}
		if e.takesSignature() {
			codes = append(codes, problem.CodeInvalidSignature)
		}
	}
	return codes
}

// refusesTaken lists the error codes of the unique constraints and checks of the resource, and of the
// one whose rows the answer of a function shows.
func (e Operation) refusesTaken() (codes []string) {
	resources := []*table.Resource{e.Resource}
	if e.Shown != nil && e.Shown != e.Resource {
		resources = append(resources, e.Shown)
	}
	for _, r := range resources {
		for _, u := range r.Uniques {
			codes = append(codes, u.Code)
		}
		for _, k := range r.Checks {
			codes = append(codes, k.Code)
		}
	}
	return codes
}

// refusesOthers lists the error codes for a write whose row would not be the caller's: the row
// is outside the scope's conditions, or has no owner because the caller is anonymous.
func (e Operation) refusesOthers() (codes []string) {
	scope := e.Resource.Scope
	if scope.Kind == declare.ScopeWhere {
		codes = append(codes, problem.CodeForbidden)
	}
	makes := e.Route.Name == call.VerbCreate || e.MayInsert() || e.Bulk != nil && e.Route.Method == http.MethodPut
	if len(e.Resource.Owners()) > 0 && makes && e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	return codes
}

// hasQuota reports whether the endpoint may add a row of an owner whose number of rows is limited. The results of several rows, one by
// one, have the error themselves. A function may call Insert and Save.
func (e Operation) hasQuota() bool {
	return e.Resource.Path != "" && e.Resource.Quota() != nil && (e.Bulk == nil || !e.Bulk.Each) && e.AddsRows()
}

// AddsRows reports whether the endpoint may add a row of an owner to the table of its viewset.
func (e Operation) AddsRows() bool {
	switch {
	case !e.IsWrite():
		return false
	case e.Restores || e.MayInsert() || e.Bulk != nil && e.Route.Method == http.MethodPut:
		return true
	case e.Kind == declare.VerbDoes, e.Kind == declare.VerbChanges:
		return true
	case e.Kind == declare.VerbAbsent && e.Bulk == nil:
		return e.File == nil && e.OtherKey == nil && !e.Toggles
	}
	return e.Route.Name == call.VerbCreate || e.writesOwner()
}

// writesOwner reports whether the input has the owner that a quota counts by.
func (e Operation) writesOwner() bool {
	return e.Input != nil && slices.ContainsFunc(e.Input.Fields, func(f *input.Field) bool {
		column := bunmodel.ColumnOf(e.Resource.Table, f.GoName)
		return column != nil && store.Moves(e.Resource, []*schema.Field{column})
	})
}

// refusesReaders lists the error codes for a row that the caller may see and may not change.
func (e Operation) refusesReaders() (codes []string) {
	if !e.ByWriters {
		return nil
	}
	if e.Resource.Writers.Kind != declare.ScopeWhere && e.admits(nil) {
		codes = append(codes, problem.CodeAuthenticationRequired)
	}
	return append(codes, problem.CodeNotYours)
}

// successes lists the statuses of the endpoint's successes.
func (e Operation) successes() []int {
	if e.Parts != nil && e.Parts.ServesRanges(e.Route.Method, e.Status) {
		return []int{e.Status, http.StatusPartialContent, http.StatusNotModified}
	}
	if e.IsTagged() && !e.IsWrite() {
		return []int{e.Status, http.StatusNotModified}
	}
	if e.FirstStatus == 0 || e.FirstStatus == e.Status {
		return []int{e.Status}
	}
	return []int{e.Status, e.FirstStatus}
}

// sendsFile reports whether the answer is the content of a file.
func (e Operation) sendsFile() bool { return e.File != nil && e.Route.Method == http.MethodGet }

// takesSignature reports whether a signature in the URL replaces the credentials.
func (e Operation) takesSignature() bool { return e.sendsFile() && e.File.SignFor > 0 }

// sentBack is the output type of a strict Update or Patch of Accepts, if it has fields that the
// input lacks. A client may send these fields back unchanged. It is nil for any other endpoint;
// a lenient one accepts any field.
func (e Operation) sentBack() reflect.Type {
	if !e.Resource.Strict || e.Kind != declare.VerbAccepts || e.Route.Name == call.VerbCreate || e.Out.Kind() != reflect.Struct {
		return nil
	}
	for f := range e.Resource.API.Config.Case.Fields(e.Out) {
		if e.Input.ByName[naming.JSONName(f)] == nil {
			return e.Out
		}
	}
	return nil
}
