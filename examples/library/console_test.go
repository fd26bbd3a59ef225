package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program"
)

const password = "four unrelated words walk"

// run runs a command to its end.
func run(t *testing.T, env []string, command string) {
	t.Helper()
	var printed strings.Builder
	if code := program.Run(t.Context(), library(), strings.Fields(command), env, strings.NewReader(""), &printed, &printed); code != 0 {
		t.Fatalf("%s ends with %d: %s", command, code, printed.String())
	}
}

// start runs the command serve until the end of the test, and returns the address of the server.
func start(t *testing.T, env []string) (base string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	printed, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		code := program.Run(ctx, library(), []string{"serve", "--addr", "127.0.0.1:0"}, env, strings.NewReader(""), out, io.Discard)
		if _ = out.Close(); code != 0 {
			t.Errorf("the server ends with %d", code)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
	lines := bufio.NewScanner(printed)
	for base == "" && lines.Scan() {
		base, _, _ = strings.Cut(regexp.MustCompile(`http://.*`).FindString(lines.Text()), "/api/")
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }()
	return base
}

var formToken = regexp.MustCompile(`name="~token" value="([^"]*)"`)

// fetch sends a request, and returns the answer with its body.
func fetch(t *testing.T, client *http.Client, r *http.Request, err error) (status int, body string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestConsole: the library has a console, and says nothing about it. Its users sign in there by their password. Its API accepts
// tokens alone, as without a console.
func TestConsole(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/library.db", frameworktest.PostgresURL(t)} {
		env := []string{"DATABASE_URL=" + database, "LIBRARY_PASSWORD=" + password}
		run(t, env, "migrate up")
		run(t, env, "user create --email ann@library.example")
		base := start(t, env)
		jar, _ := cookiejar.New(nil)
		browser := &http.Client{Jar: jar}
		get := func(path string) (int, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
			return fetch(t, browser, r, err)
		}
		post := func(path string, form url.Values) (int, string) {
			_, page := get(path)
			form.Set("~token", formToken.FindStringSubmatch(page)[1])
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", base)
			return fetch(t, browser, r, err)
		}
		if status, body := post("/admin/~sign-in", url.Values{"email": {"ann@library.example"}, "password": {"wrong"}}); status != http.StatusUnauthorized {
			t.Errorf("a wrong password: %d %s", status, body)
		}
		if status, body := post("/admin/~sign-in", url.Values{"email": {"ann@library.example"}, "password": {password}}); status != http.StatusOK || !strings.Contains(body, `href="/admin/books/"`) {
			t.Errorf("signing in: %d %s", status, body)
		}
		if status, body := post("/admin/authors/~post", url.Values{"name": {"Italo Calvino"}}); status != http.StatusOK || !strings.Contains(body, "Italo Calvino") {
			t.Errorf("a new author: %d %s", status, body)
		}
		if status, body := get("/admin/authors/"); status != http.StatusOK || !strings.Contains(body, "Italo Calvino") {
			t.Errorf("the authors: %d %s", status, body)
		}
		for path, want := range map[string]int{
			"/admin/auth/session": http.StatusNotFound, "/admin/loans/": http.StatusOK, "/api/auth/session": http.StatusNotFound, "/api/loans/": http.StatusUnauthorized,
		} {
			if status, body := get(path); status != want {
				t.Errorf("%s: %d %s; want %d", path, status, body, want)
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/authors/", nil)
		r.Header.Set("Sec-Fetch-Dest", "document")
		if status, body := fetch(t, browser, r, err); status != http.StatusOK || !strings.HasPrefix(body, "<!DOCTYPE html>") || !strings.Contains(body, "Italo Calvino") {
			t.Errorf("a person who opens the address of the API: %d %s", status, body)
		}
		at, _ := url.Parse(base + "/admin/")
		for _, cookie := range jar.Cookies(at) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/loans/", nil)
			r.Header.Set("Cookie", strings.TrimPrefix(cookie.Name, "console-")+"="+cookie.Value)
			if status, body := fetch(t, &http.Client{}, r, err); status != http.StatusUnauthorized {
				t.Errorf("the API takes the cookie %s: %d %s", cookie.Name, status, body)
			}
		}
	}
}
