package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// openConsole starts the program with its demo data and a console, and signs a person in with a browser.
func openConsole(t *testing.T, database, email string) (b *tab, base string) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	t.Parallel()
	b = openTab(t)
	s := startProgram(t, buildProgram(t), database, "TRESTLE_CONSOLE=/admin/")
	base = strings.Replace(s.base(t), "127.0.0.1", publicHost, 1)
	b.visit(base+"/admin/", "#field-email")
	b.enter("#field-email", email)
	b.enter("#field-password", passwordsOf(t, s.before)[email])
	b.click(".entry button")
	b.sees(".menu")
	return b, base
}

// enter types into a field.
func (b *tab) enter(field, text string) {
	b.t.Helper()
	b.do("typing into "+field, chromedp.SendKeys(chromedp.CSS(field), text))
}

// sees waits for a part of the page.
func (b *tab) sees(part string) {
	b.t.Helper()
	b.do("waiting for "+part, chromedp.WaitVisible(chromedp.CSS(part)))
}

// leaves marks the page, so that the test can wait for the next one, which may say the same.
func (b *tab) leaves() {
	b.t.Helper()
	read[string](b, `document.body.dataset.left = "left"`)
}

// says waits until the page says something.
func (b *tab) says(text string) {
	b.t.Helper()
	b.do("waiting for "+text, chromedp.WaitVisible(chromedp.Search(`//main//*[contains(normalize-space(.), "`+text+`")]`)))
}

// sets gives a control a value, as choosing it does.
func (b *tab) sets(field, value string) {
	b.t.Helper()
	if !read[bool](b, `(() => { const f = document.querySelector("`+field+`"); if (!f) return false; f.value = "`+value+`"; f.dispatchEvent(new Event("input", {bubbles: true})); return true })()`) {
		b.t.Fatalf("no %s on %s: %s", field, read[string](b, "location.href"), read[string](b, "document.body.innerText"))
	}
}

// TestTheConsoleInABrowser: a packer and a clerk do their work.
func TestTheConsoleInABrowser(t *testing.T) {
	b, base := openConsole(t, sqliteURL(t), "admin@example.com")
	b.widen(desktop)
	b.packs(base)
	b.packsInQueue(base)
	b.movesInCalendar(base)
	b.books(base)
}

// packs takes an order from placed to delivered, each step by one button.
func (b *tab) packs(base string) {
	b.t.Helper()
	b.visit(base+"/admin/admin/orders?status=placed", "tbody tr")
	number := read[string](b, `document.querySelector("tbody th").textContent`)
	row := `//tr[th[contains(., "` + number + `")]]`
	b.visit(base+"/admin/admin/orders", "tbody tr")
	for _, step := range []string{"Confirm", "Pack", "Dispatch", "Deliver"} {
		b.leaves()
		b.do(step, chromedp.Click(chromedp.Search(row+`//button[. = "`+step+`"]`)))
		b.sees("body:not([data-left])")
		b.says("Done.")
	}
	b.do("the order", chromedp.WaitVisible(chromedp.Search(row+`[td[contains(., "delivered")]]`)))
	b.shows("orders")
	b.do("once more", chromedp.Click(chromedp.Search(row+`//button[. = "Deliver"]`)))
	b.says("This was not accepted")
}

// books finds a patient by a search and books an hour. The hour is taken at the second attempt, so the form says so, and takes
// the next one.
func (b *tab) books(base string) {
	b.t.Helper()
	book := func() {
		b.visit(base+"/admin/appointments/~post", "[role=combobox]")
		b.enter("[role=combobox]", "an")
		b.sees(".found li")
		b.shows("search")
		b.do("choosing", chromedp.KeyEvent(kb.Enter))
		b.sets("[name=doctor]", read[string](b, `document.querySelector("[name=doctor] option:nth-child(2)").value`))
		b.sets("[name=starts_at]", "2027-03-01T10:00")
		b.click(".do button")
	}
	book()
	b.says("Added.")
	book()
	b.sees("[data-focus]")
	b.says("not accepted")
	b.shows("refused")
	b.sets("[name=starts_at]", "2027-03-01T11:00")
	b.click(".do button")
	b.says("Added.")
	b.widen(telephone)
	b.shows("appointment on a telephone")
	b.darken()
	b.shows("appointment in the dark")
}
