package main

import (
	"strings"

	"github.com/chromedp/chromedp"
)

// packsInQueue takes the first order of the packing queue from placed to delivered, each step by one button.
func (b *tab) packsInQueue(base string) {
	b.t.Helper()
	queue := base + "/admin/packing/"
	b.visit(queue, ".parcel button")
	number := read[string](b, `document.querySelector("[aria-labelledby=stage-placed] h3").textContent`)
	b.shows("packing queue")
	for _, step := range []struct{ verb, from string }{{"Confirm", "placed"}, {"Pack", "confirmed"}, {"Dispatch", "packed"}, {"Deliver", "out_for_delivery"}} {
		parcel := `//section[@aria-labelledby="stage-` + step.from + `"]//article[h3[. = "` + number + `"]]`
		b.do(step.verb, chromedp.Click(chromedp.Search(parcel+`//button[starts-with(., "`+step.verb+`")]`)))
	}
	b.do("leaving the queue", chromedp.WaitVisible(chromedp.Search(`//main[div[@class="stages"] and not(.//h3[. = "`+number+`"])]`)))
	b.visit(queue+number+"/", ".slip")
	b.shows("packing slip")
	b.widen(telephone)
	b.shows("packing slip on a telephone")
	b.visit(queue, ".parcel button")
	b.shows("packing queue on a telephone")
	b.widen(desktop)
}

// movesInCalendar moves an appointment of the demo data to a week to come.
func (b *tab) movesInCalendar(base string) {
	b.t.Helper()
	b.visit(base+"/admin/calendar/?week=2026-W50", ".calendar .move")
	b.shows("calendar")
	name := read[string](b, `document.querySelector(".calendar .entry-of-day a").textContent`)
	b.click(".calendar .move")
	b.says("Choose a free slot for")
	later := strings.Replace(read[string](b, "location.href"), "2026-W50", "2099-W02", 1)
	b.visit(later, ".calendar button")
	b.shows("free slots")
	b.click(".calendar button")
	b.says("Saved.")
	b.says("5 Jan to 11 Jan 2099")
	b.do("the moved appointment", chromedp.WaitVisible(chromedp.Search(`//tr[th[. = "09:00"]]/td[1]//a[. = "`+name+`"]`)))
	b.do("the end of the move", chromedp.WaitVisible(chromedp.Search(`//main[not(.//button[starts-with(., "Move here")])]`)))
	b.widen(telephone)
	b.shows("calendar on a telephone")
	b.widen(desktop)
	b.visit(base+"/admin/", ".tiles")
	b.shows("tiles")
}
