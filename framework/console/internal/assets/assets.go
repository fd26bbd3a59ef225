// Package assets has the files that the pages of a console load.
package assets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/console/internal/theme"
	"trestle.example/framework/internal/declare"
)

// A Set is the files of a console. It does not change once the console serves.
type Set struct {
	Sheets []string // the names of the style sheets of every page
	Script string
	Logo   string // "" for none

	files map[string]file
}

type file struct {
	media string
	body  []byte
}

// New returns the files of every page: the console's own style sheet and script, and the colours and the logo of the program.
func New(sheet, script []byte, c declare.Console) (*Set, error) {
	s := &Set{files: map[string]file{}}
	s.Sheets = []string{s.AddSheet(sheet)}
	s.Script = s.add("js", "text/javascript; charset=utf-8", script)
	colours, err := theme.Sheet(c.Accent)
	if err != nil {
		return nil, err
	}
	if colours != nil {
		s.Sheets = append(s.Sheets, s.AddSheet(colours))
	}
	if c.Logo == nil {
		return s, nil
	}
	media := http.DetectContentType(c.Logo)
	if bytes.Contains(c.Logo[:min(len(c.Logo), 1000)], []byte("<svg")) {
		media = "image/svg+xml"
	}
	kind, ok := strings.CutPrefix(media, "image/")
	if !ok {
		return nil, errors.New("the logo is not an image in SVG, PNG, JPEG, WebP or GIF")
	}
	kind, _, _ = strings.Cut(kind, "+")
	s.Logo = s.add(kind, media, c.Logo)
	return s, nil
}

// AddSheet adds a style sheet, and returns its name.
func (s *Set) AddSheet(body []byte) string { return s.add("css", "text/css; charset=utf-8", body) }

// add adds a file, and returns its name. The name has a hash of the file, so that browsers keep it.
func (s *Set) add(end, media string, body []byte) string {
	sum := sha256.Sum256(body)
	name := "console." + hex.EncodeToString(sum[:6]) + "." + end
	s.files[name] = file{media, body}
	return name
}

// Serve answers with a file.
func (s *Set) Serve(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Content-Type", f.media)
	_, _ = w.Write(f.body)
}
