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
	b.finds("", "Clinic-listPatients", "Store-listProducts")
	b.finds("LIST  patients", "Clinic-listPatients")
	b.finds("get STORE /API/cart", "Store-getCart")
	b.finds("")
	b.hasPadlocks(map[string]string{"Store-listProducts": "", "Clinic-listPatients": "unlocked", "Clinic-createPatient": "unlocked"})
	b.tries("Store-listProducts")
	b.authorizes("tokenAuth", "Token "+s.token(t))
	b.hasPadlocks(map[string]string{"Store-listProducts": "", "Clinic-listPatients": "locked"})
	b.tries("Clinic-listPatients")
	b.keepsApart(".parameter__type", ".parameters-col_description input")
	b.shows("answer")
	b.widen(telephone)
	b.shows("answer on a telephone")
	b.click(".btn.authorize")
	b.beginsDialog()
	b.shows("dialog on a telephone")
	if kept := read[string](b, `JSON.stringify([localStorage, sessionStorage, document.cookie])`); kept != `[{},{},""]` {
		t.Errorf("the browser keeps %s", kept)
	}

	b.visit(base+"/api/docs/", ".btn.authorize.unlocked") // and the user is signed out
	b.shows("reference on a telephone")
	b.click(".btn.authorize")
	b.beginsDialog()
	b.click(".close-modal")
	b.authorizes("bearerAuth", s.token(t))
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

// finds types into the field that finds operations, and checks that these are
// among those that are shown, alone if there is something to find.
func (b *tab) finds(text string, operations ...string) {
	b.t.Helper()
	const field = ".operation-filter-input"
	b.click(field)
	read[bool](b, `document.activeElement.select() ?? true`) // so that what is typed takes its place
	b.do("finding "+text, chromedp.SendKeys(chromedp.CSS(field), " "+text))
	for _, operation := range operations {
		b.do("what is found", chromedp.WaitVisible(chromedp.CSS("#operations-"+operation)))
	}
	others := read[[]string](b, `[...document.querySelectorAll(".opblock")].map(one => one.id.slice("operations-".length))`)
	others = slices.DeleteFunc(others, func(id string) bool { return slices.Contains(operations, id) })
	if few := len(others) == 0; few != (text != "") {
		b.t.Errorf("%q finds %q besides", text, others)
	}
}

// hasPadlocks checks the padlocks of operations: none, open, or closed.
func (b *tab) hasPadlocks(want map[string]string) {
	b.t.Helper()
	for operation, state := range want {
		script := `document.querySelector("#operations-` + operation + ` .authorization__btn svg")?.getAttribute("class") ?? ""`
		if got := read[string](b, script); got != state {
			b.t.Errorf("the padlock of %s is %q; want %q", operation, got, state)
		}
	}
}

// beginsDialog checks that the dialog for credentials is open at its top, and
// that one may type into its first field.
func (b *tab) beginsDialog() {
	b.t.Helper()
	const first = ".modal-ux-content input:focus"
	b.do("the dialog", chromedp.WaitVisible(chromedp.CSS(first)))
	if at := read[int](b, `document.querySelector(".modal-ux-content").scrollTop`); at != 0 {
		b.t.Errorf("the dialog is open at %d px", at)
	}
	if is := read[bool](b, `document.activeElement === document.querySelector(".modal-ux-content input")`); !is {
		b.t.Error("the first field of the dialog has not the focus")
	}
}

// keepsApart checks that no part ends close to where the other begins.
func (b *tab) keepsApart(left, right string) {
	b.t.Helper()
	gap := read[float64](b, `Math.min(...[...document.querySelectorAll("`+right+`")].map(one => one.getBoundingClientRect().left)) -
		Math.max(...[...document.querySelectorAll("`+left+`")].map(one => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect().right }))`)
	if gap < 8 {
		b.t.Errorf("%s is %v px from %s", left, gap, right)
	}
}

// authorizes types credentials into the dialog.
func (b *tab) authorizes(scheme, value string) {
	b.t.Helper()
	b.click(".btn.authorize")
	of := `//div[@class="auth-container"][.//h4/code[text()="` + scheme + `"]]`
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
