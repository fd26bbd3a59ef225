package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"trestle.example/internal/testserver/chromium"
)

// publicHost is what the browser takes this machine for: to its own people a
// page on localhost may do what it does not do to others.
const publicHost = "api.example.org"

// The sizes of the windows that show pages, in pixels.
const (
	desktop    = 1280
	telephone  = 375
	windowTall = 1400
)

// A tab is one of a real browser without a screen, and what went on in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	asked    []string // the URLs of all requests
	troubles []string // the messages of the console, with violations of the policy
}

// openTab starts a browser that reaches no other machine. It ends with the
// test, or after a few minutes.
func openTab(t *testing.T) *tab {
	t.Helper()
	return openTabFor(t, 3*waitLimit)
}

// openTabFor is openTab with another limit.
func openTabFor(t *testing.T, limit time.Duration) *tab {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	browser, end := chromedp.NewExecAllocator(limited, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium.Program(t)), chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP "+publicHost+" 127.0.0.1, MAP * ~NOTFOUND"))...)
	t.Cleanup(end)
	b := &tab{t: t}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(b.hear))
	t.Cleanup(closeTab)
	b.ctx = ctx
	if err := chromedp.Do(ctx); err != nil { // so that the limit of a step does not end the browser
		t.Fatal(err)
	}
	return b
}

// hear records the messages of the browser.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.troubles = append(b.troubles, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		for _, said := range e.Args {
			b.troubles = append(b.troubles, fmt.Sprintf("%s: %s %s", e.Type, said.Value, said.Description))
		}
	case *log.EventEntryAdded:
		b.troubles = append(b.troubles, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
	}
}

// do takes steps, each call within waitLimit; what names them for a failure.
func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	limited, cancel := context.WithTimeout(b.ctx, waitLimit)
	defer cancel()
	if err := chromedp.Do(limited, steps...); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%s: %v; the console has %q", what, err, b.troubles)
	}
}

// visit goes to a page and waits for a part of it.
func (b *tab) visit(address, part string) {
	b.t.Helper()
	b.do("visiting "+address, chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(part)))
}

// click clicks on what selectors find, in turn, each when it is there.
func (b *tab) click(selectors ...string) {
	b.t.Helper()
	for _, selector := range selectors {
		b.do("clicking on "+selector, chromedp.Click(chromedp.CSS(selector)))
	}
}

// widen makes the window so wide.
func (b *tab) widen(width int64) {
	b.t.Helper()
	b.do("a window", chromedp.EmulateViewport(width, windowTall))
}

// darken makes the person one who likes dark pages.
func (b *tab) darken() {
	b.t.Helper()
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, dark); err != nil {
		b.t.Fatal(err)
	}
}

// read evaluates a script on the page, which the page's policy does not hold.
func read[T any](b *tab, script string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return value
}

// shows saves a picture of the window, which "go test -artifacts" keeps for
// people to check, and checks that the page is not wider than the window.
func (b *tab) shows(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("the picture of %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
	if wider := read[int](b, `document.documentElement.scrollWidth - innerWidth`); wider > 0 {
		b.t.Errorf("%s is %d px wider than its window", name, wider)
	}
}

// staysAtHome checks that the console is empty, and that the page requested nothing from
// another host.
func (b *tab) staysAtHome(base string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) == 0 {
		b.t.Error("the browser told of no request")
	}
	for _, asked := range b.asked {
		if at, err := url.Parse(asked); err != nil || at.Scheme != "data" && asked != "about:blank" && !strings.HasPrefix(asked, base+"/") {
			b.t.Errorf("the page asks %s", asked)
		}
	}
	for _, trouble := range b.troubles {
		b.t.Errorf("the console has: %s", trouble)
	}
}
