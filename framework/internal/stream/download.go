package stream

import (
	"net/http"
	"strings"
)

// NewDownloadPlan makes the plan of an endpoint that sends stored files of these media types. The
// type of the answer is that of the stored file, so the header Accept has no effect.
func NewDownloadPlan(media []string) *Plan {
	p := &Plan{fixed: true}
	for _, m := range media {
		p.formats = append(p.formats, &Format{media: m})
	}
	return p
}

// NewDownload makes the answer that sends a stored file. Text is declared as UTF-8, so that a
// browser does not guess its encoding. header has more headers of the answer; an error does not
// have them.
func NewDownload(c Content, header http.Header) *Answer {
	f := &Format{media: string(c.Media)}
	if strings.HasPrefix(f.media, "text/") {
		f.addParam("charset", "utf-8")
	}
	return &Answer{Status: http.StatusOK, format: f, content: &c, header: header}
}
