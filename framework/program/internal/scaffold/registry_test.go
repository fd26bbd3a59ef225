package scaffold

import (
	"strings"
	"testing"
)

// inRegister is a resources.go with a body of its function.
func inRegister(body string) string {
	return "package main\n\n// Mine.\nfunc register(api *framework.API, site *program.Site) {\n" + body + "}\n"
}

func TestAResourceIsAddedToTheList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"one line":                 {"\tapi.Register(Notes)\n", "\tapi.Register(Notes, Books)\n"},
		"an empty list":            {"\tapi.Register()\n", "\tapi.Register(Books)\n"},
		"one per line":             {"\tapi.Register(\n\t\tNotes,\n\t)\n", "\tapi.Register(\n\t\tNotes,\n\t\tBooks,\n\t)\n"},
		"a comment behind a line":  {"\tapi.Register(\n\t\tNotes, // mine\n\t)\n", "\tapi.Register(\n\t\tNotes, // mine\n\t\tBooks,\n\t)\n"},
		"a comment below the last": {"\tapi.Register(\n\t\tNotes,\n\t\t// Old,\n\t)\n", "\tapi.Register(\n\t\tNotes,\n\t\t// Old,\n\t\tBooks,\n\t)\n"},
		"a call in the list":       {"\tapi.Register(site.Identity.ViewSet(), Loans(7))\n", "\tapi.Register(site.Identity.ViewSet(), Loans(7), Books)\n"},
		"other code around it":     {"\tif x  {\n\t}\n\tapi.Register(Notes)\n\ty( )\n", "\tif x  {\n\t}\n\tapi.Register(Notes, Books)\n\ty( )\n"},
		"the end on the same line": {"\tapi.Register(Notes,\n\t\tUsers)\n", "\tapi.Register(Notes,\n\t\tUsers, Books)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := register([]byte(inRegister(c.before)), "Books")
			if err != nil || string(got) != inRegister(c.after) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, inRegister(c.after))
			}
		})
	}
}

func TestAListThatIsNotClearIsNotChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, says string }{
		"no list":   {"", "resources.go has no call of api.Register"},
		"two lists": {"\tapi.Register(Notes)\n\tapi.Register(Users)\n", "resources.go has 2 calls of Register"},
		"a slice":   {"\tapi.Register(all...)\n", "resources.go passes a slice to Register"},
		"not Go":    {"\tapi.Register(\n", "resources.go:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := register([]byte(inRegister(c.body)), "Books"); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %v; want %q", got, err, c.says)
			}
		})
	}
}
