package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"trestle.example/internal/testserver/tool"
)

// longPatient is the body of a patient whose record has more than 1 KB.
func longPatient(name string) string {
	return fmt.Sprintf(`{"name": "%s %s", "phone": "12345", "city": "%s"}`, name, strings.Repeat("अ", 190), strings.Repeat("ब", 119))
}

// compressedPaths are paths whose answers have more than 1 KB.
var compressedPaths = []string{"/api/patients/", "/api/patients/?page=2&ordering=-name", "/api/products", "/api/doctors/?ordering=id"}

// TestCurlReadsCompressedAnswers: a real curl gets the same bodies with and without compression, and its ETags work in conditions.
func TestCurlReadsCompressedAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	r.ok("seed --patients 100 --appointments 20 --products 50")
	c := newCurl(t, r.start(t).base, "Authorization: Token "+tokenOf(r, triedOut))
	for _, path := range compressedPaths {
		plain := c.send(t, path)
		if plain.header["content-encoding"] != "" {
			t.Errorf("%s: curl gets %s, and did not ask for it", path, plain.header["content-encoding"])
		}
		for _, flags := range [][]string{{"--compressed"}, {"--compressed", "-H", "Accept-Encoding: gzip"}, {"--compressed", "-H", "Accept-Encoding: zstd"}} {
			got := c.send(t, path, flags...)
			if coding := got.header["content-encoding"]; coding != "zstd" && coding != "gzip" || !strings.Contains(flags[len(flags)-1], coding) && len(flags) > 1 {
				t.Errorf("%s: curl %v gets the encoding %q", path, flags, coding)
			}
			if got.body != plain.body || got.body == "" {
				t.Errorf("%s: curl %v gets %.300q; want %.300q", path, flags, got.body, plain.body)
			}
		}
	}
	made := c.send(t, "/api/patients/", "--compressed", "--json", longPatient("Asha"))
	_, at, _ := strings.Cut(made.header["location"], "/api/")
	first := made.header["etag"]
	if made.header["content-encoding"] == "" || !strings.HasPrefix(first, `W/"`) {
		t.Fatalf("the patient is answered %s %v", made.status, made.header)
	}
	for _, step := range []struct{ name, condition, method, want string }{
		{"a read of what curl has", "If-None-Match: " + first, "GET", "304"},
		{"a read of what curl has, by the strong ETag", "If-None-Match: " + strings.TrimPrefix(first, "W/"), "GET", "304"},
		{"a change of the version that curl has", "If-Match: " + first, "PUT", "200"},
		{"a change of an old version", "If-Match: " + first, "PUT", "412"},
		{"a read of an old version", "If-None-Match: " + first, "GET", "200"},
	} {
		flags := []string{"--compressed", "-H", step.condition}
		if step.method == "PUT" {
			flags = append(flags, "-X", "PUT", "--json", longPatient("Uma"))
		}
		if got := c.send(t, "/api/"+at, flags...); got.status != step.want {
			t.Errorf("%s: %s; want %s: %.300s", step.name, got.status, step.want, got.body)
		}
	}
	for _, line := range [][]string{
		{"/api/auth/session"}, {"/api/auth/me"}, {"/api/auth/login", "--json", "{}"}, {"/api/auth/token", "--json", "{}"}, {"/api/auth/jwt", "--json", "{}"},
		{"/api/auth/jwt/refresh", "--json", "{}"}, {"/api/auth/register", "--json", "{}"}, {"/api/auth/me", "-X", "PATCH", "--json", "{}"}, {"/api/auth/logout", "-X", "POST"},
	} {
		got := c.send(t, line[0], append(line[1:], "--compressed")...)
		if got.status == "404" || got.header["content-encoding"] != "" || strings.Contains(got.header["vary"], "Encoding") {
			t.Errorf("%v of package auth is answered %s %v", line, got.status, got.header)
		}
	}
	docs := c.send(t, "/api/openapi.json", "--compressed")
	if docs.header["content-encoding"] != "gzip" || docs.body != c.send(t, "/api/openapi.json").body {
		t.Errorf("the OpenAPI document has the encoding %q", docs.header["content-encoding"])
	}
}

// TestCompressionIsSwitchedOff by the setting.
func TestCompressionIsSwitchedOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	r.ok("seed --patients 100 --appointments 20 --products 50")
	c := newCurl(t, r.start(t, "TRESTLE_COMPRESS=off").base, "Accept: application/json")
	if got := c.send(t, "/api/products", "--compressed"); got.status != "200" || got.header["content-encoding"] != "" || got.header["vary"] != "" {
		t.Errorf("%s, %v", got.status, got.header)
	}
}

// A curl sends requests by a real curl.
type curl struct{ program, base, header string }

func newCurl(t *testing.T, base, header string) curl {
	t.Helper()
	path, err := tool.Curl.Path()
	if err != nil {
		t.Fatal(err)
	}
	return curl{path, base, header}
}

// A curled is an answer as curl shows it. The names of its headers are in lower case.
type curled struct {
	status, body string
	header       map[string]string
}

func (c curl) send(t *testing.T, path string, flags ...string) curled {
	t.Helper()
	head := filepath.Join(t.TempDir(), "head")
	line := append([]string{"--silent", "--show-error", "--max-time", "60", "-D", head, "-H", c.header}, flags...)
	body, err := exec.CommandContext(t.Context(), c.program, append(line, c.base+path)...).Output()
	if err != nil {
		t.Fatalf("curl %v %s: %v", flags, path, err)
	}
	text, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	got := curled{body: string(body), header: map[string]string{}}
	for text := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(strings.TrimSpace(text), ": "); found {
			got.header[strings.ToLower(name)] = value
		} else if fields := strings.Fields(text); len(fields) > 1 {
			got.status = fields[1]
		}
	}
	return got
}

// testCompressionBehind: answers reach a client behind a proxy compressed once, with an ETag that works in conditions.
func testCompressionBehind(t *testing.T, v visitor) {
	for _, path := range compressedPaths {
		plain := v.with("Accept-Encoding", "identity").send(t, "GET "+path, "").is(t, http.StatusOK)
		for _, accepts := range []string{"gzip", "zstd"} {
			got := v.with("Accept-Encoding", accepts).send(t, "GET "+path, "").is(t, http.StatusOK)
			if coding := got.header.Get("Content-Encoding"); coding != accepts || unpack(t, coding, got.body) != plain.body {
				t.Errorf("%s: the answer has the encoding %q, and another body; want %s", path, coding, accepts)
			}
			if vary := strings.Join(got.header.Values("Vary"), ","); !strings.Contains(vary, "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", path, vary)
			}
		}
	}
	zipped := v.with("Accept-Encoding", "zstd")
	made := zipped.send(t, "POST /api/patients/", longPatient("Asha")).is(t, http.StatusCreated)
	at := strings.TrimPrefix(made.header.Get("Location"), "https://localhost")
	tag := made.header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || made.header.Get("Content-Encoding") != "zstd" {
		t.Errorf("the patient has the ETag %s and the encoding %s", tag, made.header.Get("Content-Encoding"))
	}
	zipped.with("If-None-Match", tag).send(t, "GET "+at, "").is(t, http.StatusNotModified)
	zipped.with("If-Match", tag).send(t, "PUT "+at, longPatient("Uma")).is(t, http.StatusOK)
	zipped.with("If-Match", tag).send(t, "PUT "+at, longPatient("Lost")).is(t, http.StatusPreconditionFailed)
	zipped.with("If-None-Match", tag).send(t, "GET "+at, "").is(t, http.StatusOK)
}

// unpack returns a body before its compression.
func unpack(t *testing.T, coding, body string) string {
	t.Helper()
	var read io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		read, err = gzip.NewReader(read)
	case "zstd":
		read, err = zstd.NewReader(read)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(read)
	if err != nil {
		t.Errorf("the body is not complete: %v", err)
	}
	return string(text)
}
