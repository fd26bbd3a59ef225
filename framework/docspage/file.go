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

// A File is one text with its media type, stored as it is or compressed by gzip. Its content
// does not change. It is safe for concurrent use.
type File struct {
	media   string
	kept    []byte
	packed  bool
	version func() string          // a hash of the stored bytes
	whole   func() ([]byte, error) // the text; a packed one is unpacked at the first call
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

// ServeHTTP sends the text, compressed if it is stored so and the client accepts gzip. If the
// client has it already (If-None-Match), the answer is 304. If the query string is this version,
// caches may store the answer for a year; otherwise, they must revalidate it. ServeHTTP does not
// check the method.
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
		} else if whole, err := f.whole(); err == nil { // the stored gzip is valid
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

// has reports whether If-None-Match contains a tag or is "*" (RFC 9110, section
// 13.1.2).
func has(r *http.Request, tag string) bool {
	for list := range elements(r, "If-None-Match") {
		if list == "*" || strings.TrimPrefix(list, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip reports whether Accept-Encoding contains gzip, or "*" without gzip, with a weight
// that is not zero (RFC 9110, section 12.5.3).
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

// elements yields the elements of a header that is a list, without white space around them.
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
