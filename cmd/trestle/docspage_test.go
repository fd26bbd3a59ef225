package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestThePagesInABrowser: a person comes to the first page, goes to the
// reference, and tries the API with the demo's data.
func TestThePagesInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	t.Parallel()
	b := openTab(t)
	s := startProgram(t, buildProgram(t), sqliteURL(t))
	base := strings.Replace(s.base(t), "127.0.0.1", publicHost, 1)

	b.widen(desktop)
	b.visit(base+"/", "main")
	b.shows("first page")
	b.widen(telephone)
	b.shows("first page on a telephone")
	b.darken()
	b.shows("first page in the dark")

	b.widen(desktop)
	b.click(`a[href$="/api/docs"]`)
	b.listsTags(t, s.base(t))
	b.shows("reference")
	b.tries("Store-listProducts")
	b.authorizes("token", "Token "+s.token(t))
	b.tries("Clinic-listPatients")
	b.shows("answer")
	b.widen(telephone)
	b.shows("answer on a telephone")
	b.click(".btn.authorize")
	b.do("the dialog", chromedp.WaitVisible(chromedp.CSS(".auth-container")))
	b.shows("dialog on a telephone")
	if kept := read[string](b, `JSON.stringify([localStorage, sessionStorage, document.cookie])`); kept != `[{},{},""]` {
		t.Errorf("the browser keeps %s", kept)
	}

	b.visit(base+"/api/docs/", ".btn.authorize.unlocked") // and nobody is signed in any more
	b.shows("reference on a telephone")
	b.authorizes("bearer", s.token(t))
	b.tries("Clinic-listPatients")
	b.staysAtHome(base)
}

// listsTags checks that the page has every tag of the reference, in order.
func (b *tab) listsTags(t *testing.T, base string) {
	t.Helper()
	var reference struct{ Tags []struct{ Name string } }
	got := visit(t, base, nil).send(t, "GET /api/openapi.json", "").is(t, http.StatusOK)
	if err := json.Unmarshal([]byte(got.body), &reference); err != nil || len(reference.Tags) < 3 {
		t.Fatalf("the reference has the tags %v, %v", reference.Tags, err)
	}
	var want []string
	for _, tag := range reference.Tags {
		want = append(want, tag.Name)
	}
	b.do("the operations", chromedp.WaitVisible(chromedp.CSS(".opblock-tag-section .opblock")))
	if shown := read[[]string](b, `[...document.querySelectorAll(".opblock-tag")].map(tag => tag.dataset.tag)`); !slices.Equal(shown, want) {
		t.Errorf("the page has the tags %q; want %q", shown, want)
	}
}

// authorizes types credentials into the dialog.
func (b *tab) authorizes(scheme, value string) {
	b.t.Helper()
	b.click(".btn.authorize")
	of := `//div[@class="auth-container"][.//code[text()="` + scheme + `"]]`
	b.do("authorizing by "+scheme,
		chromedp.SendKeys(chromedp.Search(of+`//input`), value),
		chromedp.Click(chromedp.Search(of+`//button[text()="Authorize"]`)),
		chromedp.WaitVisible(chromedp.Search(of+`//button[text()="Logout"]`)))
	b.click(".close-modal")
}

// tries executes an operation that is not open yet, and expects 200.
func (b *tab) tries(operation string) {
	b.t.Helper()
	block := "#operations-" + operation
	b.click(block+" .opblock-summary-control", block+" .try-out__btn", block+" .execute")
	answer := block + " .live-responses-table .response .response-col_status"
	b.do("the answer", chromedp.ScrollIntoView(chromedp.CSS(answer)))
	if status, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS(answer))); err != nil || status != "200" {
		b.t.Errorf("%s answers %q, %v", operation, status, err)
	}
}
