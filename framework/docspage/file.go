package docspage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A File is one text with its type, kept as it is or compressed by gzip. It does
// not change, and is safe for concurrent use.
type File struct {
	media   string
	kept    []byte
	packed  bool
	version func() string          // names the content
	whole   func() ([]byte, error) // the text, unpacked at the first request
}

func plain(media string, text []byte) *File {
	return newFile(media, text, false, func() ([]byte, error) { return text, nil })
}

func gzipped(media string, packed []byte) *File {
	return newFile(media, packed, true, func() ([]byte, error) {
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(unpacked)
	})
}

// Compressed returns a file of a text, and compresses the text by gzip. Clients that accept
// gzip get the compressed text, and others the text as it is.
func Compressed(media string, text []byte) *File {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text) // a buffer takes everything
	_ = z.Close()
	return gzipped(media, packed.Bytes())
}

func newFile(media string, kept []byte, packed bool, whole func() ([]byte, error)) *File {
	return &File{
		media: media, kept: kept, packed: packed, whole: sync.OnceValues(whole),
		version: sync.OnceValue(func() string {
			sum := sha256.Sum256(kept)
			return hex.EncodeToString(sum[:8])
		}),
	}
}

// ServeHTTP sends the text in an encoding that the client accepts, or 304 if the client
// has it. A client that requests this version in the query string may cache it for a year.
// ServeHTTP does not check the method.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	cache := "no-cache"
	if r.URL.RawQuery == f.version() {
		cache = "public, max-age=31536000, immutable"
	}
	h.Set("Cache-Control", cache)
	body, tag := f.kept, f.version()
	if f.packed {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			tag += "-gzip"
		} else if whole, err := f.whole(); err == nil { // gzip is as it was built in
			body = whole
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	if has(r, `"`+tag+`"`) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	// For HEAD the server sends no body. If the client disconnected, there is no answer in
	// which to report the error.
	_, _ = w.Write(body)
}

// has reports whether the client has what a tag names (RFC 9110, section
// 13.1.2).
func has(r *http.Request, tag string) bool {
	for list := range elements(r, "If-None-Match") {
		if list == "*" || strings.TrimPrefix(list, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip reports whether the client takes gzip: named, or meant by "*", and
// not with a weight of zero (RFC 9110, section 12.5.3).
func takesGzip(r *http.Request) bool {
	takes := false
	for one := range elements(r, "Accept-Encoding") {
		coding, parameters, _ := strings.Cut(one, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		weight, _ := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
		wanted := strings.Trim(weight, "0.") != "" || weight == ""
		switch coding {
		case "gzip", "x-gzip":
			return wanted
		case "*":
			takes = wanted
		}
	}
	return takes
}

// elements are those of a header that is a list.
func elements(r *http.Request, header string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range r.Header.Values(header) {
			for one := range strings.SplitSeq(line, ",") {
				if !yield(strings.TrimSpace(one)) {
					return
				}
			}
		}
	}
}
