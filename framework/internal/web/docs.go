package web

import (
	"maps"
	"net/http"
	"strings"
	"sync"

	"trestle.example/framework/call"
	"trestle.example/framework/docspage"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
)

// An opening answers a path that every caller may read, without an access check.
type opening func(c *call.Call, r *http.Request) (*table.Response, error)

// newReference returns the OpenAPI documents and the documentation page with its files, by their
// paths below the prefix. It returns nil for an API that is not documented.
func newReference(a describe.Catalog, document func() (wire.Members, error)) (map[string]opening, error) {
	if a.Config.Undocumented {
		return nil, nil
	}
	page, err := docspage.New(docspage.Options{
		Title: a.Config.Title, Name: strings.Trim(describe.DocsPath, "/"), Reference: strings.Trim(describe.JSONPath, "/"),
	})
	if err != nil {
		return nil, err
	}
	shown := hosted(http.StripPrefix(a.Config.Prefix+describe.DocsPath, page))
	openings := map[string]opening{describe.DocsPath: shown}
	for _, name := range page.Files() {
		openings[describe.DocsPath+"/"+name] = shown
	}
	maps.Copy(openings, documents(document))
	return openings, nil
}

// hosted returns an opening that answers what a handler writes.
func hosted(h http.Handler) opening {
	return func(c *call.Call, r *http.Request) (*table.Response, error) {
		w := &written{header: c.Header(), status: http.StatusOK}
		h.ServeHTTP(w, r)
		resp := &table.Response{Status: w.status, Media: c.Header().Get("Content-Type")}
		if len(w.body) > 0 {
			resp.Value, resp.Body = w.body, w.body
		}
		return resp, nil
	}
}

// written is a [http.ResponseWriter] that keeps an answer in memory.
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

// documents returns the OpenAPI document as JSON and as YAML, by their paths below the prefix.
// Each form is encoded at its first request and kept.
func documents(document func() (wire.Members, error)) map[string]opening {
	one := func(format, media string) opening {
		written := sync.OnceValues(func() (opening, error) {
			root, err := document()
			if err != nil {
				return nil, err
			}
			text, err := openapi.Format(root, format)
			return hosted(docspage.Compressed(media, text)), err
		})
		return func(c *call.Call, r *http.Request) (*table.Response, error) {
			answer, err := written()
			if err != nil {
				return nil, err
			}
			return answer(c, r)
		}
	}
	return map[string]opening{
		describe.JSONPath: one("json", "application/json"),
		describe.YamlPath: one("yaml", "application/yaml"),
	}
}
