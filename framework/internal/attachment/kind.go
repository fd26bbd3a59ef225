package attachment

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"  // its header is checked
	_ "image/jpeg" // its header is checked
	_ "image/png"  // its header is checked
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

const (
	// sniffBytes is how much of a content is in memory to detect its type.
	sniffBytes = 4 << 10
	// imageHead is within how many bytes an image must have its size.
	imageHead = 1 << 20
)

// identify returns the media type of a content: the allowed type that its bytes have. It rejects
// a content without bytes, a content of another type, and a content that differs from what the
// client says. It decodes the header of a PNG, JPEG or GIF image; the part then has its bytes
// again.
func identify(p *part, allowed []string) (string, error) {
	head, err := p.Peek(sniffBytes)
	if err != nil {
		return "", p.fail(err)
	}
	if len(head) == 0 {
		if err := p.last(); err != nil {
			return "", p.fail(err)
		}
		return "", invalid("The file is empty.")
	}
	found := mimetype.Detect(head)
	kind := allowedKind(found, p.claimed, allowed)
	if kind == "" {
		return "", unsupported("The content is "+plainType(found.String()), allowed)
	}
	if !agrees(p.claimed, kind, found) {
		return "", unsupported("The content is "+plainType(found.String())+", but Content-Type says "+clip(p.claimed), allowed)
	}
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, kind) {
		return kind, p.checkImage(kind, allowed)
	}
	return kind, nil
}

// allowedKind returns the allowed type that a detected type is, or is a special form of. A plain
// text may have any allowed type below text that the client names and that cannot be detected.
// It returns "" if the type is not allowed.
func allowedKind(found *mimetype.MIME, claimed string, allowed []string) string {
	if found.Is("text/plain") && textual(claimed) && slices.Contains(allowed, claimed) {
		return claimed
	}
	for at := found; at != nil; at = at.Parent() {
		for _, one := range allowed {
			if at.Is(one) {
				return one
			}
		}
	}
	return ""
}

// textual reports whether a type is a text whose form cannot be detected with certainty.
func textual(kind string) bool {
	return kind != "text/plain" && kind != "text/html" && kind != "text/xml" && strings.HasPrefix(kind, "text/")
}

// agrees reports whether the client's Content-Type is that of the content. No Content-Type, and
// application/octet-stream, say nothing.
func agrees(claimed, kind string, found *mimetype.MIME) bool {
	if claimed == "" || claimed == "application/octet-stream" || claimed == kind {
		return true
	}
	if same := mimetype.Lookup(claimed); same != nil && same.Is(kind) { // another name of the type
		return true
	}
	for at := found; at != nil; at = at.Parent() {
		if at.Is(claimed) {
			return true
		}
	}
	return false
}

// plainType is a media type without parameters.
func plainType(kind string) string {
	if plain, _, err := mime.ParseMediaType(kind); err == nil {
		return plain
	}
	return kind
}

// unsupported is the error of a content whose type is not allowed: what was found, and the
// allowed types.
func unsupported(found string, allowed []string) *problem.Error {
	return problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedFileType, found+"; allowed are "+strings.Join(allowed, ", ")+".")
}

// checkImage decodes the header of an image, and rejects one without a size. The header is in
// memory meanwhile, so it counts as the memory of a body does: beyond the share of its client the
// error is 503.
func (p *part) checkImage(kind string, allowed []string) error {
	var read bytes.Buffer
	head := p.memory.Reader(io.LimitReader(p.from, imageHead), table.SmallBody)
	config, _, err := image.DecodeConfig(io.TeeReader(head, &read))
	if kind == "image/gif" && err == nil && !hasBlock(read.Bytes()) {
		err = errors.New("no block follows the header")
	}
	p.reader = io.MultiReader(&read, p.from)
	switch {
	case p.body.err != nil:
		return p.body.err
	case head.IsFull():
		return p.fail(problem.Overloaded().Because(fair.ErrBudget))
	case err != nil || config.Width == 0 || config.Height == 0:
		return unsupported("The content begins as "+kind+", but is not a valid image", allowed)
	}
	return nil
}

// hasBlock reports whether a block follows the header of a GIF: an image, an extension or the
// trailer. A text that only begins as a GIF has none.
func hasBlock(gif []byte) bool {
	const header, flags = 13, 10
	at := header
	if len(gif) < header {
		return false
	}
	if gif[flags]&0x80 != 0 { // a table of colours follows
		at += 3 << (gif[flags]&7 + 1)
	}
	return len(gif) > at && slices.Contains([]byte{0x21, 0x2c, 0x3b}, gif[at])
}

// commonTypes are the media types that a mistyped one probably means.
var commonTypes = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "application/pdf", "application/zip", "application/json",
	"application/octet-stream", "text/plain", "text/csv", "text/html", "audio/mpeg", "video/mp4", "video/webm",
}

// CheckType reports a declared media type that is malformed, or that no content can have.
func CheckType(kind string) error {
	plain, params, err := mime.ParseMediaType(kind)
	known := mimetype.Lookup(kind)
	switch {
	case err != nil || len(params) > 0 || plain != kind || !strings.Contains(kind, "/"):
		return naming.Sentence("%q must be a media type in lower case without parameters%s", kind, naming.DidYouMean(kind, commonTypes))
	case known == nil && !strings.HasPrefix(kind, "text/"):
		return naming.Sentence("no content is detected as %q%s", kind, naming.DidYouMean(kind, commonTypes))
	}
	return nil
}
