package prefer_test

import (
	"strings"
	"testing"

	"trestle.example/framework/internal/prefer"
)

// TestMinimal: which headers prefer an answer without a body.
func TestMinimal(t *testing.T) {
	for name, test := range map[string]struct {
		values []string
		want   bool
	}{
		"none":                             {nil, false},
		"an empty one":                     {[]string{""}, false},
		"minimal":                          {[]string{"return=minimal"}, true},
		"representation":                   {[]string{"return=representation"}, false},
		"a quoted value":                   {[]string{`return="minimal"`}, true},
		"a quoted value with an escape":    {[]string{`return="min\imal"`}, true},
		"half a quoted value":              {[]string{`return="minimal`}, false},
		"white space":                      {[]string{" \treturn = minimal "}, true},
		"the name in capitals":             {[]string{"Return=minimal"}, true},
		"the value in capitals":            {[]string{"return=Minimal"}, false},
		"a parameter":                      {[]string{"return=minimal; foo=bar"}, true},
		"a parameter named return":         {[]string{"respond-async; return=minimal"}, false},
		"after another preference":         {[]string{"respond-async, wait=10, return=minimal"}, true},
		"in a second header":               {[]string{"respond-async", "return=minimal"}, true},
		"in the text of another one":       {[]string{`foo="a, return=minimal"`}, false},
		"after a quote that is escaped":    {[]string{`foo="a\", return=minimal"`}, false},
		"after a text of another one":      {[]string{`foo="a\"", return=minimal`}, true},
		"the first of two counts":          {[]string{"return=representation, return=minimal"}, false},
		"the first of two in two headers":  {[]string{"return=minimal", "return=representation"}, true},
		"without a value":                  {[]string{"return"}, false},
		"with an empty value":              {[]string{"return="}, false},
		"an empty name":                    {[]string{"=minimal"}, false},
		"another name that ends like it":   {[]string{"noreturn=minimal"}, false},
		"another value that begins so too": {[]string{"return=minimalist"}, false},
		"commas alone":                     {[]string{",,,"}, false},
		"commas around it":                 {[]string{",return=minimal,"}, true},
	} {
		if got := prefer.Minimal(test.values); got != test.want {
			t.Errorf("%s: %q is %t; want %t", name, test.values, got, test.want)
		}
	}
}

// FuzzMinimal: no header makes the server fail, and a preference after others has the effect that it has alone, unless one of
// them has a quote or the same name.
func FuzzMinimal(f *testing.F) {
	for _, seed := range []string{"", "respond-async", `foo="a, b"; c`, "return=representation", `"`, `\`, ",;=", "é=\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		prefer.Minimal([]string{text})
		if strings.Contains(text, `"`) || strings.Contains(strings.ToLower(text), "return") {
			return
		}
		if !prefer.Minimal([]string{text, prefer.ReturnMinimal}) || prefer.Minimal([]string{text}) {
			t.Errorf("%q changes what %s means", text, prefer.ReturnMinimal)
		}
	})
}
