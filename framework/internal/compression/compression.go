package compression

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

const (
	// Least is the length in bytes from which an answer is compressed. A shorter one fits into one packet anyway. An answer
	// that is sent in parts, whose length is not known, is compressed from its first part on.
	Least = 1024
	// Most is the number of answers that are compressed at the same time. Further ones are sent as they are, so that the
	// memory is bounded.
	Most = 64
)

// types are the media types that are compressed, beside all that end with +json. Event streams are not among them: a
// connection would need the memory of a compressor as long as it lasts.
var types = []string{"application/json", "application/x-ndjson", "text/csv"}

// A Compressor compresses answers. It is safe for concurrent use.
type Compressor struct {
	wrap  func(http.Handler) http.HandlerFunc
	slots chan struct{}
}

// New makes a compressor.
func New() (*Compressor, error) {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(Least), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.SetContentType(false),
		gzhttp.ContentTypeFilter(gzhttp.CompressAllContentTypeFilter), // the writer has checked the type
	)
	return &Compressor{wrap, make(chan struct{}, Most)}, err
}

// Serve calls serve with a writer that compresses the answer, if the client accepts gzip or zstd and the answer is
// [isCompressible]. A compressed answer has a weak ETag, because its bytes differ from those of the strong one. Answers to HEAD
// are not compressed. If serve panics, the compressed answer has no end, so that no client takes it for complete.
func (c *Compressor) Serve(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
	below := &sink{ResponseWriter: w, request: r}
	above := &writer{below: below, slots: c.slots}
	defer above.release() // when the compressor has sent its last bytes
	c.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		gz, accepted := w.(*gzhttp.GzipResponseWriter)
		if !accepted {
			serve(below)
			return
		}
		above.GzipResponseWriter = gz
		complete := false
		defer func() { below.aborted = !complete }()
		serve(above)
		complete = true
	}))(below, r)
}

// isCompressible reports whether an answer with some headers may be compressed. One with Set-Cookie may not: its cookie is a
// secret, and the length of compressed text lets an attacker guess a secret beside text of the attacker (BREACH).
func isCompressible(h http.Header) bool {
	for _, name := range []string{"Content-Encoding", "Content-Range", "Accept-Ranges", "Set-Cookie"} {
		if len(h[name]) > 0 {
			return false
		}
	}
	if length, err := strconv.Atoi(h.Get("Content-Length")); err == nil && length < Least {
		return false
	}
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (slices.Contains(types, media) || strings.HasSuffix(media, "+json"))
}
