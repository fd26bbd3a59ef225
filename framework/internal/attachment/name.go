package attachment

import (
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// nameBytes is the greatest length of the name of a file.
const nameBytes = 255

// fileName returns the name in Content-Disposition. Without one, it is the name of the declared
// file with the usual extension of its type. A name with a folder, or with characters that are
// not shown, is an error: the client must send the name that people are to read.
func (p *part) fileName(declared, kind string) (string, error) {
	name := ""
	if p.header != "" {
		_, params, err := mime.ParseMediaType(p.header)
		if err != nil {
			return "", invalid("Content-Disposition cannot be read; send a form such as attachment; filename=\"photo.png\".")
		}
		name = strings.TrimSpace(params["filename"])
	}
	switch {
	case name == "":
		return declared + extension(kind), nil
	case strings.ContainsAny(name, `/\`) || name == "." || name == "..":
		return "", invalid("The name of the file must be without a folder: no /, no \\, and not . or ..")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isHidden):
		return "", invalid("The name of the file has a character that is not shown, such as a line break.")
	case len(name) > nameBytes:
		return "", invalid("The name of the file has %d bytes; it may have %d.", len(name), nameBytes)
	}
	return name, nil
}

// isHidden reports whether a character is not shown: a control character, a format character
// such as one that changes the direction of the text, or a line separator.
func isHidden(ch rune) bool {
	return unicode.In(ch, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

func extension(kind string) string {
	if known := mimetype.Lookup(kind); known != nil {
		return known.Extension()
	}
	return ""
}
