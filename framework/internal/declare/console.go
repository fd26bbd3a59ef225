package declare

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
)

// A Console declares the pages of an API for people.
type Console struct {
	// Path is where the console is served, with a slash at both ends: "/admin/". Defaults to
	// none: there is no console.
	Path string
	// Title names the console to people. Defaults to the title of the API.
	Title string
	// Session is the path of the endpoint of sessions, below the prefix of the API. People sign in
	// by it. Defaults to "/auth/session", that of package auth.
	Session string
	// Redirect sends a browser from an address of the API to its page, by 303: a GET that a person makes by a link or the
	// address bar (Sec-Fetch-Dest: document), without the header Authorization. It is for development: the address
	// then answers people and programs differently. Defaults to false.
	Redirect bool
	// Tiles show numbers and rows of the API on the first page. Defaults to none.
	Tiles []ConsoleTile
	// Pages are pages of your own beside those that follow from the declarations. Defaults to none.
	Pages []ConsolePage
	// Renderers show values of members in another way, such as an amount of money, by the name of the member, "totalPaise", or
	// of a viewset and its member, "admin/orders.totalPaise". Defaults to none.
	Renderers map[string]ConsoleRenderer
	// Logo is an image in SVG, PNG, JPEG, WebP or GIF beside the title. Defaults to none.
	Logo []byte
	// Accent is the colour of links and of the main button. Defaults to a blue.
	Accent ConsoleAccent
}

// plainPath matches a path of names between slashes.
var plainPath = regexp.MustCompile(`^/([A-Za-z0-9._-]+/)+$`)

// Check returns the mistakes in the settings, for an API with a prefix, "" for none.
func (c Console) Check(prefix string) error {
	switch {
	case c.Path == "":
		return nil
	case !plainPath.MatchString(c.Path):
		return errors.New("the path " + c.Path + ` must begin and end with a slash, and have a plain name between; "/admin/" does`)
	case prefix == "" || strings.HasPrefix(c.Path, prefix+"/") || strings.HasPrefix(prefix+"/", c.Path):
		return errors.New("the path " + c.Path + " overlaps with the prefix of the API, " + cmp.Or(prefix, "/") + "; " +
			"give the console a path beside it, or switch it off; " +
			"in a program of package program, the setting CONSOLE does both")
	}
	return nil
}
