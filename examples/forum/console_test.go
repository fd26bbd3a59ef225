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

// command runs a command to its end.
func command(t *testing.T, env []string, words string) {
	t.Helper()
	var printed strings.Builder
	if code := program.Run(t.Context(), forum(), strings.Fields(words), env, strings.NewReader(""), &printed, &printed); code != 0 {
		t.Fatalf("%s ends with %d: %s", words, code, printed.String())
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
		code := program.Run(ctx, forum(), []string{"serve", "--addr", "127.0.0.1:0"}, env, strings.NewReader(""), out, io.Discard)
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

// TestConsole: the forum has a console, and says nothing about it.
func TestConsole(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/forum.db", frameworktest.PostgresURL(t)} {
		env := []string{"DATABASE_URL=" + database, "FORUM_PASSWORD=" + password}
		command(t, env, "migrate up")
		command(t, env, "createsuperuser --email ada@example.com")
		base := start(t, env)
		jar, _ := cookiejar.New(nil)
		browser := &http.Client{Jar: jar}
		post := func(path string, form url.Values) (int, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
			_, page := fetch(t, browser, r, err)
			form.Set("~token", formToken.FindStringSubmatch(page)[1])
			r, err = http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", base)
			return fetch(t, browser, r, err)
		}
		if status, body := post("/admin/~sign-in", url.Values{"email": {"ada@example.com"}, "password": {"wrong"}}); status != http.StatusUnauthorized {
			t.Errorf("a wrong password: %d %s", status, body)
		}
		if status, body := post("/admin/~sign-in", url.Values{"email": {"ada@example.com"}, "password": {password}}); status != http.StatusOK || !strings.Contains(body, `href="/admin/boards/"`) {
			t.Errorf("signing in: %d %s", status, body)
		}
		if status, body := post("/admin/profile/~put", url.Values{"username": {"ada"}}); status != http.StatusOK {
			t.Errorf("a profile: %d %s", status, body)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/admin/members/", nil)
		if status, body := fetch(t, browser, r, err); status != http.StatusOK || !strings.Contains(body, `href="/admin/members/ada/"`) {
			t.Errorf("the members: %d %s", status, body)
		}
	}
}
