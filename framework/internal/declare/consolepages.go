package declare

import (
	"io/fs"
	"net/url"
)

// A ConsoleTile shows an address of the API on the first page of a console, and links to its page. Callers see it if the
// permission of the endpoint admits them.
type ConsoleTile struct {
	// Title names what is shown. Required.
	Title string
	// Path is a path below the prefix of the API with its query: of a list, "/admin/orders?status=placed", or of totals,
	// "/appointments/totals/?group=status". Required.
	Path string
	// Rows is the number of first rows of a list that are shown. Defaults to none: the count of the list is shown, "about" or
	// "over" a number if the API does not count exactly.
	Rows int
}

// A ConsolePage is a page of your own in a console. It has the menu, the headers and the style of the others.
type ConsolePage struct {
	// Path is the path below that of the console, with keys in braces: "packing/{id}/". The path of a generated page
	// replaces that page, and its forms stay. Required.
	Path string
	// Title names the page. Required.
	Title string
	// Group is the group of the menu with a link to the page: the name of a service, or a new one. Defaults to none: the menu
	// has no link.
	Group string
	// Needs lists the endpoints that the page reads and writes: "GET /admin/orders". A caller who may not use
	// one of them neither sees nor opens the page. Defaults to none: everyone who signed in opens it.
	Needs []string
	// Files have the template and the style sheet. Required.
	Files fs.FS
	// Template is the name of a template of html/template in Files, which writes the part below the title. It may use the
	// parts of the console: {{template "buttons" .Steps}}, {{template "button" .Step}} and {{template "table" .Table}}.
	// Scripts, style elements and attributes with styles or scripts are a mistake, because the policy of the page forbids
	// them. Required.
	Template string
	// Style is the name of a style sheet in Files for this page. Defaults to none.
	Style string
	// Data returns what the template shows. An error of [ConsoleVisit.Read] becomes the page of that error. Required.
	Data func(ConsoleVisit) (any, error)
}

// A ConsoleVisit is one request for a page of your own. Each of its reads goes to the API in the same process as this caller,
// through the access checks, throttles and scopes, and each has its line in the log. It is valid until Data returns.
type ConsoleVisit interface {
	// Query has the parameters of the page.
	Query() url.Values
	// Key returns a key of the path of the page, "" for a name that it lacks.
	Key(name string) string
	// SetTitle replaces the title of the page.
	SetTitle(title string)
	// Read reads an address below the prefix of the API, "/admin/orders/5?fields=id", and decodes the JSON of the answer as
	// package encoding/json does. An error of the API is a *console.APIError.
	Read(address string, into any) error
	// ReadRows reads the rows of a list into a slice, page after page, at most a number of them. It reports whether the list
	// has no others.
	ReadRows(address string, most int, into any) (whole bool, err error)
	// Table reads a list and returns the table of its first page for the part "table".
	Table(address string) (any, error)
	// May reports whether the permission of an endpoint, "POST /admin/orders/{id}/confirm", admits the caller.
	May(endpoint string) bool
	// Link returns a link to the page of an address of the API, "" for an address that it lacks.
	Link(text, address string) ConsoleLink
	// Form returns a link to the form of an operation at an address. The form begins with the values of the fields.
	Form(text, method, address string, fields ...ConsoleField) ConsoleLink
	// Step returns an operation as one button: it sends the values of the fields, and then shows this page again. A
	// rejected operation shows its form with the faults.
	Step(text, method, address string, fields ...ConsoleField) ConsoleLink
}

// A ConsoleField is a field of the input of an operation. A time is in the form of the API, RFC 3339.
type ConsoleField struct {
	Name, Value string
	// Was is the value that the page shows. If the row has another one by now, the operation is not done, and the form shows
	// what changed. Defaults to none: the operation is done regardless.
	Was string
}

// A ConsoleLink is a link, or an operation as one button. The parts "button" and "buttons" write it, and leave out one
// without an address.
type ConsoleLink struct {
	Text, To string
	// About completes the text for people who hear the page: "Confirm" "order A1B2".
	About string

	Token  string // of an operation; "" for a link
	Next   string // the page that follows the operation
	Once   string // the key by which sending it twice does it once; "" for none
	Fields []ConsoleField
}

// A ConsoleRenderer returns the text that a page shows for a text or a number of an answer, and an address to which it links, ""
// for none.
type ConsoleRenderer func(text string) (shown, link string)

// A ConsoleAccent is a colour with the colour of text on it, for both themes, as "#0b5cad". Each pair has a contrast of at
// least 4.5:1, and so has the colour on the page.
type ConsoleAccent struct{ Light, OnLight, Dark, OnDark string }
