// Package framework serves REST APIs from declarations: a program declares a row, its
// inputs and views, and its rules, and the framework answers the requests.
//
// A [ViewSet] is a struct literal: its facts are fields, its inputs and views are types, its
// behaviour is plain functions. [API.Register] adds viewsets. [API.Handler] checks every
// name in them and returns the server. Each mistake is a sentence with the resource, the
// place and the nearest valid name.
//
// # The path of a request
//
// A request passes these packages below framework/internal in this order:
//
//	web         checks the host and the prefix guards, and finds the endpoint of the path
//	verb        checks the caller, reads the query string and runs the verb or the function
//	input       reads the body, and reports every fault of it
//	once        returns the stored answer of a request that was sent before
//	table       narrows by scope, orders, searches, stores
//	view        selects, joins and loads what a view shows
//	attachment  stores and sends the files of rows
//	wire        writes JSON
//	stream      sends answers in parts: streams and bytes
//
// Before the first request, bind turns the declarations into endpoints and reports every
// mistake; describe and openapi write the OpenAPI document. If the program calls them, the functions of
// index compare the database with the declarations.
//
// Three packages define the names that programs and the engine share:
// [trestle.example/framework/call] (the call, its caller and its access check),
// [trestle.example/framework/query] (filters, searches and pages) and
// [trestle.example/framework/problem] (errors). Package framework has an alias of each name
// that a program needs, so that a program imports framework alone.
//
// # Inputs
//
// An input is a struct. Its fields are matched to those of the model by Go name and type. A column of a
// struct that the model embeds with a prefix, as in To Leg `bun:"embed:to_"`, is Port, or ToPort if another
// column has that name.
// Its tags:
//
//	json:"name"          the client's name; "-" leaves the field out
//	validate:"required"  must be present except in the verb Patch, and must not be null, blank or
//	                     an empty array; 0 and false are values
//	validate:"filled"    may be absent, or null if it is a pointer, but not blank or an empty array
//	validate:"line"      one line of text without control and bidirectional characters
//	validate:"max=200"   and the other rules of package validator, of one value each
//	default:"booked"     the value of an absent field, except in the verb Patch
//	ref:"patients"       the viewset of the row that the value names; the caller must see it
//	to:"tags.name"       the relation whose rows the list sets
//	trim:"-"             keeps white space at both ends of text
//	doc:"..."            a sentence for the API reference
//	example:"..."        a value for the API reference, and for trying it out
//
// A key that is close to one of these, such as "validte", is a mistake, and so is a tag that
// Go cannot read. Other keys belong to the packages that read them.
//
// Text of white space and invisible characters is blank, and becomes empty if it is trimmed.
// Rules judge blank text like any other text: max=120 accepts it, min=1 and email do not,
// unless omitempty is among the rules. A pointer may be null. PATCH changes the fields that
// the body contains; PUT sets absent fields to their defaults. A [Checker] has a rule over
// several fields, and a [OneRequirer] requires one of several. A type of the program is read
// by its UnmarshalJSON or UnmarshalText. It returns a [ValueError] if a value is not valid,
// and a [RangeError] if it cannot store the value. An [Enumerated] type lists its values.
//
// # Views
//
// A view is a struct. Its fields are matched to those of the model by Go name and type. A
// field with the name of a relation shows that relation: a struct or a pointer to one is
// joined, a slice is loaded once for all rows. [ViewSet.Relations] lists the relation with the
// viewset whose scope narrows it. The tag ref:"doctors" applies the scope of another viewset, and
// ref:"-" declares that the relation is part of the row. A view has the tags doc and example
// too. A field without them is described like the field of the same name and type in an input
// of the viewset.
//
// # Columns that the framework fills
//
// The framework fills a primary key of the type uuid.UUID with a UUIDv7, the time fields
// CreatedAt and UpdatedAt, the owner if the scope is [Own], the foreign key to a [Parent], and the
// column of [Search.Stored].
// The database makes an auto-increment key. Any other column without a field in an input gets
// the zero value or, if its bun tag has nullzero and default, the default. A function stores
// changed rows by [Save] and new rows by [Insert].
//
// The framework sends its own statements, so bun does not call the hooks of a model, such as
// BeforeInsert and AfterScanRow. A hook that a declared verb would skip is a mistake. Its
// sentence names the replacement: [Fills] and [Does] for a new row, [Fills] and [Changes] for
// a changed or deleted row, [FillsThen] and [Call.AfterCommit] for what follows, [Computes]
// for a view. With Computes, bun's scanning hooks run.
//
// # Other packages
//
// Package sqldb opens the database and hides what differs between PostgreSQL and SQLite.
// Packages filter and page have the usual filters and pagination classes, and package auth
// has users and tokens. Package files stores the files of rows, see [FileField]. Package
// frameworktest has a test client, and suites for filters,
// permissions and other parts of your own. Package httpserver limits connections and slow
// clients, and reports health.
package framework
