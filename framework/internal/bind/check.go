package bind

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/origin"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// mostRows is the highest value of Config.MaxRows.
const mostRows = 1_000_000

// checkConfig reports the mistakes in the settings of the API.
func (b *binder) checkConfig() {
	c := b.api.Config
	fault := func(place, format string, args ...any) {
		b.fault("framework.Config", place, naming.Sentence(format, args...))
	}
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		fault("PublicURL", "%q must begin with https:// or http:// and a host", c.PublicURL)
	}
	for _, host := range c.Hosts {
		if _, _, err := net.SplitHostPort(host); host == "" || strings.ContainsAny(host, "/ @") || err == nil {
			fault("Hosts", "%q must be a name or an address without a scheme and a port, such as api.example.org", host)
		}
	}
	for _, origin := range c.CORS {
		if !naming.IsOrigin(origin) {
			fault("CORS", "%q must be an origin as browsers send it: a scheme and a host in lower case, without a path, a usual port or *", origin)
		}
	}
	access.CheckPermission(c.Permission, func(err error) { fault("Permission", "%w", err) })
	checkListed(c.Authentication, "authenticator", func(err error) { fault("Authentication", "%w", err) })
	checkListed(c.Throttles, "throttle", func(err error) { fault("Throttles", "%w", err) })
	b.checkNumbers(fault)
	b.checkOwnCodes(fault)
	b.checkOwnRules(fault)
	b.checkGuards(fault)
	b.checkFileKeys(fault)
	b.checkDocs()
}

func (b *binder) checkNumbers(fault func(place, format string, args ...any)) {
	c := b.api.Config
	if c.MaxRows < 0 || c.MaxRows > mostRows {
		fault("MaxRows", "%d must be 1 to %d", c.MaxRows, mostRows)
	}
	if c.IdempotencyKeys < 0 {
		fault("IdempotencyKeys", "%d must be above zero", c.IdempotencyKeys)
	}
	if c.HSTS < 0 || c.HSTS%time.Second != 0 {
		fault("HSTS", "%s must be whole seconds, 0 for none", c.HSTS)
	}
}

// checkOwnCodes checks that each code of the program is well formed, is not the framework's own,
// has a valid status, and is declared once. The same code may be declared as a code of errors and
// as a code of faults, as the framework does with "unique".
func (b *binder) checkOwnCodes(fault func(place, format string, args ...any)) {
	type use struct {
		code    string
		isFault bool
	}
	known := map[use]bool{}
	for _, code := range b.api.Config.Codes {
		one := use{code.Code, code.IsFault()}
		switch {
		case !naming.CodeName.MatchString(code.Code):
			fault("Codes", "%q must be made of a-z, 0-9 and _", code.Code)
		case isBuiltin(code.Code), code.IsFault() && input.BuiltinFault(code.Code):
			fault("Codes", "%q is the framework's own", code.Code)
		case known[one]:
			fault("Codes", "%q is there twice; leave one out", code.Code)
		case !code.IsFault() && (code.Status < 400 || code.Status > 599):
			fault("Codes", "%q has the status %d; an error has 400 to 599, and a code of faults alone has 0", code.Code, code.Status)
		}
		known[one] = true
	}
}

// checkOwnRules checks each rule of the program, and that no two have one name and none has a code
// of the framework.
func (b *binder) checkOwnRules(fault func(place, format string, args ...any)) {
	known := map[string]bool{}
	for _, own := range b.api.Config.Rules {
		err := own.Check()
		switch {
		case err != nil:
			fault("Rules", "%w", err)
		case known[own.Name()]:
			fault("Rules", "the rule %q is there twice; leave one out", own.Name())
		case input.BuiltinFault(own.FaultCode()) || isBuiltin(own.FaultCode()):
			fault("Rules", "the code %q of the rule %q is the framework's own", own.FaultCode(), own.Name())
		}
		known[own.Name()] = true
	}
}

// checkDocs reports each viewset at or below the path of the pages of error codes or, if the API
// is documented, of the documentation page.
func (b *binder) checkDocs() {
	for _, d := range b.declared {
		if origin.Below(strings.Trim(problem.ErrorPages, "/"), d.Path()) {
			b.fault(d.Path(), "", naming.Sentence("the pages of error codes are at %q; choose another name", b.api.Config.Prefix+problem.ErrorPages))
		}
		if !b.api.Config.Undocumented && origin.Below(strings.Trim(describe.DocsPath, "/"), d.Path()) {
			b.fault(d.Path(), "", naming.Sentence("the page of the reference is at %q; choose another name, or set framework.Config.Undocumented", b.api.Config.Prefix+describe.DocsPath))
		}
	}
}

func (b *binder) checkGuards(fault func(place, format string, args ...any)) {
	for _, g := range b.api.Config.Guards {
		access.CheckPermission(g.Permission, func(err error) { fault("Guards", "%w", err) })
		switch {
		case g.Permission == nil:
			fault("Guards", "the guard of %q has no permission", g.Under)
		case nested.InPath(g.Under):
			fault("Guards", "%q has the key of a row in it, and a guard is for a prefix of paths; give the viewset a Permission", g.Under)
		case !b.guardsSomething(g) && b.misspelt(g.Under):
			fault("Guards", "nothing is registered below %q%s", g.Under, naming.DidYouMean(g.Under, b.prefixes()))
		}
	}
}

func (b *binder) guardsSomething(g call.Guard) bool {
	under := strings.Trim(g.Under, "/")
	return under == "" || slices.ContainsFunc(b.declared, func(d *declare.Declaration) bool { return origin.Below(under, d.Path()) })
}

// misspelt reports whether the prefix of a guard is probably a mistake: it is near the path or
// the prefix of a viewset, or it begins with the API's own prefix. Any other prefix may be of a
// viewset that is not registered yet.
func (b *binder) misspelt(under string) bool {
	own := strings.Trim(b.api.Config.Prefix, "/")
	return naming.Nearest(under, b.prefixes()) != "" || own != "" && origin.Below(own, strings.Trim(under, "/"))
}

// prefixes lists the paths of the viewsets, and the prefixes that they are registered under.
func (b *binder) prefixes() []string {
	var list []string
	for _, d := range b.declared {
		list = append(list, d.Path())
		if d.Under != "" {
			list = append(list, d.Under)
		}
	}
	return list
}

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
	case isBuiltin(code):
		return naming.Sentence("the code %q of %s is the framework's own", code, of)
	case detail == "":
		return naming.Sentence("%s has no Detail, the sentence that a client reads", code)
	}
	return nil
}

// isBuiltin reports whether a code is an error code of the framework.
func isBuiltin(code string) bool {
	return slices.ContainsFunc(problem.BuiltinCodes(), func(c problem.CodeInfo) bool { return c.Code == code })
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

var operationID = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// checkIDs reports each id in a declaration that cannot be the name of a method in a generated
// client, and each operation whose id an earlier operation has.
func (b *binder) checkIDs() {
	first := map[string]describe.Operation{}
	for _, e := range describe.NewCatalog(b.api).Operations() {
		other, taken := first[e.ID()]
		switch {
		case e.Named != "" && !operationID.MatchString(e.Named):
			b.fault(e.Resource.Path, e.Place(), naming.Sentence("ID(%q): an id has letters and digits only and begins with a small one, such as \"setStock\"", e.Named))
		case taken:
			b.fault(e.Resource.Path, e.Place(), naming.Sentence("its id in the reference is %q, which is that of %s %s; give one of them another, as in .ID(%q)",
				e.ID(), other.Route.Method, e.Catalog().PathOf(other.Endpoint),
				naming.Camel(strings.ToLower(e.Route.Method), append(describe.Words(e.Resource), e.Route.Name)...)))
		default:
			first[e.ID()] = e
		}
	}
}

// checkShapes reports the embedded pointers in the answer of every endpoint ([checkShown]),
// which the OpenAPI document cannot describe.
func (b *binder) checkShapes() {
	for _, r := range b.api.Resources {
		known := map[reflect.Type]bool{}
		for _, e := range r.Endpoints {
			if e.Out != nil {
				checkShown(e.Out, known, func(err error) { b.fault(r.Path, e.Place(), err) })
			}
		}
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
	checkListed(own.Authentication, "authenticator", fault)
	checkListed(own.Throttles, "throttle", fault)
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

// checkListed reports each authenticator or throttle of a list that is nil.
func checkListed[T any](list []T, what string, fault func(error)) {
	for i, one := range list {
		if any(one) == nil {
			fault(naming.Sentence("the %s at place %d is nil", what, i+1))
		}
	}
}
