package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// says is a handler that answers with a text.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

// TestHandlersBesideTheAPI get what their patterns match; the API gets everything else unchanged.
func TestHandlersBesideTheAPI(t *testing.T) {
	joined, err := join(says("api"), map[string]http.Handler{"/api/auth/oidc/": says("oidc"), "GET /events": says("events")})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"GET /api/auth/oidc/company/": "oidc", "POST /api/auth/oidc/x": "oidc", "GET /events": "events", "POST /events": "api",
		"GET /": "api", "GET /api/auth/login": "api", "GET /api//products": "api", "GET /api/auth/../x": "api", "OPTIONS /api/": "api",
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		joined.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
		if w.Body.String() != want {
			t.Errorf("%s is answered by %q; want %q", request, w.Body, want)
		}
	}
}

// TestMistakesOfHandlersBeside: each is a sentence, and no panic.
func TestMistakesOfHandlersBeside(t *testing.T) {
	for want, handlers := range map[string]map[string]http.Handler{
		`program: Beside: the handler of "/x" is nil`: {"/x": nil},
		`program: Beside: the pattern "x y z": `:      {"x y z": says("")},
		`program: Beside: the pattern "/{b}/x": `:     {"/a/{c}": says(""), "/{b}/x": says("")},
	} {
		if _, err := join(says("api"), handlers); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
