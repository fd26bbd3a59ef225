package framework_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
)

// streamers is a viewset of notes with a stream and bytes.
func streamers() framework.ViewSet[Note] {
	return streaming(
		lineStream(framework.NDJSON, framework.CSV, framework.EventStream).Doc("Lines of text."),
		framework.OnCollection("GET", "file", func(*framework.Call, framework.None) (framework.Content, error) {
			return framework.Content{Body: strings.NewReader("0123456789"), Name: "digits.txt", ETag: `"v1"`}, nil
		}).As("text/plain"),
	)
}

// TestStreamsInTheDocument: the OpenAPI document has the media types of an answer that is sent in
// parts, the schema of an element, the statuses, the headers and the errors. The answers are those
// that it describes.
func TestStreamsInTheDocument(t *testing.T) {
	c := config(sqlite(t))
	c.CORS = []string{"https://app.example.org"}
	api, p := promised(t, c, streamers())
	lines := []string{"paths", "/api/notes/lines/", "get"}
	for _, media := range []string{"application/x-ndjson", "text/csv", "text/event-stream"} {
		content := p.at(append(lines, "responses", "200", "content", media)...)
		if content != `{"schema":{"type":"string"},"x-itemSchema":{"$ref":"#/components/schemas/Line"}}` {
			t.Errorf("%s is described by %s", media, content)
		}
	}
	if parameters := p.at(append(lines, "parameters")...); !strings.Contains(parameters, "Last-Event-ID") {
		t.Errorf("the parameters of the stream are %s", parameters)
	}
	file := []string{"paths", "/api/notes/file/", "get", "responses"}
	if got := p.at(append(file, "200", "content")...); got != `{"text/plain":{"schema":{"format":"binary","type":"string"}}}` {
		t.Errorf("the bytes are described by %s", got)
	}
	if got := p.at(append(file, "304", "content")...); got != "" {
		t.Errorf("an answer without bytes has the content %s", got)
	}
	for _, request := range []struct {
		path, name, value string
		status            int
	}{
		{"/api/notes/lines/?rows=3", "Accept", "application/x-ndjson", 200},
		{"/api/notes/lines/?rows=3", "Accept", "text/csv", 200},
		{"/api/notes/lines/?rows=3", "Accept", "text/event-stream", 200},
		{"/api/notes/lines/", "Accept", "image/png", 406},
		{"/api/notes/lines/?rows=x", "Accept", "*/*", 400},
		{"/api/notes/file/", "Accept", "*/*", 200},
		{"/api/notes/file/", "Range", "bytes=1-2", 206},
		{"/api/notes/file/", "Range", "bytes=90-", 416},
		{"/api/notes/file/", "If-None-Match", `"v1"`, 304},
		{"/api/notes/file/", "If-Match", `"v2"`, 412},
	} {
		got := api.with(request.name, request.value).with("Origin", "https://app.example.org").get(request.path).is(request.status)
		if exposed := got.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Content-Disposition") {
			t.Errorf("pages of other origins may read %s", exposed)
		}
		api.with(request.name, request.value).do("HEAD", request.path, nil).is(request.status)
	}
}
