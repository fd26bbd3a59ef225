package attachment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

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
	d.File.Resource.NoteReadModel(c, m.Elem())
	return &table.Response{Status: http.StatusOK, Parts: stream.NewDownload(d.content(r.HTTP.Context(), file), d.headers(file, r.Signed))}, nil
}

// content is the answer that sends a file.
func (d Download) content(ctx context.Context, file files.File) stream.Content {
	return stream.Content{
		Body: &reader{ctx: ctx, of: d.File, file: file}, Media: stream.Media(file.Type), Name: file.Name, Inline: d.isInline(file),
		ModTime: file.UploadedAt, ETag: `"` + file.SHA256 + `"`,
	}
}

// isInline reports whether a browser may show a file in place.
func (d Download) isInline(file files.File) bool { return d.File.Inline && IsSafeInline(file.Type) }

// headers are the headers of a download that other contents lack. A browser saves a file without
// a name too.
func (d Download) headers(file files.File, signed bool) http.Header {
	h := http.Header{}
	if !d.isInline(file) {
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Cache-Control", "private, no-cache") // a client may store it, and revalidates it before each use
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	if signed { // such a URL is for pages of other origins, which send no credentials
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	return h
}

// safeInline are the types that a browser shows without running anything in them.
var safeInline = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
	"audio/mpeg", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/mp4",
	"video/mp4", "video/webm", "video/ogg", "text/plain",
}

// IsSafeInline reports whether a browser may show a type in place.
func IsSafeInline(kind string) bool { return slices.Contains(safeInline, kind) }

// A reader reads the content of a file from any position. It opens the storage at the first read
// after a change of the position.
type reader struct {
	ctx  context.Context
	of   *table.FileColumn
	file files.File
	at   int64
	open io.ReadCloser // nil before the first read at a position
}

// Seek implements [io.Seeker].
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.file.Size
	}
	_ = r.Close()
	r.at = offset
	return offset, nil
}

// Read implements [io.Reader]. A content that is shorter than its row says is an error.
func (r *reader) Read(p []byte) (n int, err error) {
	if r.at >= r.file.Size {
		return 0, io.EOF
	}
	if r.open == nil {
		r.open, err = r.of.Storage.Get(r.ctx, r.file.Key, r.at, -1)
	}
	if err == nil {
		n, err = r.open.Read(p)
		r.at += int64(n)
	}
	if errors.Is(err, io.EOF) && r.at < r.file.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file %s of %s cannot be read from its storage: %w", r.file.Key, r.of.Resource.Path, err)
	}
	return n, err
}

// Close implements [io.Closer].
func (r *reader) Close() (err error) {
	if r.open != nil {
		err = r.open.Close()
		r.open = nil
	}
	return err
}
