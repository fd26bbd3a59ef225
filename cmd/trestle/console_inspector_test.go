package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// An inspector checks pages of the console in a browser.
type inspector struct {
	*tab

	script string // axe-core
	base   string
	paths  []string // those of the OpenAPI document
	widths []int64
	dark   []bool
	seen   []string // the names of the pages that it checked
	runs   int      // of axe-core
}

// inspect opens a browser for checks at all widths and in both themes.
func inspect(t *testing.T, script, base string, paths []string) *inspector {
	t.Helper()
	return &inspector{
		tab: openTabFor(t, time.Hour), script: script, base: strings.Replace(base, "127.0.0.1", publicHost, 1), paths: paths,
		widths: []int64{360, 768, 1440}, dark: []bool{false, true},
	}
}

// documentedPaths returns the paths of the OpenAPI document, without the prefix of the API.
func documentedPaths(t *testing.T, base string) (paths []string) {
	t.Helper()
	var document struct {
		Paths map[string]any `json:"paths"`
	}
	got := visit(t, base, nil).send(t, "GET /api/openapi.json", "").is(t, http.StatusOK)
	if err := json.Unmarshal([]byte(got.body), &document); err != nil || len(document.Paths) == 0 {
		t.Fatalf("the OpenAPI document has no paths: %v", err)
	}
	for path := range document.Paths {
		paths = append(paths, strings.TrimPrefix(path, "/api/"))
	}
	slices.Sort(paths)
	return paths
}

// enters signs a person in.
func (i *inspector) enters(email, password string) {
	i.t.Helper()
	i.visit(i.page("~sign-in"), "#field-email")
	i.enter("#field-email", email)
	i.enter("#field-password", password)
	i.click(".entry button")
	i.do("waiting for the menu", chromedp.WaitReady(chromedp.CSS(".menu")))
	if at := read[string](i.tab, "location.href"); at != i.page("") {
		i.t.Fatalf("%s signs in and arrives at %s", email, at)
	}
}

// opens checks the page at an address.
func (i *inspector) opens(name, path string, status int) {
	i.t.Helper()
	i.checks(name, status, func() { i.visit(i.page(path), "h1") })
}

// submits checks the answer to a form with one entry.
func (i *inspector) submits(name, path string, status int, field, text string) {
	i.t.Helper()
	i.checks(name, status, func() {
		i.visit(i.page(path), ".do button")
		if field != "" {
			i.fills(field, text)
		}
		i.sends(".do button")
	})
}

// fills gives the first control that a selector finds a text.
func (i *inspector) fills(field, text string) {
	i.t.Helper()
	if !read[bool](i.tab, fmt.Sprintf(`(() => { const f = document.querySelector(%q); if (f) f.value = %q; return !!f })()`, field, text)) {
		i.t.Fatalf("no %s on %s", field, read[string](i.tab, "location.href"))
	}
}

// sends clicks on a button and waits for the page that it leads to.
func (i *inspector) sends(button string) {
	i.t.Helper()
	i.leaves()
	i.click(button)
	i.sees("body:not([data-left]) h1")
}

// checks runs all checks of one page at each width and in each theme. arrive goes to the page.
func (i *inspector) checks(name string, status int, arrive func()) {
	i.t.Helper()
	for _, width := range i.widths {
		i.widen(width)
		known := i.countTroubles()
		arrive()
		if got := read[int](i.tab, `performance.getEntriesByType("navigation")[0].responseStatus`); got != status {
			i.t.Errorf("%s: status %d; want %d: %s", name, got, status, read[string](i.tab, `document.querySelector("main").innerText`))
		}
		i.expects(status, known)
		read[bool](i.tab, `document.querySelectorAll("main details").forEach(d => { d.open = true }) || true`)
		if wider := read[int](i.tab, `document.documentElement.scrollWidth - innerWidth`); wider > 0 {
			i.t.Errorf("%s is %d px wider than its window of %d px", name, wider, width)
		}
		read[bool](i.tab, i.script+"; true")
		for _, dark := range i.dark {
			i.themes(dark)
			i.runs++
			for _, violation := range i.violations() {
				i.t.Errorf("%s at %d px, dark: %t: %s", name, width, dark, violation)
			}
		}
	}
	i.seen = append(i.seen, name)
}

// countTroubles counts the messages of the browser up to now.
func (i *inspector) countTroubles() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.troubles)
}

// expects drops the message by which the browser reports the status of an error page. It is one of those after the known ones, and has the
// address of the page.
func (i *inspector) expects(status, known int) {
	i.t.Helper()
	if status < http.StatusBadRequest {
		return
	}
	at := read[string](i.tab, "location.href")
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, trouble := range i.troubles[known:] {
		if strings.Contains(trouble, fmt.Sprintf("the server responded with a status of %d ", status)) && strings.HasSuffix(trouble, " "+at) {
			i.troubles = slices.Delete(i.troubles, known+n, known+n+1)
			return
		}
	}
}

// themes makes the person one who likes dark pages, or light ones.
func (i *inspector) themes(dark bool) {
	i.t.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}}
	if _, err := chromedp.Call(i.ctx, emulation.SetEmulatedMedia, media); err != nil {
		i.t.Fatal(err)
	}
}

// violations returns the violations of the rules of axe-core on the page, one for each element.
func (i *inspector) violations() []string {
	i.t.Helper()
	const run = `axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(result =>
		result.violations.flatMap(v => v.nodes.map(n => v.id + " at " + n.target.join(" ") + ": " + n.failureSummary + " " + n.html)))`
	found, err := chromedp.Run(i.ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		i.t.Fatal(err)
	}
	return found
}

// finds checks that axe-core finds a fault that a change of the page makes.
func (i *inspector) finds(change, rule string) {
	i.t.Helper()
	i.visit(i.page("~sign-in"), "h1")
	read[bool](i.tab, i.script+"; true")
	read[bool](i.tab, change+"; true")
	if found := i.violations(); !slices.ContainsFunc(found, func(one string) bool { return strings.HasPrefix(one, rule+" at ") }) {
		i.t.Errorf("after %s axe-core finds %q; want a violation of %s", change, found, rule)
	}
}

// crawls checks the first page, and one page of each kind to which the checked pages link.
func (i *inspector) crawls() {
	i.t.Helper()
	known := map[string]bool{}
	for next := []string{i.page("")}; len(next) > 0; next = next[1:] {
		name := i.nameOf(next[0])
		if name == "" || known[name] {
			continue
		}
		known[name] = true
		i.checks(name, http.StatusOK, func() { i.visit(next[0], "h1") })
		if at := read[string](i.tab, "location.href"); i.nameOf(at) != name {
			i.t.Errorf("%s leads to %s", next[0], at)
		}
		next = append(next, read[[]string](i.tab, `[...document.querySelectorAll("a[href]:not([download]), form[method=post][action]")].map(at => at.href || at.action)`)...)
	}
}

// nameOf returns the name of the kind of a page by its address: the path with names of keys for its keys. It returns "" for an
// address that is no page of the console.
func (i *inspector) nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		i.t.Fatal(err)
	}
	path, ok := strings.CutPrefix(u.Scheme+"://"+u.Host+u.Path, i.page(""))
	if !ok {
		return ""
	}
	end := ""
	if at := strings.LastIndex(path, "~"); at >= 0 {
		path, end = path[:at], path[at:]
	}
	switch {
	case slices.Contains([]string{"~json", "~export", "~chosen", "~sign-out", "~sign-in", "~search"}, end):
		return ""
	case path == "":
		return "home"
	}
	return i.template(path) + end
}

// template returns the documented path of an address; the one with the fewest keys, if there are several.
func (i *inspector) template(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	best, fewest := "", len(segments)+1
	for _, documented := range append([]string{"packing/", "packing/{number}/", "calendar/"}, i.paths...) {
		keys, fits := 0, true
		names := strings.Split(strings.Trim(documented, "/"), "/")
		for n, name := range names {
			isKey := strings.HasPrefix(name, "{")
			if isKey {
				keys++
			}
			fits = fits && len(names) == len(segments) && (isKey || name == segments[n])
		}
		if fits && keys < fewest {
			best, fewest = documented, keys
		}
	}
	if best == "" {
		i.t.Errorf("the page %s is at no address of the API", path)
	}
	return strings.TrimSuffix(best, "/") + "/"
}

// names returns the names of the checked pages, a line each. It reports the number of checks.
func (i *inspector) names() string {
	i.t.Helper()
	i.staysAtHome(i.base)
	i.t.Logf("FIGURE %s: %d pages, %d runs of axe-core", i.t.Name(), len(i.seen), i.runs)
	slices.Sort(i.seen)
	return strings.Join(i.seen, "\n") + "\n"
}
