package framework

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"trestle.example/framework/docspage"
)

// docsPath is where the page is that shows the reference, below the prefix.
const docsPath = "/docs"

// The paths of the reference itself.
const (
	jsonPath = "/openapi.json"
	yamlPath = "/openapi.yaml"
)

// An opening answers what anyone may read.
type opening func(c *Call, r *http.Request) (*response, error)

// reference are the documents and the page that shows them, by their paths
// below the prefix; none for an API that is not documented.
func (a *API) reference() (map[string]opening, error) {
	if a.config.Undocumented {
		return nil, nil
	}
	page, err := docspage.New(docspage.Options{
		Title: a.config.Title, Name: strings.Trim(docsPath, "/"), Reference: strings.Trim(jsonPath, "/"),
	})
	if err != nil {
		return nil, err
	}
	shown := hosted(http.StripPrefix(a.config.Prefix+docsPath, page))
	openings := map[string]opening{docsPath: shown}
	for _, name := range page.Files() {
		openings[docsPath+"/"+name] = shown
	}
	for path, d := range a.documents() {
		openings[path] = d.serve
	}
	return openings, nil
}

// hosted answers what a handler writes.
func hosted(h http.Handler) opening {
	return func(c *Call, r *http.Request) (*response, error) {
		w := &written{header: c.header, status: http.StatusOK}
		h.ServeHTTP(w, r)
		resp := &response{status: w.status, media: c.header.Get("Content-Type")}
		if len(w.body) > 0 {
			resp.value, resp.body = w.body, w.body
		}
		return resp, nil
	}
}

// written is an answer that is kept until it is sent.
type written struct {
	header http.Header
	status int
	body   []byte
}

func (w *written) Header() http.Header { return w.header }

func (w *written) WriteHeader(status int) { w.status = status }

func (w *written) Write(part []byte) (int, error) {
	w.body = append(w.body, part...)
	return len(part), nil
}

// A document is the reference in one format, written when it is first asked
// for.
type document struct {
	media string
	write func() ([]byte, string, error) // the text and its ETag
}

// documents are the formats by the paths below the prefix.
func (a *API) documents() map[string]*document {
	one := func(format, media string) *document {
		return &document{media: media, write: onceOf(func() ([]byte, error) { return a.Document(format) })}
	}
	return map[string]*document{
		jsonPath: one("json", "application/json"),
		yamlPath: one("yaml", "application/yaml"),
	}
}

func onceOf(write func() ([]byte, error)) func() ([]byte, string, error) {
	type result struct {
		text []byte
		tag  string
		err  error
	}
	once := sync.OnceValue(func() result {
		text, err := write()
		sum := sha256.Sum256(text)
		return result{text, `"` + hex.EncodeToString(sum[:16]) + `"`, err}
	})
	return func() ([]byte, string, error) { w := once(); return w.text, w.tag, w.err }
}

// serve answers a document to anybody; 304 to those who have it (RFC 9110
// section 13.1.2).
func (d *document) serve(c *Call, r *http.Request) (*response, error) {
	text, tag, err := d.write()
	if err != nil {
		return nil, err
	}
	c.header.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		return &response{status: http.StatusNotModified}, nil
	}
	c.header.Set("Cache-Control", "no-cache") // to be asked for again, with the tag
	return &response{status: http.StatusOK, value: text, body: text, media: d.media}, nil
}

// matches reports whether a list of entity tags has one, weak or not.
func matches(lists []string, tag string) bool {
	for _, list := range lists {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
				return true
			}
		}
	}
	return false
}
