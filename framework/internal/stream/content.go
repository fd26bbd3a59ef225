package stream

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/problem"
)

// Content is an answer of bytes, such as a file or an image. A function returns it, and declares
// its media types.
type Content struct {
	// Body has the bytes. If it is an io.ReadSeeker and the status is 200, a GET may request parts
	// of it (RFC 9110, section 14). If it is an io.Closer, it is closed when the answer ends, also
	// after an error.
	Body io.Reader
	// Media is one of the declared media types. Defaults to the one that Accept chose.
	Media Media
	// Name is the file name that the client suggests to its user. With a Name, a browser saves
	// the answer instead of showing it, unless Inline is true. Defaults to none.
	Name string
	// Inline lets a browser show the answer although it has a Name.
	Inline bool
	// Length is the number of bytes of the Body. If the Body has another number, the answer is an
	// error, or is cut off if it has begun. Length has no effect if parts of the Body can be
	// requested. Defaults to unknown.
	Length int64
	// ModTime is the time of the last change, for If-Modified-Since, If-Unmodified-Since and
	// If-Range of an io.ReadSeeker. Defaults to none.
	ModTime time.Time
	// ETag is the entity tag with its quotes, for If-Match, If-None-Match and If-Range of an
	// io.ReadSeeker. Defaults to none.
	ETag string
}

// close closes the body.
func (c *Content) close() {
	if closer, ok := c.Body.(io.Closer); ok {
		_ = closer.Close()
	}
}

// contentHeaders are the headers of a content, which an error does not have, even if the function
// has set one itself.
var contentHeaders = []string{"Content-Disposition", "Content-Length", "Content-Type", "Accept-Ranges", "Etag", "Last-Modified"}

// describe sets the headers of the answer.
func (c *Content) describe(h http.Header, f *Format) {
	h.Set("Content-Type", f.contentType())
	if name := fileName(c.Name); name != "" {
		disposition := "attachment"
		if c.Inline {
			disposition = "inline"
		}
		h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": name}))
	}
	if c.ETag != "" {
		h.Set("ETag", c.ETag)
	}
}

// fileName returns the last element of a path, with slashes of either kind, without the control
// characters of ASCII. It returns "" for a path without a name.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ReplaceAll(name, `\`, "/"))
	if name = path.Base(name); name == "." || name == "/" || name == ".." {
		return ""
	}
	return name
}

// sendContent sends the bytes. The first of them are read before the status is sent.
func (s *sender) sendContent(c *Content) error {
	c.describe(s.o.Writer.Header(), s.format)
	if body, seeks := c.Body.(io.ReadSeeker); seeks && s.o.reads() && s.status == http.StatusOK {
		return s.serveRanges(c, body)
	}
	source := c.Body
	if c.Length > 0 {
		s.o.Writer.Header().Set("Content-Length", strconv.FormatInt(c.Length, 10))
		source = &exactReader{Reader: c.Body, length: c.Length}
	}
	body := bufio.NewReaderSize(source, chunk)
	if _, err := body.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if s.begin(); s.o.head() {
		return nil
	}
	_, err := io.Copy(struct{ io.Writer }{contentWriter{s}}, body)
	return err
}

// An exactReader fails if its reader has another number of bytes than length. It finds out before
// it returns the last of them, so that a content that is too long is not taken for a whole one.
type exactReader struct {
	io.Reader

	length, read int64
}

func (r *exactReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.read += int64(n); r.read == r.length && err == nil {
		var more int
		more, err = io.ReadAtLeast(r.Reader, make([]byte, 1), 1)
		r.read += int64(more)
	}
	switch {
	case r.read > r.length:
		return 0, fmt.Errorf("the content has more bytes than its Length, which is %d", r.length)
	case errors.Is(err, io.EOF) && r.read < r.length:
		return 0, fmt.Errorf("the content has %d bytes; its Length is %d", r.read, r.length)
	}
	return n, err
}

// serveRanges sends the whole body, a part of it, or 304. The status is sent with the first bytes,
// so that an error of the first read can still be the answer.
func (s *sender) serveRanges(c *Content, body io.ReadSeeker) error {
	read := &recordingReader{ReadSeeker: body}
	w := &rangeWriter{contentWriter: contentWriter{s}}
	http.ServeContent(w, cleanRange(s.o.Request), "", c.ModTime, read)
	switch {
	case read.err != nil:
		return read.err
	case w.rejected != 0:
		return rejection(w.rejected, read.size)
	}
	promised, err := strconv.ParseInt(s.o.Writer.Header().Get("Content-Length"), 10, 64)
	if err == nil && w.sent < promised && s.failed == nil && !s.o.head() {
		return fmt.Errorf("the content ended after %d of %d bytes", w.sent, promised)
	}
	s.begin()
	return nil
}

// rejection is the error of a status by which net/http rejects a request for a content of a size.
func rejection(status int, size int64) error {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		e := problem.Refuse(status, problem.CodeRangeNotSatisfiable, fmt.Sprintf("The content has %d bytes; no byte of the range is in it.", size))
		e.Header = map[string]string{"Content-Range": fmt.Sprintf("bytes */%d", size)}
		return e
	case http.StatusPreconditionFailed:
		return problem.Refuse(status, problem.CodePreconditionFailed, "The content is not the one that a condition of the request names.")
	}
	return fmt.Errorf("the content cannot be read: status %d", status)
}

// A recordingReader records the first error that is not the end, and the size of the content.
type recordingReader struct {
	io.ReadSeeker

	err  error
	size int64
}

func (r *recordingReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = cmp.Or(r.err, err)
	}
	return n, err
}

func (r *recordingReader) Seek(offset int64, whence int) (int64, error) {
	n, err := r.ReadSeeker.Seek(offset, whence)
	r.err = cmp.Or(r.err, err)
	if whence == io.SeekEnd {
		r.size = n
	}
	return n, err
}

// A contentWriter writes bytes without gathering them.
type contentWriter struct{ s *sender }

func (w contentWriter) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.put(p)
}

// A rangeWriter is the writer for [http.ServeContent]. It sends the status with the first bytes,
// and keeps errors back, so that they can be sent in the error shape of the API.
type rangeWriter struct {
	contentWriter

	rejected int   // the status of an error
	sent     int64 // bytes
}

func (w *rangeWriter) Header() http.Header { return w.s.o.Writer.Header() }

func (w *rangeWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.rejected = status
		return
	}
	w.s.status = status
}

func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.rejected != 0 {
		return len(p), nil
	}
	w.s.begin()
	n, err := w.contentWriter.Write(p)
	w.sent += int64(n)
	return n, err
}
