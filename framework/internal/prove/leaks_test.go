package prove_test

import (
	"io"
	"net/http"
	"strings"

	"trestle.example/framework"
)

// remembers answers 200 to a GET of a card that was deleted.
func remembers(_ *guests, next http.Handler) http.Handler {
	deleted := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		switch {
		case one("DELETE", "/api/cards/")(r) && to.code == http.StatusNoContent:
			deleted[r.URL.Path] = true
		case r.Method == http.MethodGet && deleted[r.URL.Path]:
			to.code = http.StatusOK
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// countsDeleted adds how many cards were deleted to the answer of their list.
func countsDeleted(_ *guests, next http.Handler) http.Handler {
	gone := ""
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		switch {
		case one("DELETE", "/api/cards/")(r) && to.code == http.StatusNoContent:
			gone += "."
		case at("GET", "/api/cards/")(r):
			to.text += gone
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// A pinInput is what callers write of a box that all callers change.
type pinInput struct {
	Label string `json:"label" validate:"max=60"`
}

type pinView struct {
	pinInput
}

const pin = "boxes.pin"

// pins are boxes that all callers change, with a label that only holders of a permission write.
func pins() framework.Resource {
	return framework.ViewSet[Box]{
		Name: "pins", Verbs: framework.CRUD[pinInput, pinView](), Scope: framework.Public(), Permission: framework.Authenticated(),
		Ordering: framework.Ordering{Default: "id"}, Fields: []framework.FieldRule{framework.Writes("label", framework.Holds(pin))},
	}
}

// resets removes the label at a PUT without one, as a holder of the permission.
func resets(g *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one("PUT", "/api/pins/")(r) {
			body, _ := io.ReadAll(r.Body)
			text := string(body)
			if text == "{}" {
				text = `{"label":""}`
				for token, caller := range g.known {
					if caller.Permissions[pin] {
						r.Header.Set("Authorization", token)
					}
				}
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		}
		next.ServeHTTP(w, r)
	})
}
