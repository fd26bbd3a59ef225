package framework_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/files"
	"trestle.example/framework/sqldb"
)

// A readStorage records the reads of its contents, and hands their readers on through wrap.
type readStorage struct {
	files.Storage
	wrap  func(context.Context, io.ReadCloser) io.ReadCloser // nil for no change
	from  []int64
	ended int // readers that were closed
}

func (s *readStorage) Get(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	s.from = append(s.from, from)
	content, err := s.Storage.Get(ctx, key, from, length)
	if err != nil {
		return nil, err
	}
	content = countedReader{content, &s.ended}
	if s.wrap != nil {
		content = s.wrap(ctx, content)
	}
	return content, nil
}

type countedReader struct {
	io.ReadCloser
	ended *int
}

func (r countedReader) Close() error { *r.ended++; return r.ReadCloser.Close() }

// TestReadsOfTheStorage: a download reads the storage once, from the first byte that it sends. An
// answer without bytes does not read it.
func TestReadsOfTheStorage(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := &readStorage{Storage: disk(t)}
		api := serveFiles(t, fileConfig(db), peopleWith(storage))
		ada, at := api.as("ada"), newPerson(api)+"letter/"
		ada.upload(at, "text/plain", []byte("0123456789")).is(200)
		tag := ada.get(at).is(200).header.Get("Etag")
		for name, request := range map[string]struct {
			method string
			sent   []string // names and values of headers
			status int
			reads  []int64
		}{
			"the whole file":           {"GET", nil, 200, []int64{0}},
			"a range":                  {"GET", []string{"Range", "bytes=2-4"}, 206, []int64{2}},
			"the last bytes":           {"GET", []string{"Range", "bytes=-3"}, 206, []int64{7}},
			"two ranges":               {"GET", []string{"Range", "bytes=2-3,5-6"}, 200, []int64{0}},
			"a range of another file":  {"GET", []string{"If-Range", `"other"`, "Range", "bytes=1-1"}, 200, []int64{0}},
			"a range beyond the end":   {"GET", []string{"Range", "bytes=10-"}, 416, nil},
			"a range that ends before": {"GET", []string{"Range", "bytes=9-2"}, 416, nil},
			"a file that it has":       {"GET", []string{"If-None-Match", tag}, 304, nil},
			"another file":             {"GET", []string{"If-Match", `"other"`}, 412, nil},
			"the headers":              {"HEAD", nil, 200, nil},
			"the headers of a range":   {"HEAD", []string{"Range", "bytes=2-4"}, 206, nil},
			"a type that it is not of": {"GET", []string{"Accept", "image/png"}, 200, []int64{0}},
			"another person's file":    {"GET", []string{"Authorization", "Name bob"}, 404, nil},
		} {
			storage.from, storage.ended = nil, 0
			client := ada
			for pair := range slices.Chunk(request.sent, 2) {
				client = client.with(pair[0], pair[1])
			}
			client.do(request.method, at, nil).is(request.status)
			if !slices.Equal(storage.from, request.reads) || storage.ended != len(request.reads) {
				t.Errorf("%s: the storage is read from %d, and %d readers are closed; want %d", name, storage.from, storage.ended, request.reads)
			}
		}
	})
}

// TestSlowDownloads: a download may take longer than Config.Timeout as long as it makes progress.
// A storage that sends nothing for that time ends it.
func TestSlowDownloads(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		c := fileConfig(db)
		c.Timeout = 2 * time.Second
		storage := &readStorage{Storage: disk(t)}
		api := serve(t, c, peopleWith(storage))
		at := newPerson(api) + "letter/"
		api.as("ada").upload(at, "text/plain", []byte("0123456789")).is(200)

		storage.wrap = func(ctx context.Context, r io.ReadCloser) io.ReadCloser {
			return &slowReader{ReadCloser: r, ctx: ctx, wait: func(int) <-chan time.Time { return time.After(c.Timeout / 8) }}
		}
		if read := api.as("ada").get(at).is(200); read.body != "0123456789" {
			t.Errorf("the content is %q", read.body)
		}

		stallAfter := func(bytes int) {
			storage.wrap = func(ctx context.Context, r io.ReadCloser) io.ReadCloser {
				return &slowReader{ReadCloser: r, ctx: ctx, wait: func(sent int) <-chan time.Time {
					if sent == bytes {
						return nil
					}
					return time.After(0)
				}}
			}
		}
		stallAfter(0)
		api.as("ada").get(at).refuses(503, "unavailable").head("Etag", "").head("Cache-Control", "no-store")
		stallAfter(3)
		if body, err := readAs(t, api.url+at); err == nil || body != "012" {
			t.Errorf("after a stall the content is %q, error %v", body, err)
		}
	})
}

// A slowReader waits before each byte, until the context of its read ends. A nil channel means
// forever.
type slowReader struct {
	io.ReadCloser
	ctx  context.Context
	wait func(sent int) <-chan time.Time
	sent int
}

func (r *slowReader) Read(p []byte) (int, error) {
	select {
	case <-r.wait(r.sent):
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
	n, err := r.ReadCloser.Read(p[:1])
	r.sent += n
	return n, err
}

// readAs requests an URL as Ada and reads the body until an error or its end.
func readAs(t *testing.T, url string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Name ada")
	resp, err := patient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body strings.Builder
	_, err = io.Copy(&body, resp.Body)
	return body.String(), err
}

// TestMediaTypesOfFiles: the document and OPTIONS list the media types of a file.
func TestMediaTypesOfFiles(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		api, document := promised(t, fileConfig(db), peopleWith(disk(t)))
		at := []string{"paths", "/api/people/{id}/photo/", "get", "responses"}
		one := `{"schema":{"format":"binary","type":"string"}}`
		for _, status := range []string{"200", "206"} {
			if got, want := document.at(append(at, status, "content")...), `{"image/gif":`+one+`,"image/jpeg":`+one+`,"image/png":`+one+`}`; got != want {
				t.Errorf("%s has the content %s", status, got)
			}
		}
		if got := document.at(append(at, "304", "content")...); got != "" {
			t.Errorf("an answer without bytes has the content %s", got)
		}
		if got := document.at(append(at, "406")...); got != "" {
			t.Errorf("a file may not be acceptable: %s", got)
		}
		api.as("ada").do("OPTIONS", newPerson(api)+"photo/", nil).is(200).says(`"renders":["image/png","image/jpeg","image/gif","application/json"]`)
	})
}

// TestBodiesOfUploads: the document describes the bytes of a file alike in a body, in a part of a
// form and in an answer. Generators of clients send them as bytes with a name. The part has no
// "encoding", which some of them do not read.
func TestBodiesOfUploads(t *testing.T) {
	db := sqlite(t)
	if err := db.Migrate(t.Context(), nil, peopleSchema); err != nil {
		t.Fatal(err)
	}
	_, document := promised(t, fileConfig(db), peopleWith(disk(t)))
	at := []string{"paths", "/api/people/{id}/photo/", "put", "requestBody"}
	one := `{"schema":{"format":"binary","type":"string"}}`
	form := `{"schema":{"properties":{"file":{"format":"binary","type":"string"}},"required":["file"],"type":"object"}}`
	if got, want := document.at(append(at, "content")...), `{"image/gif":`+one+`,"image/jpeg":`+one+`,"image/png":`+one+`,"multipart/form-data":`+form+`}`; got != want {
		t.Errorf("a body has the content %s, want %s", got, want)
	}
	if got := document.at(append(at, "description")...); !strings.Contains(got, "one of the types image/png, image/jpeg, image/gif") {
		t.Errorf("a body has the description %s", got)
	}
	answer := []string{"paths", "/api/people/{id}/photo/", "put", "responses", "200", "content", "application/json", "schema"}
	if got := document.at(append(answer, "type")...); got != `"object"` {
		t.Errorf("the answer of an upload is %s; it is never null", got)
	}
	if got := document.at("components", "schemas", "Person", "properties", "photo", "type"); got != `["object","null"]` {
		t.Errorf("the photo of a person is %s", got)
	}
}
