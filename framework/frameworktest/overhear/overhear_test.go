package overhear_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest/overhear"
)

// TestHandler: look gets the request and the answer before the answer is sent.
func TestHandler(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		sent    string
		answer  overhear.Answer
	}{
		"a handler that reads and answers": {
			func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.WriteHeader(http.StatusTeapot)
				_, _ = w.Write(append(body, '!'))
			}, "tea", overhear.Answer{Status: http.StatusTeapot, Body: []byte("tea!")},
		},
		"one that reads nothing and sets no status": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }, "", overhear.Answer{Status: http.StatusOK, Body: []byte("ok")},
		},
		"one that does nothing": {func(http.ResponseWriter, *http.Request) {}, "", overhear.Answer{Status: http.StatusOK}},
		"one that changes the request": {
			func(_ http.ResponseWriter, r *http.Request) { r.Header.Set("X-Asked", "other"); r.URL.Path = "/other" }, "", overhear.Answer{Status: http.StatusOK},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, looks := httptest.NewRecorder(), 0
			r := httptest.NewRequest(http.MethodPost, "/cups", strings.NewReader("tea"))
			r.Header.Set("X-Asked", "this")
			overhear.Handler(c.handler, func(asked *http.Request, sent []byte, answer overhear.Answer) {
				looks++
				if asked.URL.Path != "/cups" || asked.Header.Get("X-Asked") != "this" || string(sent) != c.sent {
					t.Errorf("the request is %s with %v and %q", asked.URL, asked.Header, sent)
				}
				if answer.Status != c.answer.Status || string(answer.Body) != string(c.answer.Body) {
					t.Errorf("the answer is %d %s", answer.Status, answer.Body)
				}
				if w.Body.Len() > 0 {
					t.Error("the answer was sent before look was called")
				}
			}).ServeHTTP(w, r)
			if looks != 1 || w.Code != c.answer.Status || w.Body.String() != string(c.answer.Body) {
				t.Errorf("look was called %d times, and the answer is %d %s", looks, w.Code, w.Body)
			}
		})
	}
}

// TestHeadersAfterTheStatus: headers that are set after the status are not sent, and look
// does not get them.
func TestHeadersAfterTheStatus(t *testing.T) {
	w := httptest.NewRecorder()
	overhear.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Before", "yes")
		w.WriteHeader(http.StatusNoContent)
		w.Header().Set("X-After", "yes")
	}), func(_ *http.Request, _ []byte, answer overhear.Answer) {
		if answer.Header.Get("X-Before") != "yes" || answer.Header.Get("X-After") != "" {
			t.Errorf("look got %v", answer.Header)
		}
	}).ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/", nil))
	if h := w.Result().Header; h.Get("X-Before") != "yes" || h.Get("X-After") != "" {
		t.Errorf("sent %v", h)
	}
}
