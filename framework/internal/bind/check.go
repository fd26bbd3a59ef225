package bind

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

func (b *binder) bindConstraints(r *table.Resource) {
	b.bindUniques(r)
	b.bindChecks(r)
}

func (b *binder) bindUniques(r *table.Resource) {
	for _, u := range r.Declaration.Uniques {
		if err := checkUnique(u); err != nil {
			b.fault(r.Path, "uniques", err)
		}
		bound := table.BoundUnique{Unique: u, Columns: b.columnsOf(r, "uniques", u.Fields)}
		b.explain(u.Code, "Already taken", u.Detail)
		r.Uniques = append(r.Uniques, bound)
	}
}

func (b *binder) bindChecks(r *table.Resource) {
	for _, k := range r.Declaration.Checks {
		err := checkCode(k.Code, k.Detail, k.Constraint)
		if k.Constraint == "" {
			err = naming.Sentence("%s names no constraint; write the name that the schema gives it: CONSTRAINT name CHECK (...)", k.Code)
		}
		if err != nil {
			b.fault(r.Path, "checks", err)
		}
		bound := table.BoundCheck{Check: k, Columns: b.columnsOf(r, "checks", k.Fields)}
		b.explain(k.Code, "Not allowed together", k.Detail)
		r.Checks = append(r.Checks, bound)
	}
}

// columnsOf returns the names of the columns of fields, sorted. It records a mistake for each
// unknown field.
func (b *binder) columnsOf(r *table.Resource, place string, fields []string) (columns []string) {
	for _, name := range fields {
		f, err := r.Field(name)
		if err != nil {
			b.fault(r.Path, place, err)
			continue
		}
		columns = append(columns, f.Column.Name)
	}
	slices.Sort(columns)
	return columns
}

// explain adds the code of a constraint to the codes of the API, with status 409, unless the API
// has it.
func (b *binder) explain(code, title, detail string) {
	if _, known := b.api.Codes[code]; !known {
		b.api.Codes[code] = problem.CodeInfo{Code: code, Status: http.StatusConflict, Title: title, Text: detail}
	}
}

// checkUnique checks that a unique constraint has fields, a valid code and a sentence for
// clients.
func checkUnique(u declare.Unique) error {
	if len(u.Fields) == 0 {
		return naming.Sentence("it names no fields")
	}
	return checkCode(u.Code, u.Detail, strings.Join(u.Fields, ", "))
}

// checkCode returns the first mistake in the code of a constraint: it is malformed, it is a code
// of the framework, or it has no sentence for clients. The parameter of is the constraint's name
// in the first two errors.
func checkCode(code, detail, of string) error {
	switch {
	case !naming.CodeName.MatchString(code):
		return naming.Sentence("the code %q of %s must be made of a-z, 0-9 and _, such as \"slot_taken\"", code, of)
	case fault.IsBuiltin(code):
		return naming.Sentence("the code %q of %s is the framework's own", code, of)
	case detail == "":
		return naming.Sentence("%s has no Detail, the sentence that a client reads", code)
	}
	return nil
}

// checkCodes reports each error code of a function that the API does not declare. It waits for the
// codes of the constraints of all resources.
func (b *binder) checkCodes(r *table.Resource, place string, codes []string) {
	b.later(func() {
		for _, code := range codes {
			if _, known := b.api.Codes[code]; !known {
				near := naming.DidYouMean(code, slices.Collect(maps.Keys(b.api.Codes)))
				b.fault(r.Path, place, naming.Sentence("Refuses(%q): no such code in framework.Config.Codes%s", code, near))
			}
		}
	})
}

// checkStatus reports a status of success that is not 200 to 299. It accepts 0, which stands for
// the usual status.
func (b *binder) checkStatus(r *table.Resource, place string, status int) {
	if status != 0 && (status < 200 || status > 299) {
		b.fault(r.Path, place, naming.Sentence("Answers(%d): a success is 200 to 299", status))
	}
}

// checkHooks reports the hooks of a viewset's model that the statements of a verb skip.
func checkHooks(r *table.Resource, kind declare.VerbKind, verb string, fault func(error)) {
	switch {
	case kind == declare.VerbDoes:
		return
	case kind == declare.VerbDeletes:
		modelhook.OfDelete().Check(r.Model, fault)
		return
	case kind == declare.VerbAccepts && (verb == call.VerbCreate || verb == call.VerbUpdate && r.Declaration.Single):
		modelhook.OfInsert().Check(r.Model, fault)
	}
	if kind == declare.VerbAccepts && verb != call.VerbCreate {
		modelhook.OfUpdate().Check(r.Model, fault)
	}
	modelhook.OfSelect().Check(r.Model, fault)
}

// checkRules reports an invalid permission, and each authenticator or throttle that is nil, in
// the rules of one endpoint.
func checkRules(own declare.Rules, fault func(error)) {
	access.CheckPermission(own.Permission, fault)
	access.CheckListed(own.Authentication, "authenticator", fault)
	access.CheckListed(own.Throttles, "throttle", fault)
	checkMiddleware(own.Middleware, fault)
}

// checkMiddleware reports each middleware that is nil.
func checkMiddleware(list []call.Middleware, fault func(error)) {
	for i, one := range list {
		if one == nil {
			fault(naming.Sentence("the middleware at place %d is nil", i+1))
		}
	}
}
