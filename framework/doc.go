// Package framework serves declared resources: you describe a row, its shapes
// and its rules, and it answers the requests.
//
// A [ViewSet] is a struct literal. Facts are fields, shapes are types,
// behaviour is plain functions. [API.Register] takes viewsets,
// [API.Handler] checks every name in them once and returns the server; a
// mistake stops the program with a sentence that names the resource, the
// place and the nearest right name.
//
// # The path of a request
//
// A request passes these packages below framework/internal in this order:
//
//	web       checks the host and the prefix guards, and finds the endpoint of the path
//	verb      checks the caller, reads the query string and runs the verb or the function
//	input     reads the body, and reports every fault of it
//	once      returns the stored answer of a request that was sent before
//	table     narrows by scope, orders, searches, stores
//	view      selects, joins and loads what a view shows
//	wire      writes JSON
//
// Before the first request, bind turns the declarations into endpoints and reports every
// mistake; describe and openapi write the OpenAPI document; index compares the database
// with the declarations.
//
// The words that a program and the framework have in common are in three packages:
// [trestle.example/framework/call] has the call, its caller and what decides whether it may
// go on, [trestle.example/framework/query] has filters, searches and pages, and
// [trestle.example/framework/problem] has errors. Package framework has an alias of each
// name, so that a program imports framework alone.
//
// # What a client writes
//
// An input is a struct of plain fields, matched to the model's by Go name and
// type. Its tags:
//
//	json:"name"          the client's name; "-" leaves the field out
//	validate:"required"  must be present, not null, not blank; 0 and false are values
//	validate:"filled"    may be absent, or null if it is a pointer, but is not blank
//	validate:"line"      text of one line: no control characters, nor those that turn its direction
//	validate:"max=200"   and the other rules of package validator, of one value each
//	default:"booked"     what an absent field becomes on POST and PUT
//	ref:"patients"       the viewset whose row the value names; it must be one the caller may see
//	trim:"-"             keeps white space at both ends of text
//	doc:"..."            a sentence for the reference
//	example:"..."        a value for the reference, and for whoever tries it out
//
// A key that is close to one of these, such as "validte", is a mistake, whose
// sentence names the right one; any other key is left to the package that reads it.
// A tag that Go cannot read is a mistake too.
//
// Text of white space and characters that nobody sees is blank, and becomes
// empty where it is trimmed. Rules judge blank text as any other: max=120 takes it,
// min=1 and email do not, unless omitempty stands among the rules. A pointer may be null. PATCH changes what is present; PUT returns what is
// absent to its default. A rule over several fields is a method,
// [Checker]; that one of several fields is needed, [OneRequirer]. A type of one's own is read by its UnmarshalJSON or
// UnmarshalText, which says by a [ValueError] what is wrong with a value, and by a
// [RangeError] that it cannot store it.
//
// # What a client sees
//
// A view is a struct of fields of the model, matched by Go name and type. A
// field that is named like a relation of the model shows it: a struct or a
// pointer to one is joined, a slice is loaded for all rows at once. The tag
// ref:"doctors" narrows it by that viewset's scope, ref:"-" says that it is
// part of the row. It has the tags doc and example too; without them a field is
// described as that of the same name and type of an input of the viewset's verbs.
//
// A type of one's own whose values are few lists them, [Enumerated].
//
// # What the framework fills
//
// The primary key, a UUIDv7 unless the database makes it; the fields CreatedAt
// and UpdatedAt; the owner, where the scope is [Own]; the column that
// [Search.Stored] names. Any other column that no input names is stored as
// Go's zero value, or as its default: tag says where it is nullzero. A
// function that changes rows stores them by [Save] and [Insert].
//
// bun calls the hooks of a model, such as BeforeInsert and AfterScanRow, from its
// own methods, and the framework sends its statements itself. A hook that a
// declared verb would skip is a mistake, whose sentence names what to use: [Fills]
// and [Does] for a new row, [Fills] and [Changes] for a changed or deleted one,
// [Computes] for what is shown. With Computes, the scanning hooks of bun run.
//
// # Around it
//
// Package sqldb opens the database and holds what differs between PostgreSQL
// and SQLite. Packages filter and page have the usual filter backends and
// pagination classes, package auth users and tokens, package frameworktest a
// test client and suites that a class of your own can run. Package httpserver
// serves within limits: connections, slow clients, health.
package framework
