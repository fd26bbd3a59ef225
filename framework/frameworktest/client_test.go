package frameworktest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// echo returns the request, an error below /problem and a redirect below /moved.
func echo(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/problem":
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": "validation_failed", "errors": []framework.Fault{
			{Pointer: "/name", Code: "required"}, {Parameter: "page", Code: "invalid_parameter"},
		}})
		return
	case "/list":
		_, _ = io.WriteString(w, `[{"n": 1, "name": "Ada"}, {"n": 2, "name": "Bob"}]`)
		return
	case "/page":
		_, _ = io.WriteString(w, `{"count": 2, "next": null, "results": [{"n": 1}, {"n": 2}]}`)
		return
	case "/arrays":
		_, _ = io.WriteString(w, `{"results": [], "others": []}`)
		return
	case "/moved":
		http.Redirect(w, r, "/", http.StatusFound)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Echo", r.Method)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"path": r.URL.RequestURI(), "authorization": r.Header.Get("Authorization"), "type": r.Header.Get("Content-Type"),
		"lang": r.Header.Get("Accept-Language"), "body": string(body),
	})
}

func TestClient(t *testing.T) {
	c := New(t, http.HandlerFunc(echo))
	t.Run("sends every method", func(t *testing.T) {
		c := c.On(t)
		c.Get("/a?b=c").Expect(200).Header("X-Echo", "GET").Contains(`"path":"/a?b=c"`, `"type":""`, `"authorization":""`)
		c.Post("/", map[string]int{"n": 1}).Header("X-Echo", "POST").Contains(`"body":"{\"n\":1}"`, `"type":"application/json"`)
		c.Put("/", `{"raw": `).Header("X-Echo", "PUT").Contains(`"body":"{\"raw\": "`)
		c.Patch("/", []byte("\x00")).Header("X-Echo", "PATCH").Contains(`"body":"\u0000"`)
		c.Delete("/").Header("X-Echo", "DELETE").Contains(`"body":""`)
		c.Do("PROPFIND", "/", nil).Header("X-Echo", "PROPFIND")
	})
	t.Run("carries credentials and headers, and does not change", func(t *testing.T) {
		c := c.On(t)
		known := c.As("secret").With("Accept-Language", "de").With("Content-Type", "text/plain")
		known.Post("/", "x").Contains(`"authorization":"Token secret"`, `"lang":"de"`, `"type":"text/plain"`)
		known.As("").Get("/").Contains(`"authorization":""`, `"lang":"de"`)
		c.Get("/").Contains(`"authorization":""`, `"lang":""`)
	})
	t.Run("sends links to its own server", func(t *testing.T) {
		c.On(t).As("secret").Get("https://api.example.org/list/?page=2&q=a%26b").Contains(`"path":"/list/?page=2\u0026q=a%26b"`)
	})
	t.Run("does not follow redirects", func(t *testing.T) {
		c.On(t).Get("/moved").Expect(302).Header("Location", "/")
	})
	t.Run("reads JSON", func(t *testing.T) {
		var got struct{ Path string }
		if c.On(t).Get("/x").JSON(&got); got.Path != "/x" {
			t.Errorf("path %q; want /x", got.Path)
		}
	})
	t.Run("compares the order of a list", func(t *testing.T) {
		c := c.On(t)
		c.Get("/list").Order("name", "Ada", "Bob").Order("n", 1, 2).Order("absent", nil, nil)
		c.Get("/page").Order("n", 1, 2)
	})
	t.Run("finds faults", func(t *testing.T) {
		c.On(t).Get("/problem").Expect(400).Code("validation_failed").Fault("/name", "required").Fault("page", "invalid_parameter")
	})
}

func TestExpectationsFail(t *testing.T) {
	c := New(t, http.HandlerFunc(echo))
	for name, test := range map[string]struct {
		want   string
		expect func(c *Client)
	}{
		"status":           {"status 200; want 404", func(c *Client) { c.Get("/").Expect(404) }},
		"code":             {`error code "validation_failed"; want "x"`, func(c *Client) { c.Get("/problem").Code("x") }},
		"code of no error": {`error code ""; want "x"`, func(c *Client) { c.Get("/").Code("x") }},
		"fault":            {`no fault "max" at "/name"`, func(c *Client) { c.Get("/problem").Fault("/name", "max") }},
		"place of a fault": {`no fault "required" at "page"`, func(c *Client) { c.Get("/problem").Fault("page", "required") }},
		"contains":         {`the body lacks "absent"`, func(c *Client) { c.Get("/").Contains("path", "absent") }},
		"lacks":            {`must not have "path" in it`, func(c *Client) { c.Get("/").Lacks("absent", "path") }},
		"header":           {`header X-Echo is "GET"; want ""`, func(c *Client) { c.Get("/").Header("X-Echo", "") }},
		"order":            {`the items have "name" in the order ["Ada","Bob"]; want ["Bob","Ada"]`, func(c *Client) { c.Get("/list").Order("name", "Bob", "Ada") }},
		"order, too few":   {`the items have "n" in the order [1,2]; want []`, func(c *Client) { c.Get("/page").Order("n") }},
		"order of nothing": {`the body has 0 arrays, and not one`, func(c *Client) { c.Get("/").Order("n", 1) }},
		"order of two":     {`the body has 2 arrays, and not one`, func(c *Client) { c.Get("/arrays").Order("n", 1) }},
		"JSON":             {"the body is not a *[]int", func(c *Client) { c.Get("/").JSON(new([]int)) }},
		"no answer":        {"no answer", func(c *Client) { other := *c; other.base = "http://127.0.0.1:1"; other.Get("/") }},
		"no request":       {"the request is not valid", func(c *Client) { c.Do("G T", "/", nil) }},
		"no JSON":          {"the body cannot be sent as JSON", func(c *Client) { c.Post("/", func() {}) }},
		"scenario":         {"status 200; want 201", func(c *Client) { Scenario{Path: "/", Status: 201}.run(c) }},
		"empty scenario":   {`scenario "nothing" expects nothing; set Status`, func(c *Client) { Scenario{Name: "nothing", Path: "/"}.run(c) }},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, test.want, func(tb testing.TB) { test.expect(c.On(tb)) })
		})
	}
}

// TestAFailurePrintsTheExchange: a failure shows the exchange and how to repeat it, without
// credentials.
func TestAFailurePrintsTheExchange(t *testing.T) {
	c := New(t, http.HandlerFunc(echo)).With("Authorization", "Bearer hush").With("Cookie", "sessionid=hush").With("X-CSRFToken", "hush")
	story := failures(t, func(tb testing.TB) {
		c.On(tb).Post("/a?b=it's", `{"it's": 1}`).Expect(201).Expect(202)
	})
	for _, want := range []string{"> POST /a?b=it's", "> Authorization: Bearer $TOKEN", "> Cookie: $TOKEN", "< 200 OK", "< X-Echo: POST", "curl -i -X POST"} {
		if !strings.Contains(story, want) {
			t.Errorf("the failure lacks %q:\n%s", want, story)
		}
	}
	if got := strings.Count(story, "curl"); got != 1 {
		t.Errorf("two failures of one response print the exchange %d times; want once", got)
	}
	if strings.Contains(story[:strings.LastIndex(story, "\n<")], "hush") {
		t.Errorf("the request is shown with credentials:\n%s", story)
	}
	if _, line, _ := strings.Cut(story, "curl"); strings.Contains(line, "hush") {
		t.Errorf("the line holds credentials: %s", line)
	}
}

// TestCurlLine: a shell splits the line into the parts of the request.
func TestCurlLine(t *testing.T) {
	c := New(t, http.HandlerFunc(echo)).As("hush").With("X-Note", `a "quoted" $HOME `+"`id`")
	r := c.Post("/a?b=it's&c=$d", `{"it's": "$1"}`)
	line := strings.TrimPrefix(curl(r.request, r.sent), "curl ")
	shell := exec.CommandContext(t.Context(), "/bin/sh", "-c", `for word in "$@"; do :; done; set -- `+line+`; for word in "$@"; do printf '%s\n' "$word"; done`)
	shell.Env = []string{"TOKEN=again"}
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("the shell rejects %s: %v", line, err)
	}
	want := []string{
		"-i", "-X", "POST", "-H", "Authorization: Token again", "-H", "Content-Type: application/json",
		"-H", `X-Note: a "quoted" $HOME ` + "`id`", "--data-binary", `{"it's": "$1"}`, c.URL() + "/a?b=it's&c=$d",
	}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, want) {
		t.Errorf("the words are %q; want %q", got, want)
	}
}

func TestScenarios(t *testing.T) {
	Run(t, New(t, http.HandlerFunc(echo)).As("one"), []Scenario{
		{Name: "the client's own credentials", Path: "/", Status: 200, Contains: []string{"Token one"}, Answers: map[string]string{"X-Echo": "GET", "X-None": ""}},
		{Name: "another's", Method: "PUT", Path: "/", As: "two", Body: 7, Status: 200, Contains: []string{"Token two", `"body":"7"`}, Lacks: []string{"one"}},
		{Name: "none", Path: "/", Headers: map[string]string{"Authorization": "", "Accept-Language": "fr"}, Status: 200, Contains: []string{`"authorization":""`, "fr"}},
		{Name: "an error", Path: "/problem", Status: 400, Code: "validation_failed", Faults: map[string]string{"/name": "required", "page": "invalid_parameter"}},
	})
}

func TestCountStatements(t *testing.T) {
	Databases(t, func(t *testing.T, db *sqldb.DB) {
		createRows(t, db, 3)
		counter := CountStatements(db)
		ask := func(n int) {
			for range n {
				if _, err := db.ExecContext(context.Background(), "SELECT 1"); err != nil {
					t.Error(err)
				}
			}
		}
		ask(1)
		for n := range 3 {
			if got := counter.During(func() { ask(n) }); len(got) != n || n > 0 && got[0] != "SELECT 1" {
				t.Errorf("%d statements are recorded as %q", n, got)
			}
		}
		got := counter.During(func() {
			err := db.InTx(context.Background(), func(ctx context.Context, s *sqldb.Session) error {
				_, err := s.IDB().ExecContext(ctx, "SELECT 1")
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		if fmt.Sprint(got) != "[SELECT 1]" {
			t.Errorf("a transaction with one statement is recorded as %q", got)
		}
	})
}
