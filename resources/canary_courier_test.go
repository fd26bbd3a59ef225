package resources_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
	"trestle.example/resources/internal/leakscan"
)

// log is a log in both forms that a program writes it in, with everything in it.
func (k *canary) log(place string) *slog.Logger {
	everything := &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}
	return slog.New(slog.NewMultiHandler(
		slog.NewTextHandler(ear{k, place}, everything), slog.NewJSONHandler(ear{k, place}, everything)))
}

// A courier sends requests to a server, to which the canary listens.
type courier struct {
	canary   *canary
	client   *http.Client
	at       string
	identity *auth.Service
	errands  []errand
}

// An errand is a request that was sent, to be sent again elsewhere.
type errand struct {
	method, path string
	body         []byte
	header       http.Header
}

// serve serves all services, and more, and returns who runs errands there.
func (k *canary) serve(db *sqldb.DB, own auth.Config, more ...framework.Resource) *courier {
	k.tb.Helper()
	own.Log, own.Mailer = k.log("audit"), mail.Log{To: slog.New(slog.DiscardHandler)}
	identity, err := resources.Identity(own)
	k.must(err)
	config := resources.Config(db, 2, identity)
	config.Log = k.log("log")
	api := framework.New(config)
	resources.Register(api, identity)
	api.Register(more...)
	handler, err := api.Handler()
	k.must(err)
	scan, err := leakscan.New(resources.Migrations()...)
	k.must(err)
	handler = scan.Wrap(k.tb, handler)
	if !k.lies {
		handler = promised(k.tb, api, 1).Wrap(k.tb, handler)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(k.log("server's log").Handler(), slog.LevelDebug)
	server.Start()
	k.tb.Cleanup(server.Close)
	// The default transport would add an Accept-Encoding and unzip the answers.
	client := &http.Client{Transport: server.Client().Transport, Timeout: time.Minute}
	return &courier{canary: k, client: client, at: server.URL, identity: identity}
}

func (k *canary) must(err error) {
	k.tb.Helper()
	if err != nil {
		k.tb.Fatal(err)
	}
}

// An answer is the answer to one request.
type answer struct {
	courier *courier
	status  int
	header  http.Header
	body    []byte
	what    string
}

// send sends a request; each header is "Name: value". A body that is no text is
// sent as JSON.
func (c *courier) send(method, path string, body any, headers ...string) *answer {
	c.canary.tb.Helper()
	text, isText := body.(string)
	e := errand{method, path, []byte(text), http.Header{}}
	if !isText && body != nil {
		var err error
		e.body, err = json.Marshal(body)
		c.canary.must(err)
	}
	if body != nil {
		e.header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Content-Type" {
			e.header.Del(name)
		}
		e.header.Add(name, value)
	}
	c.errands = append(c.errands, e)
	return c.run(e)
}

// run sends a request and lets the canary hear the answer.
func (c *courier) run(e errand) *answer {
	c.canary.tb.Helper()
	r, err := http.NewRequestWithContext(c.canary.tb.Context(), e.method, c.at+e.path, bytes.NewReader(e.body))
	c.canary.must(err)
	r.Header = e.header.Clone()
	response, err := c.client.Transport.RoundTrip(r)
	c.canary.must(err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	c.canary.must(err)
	path, _, _ := strings.Cut(e.path, "?")
	a := &answer{c, response.StatusCode, response.Header, body, e.method + " " + path}
	a.heard()
	return a
}

// heard lets the canary hear the answer, and learn what it issues.
func (a *answer) heard() {
	var text bytes.Buffer
	fmt.Fprintln(&text, a.status)
	_ = a.header.Write(&text) // a buffer takes everything
	text.Write(a.body)
	var issues []string
	for name, secret := range a.secrets() {
		name = fmt.Sprintf("%s of %s (%.8s)", name, a.what, secret)
		if a.courier.canary.learn(name, secret) {
			issues = append(issues, name)
		}
	}
	a.courier.canary.hears("answer to "+a.what, text.Bytes(), issues...)
}

// secrets are what an answer issues, where it says so.
func (a *answer) secrets() map[string]string {
	secrets := map[string]string{}
	for name, value := range a.object() {
		text, _ := value.(string)
		switch name {
		case "token", "csrfToken":
			secrets[name] = text
		case "access", "refresh": // the rest of a JWT is the same in others
			secrets[name] = text[strings.LastIndex(text, ".")+1:]
		}
	}
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Value != "" {
			secrets["cookie "+c.Name] = c.Value
		}
	}
	return secrets
}

func (a *answer) object() map[string]any {
	object := map[string]any{}
	_ = json.Unmarshal(a.body, &object) // what is no object has no members
	return object
}

// text is a member of the answer.
func (a *answer) text(member string) string {
	text, _ := a.object()[member].(string)
	return text
}

// cookies are those that the answer sets, as a header that sends them.
func (a *answer) cookies() string {
	var all []string
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Value != "" {
			all = append(all, c.Name+"="+c.Value)
		}
	}
	return "Cookie: " + strings.Join(all, "; ")
}

// wants checks that a request came as far as it was to come.
func (a *answer) wants(status int) *answer {
	a.courier.canary.tb.Helper()
	if a.status != status {
		a.courier.canary.tb.Errorf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}
