package framework_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"trestle.example/framework"
)

// TestContent: bytes with their headers, ranges and conditions.
func TestContent(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	closed := 0
	content := func(c framework.Content) func(*framework.Call, framework.None) (framework.Content, error) {
		return func(*framework.Call, framework.None) (framework.Content, error) {
			body := c
			if text, ok := c.Body.(*strings.Reader); ok {
				_, _ = text.Seek(0, io.SeekStart)
				body.Body = closing{text, &closed}
			}
			return body, nil
		}
	}
	pdf := framework.Media("application/pdf")
	api := serve(t, config(sqlite(t)), streaming(
		framework.OnCollection("GET", "file", content(framework.Content{Body: strings.NewReader("0123456789"), Name: "../Größe \"1\".pdf", ETag: `"v1"`, ModTime: at})).As(pdf, "text/plain"),
		framework.OnCollection("GET", "pipe", content(framework.Content{Body: io.LimitReader(strings.NewReader("0123456789"), 10), Inline: true, Name: "a.pdf"})).As(pdf),
		framework.OnCollection("GET", "short", content(framework.Content{Body: io.LimitReader(strings.NewReader("0123456789"), 10), Length: 20})).As(pdf),
		framework.OnCollection("GET", "long", content(framework.Content{Body: io.LimitReader(strings.NewReader("0123456789"), 10), Length: 5})).As(pdf),
		framework.OnCollection("GET", "longer", content(framework.Content{Body: iotest.OneByteReader(strings.NewReader("0123456789")), Length: 5})).As(pdf),
		framework.OnCollection("GET", "broken", content(framework.Content{Body: io.LimitReader(broken{}, 10)})).As(pdf),
		framework.OnCollection("GET", "unread", content(framework.Content{Body: broken{strings.NewReader("0123456789")}})).As(pdf),
		framework.OnCollection("GET", "shrunk", content(framework.Content{Body: io.NewSectionReader(strings.NewReader("01234"), 0, 10), Name: "a.pdf"})).As(pdf),
		framework.OnCollection("GET", "other", content(framework.Content{Body: strings.NewReader("x"), Media: "text/html"})).As(pdf),
		framework.OnCollection("GET", "none", content(framework.Content{})).As(pdf),
		framework.OnCollection("POST", "made", content(framework.Content{Body: strings.NewReader("0123456789")})).As(pdf).Untransacted(),
	))
	file := api.get("/api/notes/file/").is(200).head("Content-Type", "application/pdf").head("Content-Length", "10").head("ETag", `"v1"`).head("Accept-Ranges", "bytes")
	file.head("Content-Disposition", `attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`).head("X-Content-Type-Options", "nosniff").head("Cache-Control", "no-store")
	if file.body != "0123456789" {
		t.Errorf("the body is %q", file.body)
	}
	api.with("Accept", "text/*").get("/api/notes/file/").is(200).head("Content-Type", "text/plain")
	if part := api.with("Range", "bytes=2-4").get("/api/notes/file/").is(206).head("Content-Range", "bytes 2-4/10"); part.body != "234" {
		t.Errorf("the part is %q", part.body)
	}
	if whole := api.with("Range", "lines=2-4").get("/api/notes/file/").is(200); whole.body != "0123456789" {
		t.Errorf("with an unknown unit the answer is %q", whole.body)
	}
	api.with("Range", "bytes=-0").get("/api/notes/file/").refuses(416, "range_not_satisfiable").head("Content-Range", "bytes */10")
	if whole := api.with("Range", "bytes=2-4").with("If-Range", `"v2"`).get("/api/notes/file/").is(200); whole.body != "0123456789" {
		t.Errorf("with another tag the answer is %q", whole.body)
	}
	api.with("If-None-Match", `"v1"`).get("/api/notes/file/").is(304)
	for _, outside := range []string{"bytes=20-", "bytes=9-2"} {
		api.with("Range", outside).get("/api/notes/file/").refuses(416, "range_not_satisfiable").says("The content has 10 bytes").
			head("Content-Range", "bytes */10").head("Content-Disposition", "").head("ETag", "")
	}
	if whole := api.with("Range", "bytes=0-1,4-5").get("/api/notes/file/").is(200).head("Content-Range", ""); whole.body != "0123456789" {
		t.Errorf("for two ranges the answer is %q", whole.body)
	}
	api.with("If-Match", `"v2"`).get("/api/notes/file/").refuses(412, "precondition_failed").head("ETag", "")
	if head := api.do("HEAD", "/api/notes/file/", nil).is(200).head("Content-Length", "10"); head.body != "" {
		t.Errorf("HEAD has the body %q", head.body)
	}
	if pipe := api.get("/api/notes/pipe/").is(200).head("Content-Disposition", "inline; filename=a.pdf"); pipe.body != "0123456789" {
		t.Errorf("the body is %q", pipe.body)
	}
	if body, err := read(t, api.url+"/api/notes/short/", "*/*"); err == nil || body != "0123456789" {
		t.Errorf("a body that is too short is %q, error %v", body, err)
	}
	api.get("/api/notes/long/").refuses(500, "internal").head("Content-Type", "application/problem+json")
	if body, err := read(t, api.url+"/api/notes/longer/", "*/*"); err == nil || body != "0123" {
		t.Errorf("a body that is too long, whose end comes late, is %q, error %v", body, err)
	}
	if made := api.post("/api/notes/made/", nil).is(200).head("Content-Type", "application/pdf"); made.body != "0123456789" {
		t.Errorf("the body is %q", made.body)
	}
	for _, path := range []string{"broken", "unread", "other", "none"} {
		api.get("/api/notes/"+path+"/").refuses(500, "internal").head("Content-Type", "application/problem+json")
	}
	api.with("Accept", "image/png").get("/api/notes/file/").refuses(406, "not_acceptable").says(`"offered":["application/pdf","text/plain"]`)
	if body, err := read(t, api.url+"/api/notes/shrunk/", "*/*"); err == nil || body != "01234" {
		t.Errorf("a body that became shorter is %q, error %v", body, err)
	}
	if closed != 14 {
		t.Errorf("%d of 14 bodies are closed", closed)
	}
}

// closing counts how often it is closed.
type closing struct {
	*strings.Reader
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

// broken cannot be read.
type broken struct{ io.Seeker }

func (broken) Read([]byte) (int, error) { return 0, errors.New("a canary") }
