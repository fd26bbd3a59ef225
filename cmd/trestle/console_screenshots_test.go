package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// maxScreenshot is the size of a screenshot at most, in bytes: the repository keeps them.
const maxScreenshot = 150_000

// TestScreenshots writes the screenshots of the documents into the folder that TRESTLE_SCREENSHOTS names, as make screenshots does.
// The demo data and the addresses are the same each time.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("TRESTLE_SCREENSHOTS")
	if folder == "" {
		t.Skip("make screenshots runs it")
	}
	s := startProgram(t, buildProgram(t), sqliteURL(t), "TRESTLE_CONSOLE=/admin/")
	i := inspect(t, "", s.base(t), nil)
	i.widenTo(desktop, 800)
	i.themes(false)
	i.enters("admin@example.com", passwordsOf(t, s.before)["admin@example.com"])

	i.visit(i.page(""), ".tiles")
	i.draws(folder, "home")
	i.visit(i.page("patients/?ordering=name"), "tbody tr")
	patient := read[string](i.tab, `document.querySelector("tbody th a").href`)
	i.draws(folder, "list")
	i.visit(patient, "dl.object")
	i.draws(folder, "object")
	i.widenTo(telephone, 700)
	i.draws(folder, "phone")
	i.widenTo(desktop, 800)
	i.visit(i.page("patients/~post"), ".do button")
	i.fills(`[name="name"]`, "Asha Rao")
	i.fills(`[name="phone"]`, "x")
	i.sends(".do button")
	i.draws(folder, "fault")
	i.widenTo(desktop, 600) // a higher window has more text than maxScreenshot bytes can hold
	i.visit(i.page("packing/"), ".parcel")
	i.draws(folder, "packing")
	i.widenTo(desktop, 800)
	i.visit(i.page("calendar/?week=2026-W50"), ".calendar .move")
	i.draws(folder, "calendar")
	i.themes(true)
	i.visit(i.page("admin/orders"), "tbody tr")
	i.draws(folder, "dark")
}

// draws writes a screenshot of the window into a folder.
func (i *inspector) draws(folder, name string) {
	i.t.Helper()
	picture, err := chromedp.Run(i.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		i.t.Fatalf("the screenshot %s: %v", name, err)
	}
	if len(picture) > maxScreenshot {
		i.t.Errorf("the screenshot %s has %d bytes; want at most %d", name, len(picture), maxScreenshot)
	}
	if err := os.WriteFile(filepath.Join(folder, "console-"+name+".png"), picture, 0o644); err != nil {
		i.t.Fatal(err)
	}
}

// widenTo gives the window a width and a height.
func (i *inspector) widenTo(width, height int64) {
	i.t.Helper()
	i.do("a window", chromedp.EmulateViewport(width, height))
}
