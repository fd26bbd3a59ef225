package attachment

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

const (
	// headBytes limits the bytes of a multipart body that are not the content. There may be this
	// many before the content. From the content to the closing boundary there may be this many
	// more than the longest content.
	headBytes = 16 << 10
	// pause is how long a client may send nothing. A server may have a stricter limit.
	pause = 10 * time.Second
	// answerTime is how long the answer may take after the body was stored or rejected.
	answerTime = 30 * time.Second
)

// partName is the name of the one part of a multipart body.
const partName = "file"

// A body is the body of an upload. Each read has a deadline of its own, if the server supports
// deadlines.
type body struct {
	request *http.Request
	control *http.ResponseController // nil without a writer of the response
	left    int64                    // how many bytes may still come
	err     error                    // why the body is rejected; nil for a body without faults
	ended   bool                     // it was read to its end
}

var errTooLong = errors.New("the body is longer than allowed")

// newBody begins to read the body of an upload. If the server limits the time of a whole body or
// of a whole answer, these limits are lifted: the limit of each pause stays. With HTTP/2 the limit
// of the answer would end the request before its answer begins.
func newBody(r *http.Request, w http.ResponseWriter) *body {
	b := &body{request: r}
	if w != nil {
		b.control = http.NewResponseController(w)
		_ = b.control.SetWriteDeadline(time.Time{})
	}
	if server, ok := r.Body.(interface{ LiftTotal() }); ok {
		server.LiftTotal()
	}
	return b
}

// Read reads at most the allowed bytes.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.left = -1
		p = p[:min(1, len(p))] // one byte more shows whether the body ends here
	} else if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	if b.control != nil {
		_ = b.control.SetReadDeadline(time.Now().Add(pause)) // the server may not support it
	}
	n, err := b.request.Body.Read(p)
	if b.left < 0 && n > 0 {
		n, err = 0, errTooLong
	} else {
		b.left -= int64(n)
	}
	b.ended = errors.Is(err, io.EOF)
	if err != nil && !b.ended {
		b.err = err
	}
	return n, err
}

// finish removes the deadline of a body that was read to its end, because it would end the
// request. The deadline of another body stays: it limits how long the server waits for the rest.
// The answer gets its time.
func (b *body) finish() {
	if b.control == nil {
		return
	}
	if b.ended {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	_ = b.control.SetWriteDeadline(time.Now().Add(answerTime))
}

// A part is the content of an upload, and what the client says about it.
type part struct {
	from    *bufio.Reader
	reader  io.Reader // the content; from, unless its first bytes were read
	body    *body
	memory  *fair.Share       // of the client's address, for the header of an image
	parts   *multipart.Reader // nil for a body that is the content itself
	most    int64
	size    int64  // the bytes that were read
	claimed string // the media type that the client names, "" for none
	header  string // Content-Disposition, "" for none
	done    bool
}

// open finds the content in a body, and rejects a body that is not one file.
func (b *body) open(f *table.FileColumn) (*part, error) {
	r := b.request
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ","); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedFileType,
			"Content-Encoding is not supported for a file; send the content as it is.")
	}
	if len(r.Header.Values("Content-Range")) > 0 { // RFC 9110, section 14.5: a part must not replace the whole
		return nil, invalid("Content-Range is not supported for a file; send the whole content.")
	}
	claimed, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Header.Get("Content-Type") != "" && err != nil {
		return nil, problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedFileType,
			"Content-Type is not a media type; send one of "+strings.Join(f.Types, ", ")+", or multipart/form-data with a boundary.")
	}
	if strings.HasPrefix(claimed, "multipart/") {
		return b.openMultipart(f, claimed, params["boundary"])
	}
	if r.ContentLength > f.MaxBytes {
		return nil, tooLarge(f.MaxBytes)
	}
	b.left = f.MaxBytes
	return newPart(b, b, f, claimed, r.Header.Get("Content-Disposition")), nil
}

func newPart(b *body, from io.Reader, f *table.FileColumn, claimed, header string) *part {
	buffered := bufio.NewReaderSize(from, sniffBytes)
	return &part{from: buffered, reader: buffered, body: b, most: f.MaxBytes, claimed: claimed, header: header}
}

// openMultipart finds the content in a multipart body.
func (b *body) openMultipart(f *table.FileColumn, kind, boundary string) (*part, error) {
	switch {
	case kind != "multipart/form-data":
		return nil, problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedFileType,
			"A body of several parts must be multipart/form-data.")
	case boundary == "":
		return nil, invalid("Content-Type has no boundary; send multipart/form-data; boundary=...")
	case b.request.ContentLength > f.MaxBytes+2*headBytes:
		return nil, tooLarge(f.MaxBytes)
	}
	b.left = headBytes
	parts := multipart.NewReader(b, boundary)
	one, err := parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		return nil, invalid("The body has no part; send one part, named %q.", partName)
	case errors.Is(err, errTooLong):
		return nil, invalid("The headers of the first part are too long; they may have %d bytes.", headBytes)
	case err != nil:
		return nil, b.explain(err)
	case one.FormName() != partName:
		return nil, invalid("The first part is named %q; send one part, named %q.", clip(one.FormName()), partName)
	}
	claimed, _, err := mime.ParseMediaType(one.Header.Get("Content-Type"))
	if one.Header.Get("Content-Type") != "" && err != nil {
		return nil, invalid("The Content-Type of the part is not a media type.")
	}
	b.left = f.MaxBytes + headBytes
	p := newPart(b, one, f, claimed, one.Header.Get("Content-Disposition"))
	p.parts = parts
	return p, nil
}

// Peek returns the first bytes of the content without consuming them: fewer if it is shorter.
func (p *part) Peek(n int) ([]byte, error) {
	head, err := p.from.Peek(n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, err
}

// Read reads the content. At its end it checks that no part follows, so that the storage keeps
// nothing of a body that is rejected.
func (p *part) Read(to []byte) (int, error) {
	if p.done {
		return 0, io.EOF
	}
	n, err := p.reader.Read(to)
	p.size += int64(n)
	switch {
	case p.size > p.most:
		return 0, p.fail(errTooLong)
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, p.fail(err)
	}
	if err := p.last(); err != nil {
		return n, p.fail(err)
	}
	p.done = true
	return n, io.EOF
}

// last returns an error if another part follows the content.
func (p *part) last() error {
	if p.parts == nil {
		return nil
	}
	_, err := p.parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return invalid("The body has several parts; send exactly one, named %q.", partName)
}

// fail notes why the content is rejected, so that explain finds it behind the storage's error.
func (p *part) fail(err error) error {
	p.body.err = err
	return err
}

// explain returns the error for the client: that of its body, or else the error itself, of the
// storage.
func (p *part) explain(err error) error {
	if p.body.err == nil {
		return err
	}
	if errors.Is(p.body.err, errTooLong) {
		return tooLarge(p.most)
	}
	return p.body.explain(p.body.err)
}

// explain returns the error for the client of a body that cannot be read.
func (b *body) explain(err error) error {
	var rejection *problem.Error
	switch {
	case errors.As(err, &rejection):
		return rejection
	case isLate(err):
		return problem.Refuse(http.StatusRequestTimeout, problem.CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case b.request.Context().Err() != nil && !errors.Is(err, io.ErrUnexpectedEOF): // after a cut body the client may still read
		return b.request.Context().Err()
	}
	return invalid("The body could not be read to its end; nothing was stored.").Because(err)
}

func tooLarge(most int64) *problem.Error {
	return problem.Refuse(http.StatusRequestEntityTooLarge, problem.CodeFileTooLarge, fmt.Sprintf("The file has more than %d bytes.", most))
}

// clip shortens a text of the client for a sentence.
func clip(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
