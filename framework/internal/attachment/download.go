package attachment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A Download answers GET {path}/{id}/{name}/.
type Download struct{ File *table.FileColumn }

// Serve answers one request. Without the row or its file, the error is 404. For a signed URL, the
// scope does not apply.
func (d Download) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	read := d.File.Resource.ModelOf
	if r.Signed {
		read = d.File.Resource.Unscoped
	}
	m, err := read(c, r)
	if err != nil {
		return nil, err
	}
	file := d.File.Of(m.Elem())
	if file.IsZero() {
		return nil, problem.NotFound()
	}
	return &table.Response{Status: http.StatusOK, Stream: func(w http.ResponseWriter, req *http.Request) error {
		return d.send(w, req, file, r.Signed)
	}}, nil
}

// send writes a file with its headers. net/http answers ranges and conditions.
func (d Download) send(w http.ResponseWriter, r *http.Request, file files.File, signed bool) error {
	r = stream.CleanRange(r)
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // it is a copy; several ranges would be several reads of the storage; the whole file is a valid answer
	}
	before := w.Header().Clone()
	d.describe(w.Header(), file, signed)
	content := &content{ctx: r.Context(), storage: d.File.Storage, file: file}
	defer content.close()
	held := &heldWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	http.ServeContent(held, r, "", file.UploadedAt, content)
	err := errors.Join(content.err, held.rejection(file.Size))
	if err == nil {
		held.send()
		return nil
	}
	if !held.sent {
		restore(w.Header(), before)
		if e, ok := errors.AsType[*problem.Error](err); ok {
			return e
		}
	}
	return fmt.Errorf("the file %s of %s cannot be read from its storage: %w", file.Key, d.File.Resource.Path, err)
}

// describe sets the headers of a file.
func (d Download) describe(h http.Header, file files.File, signed bool) {
	kind := "attachment"
	if d.File.Inline && IsSafeInline(file.Type) {
		kind = "inline"
	}
	disposition := mime.FormatMediaType(kind, map[string]string{"filename": file.Name})
	if disposition == "" {
		disposition = kind
	}
	h.Set("Content-Disposition", disposition)
	h.Set("Content-Type", withCharset(file.Type))
	h.Set("Etag", `"`+file.SHA256+`"`)
	h.Set("Cache-Control", "private, no-cache") // a client may store it, and revalidates it before each use
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	if signed { // such a URL is for pages of other origins, which send no credentials
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// withCharset adds UTF-8 to a text, so that a browser does not guess its encoding.
func withCharset(kind string) string {
	if strings.HasPrefix(kind, "text/") {
		return kind + "; charset=utf-8"
	}
	return kind
}

// safeInline are the types that a browser shows without running anything in them.
var safeInline = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
	"audio/mpeg", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/mp4",
	"video/mp4", "video/webm", "video/ogg", "text/plain",
}

// IsSafeInline reports whether a browser may show a type in place.
func IsSafeInline(kind string) bool { return slices.Contains(safeInline, kind) }

// restore sets headers to those of an earlier copy.
func restore(h, before http.Header) {
	for name := range h {
		if _, had := before[name]; !had {
			h.Del(name)
		}
	}
	maps.Copy(h, before)
}

// A content reads a stored content from any position. It opens the storage at the first read
// after a change of the position.
type content struct {
	ctx     context.Context
	storage files.Storage
	file    files.File
	at      int64
	open    io.ReadCloser
	err     error
}

// Seek implements [io.Seeker].
func (s *content) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.file.Size
	}
	s.close()
	s.at = offset
	return offset, nil
}

// Read implements [io.Reader]. It notes an error of the storage, and a content that is shorter
// than its row says.
func (s *content) Read(p []byte) (n int, err error) {
	if s.at >= s.file.Size {
		return 0, io.EOF
	}
	if s.open == nil {
		s.open, err = s.storage.Get(s.ctx, s.file.Key, s.at, -1)
	}
	if err == nil {
		n, err = s.open.Read(p)
		s.at += int64(n)
	}
	if errors.Is(err, io.EOF) && s.at < s.file.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func (s *content) close() {
	if s.open != nil {
		_ = s.open.Close()
		s.open = nil
	}
}

// A heldWriter sends the status with the first bytes of the content, so that an error of the
// first read can still be the answer. Each write has a deadline of its own. It drops the bodies
// of statuses that are errors of the API.
type heldWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	status  int
	sent    bool
}

// WriteHeader notes the status.
func (w *heldWriter) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *heldWriter) Write(p []byte) (int, error) {
	if w.status >= http.StatusBadRequest {
		return len(p), nil
	}
	w.send()
	_ = w.control.SetWriteDeadline(time.Now().Add(answerTime)) // the server may not support it
	return w.ResponseWriter.Write(p)
}

// send sends the status, once.
func (w *heldWriter) send() {
	if !w.sent {
		w.sent = true
		w.ResponseWriter.WriteHeader(w.status)
	}
}

// rejection is the error of the API for the status of net/http; nil for a success.
func (w *heldWriter) rejection(size int64) error {
	switch w.status {
	case http.StatusRequestedRangeNotSatisfiable:
		e := problem.Refuse(w.status, problem.CodeRangeNotSatisfiable, fmt.Sprintf("The file has %d bytes; no byte of the range is in it.", size))
		e.Header = map[string]string{"Content-Range": fmt.Sprintf("bytes */%d", size)}
		return e
	case http.StatusPreconditionFailed:
		return problem.Refuse(w.status, problem.CodePreconditionFailed, "The file is not the one that the condition names.")
	}
	return nil
}
