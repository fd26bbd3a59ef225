package web

import (
	"testing"
)

func TestPrefersHTML(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/*": false, "application/json": false, "application/*": false, "text/plain, */*": false,
		"text/html":              true,
		"TEXT/HTML; charset=x":   true,
		"text/html, */*":         true,
		"text/html, */*;q=0.8":   true,
		"text/html;q=0.5, */*":   false,
		"text/html;q=0":          false,
		"text/html;q=0, */*;q=0": false,
		"text/html;q=0.000":      false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"text/html, application/json":                                     false,
		"text/html;q=0.9, application/json;q=0.8":                         true,
		"application/json, text/html;q=0.9":                               false,
		"text/html;q=0.9, application/*":                                  false,
		"text/html;q=0.9, application/*;q=0.9":                            true,
		"text/html, application/json;q=0":                                 true,
		"text/html;level=1;q=0.4, application/json;q=0.3":                 true,
		"text/html;q=2":            false,
		"text/html;q=-1":           false,
		"text/html;q=NaN":          false,
		"text/html;q=x":            false,
		"text/html;q":              true,
		"text/htmlx, xtext/html":   false,
		"application/json;q=0.001": false,
		",,;q=1,=,text/html":       true,
	} {
		if got := prefersHTML([]string{accept}); got != want {
			t.Errorf("%q: %t; want %t", accept, got, want)
		}
	}
	if !prefersHTML([]string{"application/json;q=0.5", "text/html"}) {
		t.Error("several headers are one list")
	}
}
