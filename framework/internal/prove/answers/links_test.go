package answers_test

import (
	"net/http"
	"testing"

	"trestle.example/framework/internal/prove/answers"
)

// TestNextPage checks which link of an answer leads to its next page, as RFC 8288 describes.
func TestNextPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, links, want string }{
		{"no link", ``, ""},
		{"one link", `</leafs/?cursor=b>; rel="next"`, "cursor=b"},
		{"a URL", `<https://example.com/leafs/?cursor=b>; rel="next"`, "cursor=b"},
		{"a query alone", `<?cursor=b>;rel="next"`, "cursor=b"},
		{"without quotation marks", `<?cursor=b>; rel=next`, "cursor=b"},
		{"white space", `<?cursor=b> ; rel = "next"`, "cursor=b"},
		{"a tab", "<?cursor=b>;\trel\t=\tnext\t", "cursor=b"},
		{"capitals", `<?cursor=b>; REL="Next"`, "cursor=b"},
		{"several relations", `<?cursor=b>; rel="https://example.com/more last next"`, "cursor=b"},
		{"after another link", `<?cursor=a>; rel="prev", <?cursor=b>; rel="next"`, "cursor=b"},
		{"before another link", `<?cursor=b>; rel="next", <?cursor=c>; rel="last"`, "cursor=b"},
		{"after a title", `<?cursor=b>; title="a, b; <c>; rel=\"prev\""; type="application/json"; rel="next"`, "cursor=b"},
		{"after a parameter without a value", `<?cursor=b>; flag; rel="next"`, "cursor=b"},
		{"a comma in the URL", `<?ids=1,2>; rel="next"`, "ids=1,2"},
		{"an empty item", `, ,<?cursor=b>; rel="next"`, "cursor=b"},
		{"another relation that begins so", `<?page=1>; rel="next-archive"`, ""},
		{"another relation that ends so", `<?page=1>; rel="x:next"`, ""},
		{"a title that names it", `<?page=1>; title="; rel=next"; rel="help"`, ""},
		{"a second rel", `<?page=1>; rel="help"; rel="next"`, ""},
		{"of another resource", `<?page=2>; rel="next"; anchor="/guide/1", <?cursor=b>; rel="next"`, "cursor=b"},
		{"without a query", `</leafs/>; rel="next", <?cursor=b>; rel="next"`, "cursor=b"},
		{"without an end", `<?cursor=b; rel="next"`, ""},
		{"without the end of a title", `<?cursor=b>; title="a; rel="next`, ""},
		{"no URL", `<%zz?cursor=a>; rel="next"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{"Link": {`</openapi.json?v=1>; rel="service-desc"`, c.links}}
			if got := answers.NextPage(h); got != c.want {
				t.Errorf("the query of the next page is %q; want %q", got, c.want)
			}
		})
	}
}
